"""The falsifier finds the planted error in false twins of the theorems, and none in themselves."""

from __future__ import annotations

import json
from collections import Counter

import pytest
import sympy

from tests.challenges import CHALLENGES
from tests.twins.rpd import TWINS, Twin
from theory.falsifier import falsify
from theory.papers.rpd.symbols import Delta, G, Gt, H, K, L, N, T, beta, gamma, mu, p, sigma, tau

_DRIFT = gamma**2 * G**2 * tau * (tau + p - 1) / p
_SLACK = 2 * p * Delta / (gamma * K) + p * L * gamma * G**2
_PL = p * L * gamma * G**2 / (2 * mu)
_LOCAL = 2 * Delta / (gamma * T) + L * gamma * sigma**2 / N
_STEP = (1 - gamma * mu / p) * Delta + L * gamma**2 * G**2 / 2
_AHEAD = tau * (tau + p - 1) + 2 * beta * tau + p * beta**2
_RATE = sympy.sqrt(p / K) * (2 * L * Delta + sigma**2)
_NEAR = sympy.Le(gamma, p / mu)

TRUE: dict[str, tuple[str, sympy.Expr, sympy.Basic]] = {
    "B.2": ("rpd-drift-pathwise", gamma * tau * G, sympy.true),
    "B.2 squared": ("rpd-drift-pathwise-squared", (gamma * tau * G) ** 2, sympy.true),
    "B.2 in expectation": ("rpd-drift", _DRIFT, sympy.true),
    "4.1, every γ": ("rpd-average-gradient", _SLACK + (L * gamma * tau * G) ** 2, sympy.true),
    "4.1, sharper": ("rpd-average-gradient", _SLACK + L**2 * _DRIFT, sympy.true),
    "cor. B.1": (
        "rpd-average-gradient-tuned",
        2 * sympy.sqrt(2) * p * G * sympy.sqrt(L * Delta / K) + 2 * L * Delta * tau**2 / K,
        sympy.true,
    ),
    "H.1": ("rpd-pl-step", _STEP + gamma**3 * L**2 * tau**2 * G**2 / (2 * p), sympy.true),
    "(15) for γ ≤ p/μ": (
        "rpd-pl-gap",
        (1 - gamma * mu / p) ** K * Delta + _PL + (L * gamma * tau * G) ** 2 / (2 * mu),
        _NEAR,
    ),
    "I.2": ("nag-drift-pathwise", gamma * G * (tau + beta * sympy.sqrt(p)), sympy.true),
    "I.2, exact for β ≤ 1": ("nag-drift-pathwise", gamma * G * (tau + beta), sympy.Le(beta, 1)),
    "I.2 in expectation, β ≤ 1": ("nag-drift", (gamma * G) ** 2 * _AHEAD / p, sympy.Le(beta, 1)),
    "NAG theorem": (
        "nag-average-gradient",
        _SLACK + (L * gamma * G * (tau + beta * sympy.sqrt(p))) ** 2,
        sympy.true,
    ),
    "(11)": ("localsgd-average-gradient", _LOCAL + (2 * gamma * H * Gt * L) ** 2, sympy.true),
    "(11), sharper": (
        "localsgd-average-gradient",
        _LOCAL + (gamma * (H - 1) * Gt * L) ** 2,
        sympy.true,
    ),
    "LocalSGD drift": ("localsgd-drift", (gamma * (H - 1) * Gt) ** 2, sympy.true),
    "(13)": ("localsgd-average-gradient-tuned", _RATE + 4 * p * (N * H * Gt) ** 2 / K, sympy.true),
}
ATTAINED = (
    "B.2",
    "B.2 squared",
    "B.2 in expectation",
    "H.1",
    "(15) for γ ≤ p/μ",
    "I.2",
    "I.2, exact for β ≤ 1",
    "I.2 in expectation, β ≤ 1",
    "(11), sharper",
    "LocalSGD drift",
)


@pytest.mark.sampled(14)
@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: f"{twin.claim}: {twin.says}")
def test_the_planted_error_is_found(twin: Twin) -> None:
    attempt = falsify(CHALLENGES[twin.challenge], twin.bound, where=twin.where)
    assert attempt.witness is not None
    assert attempt.evidence.points == "against"
    assert json.loads(json.dumps(attempt.witness)) == attempt.witness


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", TRUE)
def test_a_theorem_is_not_violated(name: str) -> None:
    challenge, bound, where = TRUE[name]
    attempt = falsify(CHALLENGES[challenge], bound, where=where)
    assert attempt.witness is None
    assert attempt.evidence.points == "for"
    assert attempt.tried > 40
    assert json.loads(json.dumps(attempt.evidence.data)) == attempt.evidence.data
    assert attempt.attained == (name in ATTAINED)


@pytest.mark.parametrize("name", ATTAINED)
def test_where_a_bound_is_attained_a_millionth_less_is_refuted(name: str) -> None:
    challenge, bound, where = TRUE[name]
    less = bound * (1 - sympy.Rational(1, 10**6))
    assert falsify(CHALLENGES[challenge], less, where=where).witness is not None


def test_every_challenge_has_a_twin() -> None:
    tried = Counter(twin.challenge for twin in TWINS)
    assert set(tried) == set(CHALLENGES)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["4.1, every γ", "(15) for γ ≤ p/μ", "(11)", "(11), sharper"])
def test_a_deep_search_finds_no_violation_either(name: str) -> None:
    challenge, bound, where = TRUE[name]
    attempt = falsify(CHALLENGES[challenge], bound, where=where, deep=True)
    assert attempt.witness is None
    assert attempt.tried > 500
    assert attempt.rates
