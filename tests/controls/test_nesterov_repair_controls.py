"""What the repaired theorems must not prove: longer stepsizes, smaller bounds, other starts."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest
import sympy

from theory.kernel import Combine, Hypothesis, Theorem, dot, eq, le, prove, square
from theory.kernel.theorem import Rule
from theory.papers.nesterov.lemmas import (
    aligned,
    averaged_step,
    gradient_window,
    interpolation,
    iterate_rate,
    iterate_start,
    iterate_step,
    repaired_iterates,
    repaired_look_ahead,
    repaired_start,
    repaired_thm_1,
    step_bound,
)
from theory.papers.nesterov.lemmas.run_energy import S, V, k
from theory.papers.nesterov.symbols import beta, eta, t, tau, theta
from theory.verdicts import Verdict

HALF: Final = sympy.Rational(1, 2)


def proved(theorem: Theorem) -> bool:
    return prove(theorem).verdict is Verdict.PROVED


def with_hypothesis(theorem: Theorem, name: str, relation: object) -> Theorem:
    """The theorem with one hypothesis that says something else."""
    changed = tuple(
        Hypothesis(one.name, one.says, relation) if one.name == name else one  # type: ignore[arg-type]
        for one in theorem.hypotheses
    )
    assert changed != theorem.hypotheses
    return replace(theorem, hypotheses=changed)


def with_rule(theorem: Theorem, name: str, rule: Rule) -> Theorem:
    steps = tuple(replace(one, rule=rule) if one.name == name else one for one in theorem.steps)
    return replace(theorem, steps=steps)


@pytest.mark.parametrize("factor", [HALF, sympy.Rational(99, 100)])
def test_no_smaller_bound_follows(factor: sympy.Rational) -> None:
    for theorem in (repaired_thm_1.THEOREM, repaired_iterates.THEOREM, step_bound.THEOREM):
        assert not proved(
            replace(theorem, terms={name: factor * one for name, one in theorem.terms.items()})
        )


def test_no_longer_stepsize_is_taken() -> None:
    simple = with_hypothesis(repaired_thm_1.THEOREM, "short", le((4 * tau - 1) * beta * eta, 1))
    full = with_hypothesis(repaired_iterates.THEOREM, "short", le(beta * eta, 1))
    limit = with_hypothesis(iterate_rate.THEOREM, "stepsize", le(4 * (tau - 1) * beta * eta, 1))
    assert not any(map(proved, (simple, full, limit)))


@pytest.mark.parametrize(
    "theorem",
    [repaired_look_ahead.THEOREM, iterate_rate.THEOREM, repaired_start.THEOREM],
    ids=lambda theorem: theorem.id,
)
def test_a_delay_of_0_is_not_covered(theorem: Theorem) -> None:
    assert not proved(with_hypothesis(theorem, "delay", le(0, tau)))


def test_a_first_step_of_full_length_is_another_start() -> None:
    """With 1 − γ_1 = 2 as (29) has it, z_{τ+2} has moved by 2(τ + 1)η∇f(w_1)."""
    first, star, slope = repaired_start.FIRST, repaired_start.star, repaired_start.slope
    whole = first - star - 2 * (tau + 1) * eta * slope
    theorem = with_hypothesis(iterate_rate.THEOREM, "first z", eq(V(0), square(whole)))
    assert not proved(theorem)


def test_gradients_that_are_seen_one_iteration_early_are_not_those_of_the_window() -> None:
    early = eq(S(k + tau - 1), square(iterate_step.g))
    assert not proved(with_hypothesis(iterate_rate.THEOREM, "newest", early))


def test_convexity_alone_has_no_margin() -> None:
    theorem = interpolation.THEOREM
    only = tuple(one for one in theorem.hypotheses if one.name != "f is beta-smooth")
    assert not proved(replace(theorem, hypotheses=only))
    twice = {**theorem.terms, "margin": 2 * theorem.terms["margin"]}
    assert not proved(replace(theorem, terms=twice))


def test_a_window_of_other_moves_is_not_cited() -> None:
    """A step of −ηe in place of −2ηe: the window's theorem is about another path."""
    q, after, e = gradient_window.PLACE, gradient_window.FURTHER, gradient_window.MOVE
    seen = iterate_step.g
    halved = eq(dot(after, seen), dot(q, seen) - eta * dot(e, seen))
    assert not proved(with_hypothesis(iterate_rate.THEOREM, "move, with g", halved))


def test_without_the_momentum_condition_steps_are_not_bounded() -> None:
    theorem = with_hypothesis(step_bound.THEOREM, "not negative", le(-1, step_bound.GAMMA))
    assert not proved(theorem)


def test_directions_are_aligned_only_where_gradients_are_outweighed() -> None:
    theorem = with_hypothesis(
        aligned.THEOREM, "outweighed", le(aligned.rho, 2 * aligned.a * aligned.d)
    )
    assert not proved(theorem)
    half = {name: one / 2 for name, one in aligned.THEOREM.terms.items()}
    assert not proved(replace(aligned.THEOREM, terms=half))


def test_the_mean_of_the_gradients_is_not_that_of_the_first_iteration() -> None:
    """Where 1 − γ_t is 1/t, as it is at t = 1, z moves by half; what d is makes no difference."""
    theorem = averaged_step.THEOREM
    first = with_hypothesis(theorem, "(29)", eq(t * theta, 1))
    assert not proved(first)
    half = {**theorem.terms, "move": theorem.terms["move"] / 2}
    conclude = Combine({"(29)": -eta * dot(averaged_step.GRADIENT, averaged_step.SEEN)})
    assert proved(replace(first, terms=half, steps=theorem.steps[1:], conclude=conclude))
    assert not proved(replace(theorem, hypotheses=()))


def test_the_start_needs_a_minimiser() -> None:
    for name in ("f is least at w*, at v₁", "∇f(w*) = 0, with ∇f(w₁)", "distance"):
        kept = tuple(one for one in iterate_start.THEOREM.hypotheses if one.name != name)
        assert not proved(replace(iterate_start.THEOREM, hypotheses=kept))


def test_the_simple_condition_has_to_be_shown_to_be_the_shorter_one() -> None:
    taken = with_rule(repaired_iterates.THEOREM, "stepsize", Combine({"short": 1}))
    assert not proved(taken)
