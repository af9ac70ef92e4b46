"""Arithmetic of intervals against sets of single nanoseconds."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_validation.errors import MeasureError
from gpu_validation.intervals import Interval, difference, intersection, length, union

ends = st.integers(-12, 24)
intervals = st.lists(st.tuples(ends, ends).map(lambda pair: (min(pair), max(pair))), max_size=7)


def moments(given_intervals: list[Interval] | tuple[Interval, ...]) -> set[int]:
    """Every nanosecond that an interval covers: brute force."""
    return {moment for start, end in given_intervals for moment in range(start, end)}


@given(intervals, intervals)
def test_results_cover_the_moments_that_they_should(
    some: list[Interval], others: list[Interval]
) -> None:
    assert moments(union(some)) == moments(some)
    assert moments(union([*some, *others])) == moments(some) | moments(others)
    assert moments(intersection(some, others)) == moments(some) & moments(others)
    assert moments(difference(some, others)) == moments(some) - moments(others)
    assert length(some) == len(moments(some))


@given(intervals, intervals)
def test_results_are_plain(some: list[Interval], others: list[Interval]) -> None:
    for found in (union(some), intersection(some, others), difference(some, others)):
        assert all(start < end for start, end in found)
        assert all(before[1] < after[0] for before, after in pairwise(found))


@given(intervals, intervals)
def test_parts_add_up(some: list[Interval], others: list[Interval]) -> None:
    common, rest = intersection(some, others), difference(some, others)
    assert length(common) + length(rest) == length(some)
    assert union([*common, *rest]) == union(some)
    assert common == intersection(others, some)


@given(intervals, st.permutations(range(7)))
def test_order_says_nothing(some: list[Interval], order: list[int]) -> None:
    assert union([some[i] for i in order if i < len(some)]) == union(some)


def test_nanoseconds_since_1970_stay_exact() -> None:
    start = 1_795_266_408_474_612_123
    assert length([(start, start + 1), (start + 2, start + 3)]) == 2


def test_an_interval_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(MeasureError, match="found 5 to 4 ns"):
        intersection([(0, 1)], [(5, 4)])
