"""Parameters that are gathered before they are computed on, and kept until that is done.

Part of ``causal``. Where a schedule has ``UNSHARD``, all parameters begin in shards: a stage
computes behind its ``UNSHARD``, until its ``RESHARD``, on each of its ranks.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from schedules.actions import RUNS, Kind, among
from schedules.dependencies import MISSING
from schedules.messages.channels import folded
from schedules.schedule import IntArray, Schedule
from schedules.validation.violation import Arrow, Case, Finding, Marks

COLLECTIVES = (Kind.UNSHARD, Kind.RESHARD)


def ungathered(schedule: Schedule) -> Finding:
    """Computations on shards: of each such stretch of a stage, the first.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> found = ungathered(parse_csv("0UNSHARD,0F0,0RESHARD,0B0", "a.csv"))
    >>> found.count, found.describe(0).place
    (1, 'a.csv:row 1:cell 4')
    """
    action, _, first, last = _by_seat(schedule)
    kind = schedule.kind[action]
    collects = among(kind, COLLECTIVES)
    begins_in_shards = bool((kind == Kind.UNSHARD).any())
    in_shards = np.where(last == MISSING, begins_in_shards, kind[last] == Kind.RESHARD)
    wrong = np.flatnonzero(in_shards & ~collects)
    stretch = np.stack([first[wrong], last[wrong]])
    wrong = np.sort(wrong[np.unique(stretch, axis=1, return_index=True)[1]])

    def describe(case: int) -> Case:
        entry = int(wrong[case])
        index, before = int(action[entry]), int(last[entry])
        computation = schedule.action(index)
        gather = f"{computation.stage}UNSHARD"
        witness: dict[str, object] = {"action": str(computation), "missing": gather}
        if before == MISSING:
            what, marks = f"has no {gather} before it on its rank, as others have", Marks((index,))
        else:
            released = int(action[before])
            what = f"stands behind {schedule.action(released)} ({schedule.place(released)})"
            witness["released"] = schedule.place(released)
            marks = Marks((index, released), (Arrow(released, index, "releases its parameters"),))
        return Case(
            schedule.place(index),
            f"a stage computes on gathered parameters, but {computation} {what}",
            f"add {gather} before {computation}",
            witness,
            marks,
        )

    return Finding("computation on shards", len(wrong), describe)


def regathered(schedule: Schedule) -> Iterator[str]:
    """Collectives that PyTorch's runtime refuses where a stage is in shards between steps (FSDP).

    Of every kind, the first.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> list(regathered(parse_csv("0UNSHARD,0F0,0UNSHARD,0B0,0RESHARD", "a.csv")))
    ['0UNSHARD (a.csv:row 1:cell 3) gathers what is gathered: PyTorch refuses it under FSDP']
    """
    if not (schedule.kind == Kind.UNSHARD).any():
        return
    action, seat, first, last = _by_seat(schedule)
    kind, place = schedule.kind[action], np.arange(len(action))
    before = np.append(MISSING, last[:-1])
    before = np.where(before >= first, before, MISSING)
    gathered = (before != MISSING) & (kind[before] == Kind.UNSHARD)
    gathers, releases = kind == Kind.UNSHARD, kind == Kind.RESHARD
    ends = np.append(seat[1:] != seat[:-1], True)
    for wrong, says in (
        (gathers & gathered, "gathers what is gathered"),
        (releases & ~gathered, "releases what is not gathered"),
        (releases & gathered & (before == place - 1), "releases what nothing was computed on"),
        (gathers & ends, "gathers what nothing is computed on"),
        (ends & gathered & ~releases & ~gathers, "is the last of its stage, which stays gathered"),
    ):
        for entry in np.flatnonzero(wrong)[:1].tolist():
            index = int(action[entry])
            found = f"{schedule.action(index)} ({schedule.place(index)}) {says}"
            later = " in the next step" if "stays" in says else ""
            yield f"{found}: PyTorch refuses it{later} under FSDP"


def _by_seat(schedule: Schedule) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Computations and collectives by stage and rank: actions, seats, first, last collective."""
    chosen = np.flatnonzero(among(schedule.kind, [*RUNS, *COLLECTIVES]))
    seat = folded([schedule.rank_of_action[chosen], schedule.stage[chosen].astype(np.int64)])
    order = np.argsort(seat, kind="stable")
    action, seat = chosen[order], seat[order]
    collects = among(schedule.kind[action], COLLECTIVES)
    last = np.maximum.accumulate(np.where(collects, np.arange(len(action)), MISSING))
    first = np.searchsorted(seat, seat)
    return action, seat, first, np.where(last >= first, last, MISSING)
