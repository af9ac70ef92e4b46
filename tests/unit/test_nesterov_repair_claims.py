"""Claims that put Theorem 1, (31) and Proposition 1 of the Nesterov paper right."""

from __future__ import annotations

from fractions import Fraction
from types import ModuleType
from typing import Final

import pytest
import sympy

from theory.judging.catalogue import CLAIMS
from theory.judging.decide import decided
from theory.kernel import Theorem, prove
from theory.papers.nesterov import (
    aligned,
    averaged_step,
    eq_20,
    gradient_window,
    interpolation,
    iterate_rate,
    iterate_start,
    iterate_step,
    repaired_iterates,
    repaired_look_ahead,
    repaired_start,
    repaired_step,
    repaired_thm_1,
    sharp_repaired_iterates,
    sharp_repaired_thm_1,
    step_bound,
)
from theory.papers.nesterov.symbols import G, R, beta, eta, t, tau
from theory.verdicts import Verdict

THEOREMS: Final = tuple(
    module.THEOREM
    for module in (
        averaged_step,
        interpolation,
        gradient_window,
        step_bound,
        repaired_step,
        repaired_start,
        repaired_look_ahead,
        sharp_repaired_thm_1,
        repaired_thm_1,
        iterate_step,
        iterate_start,
        iterate_rate,
        sharp_repaired_iterates,
        repaired_iterates,
        aligned,
    )
)


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.id)
def test_every_line_is_shown_and_every_hypothesis_used(theorem: Theorem) -> None:
    proof = prove(theorem)
    assert {line.verdict for line in proof.lines} == {Verdict.PROVED}
    assert [one.name for one in theorem.hypotheses if one.name not in proof.used] == []
    assert theorem.id in CLAIMS


def test_the_steps_say_what_the_moves_of_z_come_from() -> None:
    for module in (gradient_window, repaired_step, iterate_step):
        assert averaged_step.THEOREM.id in module.CLAIM.depends


@pytest.mark.parametrize("module", [repaired_look_ahead, iterate_rate])
def test_every_window_is_said_to_have_sequences_of_its_own(module: ModuleType) -> None:
    """One q for every k would be a run whose windows are all alike."""
    assumed = decided(module.CLAIM.account(module.CLAIM.printed)).assumes
    assert gradient_window.ONE_EACH in assumed
    for name in ("move", "first", "last", "sizes"):
        (said,) = [one for one in assumed if one.startswith(f"{name}: ")]
        assert said.endswith("every k has its own q, e, e², Q")


def test_the_cosine_is_bounded_by_what_20_says() -> None:
    assert eq_20.THEOREM.id in aligned.CLAIM.depends


def test_no_constant_below_a_quarter_would_do() -> None:
    """R²/(4η(t − 1) + 2/β) is (t − 1)/(t − 1 + 2τ) of the bound at η = 1/(4τβ)."""
    claim = repaired_iterates.CLAIM
    (found,) = [
        one for one in decided(claim.account(claim.printed)).evidence if "constant 1/4" in one.says
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
    (finding,) = decided(claim.account(claim.printed)).findings
    assert finding.kind == "loose"
    assert finding.witness is not None
    assert list(finding.witness.values()) == [2, "1/8", "1/7", "1/4"]
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
