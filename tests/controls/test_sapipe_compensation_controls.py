"""What theorems on SAPipe's compensations must not prove; flaws that must be able to fail."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

import pytest
import sympy

from theory.judging.controls import without
from theory.judging.decide import decided
from theory.kernel import Combine, Hypothesis, Theorem, eq, le, prove
from theory.papers.sapipe import dc_step, dc_update, thm_3, thm_6
from theory.papers.sapipe.dc_method import MIXED, q
from theory.papers.sapipe.lemmas import (
    dc_bias,
    dc_fourths,
    dc_fourths_drawn,
    dc_fourths_full,
    dc_objective,
    dc_squares,
    repaired_thm_6,
    sharp_thm_3,
    wp_3_left_out,
    wp_3_lines,
    wp_3_missed,
    wp_3_moment,
    wp_3_outer,
)
from theory.papers.sapipe.lemmas.dc_average import average_gradient, errors
from theory.papers.sapipe.lemmas.dc_fourths_full import WHOLE
from theory.papers.sapipe.symbols import V2, L, eta
from theory.papers.sapipe.witnesses import dc_witnesses, limit_cycle, wp_3_flaws
from theory.papers.sapipe.wp_3_method import STEP_SIZE
from theory.verdicts import Verdict

HALF: Final = Fraction(1, 2)
NEAR: Final = sympy.Rational(99, 100)
THEOREMS: Final = tuple(
    module.THEOREM
    for module in (
        dc_step,
        dc_update,
        dc_squares,
        dc_bias,
        dc_fourths,
        dc_fourths_drawn,
        dc_fourths_full,
        dc_objective,
        sharp_thm_3,
        wp_3_outer,
        wp_3_left_out,
        wp_3_missed,
        wp_3_moment,
        repaired_thm_6,
    )
)


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


@pytest.mark.slow
@pytest.mark.parametrize(
    "theorem", [*THEOREMS, dc_bias.BETTER, sharp_thm_3.ANY], ids=lambda theorem: theorem.id
)
def test_no_smaller_bound_follows(theorem: Theorem) -> None:
    terms = {name: NEAR * one for name, one in theorem.terms.items()}
    assert not proved(replace(theorem, terms=terms))


@pytest.mark.parametrize(
    "theorem", [*wp_3_lines.HOLDING, thm_6.EXACT], ids=lambda theorem: theorem.id
)
def test_no_smaller_line_follows(theorem: Theorem) -> None:
    terms = {name: NEAR * one for name, one in theorem.terms.items()}
    assert not proved(replace(theorem, terms=terms))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("theorem", [dc_step.THEOREM, dc_squares.THEOREM, dc_fourths.THEOREM])
def test_a_larger_lambda_is_not_covered(theorem: Theorem) -> None:
    for most in (sympy.Rational(1, 2), sympy.Rational(3, 10)):
        assert not proved(with_hypothesis(theorem, "small", le(q, most)))


def test_a_first_step_that_is_not_0_is_another_start() -> None:
    other = le(dc_step.A(0), 2 * eta * sympy.sqrt(V2))
    assert not proved(with_hypothesis(dc_step.THEOREM, "at rest", other))


@pytest.mark.slow
def test_the_fourth_moment_of_a_mixture_is_not_that_of_its_parts() -> None:
    """A fresh and a stale element of size √V₂ each make a gradient of size √(2V₂)."""
    swapped = replace(dc_fourths.THEOREM, terms={"steps": 4 * V2**2})
    assert not proved(swapped)
    right = average_gradient(
        "sapipe.right", "ours", "x", "x", dc_fourths_full.THEOREM, errors(8, 8, 4)
    )
    assert proved(right)
    assert not proved(with_hypothesis(right, WHOLE.name, MIXED.relation))


def test_room_that_is_not_there_cannot_be_used() -> None:
    """Bounds of the moments may be loosened, and not tightened."""
    tighter = average_gradient(
        "sapipe.tighter",
        "ours",
        "x",
        "x",
        dc_fourths.THEOREM,
        errors(16, 4, 2),
        (-8 * V2**2, -V2),
    )
    assert not proved(tighter)


@pytest.mark.parametrize(
    ("theorem", "name"),
    [
        (dc_bias.BETTER, "step"),
        (dc_bias.BETTER, "enough"),
        (thm_6.EXACT, "exact predictions"),
    ],
    ids=lambda one: getattr(one, "id", one),
)
def test_what_a_proof_needs_is_missed(theorem: Theorem, name: str) -> None:
    assert without(theorem, name) is not Verdict.PROVED


@pytest.mark.slow
def test_the_first_prediction_is_paid_for() -> None:
    """Without gradients before the first the deviation is that of ∇G_i(x_0), not 0."""
    free = {name: one for name, one in repaired_thm_6.THEOREM.terms.items() if name != "first"}
    assert not proved(replace(repaired_thm_6.THEOREM, terms=free))
    known = with_hypothesis(repaired_thm_6.THEOREM, "first gradients", eq(repaired_thm_6.N(0), 0))
    assert proved(replace(known, terms=free))


def test_the_printed_error_term_of_theorem_6_does_not_follow_from_the_repaired_proof() -> None:
    swapped = replace(repaired_thm_6.THEOREM, terms=thm_6.EXACT.terms)
    assert not proved(swapped)


def test_the_line_that_lost_its_factor_is_not_proved() -> None:
    halves = {name: one / 2 for name, one in wp_3_lines.CURVED.terms.items()}
    assert not proved(replace(wp_3_lines.CURVED, terms=halves))


def test_the_split_is_no_equality() -> None:
    assert not proved(replace(wp_3_lines.SPLIT, kind="==", conclude=Combine()))


def test_predictions_of_two_workers_are_not_exact() -> None:
    others = replace(
        wp_3_lines.ALONE,
        lhs=wp_3_lines.PREDICTION.lhs,
        symbols=wp_3_lines.PREDICTION.symbols,
        scalars=wp_3_lines.PREDICTION.scalars,
        vectors=wp_3_lines.PREDICTION.vectors,
    )
    assert not proved(others)


def test_flaws_are_gone_where_a_line_holds() -> None:
    still = replace(wp_3_flaws.EQUAL, start=Fraction(0))
    assert wp_3_flaws.stale_points(still) is None
    assert wp_3_flaws.equal_sign(still) is None
    assert wp_3_flaws.stale_points(replace(wp_3_flaws.EQUAL, losses=(wp_3_flaws.Capped(),))) is None
    assert wp_3_flaws.used_samples(rate=Fraction(0)) is None
    for weight in (Fraction(0), Fraction(1)):
        assert wp_3_flaws.lost_factor(weight=weight) is None
    assert dc_witnesses.first_iteration(Fraction(1)) is None


@pytest.mark.slow
def test_theorem_3_is_called_invalid_for_its_first_line_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert decided(thm_3.CLAIM.account(thm_3.CLAIM.printed)).printed_proof == "invalid"
    monkeypatch.setattr(dc_witnesses, "first_iteration", lambda: None)
    found = decided(thm_3.CLAIM.account(thm_3.CLAIM.printed))
    assert found.printed_proof == "gap"
    assert "invalid-step" not in {one.kind for one in found.findings}


@pytest.mark.slow
def test_a_line_without_a_witness_is_not_called_invalid(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stale_points", "used_samples", "lost_factor"):
        monkeypatch.setattr(wp_3_flaws, name, lambda: None)
    assert decided(thm_6.CLAIM.account(thm_6.CLAIM.printed)).printed_proof == "gap"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "other",
    [
        {"iterations": 1200},  # the second coordinate has not grown yet
        {"eta": Fraction(3, 5)},  # the prediction is good enough: it converges
        {"start": (Fraction(1, 100), Fraction(1, 100))},  # in step: V₂ is twice the mean
        {"reach": Fraction(1, 100)},  # leaves the stretch where the slope is u − ku³
    ],
    ids=["short", "smaller stepsize", "in step", "too far"],
)
def test_not_every_run_exceeds_theorem_6(other: dict[str, Any]) -> None:
    assert thm_6.circling(replace(limit_cycle.RUN, **other), thm_6.CLAIM.printed) is None


@pytest.mark.slow
def test_a_function_that_is_not_convex_refutes_nothing() -> None:
    """The run is far above this smaller bound; L and V₂ are those of a convex p only."""
    smaller = {**thm_6.CLAIM.printed, "error": thm_6.CLAIM.printed["error"] / 2}
    for reach, convex in ((Fraction(1, 20), True), (Fraction(3, 50), False)):
        run = replace(limit_cycle.RUN, reach=reach)
        assert (run.curvature_at_reach >= 0) == convex
        assert limit_cycle.enclosed(run).furthest_at_most <= reach
        assert (thm_6.circling(run, smaller) is not None) == convex


def test_elements_that_depend_on_each_other_are_not_covered_by_the_independent_draw() -> None:
    assert not proved(with_hypothesis(dc_fourths_drawn.THEOREM, "drawn", MIXED.relation))


@pytest.mark.slow
def test_a_looser_theorem_6_is_not_refuted() -> None:
    looser = {**thm_6.CLAIM.printed, "error": 2 * thm_6.CLAIM.printed["error"]}
    judged = decided(thm_6.CLAIM.account(looser))
    assert judged.verdict is Verdict.UNKNOWN
    assert judged.counterexample is None
    assert judged.evidence[0].points == "for"


def test_the_falsifier_finds_what_a_false_twin_of_theorem_3_allows() -> None:
    """Without its error term and variance the bound is passed."""
    bare = {**thm_3.CLAIM.printed, **dict.fromkeys((*_ERRORS, "variance"), sympy.S.Zero)}
    judged = decided(thm_3.CLAIM.account(bare))
    assert judged.verdict is Verdict.REFUTED
    assert judged.counterexample is not None


_ERRORS: Final = ("remainder", "uncompensated", "outer product", "compensated noise")


def test_a_stepsize_above_1_over_l_is_not_covered() -> None:
    assert not proved(with_hypothesis(dc_update.THEOREM, "stepsize", le(eta, 2 / L)))


def test_a_longer_step_is_not_covered() -> None:
    longer = le(STEP_SIZE.relation.lhs, 2 * eta**2 * V2)
    assert not proved(with_hypothesis(wp_3_outer.THEOREM, "step", longer))
