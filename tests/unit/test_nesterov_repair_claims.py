"""Claims that put Theorem 1, (31) and Proposition 1 of the Nesterov paper right."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from tests import published
from theory.judging.decide import decided
from theory.papers.nesterov import eq_20
from theory.papers.nesterov.lemmas import (
    aligned,
    averaged_step,
    gradient_window,
    iterate_start,
    iterate_step,
    repaired_iterates,
    repaired_start,
    repaired_step,
    repaired_thm_1,
    step_bound,
)
from theory.papers.nesterov.symbols import G, R, beta, eta, t, tau
from theory.verdicts import Verdict


def test_the_steps_say_what_the_moves_of_z_come_from() -> None:
    for module in (gradient_window, repaired_step, iterate_step):
        assert averaged_step.THEOREM.id in module.CLAIM.depends


def test_the_cosine_is_bounded_by_what_20_says() -> None:
    assert eq_20.THEOREM.id in aligned.CLAIM.depends


def test_no_constant_below_a_quarter_would_do() -> None:
    """R²/(4η(t − 1) + 2/β) is (t − 1)/(t − 1 + 2τ) of the bound at η = 1/(4τβ)."""
    claim = repaired_iterates.CLAIM
    (found,) = [
        one for one in published.row(claim.id).judgement.evidence if "constant 1/4" in one.says
    ]
    assert found.points == "for"
    for delay in repaired_iterates.DELAYS:
        for now, share in zip(found.data["t"], found.data[f"tau = {delay}"], strict=True):
            assert Fraction(share) == Fraction(now - 1, now - 1 + 2 * delay)
            assert Fraction(share) < 1
    assert Fraction(found.data["tau = 1"][-1]) > Fraction(49, 50)
    edited = decided(claim.account({"distance": R**2 / (8 * eta * (t - 1))}))
    assert not [one for one in edited.evidence if "constant 1/4" in one.says]
    assert edited.verdict is Verdict.REFUTED


def test_the_simple_condition_is_said_to_be_loose_with_the_longer_stepsizes_beside_it() -> None:
    claim = repaired_iterates.CLAIM
    (finding,) = published.row(claim.id).judgement.findings
    assert finding.kind == "loose"
    assert finding.witness is not None
    assert set(finding.witness.values()) == {2, "1/8", "1/7", "1/4"}
    assert finding.repaired is not None
    assert finding.repaired.verdict is Verdict.PROVED


def test_the_bounds_are_written_with_the_symbols_that_runs_give_values_to() -> None:
    assert repaired_thm_1.CLAIM.printed == {"distance": R**2 / (4 * eta * (t - tau))}
    assert repaired_iterates.CLAIM.printed == {"distance": R**2 / (4 * eta * (t - 1))}
    assert step_bound.CLAIM.printed == {"size": eta**2 * G**2}


def test_the_stepsizes_of_the_sharp_theorems_are_the_longer_ones() -> None:
    """At η = 1/(4τβ) both sharp conditions hold, for τ ≥ 2 with room to spare."""
    look_ahead = repaired_start.STEPSIZE.relation.gap
    iterates = iterate_start.STEPSIZE.relation.gap
    for delay in range(1, 30):
        simple = {eta: 1 / (4 * tau * beta), tau: delay}
        one, other = (gap.subs(simple).subs(tau, delay) for gap in (look_ahead, iterates))
        assert (one == 0) == (delay == 1)
        assert one >= 0
        assert other > 0


@pytest.mark.parametrize("delay", range(2, 12))
def test_no_theorem_takes_a_stepsize_that_is_known_to_be_too_long(delay: int) -> None:
    """Above 1/(4(τ − 1)β) the rate is lost (`nesterov.stepsize-limit`)."""
    limit = {eta: sympy.Rational(1, 4 * (delay - 1)), beta: 1, tau: delay}
    for condition in (repaired_start.STEPSIZE, iterate_start.STEPSIZE, repaired_thm_1.STEPSIZE):
        assert condition.relation.gap.subs(limit) < 0


def test_the_two_theorems_give_one_constant() -> None:
    """w_{t+1} is bounded as the look-ahead x_t, which is y_{t+τ}."""
    point, iterate = (one.CLAIM.printed["distance"] for one in (repaired_thm_1, repaired_iterates))
    assert sympy.simplify(point.subs(t, t + tau) - iterate.subs(t, t + 1)) == 0
