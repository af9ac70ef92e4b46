"""`ClosedSum` given sums that it must not accept, and theorems about drift with a false twin."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

from theory.kernel import ClosedSum, Theorem, eq, le, prove
from theory.kernel.relations import Relation
from theory.kernel.theorem import Given
from theory.papers.rpd import table_1
from theory.papers.rpd.lemmas import block_drift, draw_counts, drift_by_counts, sharp_drift, tuned
from theory.papers.rpd.symbols import p, tau
from theory.verdicts import Verdict

j = sympy.Symbol("j", integer=True, nonnegative=True)
n = sympy.Symbol("n", integer=True, nonnegative=True)
x = sympy.Symbol("x", real=True)
c = sympy.Symbol("c", positive=True)
F = sympy.Function("F", real=True)


def total(term: sympy.Expr, first: int = 0, last: sympy.Expr = n - 1) -> sympy.Sum:
    return sympy.Sum(term, (j, first, last))


def verdict(goal: Relation, count: sympy.Symbol = n) -> Verdict:
    nothing = Theorem("x.y", "", "", "", symbols=(), lhs=0, terms={}, conclude=ClosedSum(j, count))
    return ClosedSum(j, count).check(goal, Given(nothing, {})).verdict


@pytest.mark.parametrize(
    "goal",
    [
        eq(total(j), n * (n - 1) / 2),
        eq(total(j**2), n * (n - 1) * (2 * n - 1) / 6),
        eq(total(F(j + 1) - F(j)), F(n) - F(0)),
        eq(total(2**j), 2**n - 1),
    ],
)
def test_right_closed_forms_are_accepted(goal: Relation) -> None:
    assert verdict(goal) is Verdict.PROVED


@pytest.mark.parametrize(
    "goal",
    [
        eq(total(j), n * (n + 1) / 2),
        eq(total(j), n * (n - 1) / 2 + 1),
        eq(total(j, first=1), n * (n - 1) / 2),
        eq(total(j, last=n), n * (n - 1) / 2),
        eq(total(n), n * (n - 1) / 2),
        eq(total(n * j), n**2 * (n - 1) / 2),
        le(total(j), n * (n - 1) / 2),
        eq(total(F(j)), F(n)),
        eq(total(j), j * n),
        eq(total(j + n), n * (n - 1) / 2 + n**2),
        eq(n * (n - 1) / 2, total(j)),
    ],
)
def test_other_relations_are_not(goal: Relation) -> None:
    assert verdict(goal) is Verdict.UNKNOWN


def test_the_count_must_be_a_nonnegative_integer() -> None:
    for count in (x, c, sympy.Symbol("z", integer=True)):
        goal = eq(sympy.Sum(j, (j, 0, count - 1)), count * (count - 1) / 2)
        assert verdict(goal, count) is Verdict.UNKNOWN


def terms(theorem: Theorem, factor: sympy.Expr) -> Theorem:
    return replace(theorem, terms={name: factor * form for name, form in theorem.terms.items()})


@pytest.mark.parametrize(
    "theorem",
    [
        block_drift.THEOREM,
        drift_by_counts.THEOREM,
        draw_counts.THEOREM,
        sharp_drift.THEOREM,
        sharp_drift.ATTAINED,
        table_1.UPPER,
        table_1.ATTAINED,
        tuned.SECOND,
        tuned.NEAR,
        tuned.FAR,
        tuned.STILL,
        tuned.BETTER_AT_GAMMA_2,
        tuned.BETTER_AT_Q,
    ],
    ids=lambda theorem: str(theorem.id),
)
def test_no_theorem_is_proved_with_half_its_bound(theorem: Theorem) -> None:
    assert prove(theorem).verdict is Verdict.PROVED
    assert prove(terms(theorem, sympy.Rational(1, 2))).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "bound",
    [tau**2 / p, tau * (tau + p) / p - 1, tau * (tau + p - 2) / p, tau],
    ids=sympy.sstr,
)
def test_sharp_drift_is_not_proved_with_less(bound: sympy.Expr) -> None:
    scale = sharp_drift.THEOREM.terms["drift"] / (tau * (tau + p - 1) / p)
    edited = replace(sharp_drift.THEOREM, terms={"drift": scale * bound})
    assert prove(edited).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("theorem", "names"),
    [
        (tuned.SECOND, ("stepsize", "uniform", "bounded", "lower bound", "window")),
        (tuned.NEAR, ("branch", "near", "stepsize")),
        (tuned.FAR, ("far", "stepsize", "component blocks")),
    ],
    ids=lambda one: one.id if isinstance(one, Theorem) else "",
)
def test_dropped_hypotheses_are_missed(theorem: Theorem, names: tuple[str, ...]) -> None:
    for name in names:
        kept = tuple(h for h in theorem.hypotheses if h.name != name)
        assert len(kept) == len(theorem.hypotheses) - 1
        assert prove(replace(theorem, hypotheses=kept)).verdict is Verdict.UNKNOWN, name
