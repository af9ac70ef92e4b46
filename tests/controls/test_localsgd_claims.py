"""False twins of the claims about LocalSGD: none is proved, and runs refute what is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

from tests.challenges import CHALLENGES
from tests.verdicts_of import of_formulas
from theory.falsifier import falsify
from theory.judging.branches import by_branches
from theory.judging.controls import without
from theory.judging.decide import decided
from theory.kernel import Combine, Hypothesis, Step, Theorem, eq, prove, square
from theory.papers.localsgd import drift, eq_5, eq_6, eq_11, eq_12, eq_13, speedup
from theory.papers.localsgd.lemmas import (
    homogeneous_drift,
    mean_noise,
    rates,
    sharp_drift,
    sharp_eq_11,
)
from theory.papers.localsgd.method import AVG, NOISE_ITSELF, STEPSIZE, VARIANCE, noise
from theory.papers.localsgd.method import mean_noise as joint
from theory.papers.rpd.symbols import Gt, H, K, L, N, T, gamma, p, sigma
from theory.verdicts import Verdict

PROVED, UNKNOWN = Verdict.PROVED, Verdict.UNKNOWN


def verdict(theorem: Theorem, **terms: sympy.Expr) -> Verdict:
    """What the proof makes of the theorem with other terms."""
    return prove(replace(theorem, terms={**theorem.terms, **terms})).verdict


@pytest.mark.parametrize(
    ("theorem", "terms"),
    [
        (mean_noise.THEOREM, {"variance": sigma**2 / N**2}),
        (sharp_drift.THEOREM, {"drift": gamma**2 * (H - 1) * Gt**2}),
        (sharp_drift.THEOREM, {"drift": (1 - 1 / N) * gamma**2 * (H - 1) ** 2 * Gt**2}),
        (homogeneous_drift.THEOREM, {"drift": gamma**2 * (H - 1) ** 2 * Gt**2 / N}),
        (drift.THEOREM, {"drift": 2 * gamma**2 * H**2 * Gt**2}),
        (sharp_eq_11.THEOREM, {"drift": gamma**2 * (H - 2) ** 2 * Gt**2 * L**2}),
        (eq_11.THEOREM, {"variance": L * gamma * sigma**2 / (2 * N)}),
        (eq_12.THEOREM, {"variance": L * gamma * sigma**2 / p}),
        (eq_5.THEOREM, {"variance": L * gamma * sigma**2 / N**2}),
    ],
    ids=lambda value: value.id if isinstance(value, Theorem) else next(iter(value.values())),
)
def test_twins_are_not_proved(theorem: Theorem, terms: dict[str, sympy.Expr]) -> None:
    symbols = tuple(dict.fromkeys((*theorem.symbols, N)))
    assert verdict(replace(theorem, symbols=symbols), **terms) is UNKNOWN


@pytest.mark.parametrize(
    ("challenge", "theorem", "terms"),
    [
        ("localsgd-drift", sharp_drift.THEOREM, {"drift": gamma**2 * (H - 1) * Gt**2}),
        ("localsgd-drift", sharp_drift.THEOREM, {"drift": gamma**2 * (H - 1) ** 2 * Gt**2 / N}),
        ("localsgd-average-gradient", sharp_eq_11.THEOREM, {"optimization": sympy.S.Zero}),
        (
            "localsgd-average-gradient",
            eq_11.THEOREM,
            {"drift": sympy.S.Zero, "variance": sympy.S.Zero},
        ),
    ],
    ids=["drift linear in H", "drift falls with N", "no start", "neither drift nor noise"],
)
def test_runs_refute_false_twins(
    challenge: str, theorem: Theorem, terms: dict[str, sympy.Expr]
) -> None:
    bound = sympy.Add(*{**theorem.terms, **terms}.values())
    assert falsify(CHALLENGES[challenge], bound).witness is not None
    assert falsify(CHALLENGES[challenge], theorem.goal.rhs).witness is None


def test_a_false_row_is_refuted() -> None:
    twin = {"drift": gamma**2 * (H - 1) * Gt**2}
    found = decided(sharp_drift.CLAIM.account(twin))
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample is not None


def test_a_fully_correlated_noise_does_not_average_out() -> None:
    """With ξ_r = ξ̄ for all r the bound σ²/N is false, so nothing may prove it from that."""
    same = Hypothesis("same", "all noises are one", eq(AVG.of(square(noise)), square(joint)))
    steps = (Step("claimed", mean_noise.THEOREM.goal, Combine({"variance": 1 / N, "same": 1})),)
    twin = replace(
        mean_noise.THEOREM,
        hypotheses=(same, VARIANCE, NOISE_ITSELF),
        steps=steps,
        conclude=Combine({"claimed": 1}),
    )
    assert prove(twin).verdict is UNKNOWN


@pytest.mark.parametrize(
    "terms",
    [
        {"optimization and variance": eq_13.TERMS["optimization and variance"] / 2},
        {"drift": 4 * p * N * H**2 * Gt**2 / K},
        {"drift": 2 * p * N**2 * H**2 * Gt**2 / K},
    ],
    ids=["half the rate", "N for N²", "half the drift"],
)
def test_twins_of_13_fail(terms: dict[str, sympy.Expr]) -> None:
    assert eq_13.CLAIM.holds is not None
    assert eq_13.CLAIM.holds(eq_13.TERMS) is PROVED
    assert eq_13.CLAIM.holds({**eq_13.TERMS, **terms}) is UNKNOWN
    assert decided(eq_13.CLAIM.account({**eq_13.TERMS, **terms})).verdict < PROVED


def test_one_broken_branch_breaks_the_claim() -> None:
    """The second branch alone does not prove the statement."""
    broken = replace(eq_13.FIRST, conclude=Combine())
    claim = by_branches(
        eq_13.SECOND,
        {eq_13.ON_SECOND: eq_13.SECOND, eq_13.ON_FIRST: broken},
        eq_13.CONDITIONS,
        eq_13.CHOSEN,
    )
    found = decided(claim.account(claim.printed))
    assert found.verdict is UNKNOWN
    assert [case.verdict for case in found.cases] == [PROVED, UNKNOWN]
    assert claim.holds is not None
    assert claim.holds(claim.core) is UNKNOWN


@pytest.mark.parametrize(
    "threshold",
    [
        2 * rates.THRESHOLD,
        rates.THRESHOLD / 2,
        sympy.sqrt(T) / N ** sympy.Rational(3, 4),
        T ** sympy.Rational(1, 4) / N ** sympy.Rational(1, 2),
        -rates.THRESHOLD,
    ],
    ids=str,
)
def test_other_thresholds_are_not_proved(threshold: sympy.Expr) -> None:
    assert of_formulas(speedup.CLAIM, {"threshold": threshold}) is not Verdict.PROVED
    assert decided(speedup.CLAIM.account({"threshold": threshold})).verdict is UNKNOWN


def test_a_larger_threshold_has_no_witness_against_it() -> None:
    """At 4 thresholds H = 2 is no longer beyond, and H = 1 is allowed for N = 2, T = 4."""
    found = decided(speedup.CLAIM.account({"threshold": 4 * rates.THRESHOLD}))
    assert [case.verdict for case in found.cases] == [UNKNOWN] * 3
    assert found.findings == ()


def test_a_false_tuned_row_is_refuted() -> None:
    twin = {name: term / 100 for name, term in eq_13.TERMS.items()}
    found = decided(eq_13.CLAIM.account(twin))
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample is not None


def test_without_drift_free_steps_the_method_needs_its_period() -> None:
    """At H = 2 the theorem that shows no need of the threshold is not to be had."""
    assert without(rates.EVERY_STEP, "every step") is UNKNOWN
    assert without(rates.EVERY_STEP, "more steps") is UNKNOWN


def test_6_is_not_13() -> None:
    assert verdict(eq_6.THEOREM) is PROVED
    assert verdict(eq_6.THEOREM, drift=eq_13.TERMS["drift"] / N) is UNKNOWN


def test_the_sharper_bound_keeps_its_stepsize() -> None:
    assert STEPSIZE in sharp_eq_11.THEOREM.hypotheses
    assert without(sharp_eq_11.THEOREM, "stepsize") is UNKNOWN
