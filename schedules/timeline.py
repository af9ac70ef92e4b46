"""When every action runs: as soon as its rank and its inputs allow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from schedules.actions import COMPUTE, Kind
from schedules.cycles import describe_cycle, find_cycles
from schedules.dependencies import Edges, edges
from schedules.errors import InvalidScheduleError, ParameterError
from schedules.schedule import IntArray, Schedule


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


def unit_durations(schedule: Schedule) -> dict[Kind, int]:
    """Durations used unless others are given.

    F = B = 1; where the schedule splits backwards, F = I = W = 1 and a fused B = 2. Whatever is
    not a computation takes no time.
    """
    splits = bool(np.isin(schedule.kind, (Kind.I, Kind.W)).any())
    durations = {kind: int(kind in COMPUTE) for kind in Kind}
    if splits:
        durations[Kind.B] = 2
    return durations


def timeline(schedule: Schedule, durations: Mapping[Kind, int] | None = None) -> Timeline:
    """Start every action as soon as its rank is free and its inputs are there.

    Parameters
    ----------
    schedule : Schedule
    durations : mapping of Kind to int, optional
        Non-negative integer time of each kind; what is left out keeps `unit_durations`.

    Raises
    ------
    InvalidScheduleError
        The schedule cannot run to its end: its dependencies close a cycle.
    ParameterError
        A duration is negative or no integer.

    Examples
    --------
    >>> from schedules.families import build
    >>> timeline(build("pipedream", 4, 8)).length
    22
    """
    table = unit_durations(schedule) | _checked(durations or {})
    by_code = np.array([table[kind] for kind in Kind], dtype=np.int64)
    taken = by_code[schedule.kind]
    start, stuck = run_to_end(schedule, taken)
    if stuck:
        cycle = describe_cycle(schedule, find_cycles(schedule, stuck)[0])
        raise InvalidScheduleError(
            f"every action must be able to start, but these wait for each other: {cycle}",
            schedule.name,
            "reorder the actions of one of these ranks",
        )
    return Timeline(schedule, start, start + taken)


def _checked(durations: Mapping[Kind, int]) -> dict[Kind, int]:
    for kind, value in durations.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
            raise ParameterError(
                f"a duration is a non-negative integer, found {value!r}",
                f"duration of {kind.name}",
                "give a whole number of slots",
            )
    return {kind: int(value) for kind, value in durations.items()}


def run_to_end(
    schedule: Schedule, taken: IntArray, found: Edges | None = None
) -> tuple[IntArray, dict[int, int]]:
    """Play the schedule as soon as possible.

    Parameters
    ----------
    schedule : Schedule
    taken : ndarray of int
        Duration of every action.
    found : Edges, optional
        The dependencies to respect beside program order; all of them by default.

    Returns
    -------
    start : ndarray of int
        Start times; meaningless for actions that never started.
    stuck : dict
        For every rank that could not finish: the flat index of the action it waits at.
        Empty if all finished.
    """
    found = edges(schedule) if found is None else found
    count = len(schedule)
    order = np.argsort(found.target, kind="stable")
    sources = found.source[order].tolist()
    bounds = np.searchsorted(found.target[order], np.arange(count + 1)).tolist()
    duration, offsets = taken.tolist(), schedule.offsets.tolist()
    rank_of = schedule.rank_of_action.tolist()
    start, end = [0] * count, [-1] * count
    at, free = offsets[:-1].copy(), [0] * schedule.ranks
    waiting: dict[int, list[int]] = {}
    ready = list(range(schedule.ranks))
    while ready:
        rank = ready.pop()
        while at[rank] < offsets[rank + 1]:
            index = at[rank]
            time, missing = free[rank], -1
            for position in range(bounds[index], bounds[index + 1]):
                source = sources[position]
                if end[source] < 0:
                    missing = source
                    break
                time = max(time, end[source])
            if missing >= 0:
                waiting.setdefault(missing, []).append(rank)
                break
            start[index] = time
            end[index] = free[rank] = time + duration[index]
            at[rank] += 1
            ready.extend(waiting.pop(index, ()))
    stuck = {rank: at[rank] for rank in range(schedule.ranks) if at[rank] < offsets[rank + 1]}
    assert all(rank_of[index] == rank for rank, index in stuck.items())
    return np.array(start, dtype=np.int64), stuck
