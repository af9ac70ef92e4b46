"""Recorded times that contradict the order of a rank, or what an action needs.

Part of ``causal``. Only what cannot be otherwise is compared, whatever a runtime does meanwhile:

- computations, updates and collectives of a rank start in the order in which they stand; the
  parts of a group start in any order, and of messages only the ends matter;
- what needs something starts when that has ended. A send has delivered when its receive ends, so
  its start comes before that end. A collective may be entered early, so its end counts.

Between ranks only times of the same host are compared: different clocks say nothing.
"""

from __future__ import annotations

import numpy as np

from schedules.actions import MESSAGES, Kind, among
from schedules.dependencies import edges
from schedules.schedule import IntArray, Schedule
from schedules.timeline import Timeline
from schedules.validation.causal import ambiguous
from schedules.validation.violation import Arrow, Case, Finding, Marks, Violation, listed

SENDS = (Kind.SEND_F, Kind.SEND_B)
ENTERED_EARLY = (
    Kind.RECV_F,
    Kind.RECV_B,
    Kind.REDUCE,
    Kind.BARRIER,
    Kind.WAIT_SEND_F,
    Kind.WAIT_SEND_B,
)
"""Kinds that may start before what they need, and end behind it."""


def times(line: Timeline, unit: str, host: IntArray) -> list[Violation]:
    """What recorded times contradict, of a schedule whose order is causal.

    Parameters
    ----------
    line : Timeline
        As recorded.
    unit : str
        Of its times, for messages.
    host : ndarray of int, shape (actions,)
        Number of the clock that each action was timed by.

    Examples
    --------
    >>> from schedules import build, timeline
    >>> run = timeline(build("gpipe", 1, 1))
    >>> clock = np.zeros(2, dtype=np.int64)
    >>> times(run, "slot", clock)
    []
    >>> [
    ...     found.message
    ...     for found in times(Timeline(run.schedule, 5 - run.start, run.end + 5), "ns", clock)
    ... ]
    ['gpipe:rank 0:position 1: the actions of a rank start in the order in which they stand, but
    0B0 started at 4 and 0F0 (gpipe:rank 0:position 0) before it at 5 (ns); ...',
    'gpipe:rank 0:position 1: nothing starts before what it needs has ended, but 0B0 started at 4
    and 0F0 (gpipe:rank 0:position 0) ended at 6 (ns); ...']
    """
    findings = [_descending(line, unit), _too_early(line, unit, host)]
    return listed(line.schedule, "causal", findings)


def _descending(line: Timeline, unit: str) -> Finding:
    """Neighbours of a rank that started in the other order."""
    schedule = line.schedule
    first = _starts(line)
    order = np.flatnonzero(~among(schedule.kind, MESSAGES))
    rank = schedule.rank_of_action[order]
    same = rank[1:] == rank[:-1]
    wrong = np.flatnonzero(same & (first[order[1:]] < first[order[:-1]]))

    def describe(case: int) -> Case:
        before, after = int(order[wrong[case]]), int(order[wrong[case] + 1])
        return Case(
            schedule.place(after),
            "the actions of a rank start in the order in which they stand, but "
            f"{schedule.action(after)} started at {int(first[after])} and "
            f"{schedule.action(before)} ({schedule.place(before)}) before it at "
            f"{int(first[before])} ({unit})",
            "sort the events of each rank by their start",
            _data(schedule, after, int(first[after]), before, int(first[before])),
            Marks((after, before), (Arrow(before, after, "stands before"),)),
        )

    return Finding("action that starts before the one in front of it", len(wrong), describe)


def _starts(line: Timeline) -> IntArray:
    """Start of every action, of those in a group that of its first part."""
    schedule = line.schedule
    unit = np.arange(len(schedule))
    for group in schedule.groups:
        first = int(schedule.offsets[group.rank]) + group.first
        unit[first : first + group.count] = first
    start = line.start.copy()
    np.minimum.at(start, unit, line.start)
    return np.asarray(start[unit])


def _too_early(line: Timeline, unit: str, host: IntArray) -> Finding:
    """Actions that started, or ended, before what they need was there."""
    schedule, found = line.schedule, edges(line.schedule)
    rank, twice = schedule.rank_of_action, ambiguous(schedule)
    source, target = found.source, found.target
    there = np.where(among(schedule.kind, SENDS), line.start, line.end)
    needed = np.where(among(schedule.kind, ENTERED_EARLY), line.end, line.start)
    comparable = (rank[source] == rank[target]) | (host[source] == host[target])
    comparable &= ~(twice[source] | twice[target])
    wrong = np.flatnonzero(comparable & (there[source] > needed[target]))
    wrong = wrong[np.argsort(target[wrong], kind="stable")]

    def describe(case: int) -> Case:
        before, after = int(source[wrong[case]]), int(target[wrong[case]])
        starts = "ended" if schedule.kind[after] in ENTERED_EARLY else "started"
        ends = "started" if schedule.kind[before] in SENDS else "ended"
        rule = (
            f"nothing {'ends' if starts == 'ended' else 'starts'} before what it needs has {ends}"
        )
        return Case(
            schedule.place(after),
            f"{rule}, but {schedule.action(after)} {starts} at {int(needed[after])} and "
            f"{schedule.action(before)} ({schedule.place(before)}) {ends} at "
            f"{int(there[before])} ({unit})",
            "correct the times, or name the host of every event if clocks differ",
            _data(schedule, after, int(needed[after]), before, int(there[before])),
            Marks((after, before), (Arrow(after, before, "needs"),)),
        )

    return Finding("action before the end of what it needs", len(wrong), describe)


def _data(schedule: Schedule, after: int, late: int, before: int, early: int) -> dict[str, object]:
    return {
        "action": str(schedule.action(after)),
        "time": late,
        "behind": str(schedule.action(before)),
        "behind_place": schedule.place(before),
        "behind_time": early,
    }
