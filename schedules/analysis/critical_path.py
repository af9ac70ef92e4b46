"""Why a run takes as long as it does: a chain of actions without slack."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from schedules.actions import Action, Kind, among
from schedules.dependencies import MISSING, EdgeKind, Edges, edges
from schedules.links import MessageTime, message_lags
from schedules.schedule import IntArray, Schedule
from schedules.timeline import Timeline


def critical_path(line: Timeline, message_time: MessageTime | None = None) -> list[Action]:
    """A chain of actions from slot 0 to the makespan, each waiting for the one before it.

    Each starts when its predecessor ends, or one message time later where a message lies in
    between: a path in `Schedule.dag`. Without message times the durations on it add up to the
    makespan, so none of its actions can take longer without delaying the end. Of several such
    chains this is one, the same every time; where times were recorded rather than computed,
    an action follows what it waited for last. Linear in actions.

    Parameters
    ----------
    line : Timeline
    message_time : int or callable, optional
        The one that the run was made with, if it is known.

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
    return [line.schedule.action(index) for index in critical_indices(line, message_time)]


def critical_indices(line: Timeline, message_time: MessageTime | None = None) -> list[int]:
    """`critical_path` as flat indices of the schedule's arrays."""
    schedule = line.schedule
    if not len(schedule):
        return []
    found = _sorted_by_target(edges(schedule))
    lags = None if message_time is None else message_lags(schedule, found, message_time)
    bounds = np.searchsorted(found.target, np.arange(len(schedule) + 1))
    before = before_on_rank(schedule)
    chain = [int(line.end.argmax())]
    while line.start[chain[-1]] > 0:
        here = chain[-1]
        into = slice(int(bounds[here]), int(bounds[here + 1]))
        previous = _last_awaited(
            line,
            here,
            Edges(found.source[into], found.target[into], found.kind[into]),
            before[here],
            None if lags is None else lags[into],
        )
        if previous == MISSING:
            break
        chain.append(previous)
    return chain[::-1]


def _sorted_by_target(found: Edges) -> Edges:
    order = np.argsort(found.target, kind="stable")
    return Edges(found.source[order], found.target[order], found.kind[order])


def before_on_rank(schedule: Schedule) -> IntArray:
    """The action before each on its rank that is no receive: receives are only posted.

    `MISSING` where there is none.
    """
    is_receive = among(schedule.kind, (Kind.RECV_F, Kind.RECV_B))
    own = np.where(is_receive, MISSING, np.arange(len(schedule)))
    latest = np.concatenate([[MISSING], np.maximum.accumulate(own)[:-1]])
    first = np.repeat(schedule.offsets[:-1], np.diff(schedule.offsets))
    return np.asarray(np.where(latest < first, MISSING, latest))


def _last_awaited(
    line: Timeline, here: int, into: Edges, before: int, lags: IntArray | None
) -> int:
    """What decided when an action starts: what ends just then, or whose message arrives just then.

    Without the times of messages: else the last message to leave.
    """
    candidates = [(int(line.end[before]), False, int(before))] if before != MISSING else []
    several = [0] * len(into.source) if lags is None else lags.tolist()
    for source, kind, lag in zip(into.source.tolist(), into.kind.tolist(), several, strict=True):
        candidates.append((int(line.end[source]) + lag, kind == EdgeKind.MESSAGE, source))
    start = int(line.start[here])
    just_then = [source for end, _, source in candidates if end == start]
    if just_then:
        return just_then[0]
    earlier = [(sent, end, source) for end, sent, source in candidates if end < start]
    return max(earlier)[2] if earlier else MISSING


@dataclass(frozen=True)
class Share:
    """What one kind of thing takes of a critical path.

    Attributes
    ----------
    what : str
        A kind of action at a stage, as in ``3F``; or a message between ranks, as in ``0→1``.
    count, time : int
        How many there are on the path, and how long all of them take.
    """

    what: str
    count: int
    time: int


def critical_shares(line: Timeline, message_time: MessageTime) -> list[Share]:
    """What a critical path is made of, what takes longest first.

    Examples
    --------
    >>> from schedules import build, timeline
    >>> critical_shares(timeline(build("gpipe", 2, 2), message_time=3), 3)[:2]
    [Share(what='0→1', count=1, time=3), Share(what='1→0', count=1, time=3)]
    """
    schedule, path = line.schedule, critical_indices(line, message_time)
    rank = schedule.rank_of_action
    shares: dict[str, list[int]] = {}
    for index in path:
        action = schedule.action(index)
        name = f"{action.stage}{action.kind.name}"
        shares.setdefault(name, []).append(int(line.end[index] - line.start[index]))
    for one, other in pairwise(path):
        if line.start[other] > line.end[one]:
            name = f"{rank[one]}→{rank[other]}"
            shares.setdefault(name, []).append(int(line.start[other] - line.end[one]))
    found = [Share(what, len(times), sum(times)) for what, times in shares.items()]
    return sorted(found, key=lambda share: -share.time)
