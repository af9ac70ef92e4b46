"""Stale iterates: false bounds of their drift are not proved, and true ones are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sympy

from theory.errors import TheoryError, VacuousError
from theory.judging.branches import by_branches
from theory.kernel import (
    Cite,
    Delayed,
    Drift,
    Hypothesis,
    Operator,
    Point,
    Theorem,
    dot,
    le,
    point,
    prove,
    square,
    vector,
)
from theory.verdicts import Verdict

k, tau = sympy.symbols("k tau", integer=True, nonnegative=True)
K = sympy.Symbol("K", integer=True, positive=True)
M, r = sympy.Symbol("M", positive=True), sympy.Symbol("r", nonnegative=True)
D, N = (sympy.Function(name, nonnegative=True) for name in "DN")
X, OLD, STEP = point("x"), point("x̂"), vector("g")
NEXT = Point(X.position + STEP, sympy.Symbol("f(x⁺)", real=True), vector("∇f(x⁺)"))
AWAY = square(X.position - OLD.position)
STALE = Delayed("stale", "x̂ is x of one of the last τ iterations", OLD, X, tau)
MOVES = Hypothesis("moves", "no step is longer than √M", le(square(STEP), M))

SUMMED = Theorem(
    id="mine.drift",
    where="ours",
    statement="",
    latex="",
    symbols=(tau, K, M),
    vectors=(STEP,),
    points=(X, OLD, NEXT),
    sequences={D: AWAY, N: square(STEP)},
    following=((X, NEXT),),
    hypotheses=(STALE, MOVES),
    lhs=sympy.Sum(D(k), (k, 0, K - 1)),
    terms={"moves": tau**2 * sympy.Sum(N(k), (k, 0, K - 1))},
    conclude=Drift("stale", k, count=K),
)
EACH = replace(
    SUMMED,
    symbols=(tau, M),
    sequences={},
    lhs=AWAY,
    terms={"moves": tau**2 * M},
    conclude=Drift("stale", k, move="moves"),
)


def test_the_true_ones_are_proved() -> None:
    assert prove(SUMMED).verdict is Verdict.PROVED
    assert prove(EACH).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    "changes",
    [
        {"terms": {"moves": tau * sympy.Sum(N(k), (k, 0, K - 1))}},
        {"terms": {"moves": (tau**2 - tau) * sympy.Sum(N(k), (k, 0, K - 1))}},
        {"terms": {"moves": tau**2 * sympy.Sum(N(k), (k, 0, K - 2))}},
        {"terms": {"moves": tau**2 * sympy.Sum(N(k), (k, 1, K - 1))}},
        {"lhs": sympy.Sum(D(k), (k, 0, K))},
        {"sequences": {D: AWAY, N: square(STEP) / 4}},
        {"sequences": {D: 4 * AWAY, N: square(STEP)}},
        {"following": ()},
        {"hypotheses": (MOVES,)},
        {"hypotheses": (replace(STALE, name="other"),)},
        {"conclude": Drift("moves", k, count=K)},
        {"conclude": Drift("stale", k, count=K - 5)},
        {"conclude": Drift("stale", k, count=k)},
    ],
)
def test_false_sums_are_not(changes: dict[str, Any]) -> None:
    try:
        verdict = prove(replace(SUMMED, **changes)).verdict
    except TheoryError:
        return
    assert verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "changes",
    [
        {"terms": {"moves": tau * M}},
        {"terms": {"moves": tau**2 * M / 2}},
        {"hypotheses": (STALE, Hypothesis("moves", "", le(square(STEP), r))), "scalars": (r,)},
        {"hypotheses": (STALE, Hypothesis("moves", "", le(square(X.position), M)))},
        {"lhs": 2 * AWAY},
    ],
)
def test_false_bounds_of_one_drift_are_not(changes: dict[str, Any]) -> None:
    """The third has a bound r that may be small in this iteration, and large in those before."""
    terms = {"moves": tau**2 * r} if "scalars" in changes else EACH.terms
    assert prove(replace(EACH, **{"terms": terms, **changes})).verdict is Verdict.UNKNOWN


def test_a_bound_for_one_iteration_is_none_for_all() -> None:
    """k ≤ 5 says something of this iteration, and the rule would use it for those before."""
    early = Hypothesis("early", "k ≤ 5", le(k, 5))
    wrong = replace(EACH, hypotheses=(STALE, MOVES, early), indices=(k,))
    with pytest.raises(VacuousError):
        prove(wrong)


@pytest.mark.parametrize(
    "changes",
    [
        {"hypotheses": (replace(STALE, constant=M), MOVES)},
        {"hypotheses": (replace(STALE, constant=tau - 1), MOVES)},
        {"hypotheses": (replace(STALE, constant=k), MOVES)},
        {"hypotheses": (replace(STALE, old=NEXT), MOVES)},
        {"hypotheses": (replace(STALE, now=OLD, old=X), MOVES)},
        {"hypotheses": (replace(STALE, old=point("y", "h")), MOVES)},
        {"points": (X, NEXT)},
    ],
)
def test_what_is_no_delay_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(TheoryError):
        replace(SUMMED, **changes)


def test_a_citation_needs_the_same_delay() -> None:
    using = replace(EACH, id="mine.uses", conclude=Cite("mine.drift"), cites=(EACH,))
    lemma = replace(EACH, id="mine.drift")
    assert prove(replace(using, cites=(lemma,))).verdict is Verdict.PROVED
    longer = replace(STALE, constant=tau + 1)
    for other in ((MOVES,), (longer, MOVES)):
        assert prove(replace(using, cites=(lemma,), hypotheses=other)).verdict is Verdict.UNKNOWN


BIG = sympy.Symbol("B", real=True)
ANY = replace(
    EACH,
    id="mine.any",
    symbols=(tau, BIG),
    hypotheses=(STALE, Hypothesis("moves", "", le(square(STEP), BIG))),
    terms={"moves": tau**2 * BIG},
)


@pytest.mark.parametrize("bound", [r, square(STEP), r + M])
def test_a_citation_holds_the_bound_of_the_moves_fixed(bound: Any) -> None:
    """A bound of this move is none of those before: x̂ was read in other iterations."""
    wrong = replace(
        EACH,
        scalars=(r,),
        hypotheses=(STALE, Hypothesis("moves", "", le(square(STEP), bound))),
        terms={"moves": tau**2 * bound},
        conclude=Cite("mine.any", {BIG: bound}),
        cites=(ANY,),
    )
    assert prove(wrong).verdict is Verdict.UNKNOWN
    fixed = replace(wrong, symbols=(tau, M, r), scalars=())
    if bound != square(STEP):
        assert prove(fixed).verdict is Verdict.PROVED


def test_a_citation_of_a_citation_holds_it_fixed_too() -> None:
    again = replace(ANY, id="mine.again", conclude=Cite("mine.any"), cites=(ANY,))
    wrong = replace(
        EACH,
        scalars=(r,),
        hypotheses=(STALE, Hypothesis("moves", "", le(square(STEP), r))),
        terms={"moves": tau**2 * r},
        conclude=Cite("mine.again", {BIG: r}),
        cites=(again,),
    )
    assert prove(again).verdict is Verdict.PROVED
    assert prove(wrong).verdict is Verdict.UNKNOWN


def test_a_case_of_each_iteration_is_no_case_of_those_before() -> None:
    """In some iterations the move is short, in others the stale point is near; neither in all."""
    short = Hypothesis("short", "", le(square(STEP), 0))
    long = Hypothesis("long", "", le(0, square(STEP)))
    cases = {"short": short, "long": long}
    branches = {when: replace(EACH, hypotheses=(STALE, MOVES, one)) for when, one in cases.items()}
    with pytest.raises(TheoryError, match="Drift"):
        by_branches(EACH, branches, {when: (when,) for when in cases}, ())


def test_what_was_random_some_iterations_ago_is_random() -> None:
    """E ⟨x, x̂⟩ would be ⟨E x, x̂⟩."""
    here = {name for one in (X, NEXT) for name in (one.value.name, *one.gradient.names)}
    stale = {*OLD.position.names, OLD.value.name, *OLD.gradient.names}
    mean = Operator("E", ("x", "g", *sorted(here)))
    goal = mean.of(dot(X.position, OLD.position))
    zero = Hypothesis("zero", "", le(goal, 0))
    with pytest.raises(TheoryError, match="stale x"):
        replace(EACH, hypotheses=(STALE, MOVES, zero))
    for one in (
        Operator("E", ("x", "g", *sorted(here | stale))),
        Operator("E", ("x", "g", *sorted(here)), given=tuple(sorted(stale))),
    ):
        said = replace(zero, relation=le(one.of(dot(X.position, OLD.position)), 0))
        assert prove(replace(EACH, hypotheses=(STALE, MOVES, said))).verdict is Verdict.PROVED
