"""Arithmetic of intervals of time: exact, in whole nanoseconds, and without any measuring.

An interval is half-open, [start, end), so that neighbours share no time. A set of intervals comes
in any order, overlapping or not; results are *plain*: ascending, disjoint, never empty, and no two
of them touch. A function raises `MeasureError` where an interval ends before it starts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeAlias

from gpu_validation.errors import MeasureError

Interval: TypeAlias = tuple[int, int]
"""Start and end in nanoseconds."""

Plain: TypeAlias = tuple[Interval, ...]
"""Ascending, disjoint intervals that are neither empty nor touch."""


def union(intervals: Iterable[Interval]) -> Plain:
    """The times that lie in at least one interval.

    Examples
    --------
    >>> union([(4, 6), (0, 2), (5, 9), (2, 3), (7, 7)])
    ((0, 3), (4, 9))
    """
    return _where(intervals, (), lambda one, _: one)


def intersection(some: Iterable[Interval], others: Iterable[Interval]) -> Plain:
    """The times that lie in both sets."""
    return _where(some, others, lambda one, other: one and other)


def difference(some: Iterable[Interval], others: Iterable[Interval]) -> Plain:
    """The times that lie in the first set and not in the second."""
    return _where(some, others, lambda one, other: one and not other)


def length(intervals: Iterable[Interval]) -> int:
    """Time that a set covers; what lies in several intervals counts once."""
    return sum(end - start for start, end in union(intervals))


def _where(
    some: Iterable[Interval], others: Iterable[Interval], holds: Callable[[bool, bool], bool]
) -> Plain:
    """The times at which being in the first set and in the second are as asked."""
    changes: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0])
    for side, intervals in enumerate((some, others)):
        for start, end in intervals:
            if end < start:
                raise MeasureError(
                    f"an interval ends when it starts or later, found {start} to {end} ns",
                    "profile",
                    "see whether the clock of this machine was set meanwhile, and measure again",
                )
            changes[start][side] += 1
            changes[end][side] -= 1
    bounds: list[int] = []
    one = other = 0
    for at, (first, second) in sorted(changes.items()):
        one, other = one + first, other + second
        if holds(one > 0, other > 0) != bool(len(bounds) % 2):
            bounds.append(at)
    return tuple(zip(bounds[::2], bounds[1::2], strict=True))
