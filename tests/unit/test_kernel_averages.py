"""The rule that swaps an average and an expectation: what it gives, and what it must not."""

from __future__ import annotations

import pytest
import sympy

from theory.kernel import (
    Average,
    Combine,
    Hypothesis,
    Operator,
    Relation,
    Swap,
    Theorem,
    dot,
    eq,
    le,
    square,
)
from theory.kernel.theorem import Given
from theory.kernel.vectors import vectors
from theory.verdicts import Verdict

u, v, w = vectors("u v w")
a = sympy.Symbol("a", positive=True)
AVG = Average("avg", ("u",), over="replica")
E = Operator("E", ("u", "v"), over="sample")
OTHER = Operator("E_k", ("u",), over="step")


def checked(fact: Relation, goal: Relation, rule: Swap) -> Verdict:
    theorem = Theorem(
        id="test.swap",
        where="test",
        statement="A goal.",
        latex="",
        symbols=(a,),
        vectors=(u, v, w),
        hypotheses=(Hypothesis("fact", "a fact", fact),),
        lhs=a,
        terms={"a": a},
        conclude=Combine(),
    )
    return rule.check(goal, Given(theorem, {"fact": fact})).verdict


def test_it_swaps_in_both_directions() -> None:
    inner = le(AVG.of(E.of(square(u - v))), a)
    outer = le(E.of(AVG.of(square(u - v))), a)
    assert inner != outer
    assert checked(inner, outer, Swap("fact", AVG, E)) is Verdict.PROVED
    assert checked(outer, inner, Swap("fact", AVG, E)) is Verdict.PROVED


def test_two_averages_swap_as_well() -> None:
    other = Average("steps", ("u", "v"), over="step")
    fact = le(AVG.of(other.of(dot(u, v))), a)
    goal = le(other.of(AVG.of(dot(u, v))), a)
    assert checked(fact, goal, Swap("fact", AVG, other)) is Verdict.PROVED


@pytest.mark.parametrize("over", ["", "sample"], ids=["none", "the same"])
def test_what_depends_on_both_names_two_variables(over: str) -> None:
    """The spread over one index, of means over the same index, is 0."""
    average = Average("avg", ("u",), over=over)
    fact = le(average.of(E.of(dot(u, v))), a)
    goal = le(E.of(average.of(dot(u, v))), a)
    assert checked(fact, goal, Swap("fact", average, E)) is Verdict.UNKNOWN


def test_it_reaches_nests_inside_other_means() -> None:
    total = Operator("total", ("u", "v", "w"))
    fact = eq(total.of(AVG.of(E.of(dot(u, v)))), a)
    goal = eq(total.of(E.of(AVG.of(dot(u, v)))), a)
    assert checked(fact, goal, Swap("fact", AVG, E)) is Verdict.PROVED


def test_two_conditional_expectations_do_not_commute() -> None:
    """Given different things, E[E_k[X]] and E_k[E[X]] may well differ."""
    fact = le(OTHER.of(E.of(dot(u, v))), a)
    goal = le(E.of(OTHER.of(dot(u, v))), a)
    rule = Swap("fact", OTHER, E)  # type: ignore[arg-type]
    assert checked(fact, goal, rule) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "goal",
    [
        le(E.of(AVG.of(square(u - v))), 2 * a),
        le(E.of(AVG.of(square(u + v))), a),
        le(E.of(square(u - v)), a),
        le(AVG.of(square(u - v)), a),
        eq(E.of(AVG.of(square(u - v))), a),
    ],
    ids=["other constant", "other vectors", "no average", "no expectation", "equality"],
)
def test_it_gives_nothing_else(goal: Relation) -> None:
    fact = le(AVG.of(E.of(square(u - v))), a)
    assert checked(fact, goal, Swap("fact", AVG, E)) is Verdict.UNKNOWN


def test_operators_of_one_name_with_other_random_names_stay() -> None:
    """The mean over u is not the mean over u and w, whatever both are called."""
    wider = Average("avg", ("u", "w"), over="replica")
    fact = le(wider.of(E.of(dot(u, v))), a)
    goal = le(E.of(AVG.of(dot(u, v))), a)
    assert checked(fact, goal, Swap("fact", AVG, E)) is Verdict.UNKNOWN


def test_operators_of_other_names_stay() -> None:
    other = Average("mean", ("u",), over="replica")
    fact = le(other.of(E.of(dot(u, v))), a)
    goal = le(E.of(other.of(dot(u, v))), a)
    assert checked(fact, goal, Swap("fact", AVG, E)) is Verdict.UNKNOWN
    renamed = le(E.of(AVG.of(dot(u, v))), a)
    assert checked(fact, renamed, Swap("fact", AVG, E)) is Verdict.UNKNOWN
    assert checked(fact, goal, Swap("fact", other, E)) is Verdict.PROVED


def test_a_product_of_means_is_no_mean_of_a_product() -> None:
    """avg[E[<u, v>] <u, v>] has the expectation beside something random to the average."""
    fact = le(AVG.of(E.of(dot(u, v)) * dot(u, v)), a)
    goal = le(E.of(AVG.of(dot(u, v) * dot(u, v))), a)
    assert checked(fact, goal, Swap("fact", AVG, E)) is Verdict.UNKNOWN


def test_what_is_not_shown_is_not_swapped() -> None:
    rule = Swap("missing", AVG, E)
    goal = le(E.of(AVG.of(square(u))), a)
    assert checked(goal, goal, rule) is Verdict.UNKNOWN
