"""What the schedule explorer shows of a run, as plain data."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from reports.errors import PictureError, shorten
from schedules import FAMILIES, LINEARIZATIONS, Schedule, Timeline, build, delays, steady, timeline
from schedules import versions as versions_of
from schedules.actions import COMPUTE, Kind
from schedules.delays import Steady
from schedules.dependencies import MISSING
from schedules.messages.channels import channels
from schedules.messages.model import QueueModel
from schedules.messages.progress import progress
from schedules.messages.waits import blockages, describe
from schedules.versions import Versions, update_after

MOST_ACTIONS: Final = 6000
"""Actions that a browser still draws at once."""
_COMPUTE: Final = frozenset(int(kind) for kind in COMPUTE)


def run_data(line: Timeline, title: str, note: str = "") -> dict[str, Any]:
    """A run: its actions with times, versions and dependencies, and tracks of what is held.

    Returns
    -------
    dict
        ``actions`` are ``[rank, start, end, kind, stage, microbatch, pipeline, read, used, makes,
        state]``, with None where a version means nothing; ``edges`` are ``[from, to, kind]`` by
        place in ``actions``; ``tracks`` are steps ``[time, value]`` of versions and activations.

    Raises
    ------
    PictureError
        More actions than a browser draws at once.

    Examples
    --------
    >>> found = run_data(timeline(build("pipedream", 2, 3)), "two ranks")
    >>> found["actions"][0][:10]
    [0, 0, 1, 'F', 0, 0, 0, 0, None, None]
    >>> found["tracks"]["versions"][0]["steps"]
    [[0, 0], [4, 1], [6, 2], [8, 3]]
    """
    schedule = line.schedule
    _require_room(schedule)
    origin = int(line.start.min(initial=0))
    makes = _made_versions(line)
    found = versions_of(schedule) if _has_versions(schedule) else None
    actions = [
        [
            int(schedule.rank_of_action[index]),
            int(line.start[index]) - origin,
            int(line.end[index]) - origin,
            Kind(int(schedule.kind[index])).name,
            int(schedule.stage[index]),
            int(schedule.microbatch[index]),
            int(schedule.pipeline[index]),
            *_used(found, schedule, index),
            makes.get(index),
            "done",
        ]
        for index in range(len(schedule))
    ]
    return {
        "title": title,
        "note": note,
        "unit": "slot",
        "ranks": schedule.ranks,
        "length": int(line.length),
        "policy": str(schedule.policy.name),
        "actions": actions,
        "edges": _edges(schedule),
        "tracks": {"versions": _version_tracks(actions), "held": _held_tracks(actions)},
    }


def hangs(schedule: Schedule) -> bool:
    """Whether messages wait for one another for ever: one queue a rank, nothing buffered."""
    return not progress(schedule, channels(schedule), QueueModel()).finished


def stuck_data(schedule: Schedule, title: str) -> dict[str, Any]:
    """A schedule as far as it gets with one queue a rank and no buffer, what never ends last.

    Raises
    ------
    PictureError
        More actions than a browser draws at once.
    """
    _require_room(schedule)
    found = progress(schedule, channels(schedule), QueueModel())
    latest = int(found.steps.max(initial=0)) + 1
    waiting: Counter[int] = Counter()
    actions = []
    for index in range(len(schedule)):
        rank, step = int(schedule.rank_of_action[index]), int(found.steps[index])
        never = int(found.start[index]) == MISSING
        begun = not never and int(found.end[index]) == MISSING
        if step == MISSING or never:
            step = latest + waiting[rank]
            waiting[rank] += 1
        kind = Kind(int(schedule.kind[index])).name
        state = "never" if never else "begun" if begun else "done"
        place = [int(schedule.stage[index]), int(schedule.microbatch[index])]
        pipeline = int(schedule.pipeline[index])
        actions.append([rank, step, step + 1, kind, *place, pipeline, None, None, None, state])
    return {
        "title": title,
        "note": " ".join(describe(schedule, one) for one in blockages(found)) or "It completes.",
        "unit": "step",
        "ranks": schedule.ranks,
        "length": latest + max(waiting.values(), default=0),
        "policy": str(schedule.policy.name),
        "actions": actions,
        "edges": [],
        "tracks": {"versions": [], "held": []},
    }


def delay_data(family: str, largest: int, linearization: str = "ascending") -> dict[str, Any]:
    """The steady delays of a family for every number of ranks up to one.

    Examples
    --------
    >>> delay_data("pipedream", 3)["by_ranks"]["2"]
    [[3, 1], [2, 0]]
    """
    by_ranks = {}
    known = FAMILIES[family]
    for ranks in range(2, largest + 1):
        if known.why_unsteady(ranks, LINEARIZATIONS[linearization]):
            continue
        found = steady(delays(timeline(build(family, ranks, 4 * ranks)), linearization))
        if isinstance(found, Steady):
            by_ranks[str(ranks)] = found.rows.tolist()
    return {"family": family, "linearization": linearization, "by_ranks": by_ranks}


def _require_room(schedule: Schedule) -> None:
    if len(schedule) > MOST_ACTIONS:
        raise PictureError(
            f"a page shows at most {MOST_ACTIONS} actions, found {len(schedule)}",
            shorten(schedule.name),
            "draw fewer microbatches",
        )


def _has_versions(schedule: Schedule) -> bool:
    """Whether every microbatch of every stage runs forwards and backwards."""
    wanted = schedule.stages * schedule.microbatches
    kinds = Counter(int(kind) for kind in schedule.kind)
    return kinds[int(Kind.F)] == wanted == kinds[int(Kind.B)] + kinds[int(Kind.I)]


def _used(found: Versions | None, schedule: Schedule, index: int) -> list[int | None]:
    kind, place = int(schedule.kind[index]), (schedule.stage[index], schedule.microbatch[index])
    if found is None or kind not in _COMPUTE:
        return [None, None]
    if kind == int(Kind.F):
        return [int(found.read[place]), None]
    return [int(found.read[place]), int(found.used[place])]


def _made_versions(line: Timeline) -> dict[int, int]:
    """Which version each updating action makes, stage by stage in time."""
    schedule, count = line.schedule, Counter[tuple[int, int]]()
    found = {}
    updating = [int(index) for index in update_after(schedule).nonzero()[0]]
    for index in sorted(updating, key=lambda index: int(line.end[index])):
        copy = int(schedule.stage[index]), int(schedule.rank_of_action[index])
        count[copy] += 1
        found[index] = count[copy]
    return found


def _edges(schedule: Schedule) -> list[list[Any]]:
    index_of: dict[Any, int] = {}
    for index in range(len(schedule)):
        index_of.setdefault(schedule.action(index), index)
    return [
        [index_of[one], index_of[other], kind]
        for one, other, kind in schedule.dag().edges(data="kind")
        if one in index_of and other in index_of and kind != "program"
    ]


def _version_tracks(actions: list[list[Any]]) -> list[dict[str, Any]]:
    tracks: dict[tuple[int, int], list[list[int]]] = {}
    for rank, _, end, _, stage, _, _, _, _, makes, _ in sorted(actions, key=lambda one: one[2]):
        steps = tracks.setdefault((rank, stage), [[0, 0]])
        if makes is not None:
            steps.append([end, makes])
    return [
        {"rank": rank, "stage": stage, "steps": steps}
        for (rank, stage), steps in sorted(tracks.items())
    ]


def _held_tracks(actions: list[list[Any]]) -> list[dict[str, Any]]:
    """Activations of each rank: from the start of F to the end of what reads them last."""
    last: dict[tuple[int, ...], int] = {}
    for rank, _, end, kind, stage, microbatch, pipeline, *_ in actions:
        if kind in "BIW":
            key = (rank, stage, microbatch, pipeline)
            last[key] = max(last.get(key, 0), end)
    changes: dict[int, Counter[int]] = {}
    for rank, start, _, kind, stage, microbatch, pipeline, *_ in actions:
        key = (rank, stage, microbatch, pipeline)
        if kind == "F" and key in last:
            changes.setdefault(rank, Counter())[start] += 1
            changes[rank][last[key]] -= 1
    tracks = []
    for rank in sorted(changes):
        held, steps = 0, []
        for time in sorted(changes[rank]):
            held += changes[rank][time]
            steps.append([time, held])
        tracks.append({"rank": rank, "steps": steps})
    return tracks
