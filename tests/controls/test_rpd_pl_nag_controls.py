"""Appendices H and I with something wrong in them: no such row may come out proved."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
import sympy

from tests.verdicts_of import of_formulas
from theory.claims import Claim
from theory.judging.as_claim import as_claim
from theory.judging.decide import decided
from theory.papers.rpd import eq_15, lemma_i2, thm_h1
from theory.papers.rpd.lemmas import (
    nag_drift_by_counts,
    sharp_eq_15,
    sharp_lemma_i2,
    sharp_nag_drift,
)
from theory.papers.rpd.symbols import G, K, L, beta, gamma, mu, p, tau
from theory.verdicts import Verdict


def named(claim: Claim) -> str:
    return claim.id


TWINS = [
    # (claim, label, smaller term)
    (thm_h1.CLAIM, "contraction", (1 - 2 * gamma * mu / p) * thm_h1.GAP),
    (thm_h1.CLAIM, "sampling", L * gamma**2 * G**2 / 8),
    (eq_15.CLAIM, "optimization", sympy.S.Zero),
    (eq_15.CLAIM, "sampling", p * L * gamma * G**2 / (64 * mu)),
    (sharp_eq_15.CLAIM, "sampling", p * L * gamma * G**2 / (8 * mu)),
    (lemma_i2.CLAIM, "extrapolation", sympy.S.Zero),
    (lemma_i2.CLAIM, "delay", gamma * G * tau / p),
    (sharp_lemma_i2.CLAIM, "extrapolation", gamma * G * beta / 2),
    (sharp_nag_drift.CLAIM, "drift", gamma**2 * G**2 * beta**2 / p),
]


@pytest.mark.parametrize(
    ("claim", "label", "term"), TWINS, ids=[f"{one[0].id} {one[1]}" for one in TWINS]
)
def test_false_twins_are_refuted_with_a_witness(claim: Claim, label: str, term: sympy.Expr) -> None:
    judged = decided(claim.account({**claim.printed, label: term}))
    assert judged.verdict is Verdict.REFUTED
    assert judged.counterexample is not None
    assert sympy.sympify(judged.counterexample["measured"]) > sympy.sympify(
        judged.counterexample["bound"]
    )


def test_edits_inside_the_part_that_is_proved() -> None:
    printed = eq_15.CLAIM.printed
    judged = decided(eq_15.CLAIM.account({**printed, "sampling": 2 * printed["sampling"]}))
    # weaker, and true for small steps, but not what the proof gives
    assert judged.verdict is Verdict.UNKNOWN
    assert Verdict.PROVED not in [case.verdict for case in judged.cases]


def cases(claim: Claim, changes: Mapping[str, sympy.Expr]) -> Verdict:
    return of_formulas(claim, {**claim.core, **changes})


def test_the_condition_on_beta_is_needed() -> None:
    weakened = sharp_lemma_i2.CLAIM.weakened
    assert weakened["extrapolation"]() is Verdict.UNKNOWN
    assert cases(sharp_lemma_i2.CLAIM, {"extrapolation": 2 * beta + 2 * tau}) is Verdict.UNKNOWN
    assert as_claim(nag_drift_by_counts.THEOREM).weakened["extrapolation"]() is Verdict.UNKNOWN


def test_the_condition_on_gamma_is_needed() -> None:
    for claim in (eq_15.CLAIM, sharp_eq_15.CLAIM):
        assert claim.weakened["stepsize"]() is Verdict.UNKNOWN
        assert cases(claim, {"stepsize": 2 * p / mu}) is Verdict.UNKNOWN
    assert K in eq_15.CLAIM.printed["optimization"].free_symbols
