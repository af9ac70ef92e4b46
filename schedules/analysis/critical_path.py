"""Why a run takes as long as it does: a chain of actions without slack."""

from __future__ import annotations

import numpy as np

from schedules.actions import Action, Kind
from schedules.dependencies import MISSING, EdgeKind, Edges, edges
from schedules.schedule import IntArray, Schedule
from schedules.timeline import Timeline


def critical_path(line: Timeline) -> list[Action]:
    """A chain of actions from slot 0 to the makespan, each waiting for the one before it.

    Each starts when its predecessor ends, or one message time later where a message lies in
    between: a path in `Schedule.dag`. Without message times the durations on it add up to the
    makespan, so none of its actions can take longer without delaying the end. Of several such
    chains this is one, the same every time; where times were recorded rather than computed,
    an action follows what it waited for last. Linear in actions.

    Parameters
    ----------
    line : Timeline

    Returns
    -------
    list of Action
        Empty for an empty schedule.

    Examples
    --------
    >>> from schedules import build, timeline
    >>> [str(action) for action in critical_path(timeline(build("gpipe", 2, 2)))]
    ['0F0', '1F0', '1F1', '1B0', '0B0', '0B1']
    """
    return [line.schedule.action(index) for index in critical_indices(line)]


def critical_indices(line: Timeline) -> list[int]:
    """`critical_path` as flat indices of the schedule's arrays."""
    schedule = line.schedule
    if not len(schedule):
        return []
    found = _sorted_by_target(edges(schedule))
    bounds = np.searchsorted(found.target, np.arange(len(schedule) + 1))
    before = _before_on_rank(schedule)
    chain = [int(line.end.argmax())]
    while line.start[chain[-1]] > 0:
        here = chain[-1]
        into = slice(int(bounds[here]), int(bounds[here + 1]))
        previous = _last_awaited(line, here, found.source[into], found.kind[into], before[here])
        if previous == MISSING:
            break
        chain.append(previous)
    return chain[::-1]


def _sorted_by_target(found: Edges) -> Edges:
    order = np.argsort(found.target, kind="stable")
    return Edges(found.source[order], found.target[order], found.kind[order])


def _before_on_rank(schedule: Schedule) -> IntArray:
    """The action before each on its rank that is no receive: receives are only posted."""
    is_receive = np.isin(schedule.kind, (Kind.RECV_F, Kind.RECV_B))
    own = np.where(is_receive, MISSING, np.arange(len(schedule)))
    latest = np.concatenate([[MISSING], np.maximum.accumulate(own)[:-1]])
    first = np.repeat(schedule.offsets[:-1], np.diff(schedule.offsets))
    return np.asarray(np.where(latest < first, MISSING, latest))


def _last_awaited(
    line: Timeline, here: int, sources: IntArray, kinds: IntArray, before: int
) -> int:
    """What decided when an action starts: what ends just then, else the last message to leave."""
    candidates = [(int(line.end[before]), False, int(before))] if before != MISSING else []
    for source, kind in zip(sources.tolist(), kinds.tolist(), strict=True):
        candidates.append((int(line.end[source]), kind == EdgeKind.MESSAGE, source))
    start = int(line.start[here])
    just_then = [source for end, _, source in candidates if end == start]
    if just_then:
        return just_then[0]
    earlier = [(sent, end, source) for end, sent, source in candidates if end < start]
    return max(earlier)[2] if earlier else MISSING
