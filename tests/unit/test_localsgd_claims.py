"""The rows about LocalSGD: verdicts, what their proofs use, and their witnesses by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from tests import published
from theory.judging.controls import without
from theory.kernel import Theorem, prove
from theory.papers.localsgd import eq_5, eq_6, eq_11, eq_12, eq_13, speedup
from theory.papers.localsgd.lemmas import (
    homogeneous_drift,
    noise_drift,
    rates,
    sharp_drift,
    sharp_eq_11,
)
from theory.papers.localsgd.witnesses.replays import alike, budget, stepsize
from theory.papers.rpd.symbols import Delta, Gt, H, K, L, N, T, gamma, p, sigma
from theory.verdicts import Verdict

PARTS = (
    *eq_13.BRANCHES.values(),
    eq_6.THEOREM,
    rates.enough(rates.THRESHOLD),
    rates.needed(rates.THRESHOLD),
    rates.EVERY_STEP,
)


@pytest.mark.parametrize("theorem", PARTS, ids=lambda theorem: theorem.id)
def test_every_hypothesis_is_used(theorem: Theorem) -> None:
    assert {h.name for h in theorem.hypotheses} <= prove(theorem).used


def test_the_stepsize_matters_to_the_sharper_bound_only() -> None:
    assert without(eq_11.THEOREM, "stepsize") is Verdict.PROVED
    assert without(sharp_eq_11.THEOREM, "stepsize") is Verdict.UNKNOWN
    found = stepsize(sharp_eq_11.THEOREM.terms)
    assert found.points == "for"
    # f = x²/2 near x⁰ = 1, γ = 2: one step, Δ = 1/2, so 2Δ/γ = 1/2 against f'(1)² = 1
    assert (found.data["bound"], found.data["measured"]) == (Fraction(1, 2), 1)
    assert stepsize(eq_11.THEOREM.terms).points == "neither"  # 4γ² is far above 1


def test_substitutions_give_the_printed_formulas() -> None:
    """Done once more by sympy, without any certificate."""
    by_budget = {T: K / (p * N)}
    assert sympy.simplify(eq_11.THEOREM.goal.rhs.subs(by_budget) - eq_12.THEOREM.goal.rhs) == 0
    assert sympy.simplify(eq_12.THEOREM.goal.rhs.subs(N, p) - eq_5.THEOREM.goal.rhs) == 0
    tuned = eq_11.THEOREM.goal.rhs.subs(gamma, eq_13.TUNED).subs(by_budget)
    assert sympy.simplify(tuned - sympy.Add(*eq_13.TERMS.values())) == 0
    six = sympy.Add(*eq_6.TERMS.values())
    assert sympy.simplify(sympy.Add(*eq_13.TERMS.values()).subs(N, p) - six) == 0


def test_sharper_terms_are_below_the_printed_ones() -> None:
    """(H − 1)² is below 4H², and by any factor at H = 1."""
    printed, sharp = eq_11.THEOREM.terms["drift"], sharp_eq_11.THEOREM.terms["drift"]
    assert sympy.expand((printed - sharp) / (gamma * Gt * L) ** 2 - (3 * H - 1) * (H + 1)) == 0
    assert sharp.subs(H, 1) == 0 != printed.subs(H, 1)


def test_the_bound_for_one_function_is_attained() -> None:
    found = alike(homogeneous_drift.THEOREM.terms)
    assert found.data["measured"] == {"2": Fraction(1, 2), "3": 2, "4": Fraction(9, 2)}
    assert found.data["measured"] == found.data["bound"]
    assert "not attained" in alike(sharp_drift.THEOREM.terms).says


def test_drift_by_noise_is_linear_in_the_steps_where_steps_are_small() -> None:
    """(1 − 1/N)γ²σ²j as γL → 0; none at j = 0, and none without noise."""
    form, j = noise_drift.THEOREM.terms["drift"], noise_drift.j
    linear = 5 * (1 - 1 / N) * gamma**2 * sigma**2
    assert sympy.expand(sympy.limit(form.subs(j, 5), L, 0) - linear) == 0
    assert form.subs(j, 0) == form.subs(sigma, 0) == 0


def test_the_budget_is_that_of_the_schedule() -> None:
    found = budget({})
    assert found.points == "for"
    assert found.data == {"schedules": 162, "wrong": []}


def test_speed_up_in_three_readings() -> None:
    found = published.row(speedup.CLAIM.id).judgement
    constants, need = found.findings
    assert constants.witness is not None
    assert need.witness is not None
    flat, steep = constants.witness["not enough"], constants.witness["not needed"]
    # L = G̃ = 1, σ = 0: Δ = x²/2 = 1/200 at x = 1/10, and Δ = x − 1/2 = 199/2 at x = 100
    assert (flat["H"], flat["threshold"], flat["drift term"]) == ("1", "1", "4")
    assert flat["speed-up term"] == "1/100"
    assert (steep["H"], steep["threshold"], steep["drift term"]) == ("2", "1", "16")
    assert steep["speed-up term"] == "199"
    assert sympy.sympify(need.witness["threshold"]) ** 4 == sympy.Rational(1, 2)


@pytest.mark.parametrize("periods", [1, 2, 5])
def test_the_order_of_the_threshold_in_numbers(periods: int) -> None:
    """At H = c thresholds the drift term is 4c²G̃² over √(NT), for N = 16, T = 16⁴ and G̃ = 3."""
    at = {N: 16, T: 16**4, Gt: 3}
    threshold = rates.THRESHOLD.subs(at)
    assert threshold == 2
    term = rates.DRIFT.subs({**at, H: periods * threshold})
    assert term == 4 * periods**2 * 9 * rates.RATE.subs(at)


def test_the_noise_term_of_the_rate() -> None:
    assert sympy.expand(rates.NOISE - 2 * L * Delta - sigma**2) == 0
