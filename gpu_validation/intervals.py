"""Arithmetic of intervals of time: exact, in whole nanoseconds, and without any measuring.

An interval is half-open, [start, end), so that neighbours share no time. A set of intervals comes
in any order, overlapping or not; results are *plain*: ascending, disjoint, never empty, and no two
of them touch. Two sets cover the same times exactly if their unions are equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from gpu_validation.errors import MeasureError

Interval: TypeAlias = tuple[int, int]
"""Start and end in nanoseconds."""

Plain: TypeAlias = tuple[Interval, ...]
"""Ascending, disjoint intervals that are neither empty nor touch."""


def union(intervals: Iterable[Interval]) -> Plain:
    """The times that lie in at least one interval.

    Raises
    ------
    MeasureError
        An interval ends before it starts.

    Examples
    --------
    >>> union([(4, 6), (0, 2), (5, 9), (2, 3), (7, 7)])
    ((0, 3), (4, 9))
    """
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if end < start:
            raise MeasureError(
                f"an interval ends when it starts or later, found {start} to {end} ns",
                "profile",
                "see whether the clock of this machine was set meanwhile, and measure again",
            )
        if start == end:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)


def intersection(some: Iterable[Interval], others: Iterable[Interval]) -> Plain:
    """The times that lie in both sets.

    Raises
    ------
    MeasureError
        As `union`.

    Examples
    --------
    >>> intersection([(0, 5), (6, 9)], [(4, 7), (8, 20)])
    ((4, 5), (6, 7), (8, 9))
    """
    left, right = union(some), union(others)
    found: list[Interval] = []
    i = j = 0
    while i < len(left) and j < len(right):
        start, end = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if start < end:
            found.append((start, end))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(found)


def difference(some: Iterable[Interval], others: Iterable[Interval]) -> Plain:
    """The times that lie in the first set and not in the second.

    Raises
    ------
    MeasureError
        As `union`.

    Examples
    --------
    >>> difference([(0, 10)], [(2, 3), (5, 20)])
    ((0, 2), (3, 5))
    """
    kept = union(some)
    if not kept:
        return ()
    first, last = kept[0][0], kept[-1][1]
    taken = union(others)
    starts = [first, *(end for _, end in taken)]
    ends = [*(start for start, _ in taken), last]
    gaps = [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]
    return intersection(kept, gaps)


def length(intervals: Iterable[Interval]) -> int:
    """Time that a set covers; what lies in several intervals counts once.

    Raises
    ------
    MeasureError
        As `union`.

    Examples
    --------
    >>> length([(0, 4), (2, 6), (9, 10)])
    7
    """
    return sum(end - start for start, end in union(intervals))
