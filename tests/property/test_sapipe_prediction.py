"""SAPipe with weight prediction on random workers: exact runs beside the bounds that are proved."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theory.falsifier.numbers import fraction
from theory.kernel import Split, Theorem, eq
from theory.kernel.theorem import Given
from theory.papers.sapipe import thm_5
from theory.papers.sapipe.lemmas import repaired_thm_4, repaired_thm_5, wp_1_moment
from theory.papers.sapipe.symbols import L, T, eta
from theory.papers.sapipe.witnesses.wp_1_lines import mean, spread
from theory.papers.sapipe.witnesses.wp_replays import Instance
from theory.verdicts import Verdict

fractions = st.fractions(min_value=-2, max_value=2, max_denominator=4)


@st.composite
def instances(draw: Any, option: int) -> Instance:
    """Workers with a common minimum of their mean, η ≤ 1/L."""
    weights = draw(st.lists(fractions, min_size=1, max_size=4))
    steepest = max(map(abs, weights))
    assume(sum(weights) > 0)
    share = draw(st.fractions(min_value=Fraction(1, 8), max_value=1, max_denominator=8))
    width = draw(st.fractions(min_value=Fraction(1, 4), max_value=3, max_denominator=4))
    start = draw(st.fractions(min_value=-3, max_value=3, max_denominator=4))
    return Instance(tuple(weights), width, share / steepest, option, start)


def holds(one: Instance, theorem: Theorem, updates: int) -> bool:
    bound = fraction(one.bound(theorem.terms).subs(T, updates))
    return one.average(updates) <= bound


@settings(max_examples=60, deadline=None)
@given(instances(option=1), st.integers(1, 12))
def test_option_1_keeps_its_bounds(one: Instance, updates: int) -> None:
    assert holds(one, wp_1_moment.THEOREM, updates)
    small = 2 * (one.constants()[L] * one.constants()[eta]) ** 2 < 1
    if small:
        assert holds(one, repaired_thm_4.THEOREM, updates)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(instances(option=2), st.integers(1, 12))
def test_option_2_keeps_its_bounds(one: Instance, updates: int) -> None:
    assert holds(one, repaired_thm_5.THEOREM, updates)
    if 2 * (one.constants()[L] * one.constants()[eta]) ** 2 < 1:
        assert one.violation(thm_5.CLAIM.printed, updates) is None


@settings(max_examples=40, deadline=None)
@given(instances(option=1), fractions)
def test_assumption_3_holds_with_the_constant_that_is_read_off(one: Instance, x: Fraction) -> None:
    slopes = [weight * one.slope(x) for weight in one.weights]
    squares = sum((slope**2 for slope in slopes), Fraction(0))
    assert squares == one.diversity * sum(slopes, Fraction(0)) ** 2
    factor = one.workers * one.diversity - 1
    assert spread(slopes) == factor * mean(slopes) ** 2


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.integers(0, 6), st.integers(-2, 2)
)
def test_terms_taken_out_of_a_sum_are_its_terms(
    first: int, last: int, start: int, length: int, off: int
) -> None:
    """The rule accepts exactly the splittings that are right for a sequence of distinct terms."""
    t = sympy.Symbol("t", integer=True, nonnegative=True)
    a = sympy.Function("a", nonnegative=True)
    end = start + length - 1
    taken = [a(start + i) for i in range(first)] + [a(end + off - i) for i in range(last)]
    between = sympy.Sum(a(t), (t, start + first, end - last))
    goal = eq(sympy.Sum(a(t), (t, start, end)), sympy.Add(*taken) + between)
    nothing = Theorem(
        "x.y", "", "", "", symbols=(), lhs=0, terms={}, conclude=Split(t, first, last)
    )
    said = Split(t, first, last).check(goal, Given(nothing, {})).verdict
    enough = first + last <= length
    right = enough and (off == 0 or last == 0)
    assert (said is Verdict.PROVED) is right
