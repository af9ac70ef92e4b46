"""When every action runs: as soon as its rank and its inputs allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from schedules.actions import Kind, among
from schedules.cycles import describe_cycle, find_cycles
from schedules.dependencies import Edges, barriers, edges, past_receives
from schedules.durations import Durations, durations_of_actions, unit_durations
from schedules.errors import InvalidScheduleError
from schedules.links import MessageTime, message_lags
from schedules.schedule import IntArray, Schedule

__all__ = ["Timeline", "play", "run_to_end", "timeline", "unit_durations"]


@dataclass(frozen=True, eq=False)
class Timeline:
    """Start and end of every action, in the order of the schedule's arrays.

    Attributes
    ----------
    schedule : Schedule
    start, end : ndarray of int, shape (actions,)
        Times in slots (or in the unit of the given durations). An action occupies the slots
        ``start … end − 1``.
    """

    schedule: Schedule
    start: IntArray
    end: IntArray

    @cached_property
    def length(self) -> int:
        """Makespan: the end of the last action."""
        return int(self.end.max(initial=0))

    @property
    def busy(self) -> int:
        """Slots in which a rank works, summed over ranks."""
        return int((self.end - self.start).sum())

    @property
    def idle(self) -> int:
        """Slots in which a rank waits, summed over ranks."""
        return self.schedule.ranks * self.length - self.busy

    @property
    def idle_fraction(self) -> Fraction:
        """Idle time over ranks · makespan: the bubble. 0 for an empty schedule."""
        total = self.schedule.ranks * self.length
        return Fraction(self.idle, total) if total else Fraction(0)

    def rows(self) -> list[str]:
        """One line a rank: a token a slot, ``.`` for an idle one.

        Tokens are kind and microbatch; the stage goes before them where a rank holds several.

        Examples
        --------
        >>> from schedules.families import build
        >>> for row in timeline(build("naive", 2, 1)).rows():
        ...     print(row)
        F0 . . B0
        . F0 B0 .
        """
        schedule = self.schedule
        several = any(len(set(stages)) > 1 for stages in _stages_by_rank(schedule))
        lines = []
        for rank in range(schedule.ranks):
            cells = ["."] * self.length
            for index in range(int(schedule.offsets[rank]), int(schedule.offsets[rank + 1])):
                text = str(schedule.action(index))
                token = text if several else text[len(str(schedule.stage[index])) :]
                for slot in range(int(self.start[index]), int(self.end[index])):
                    cells[slot] = token
            lines.append(" ".join(cells))
        return lines


def _stages_by_rank(schedule: Schedule) -> list[IntArray]:
    return np.split(schedule.stage, schedule.offsets[1:-1])


def timeline(
    schedule: Schedule, durations: Durations | None = None, message_time: MessageTime = 0
) -> Timeline:
    """Start every action as soon as its rank is free and its inputs are there.

    Messages do not hold their ranks up: a send leaves behind its computation, a receive is posted
    when its rank comes to it and stands at the time at which it is complete, and only the
    computation that needs it waits for that. Where the schedule has no sends and receives, the
    same time passes between the two computations.

    Parameters
    ----------
    schedule : Schedule
    durations : mapping of Kind or (Kind, stage) to int, optional
        Non-negative integer times; those of a stage overrule those of a kind, and what is left
        out keeps `unit_durations`. That of a send is time in which its rank does nothing else; a
        receive has none.
    message_time : int or callable
        Time from the end of a send to the completion of its receive on another rank, ≥ 0: one for
        all messages, or a function of the stages and ranks that they go between. Messages do not
        wait for each other.

    Raises
    ------
    InvalidScheduleError
        The schedule cannot run to its end: its dependencies close a cycle, or a rank lacks a
        BARRIER that others wait at.
    ParameterError
        A duration or `message_time` is negative or no integer, a duration is given for a stage
        that does not exist, or for a receive.

    Examples
    --------
    >>> from schedules.families import build
    >>> timeline(build("pipedream", 4, 8)).length
    22
    >>> for row in timeline(build("naive", 2, 1), message_time=2).rows():
    ...     print(row)
    F0 . . . . . . B0
    . . . F0 B0 . . .
    """
    _require_barriers(schedule)
    taken = durations_of_actions(schedule, durations)
    start, stuck = run_to_end(schedule, taken, message_time=message_time)
    if stuck:
        cycle = describe_cycle(schedule, find_cycles(schedule, stuck)[0])
        raise InvalidScheduleError(
            f"every action must be able to start, but these wait for each other: {cycle}",
            schedule.name,
            "reorder the actions of one of these ranks",
        )
    return Timeline(schedule, start, start + taken)


def _require_barriers(schedule: Schedule) -> None:
    found = barriers(schedule)
    if len(found.endless):
        index = int(found.endless[0])
        rank, number = found.lacking(index)
        raise InvalidScheduleError(
            f"a BARRIER ends when every rank has come to it, but {schedule.action(index)} waits "
            f"for rank {rank}, which has no BARRIER number {number}",
            schedule.place(index),
            f"add a BARRIER to rank {rank}, or drop that of the others",
        )


def run_to_end(
    schedule: Schedule, taken: IntArray, found: Edges | None = None, message_time: MessageTime = 0
) -> tuple[IntArray, dict[int, int]]:
    """Play the schedule as soon as possible.

    Parameters
    ----------
    schedule : Schedule
    taken : ndarray of int
        Duration of every action.
    found : Edges, optional
        The dependencies to respect beside program order; all of them by default.
    message_time : int or callable
        Time that passes along every dependency of kind ``MESSAGE``; see `timeline`.

    Returns
    -------
    start : ndarray of int
        Start times; meaningless for actions that never started. A receive that its rank does not
        stop at (see `past_receives`) starts when it is complete.
    stuck : dict
        For every rank that could not finish: the flat index of the action it waits at.
        Empty if all finished.
    """
    found = edges(schedule) if found is None else found
    waits = past_receives(schedule, found)
    lags = message_lags(schedule, waits, message_time)
    start, stuck = play(schedule.offsets, taken, waits, lags)
    is_receive = among(schedule.kind, (Kind.RECV_F, Kind.RECV_B))
    if is_receive.any():
        into = np.flatnonzero(is_receive[found.target])
        sends, receives = found.source[into], found.target[into]
        lags = message_lags(schedule, found, message_time)
        arrival = start[sends] + taken[sends] + lags[into]
        start[receives] = np.maximum(start[receives], arrival)
    return start, stuck


def play(
    offsets: IntArray, taken: IntArray, found: Edges, lag: IntArray
) -> tuple[IntArray, dict[int, int]]:
    """Start everything in program order, as soon as the dependencies and their lags allow.

    Parameters
    ----------
    offsets : ndarray of int, shape (ranks + 1,)
        Actions ``offsets[r] … offsets[r + 1] − 1`` are those of rank r.
    taken : ndarray of int, shape (actions,)
        Durations.
    found : Edges
    lag : ndarray of int
        For every edge: least time from the end of its source to the start of its target; not
        below −(duration of the source), and 0 or more on one rank.

    Returns
    -------
    start, stuck
        As `run_to_end`.

    Examples
    --------
    >>> from schedules.dependencies import EdgeKind
    >>> edge = Edges(*(np.array([value]) for value in (0, 1, EdgeKind.MESSAGE)))
    >>> play(np.array([0, 1, 2]), np.array([1, 1]), edge, np.array([5]))
    (array([0, 6]), {})
    """
    count, ranks = len(taken), len(offsets) - 1
    rank_of = np.repeat(np.arange(ranks), np.diff(offsets))
    # What program order implies anyway need not be looked at action by action.
    implied = (rank_of[found.source] == rank_of[found.target]) & (found.source < found.target)
    chosen = np.flatnonzero(~(implied & (lag == 0)))
    chosen = chosen[np.argsort(found.target[chosen], kind="stable")]
    bounds = np.searchsorted(found.target[chosen], np.arange(count + 1)).tolist()
    sources, lags = found.source[chosen].tolist(), lag[chosen].tolist()
    at, ends = offsets[:-1].tolist(), offsets[1:].tolist()
    return _play(at, ends, taken.tolist(), bounds, sources, lags)


def _play(
    at: list[int],
    ends: list[int],
    duration: Sequence[int],
    bounds: Sequence[int],
    sources: Sequence[int],
    lags: Sequence[int],
) -> tuple[IntArray, dict[int, int]]:
    """The loop of `play` on plain lists; `at` is used up."""
    end = [-1] * len(duration)
    # Of the action that each rank is at: when it can start at the earliest, and the next edge to
    # look at. A barrier of many ranks is not looked through again whenever one of them comes.
    known = [(0, bounds[index]) for index in at]
    waiting: dict[int, list[int]] = {}
    ready = list(range(len(at)))
    while ready:
        rank = ready.pop()
        index, last = at[rank], ends[rank]
        begin, looked_at = known[rank]
        while index < last:
            missing = -1
            for position in range(looked_at, bounds[index + 1]):
                arrival = end[sources[position]]
                if arrival < 0:
                    missing = sources[position]
                    known[rank] = begin, position
                    break
                arrival += lags[position]
                if arrival > begin:  # `max` would take a quarter of the time of all this
                    begin = arrival
            if missing >= 0:
                waiting.setdefault(missing, []).append(rank)
                break
            end[index] = begin = begin + duration[index]
            if index in waiting:
                ready.extend(waiting.pop(index))
            index += 1
            looked_at = bounds[index]
        at[rank] = index
    stuck = {rank: at[rank] for rank in range(len(at)) if at[rank] < ends[rank]}
    return np.array(end, dtype=np.int64) - np.array(duration, dtype=np.int64), stuck
