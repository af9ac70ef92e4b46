"""`Split`: terms taken out of a sum."""

from __future__ import annotations

import pytest
import sympy

from theory.kernel import Hypothesis, Relation, Split, Theorem, eq, le
from theory.kernel.theorem import Given
from theory.verdicts import Verdict

T = sympy.Symbol("T", integer=True, positive=True)
t = sympy.Symbol("t", integer=True, nonnegative=True)
k = sympy.Symbol("k", integer=True, nonnegative=True)
a = sympy.Function("a", nonnegative=True)

TWO = Hypothesis("two", "T ≥ 2", le(2, T))
ALL = sympy.Sum(a(t), (t, 0, T - 1))


def said(goal: Relation, rule: Split, *hypotheses: Hypothesis) -> Verdict:
    facts = {one.name: one.relation for one in hypotheses}
    theorem = Theorem(
        "x.y", "", "", "", symbols=(T, k), lhs=0, terms={}, conclude=rule, hypotheses=hypotheses
    )
    return rule.check(goal, Given(theorem, facts)).verdict


@pytest.mark.parametrize(
    ("goal", "rule"),
    [
        (eq(ALL, ALL), Split(t)),
        (eq(ALL, a(0) + sympy.Sum(a(t), (t, 1, T - 1))), Split(t, first=1)),
        (eq(ALL, sympy.Sum(a(t), (t, 0, T - 2)) + a(T - 1)), Split(t, last=1)),
    ],
)
def test_first_and_last_terms(goal: Relation, rule: Split) -> None:
    assert said(goal, rule) is Verdict.PROVED


def test_two_terms_need_two_terms() -> None:
    both = a(0) + a(1) + sympy.Sum(a(t), (t, 2, T - 1))
    assert said(eq(ALL, both), Split(t, first=2)) is Verdict.UNKNOWN
    assert said(eq(ALL, both), Split(t, first=2, domain=("two",)), TWO) is Verdict.PROVED
    ends = a(0) + sympy.Sum(a(t), (t, 1, T - 2)) + a(T - 1)
    assert said(eq(ALL, ends), Split(t, first=1, last=1, domain=("two",)), TWO) is Verdict.PROVED


WRONG = {
    "a term too many": (eq(ALL, a(0) + a(1) + sympy.Sum(a(t), (t, 1, T - 1))), Split(t, first=1)),
    "a term too few": (eq(ALL, sympy.Sum(a(t), (t, 1, T - 1))), Split(t, first=1)),
    "the wrong term": (eq(ALL, a(1) + sympy.Sum(a(t), (t, 1, T - 1))), Split(t, first=1)),
    "an inequality": (le(ALL, ALL), Split(t)),
    "no sum": (eq(a(0), a(0)), Split(t)),
    "another index": (eq(ALL, ALL), Split(sympy.Symbol("s", integer=True, nonnegative=True))),
    "a negative number of terms": (
        eq(ALL, ALL + a(T) - a(0) + a(0) - a(T)),
        Split(t, first=-1, last=1),
    ),
    "the index set free": (eq(ALL, ALL + a(t) * 0 + t - t + t), Split(t)),
    "an index that is even": (
        eq(ALL, ALL),
        Split(sympy.Symbol("t", integer=True, nonnegative=True, even=True)),
    ),
    "more terms than there are": (
        eq(sympy.Sum(a(t), (t, 0, 0)), a(0) + a(0) + sympy.Sum(a(t), (t, 1, -1))),
        Split(t, first=1, last=1),
    ),
    "more terms than there are, of a constant": (
        eq(sympy.Sum(1, (t, 0, 0)), sympy.Integer(1)),
        Split(t, first=1, last=1),
    ),
    "a sum that is not defined": (
        eq(sympy.Sum(a(t), (t, T, 0)), sympy.Sum(a(t), (t, T, 0))),
        Split(t),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_goals_are_not_accepted(name: str) -> None:
    goal, rule = WRONG[name]
    assert said(goal, rule) is Verdict.UNKNOWN


def test_facts_must_be_there() -> None:
    assert said(eq(ALL, ALL), Split(t, domain=("two",))) is Verdict.UNKNOWN


CAPTURED = [
    # the first or the last term of Σ_t (1 + Σ_k kt): t = k put into the inner sum is another k
    (sympy.Sum(1 + sympy.Sum(k * t, (k, 0, 1)), (t, k, k)), Split(t, first=1)),
    (sympy.Sum(1 + sympy.Sum(k * t, (k, 0, 1)), (t, 0, k)), Split(t, last=1)),
    # in the end of an inner sum, and two sums deep
    (sympy.Sum(1 + sympy.Sum(a(k), (k, 0, t)), (t, k, k)), Split(t, first=1)),
    (
        sympy.Sum(1 + sympy.Sum(1 + sympy.Sum(k * t, (k, 0, 1)), (T, 1, 2)), (t, k, k)),
        Split(t, first=1),
    ),
]


@pytest.mark.parametrize(("total", "rule"), CAPTURED)
def test_an_end_that_an_inner_sum_would_capture(total: sympy.Sum, rule: Split) -> None:
    (_, start, end), inner = total.limits[0], total.function
    taken = inner.subs(t, start if rule.first else end)
    between = sympy.Sum(inner, (t, start + rule.first, end - rule.last))
    assert said(eq(total, taken + between), rule) is Verdict.UNKNOWN


def test_a_start_alone_that_an_inner_sum_would_capture() -> None:
    inner = 1 + sympy.Sum(k * t, (k, 0, 1))
    total, rest = sympy.Sum(inner, (t, k, T)), sympy.Sum(inner, (t, k + 1, T))
    known = Hypothesis("no more", "k ≤ T", le(k, T))
    rule = Split(t, first=1, domain=("no more",))
    assert said(eq(total, inner.subs(t, k) + rest), rule, known) is Verdict.UNKNOWN
    plain = sympy.Sum(a(t), (t, k, T)), a(k) + sympy.Sum(a(t), (t, k + 1, T))
    assert said(eq(*plain), rule, known) is Verdict.PROVED


def test_an_inner_sum_over_another_index_is_no_obstacle() -> None:
    inner = 1 + sympy.Sum(k * t, (k, 0, 1))
    total, rest = sympy.Sum(inner, (t, 0, T - 1)), sympy.Sum(inner, (t, 1, T - 1))
    assert said(eq(total, 1 + rest), Split(t, first=1)) is Verdict.PROVED
