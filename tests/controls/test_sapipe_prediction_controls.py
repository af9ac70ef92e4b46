"""Theorems 4 and 5 of SAPipe with something wrong in them: no such row may come out proved."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy

from theory.claims import Claim
from theory.judging.decide import decided, established
from theory.kernel import prove
from theory.papers.sapipe import assumption_3, remark_4, thm_4, thm_5, thm_5_domain
from theory.papers.sapipe.error_terms import ERR_0
from theory.papers.sapipe.lemmas import (
    repaired_thm_4,
    repaired_thm_5,
    sgd,
    sharp_thm_5,
    wp_1_moment,
    wp_1_noise,
)
from theory.papers.sapipe.symbols import V1, V2, L, T, eta, kappa, n, rho
from theory.papers.sapipe.witnesses import wp_1_stall
from theory.verdicts import Verdict


def small(share: sympy.Expr) -> sympy.Expr:
    return share * L**2 * eta**2


TWINS = [
    # (claim, label, smaller term)
    (wp_1_moment.CLAIM, "error", small(kappa) * V2 / 100),
    (wp_1_moment.CLAIM, "variance", sympy.S.Zero),
    (repaired_thm_4.CLAIM, "error", sympy.S.Zero),
    (sharp_thm_5.CLAIM, "variance", sympy.S.Zero),
    (repaired_thm_5.CLAIM, "optimization", sympy.S.Zero),
    (thm_5_domain.CLAIM, "optimization", thm_5_domain.THEOREM.terms["optimization"] / 100),
]


@pytest.mark.parametrize(
    ("claim", "label", "term"), TWINS, ids=[f"{one[0].id} {one[1]}" for one in TWINS]
)
def test_false_twins_are_refuted_with_a_witness(claim: Claim, label: str, term: sympy.Expr) -> None:
    judged = decided(claim.account({**claim.printed, label: term}))
    assert judged.verdict is Verdict.REFUTED
    assert judged.counterexample is not None


@pytest.mark.slow
def test_theorem_4_with_its_repairs_is_not_refuted() -> None:
    printed = thm_4.CLAIM.printed
    for error in (kappa * ERR_0, kappa * repaired_thm_4.ERR):
        judged = decided(thm_4.CLAIM.account({**printed, "error": error}))
        assert judged.verdict is Verdict.UNKNOWN  # it is another statement, proved elsewhere
        assert judged.counterexample is None
        assert "false" not in {finding.kind for finding in judged.findings}
        shown = {case.when for case in judged.cases if case.verdict is Verdict.PROVED}
        assert shown == {"kappa = 0"}  # there it says the same
        assert Verdict.REFUTED not in {case.verdict for case in judged.cases}


@pytest.mark.slow
def test_the_runs_refute_the_printed_error_only_as_far_as_they_are_above_it() -> None:
    printed = thm_4.CLAIM.printed
    for factor, refuted in ((Fraction(1, 10), True), (Fraction(1), False)):
        share = sympy.Rational(str(factor))
        judged = decided(thm_4.CLAIM.account({**printed, "error": share * kappa * ERR_0}))
        assert (judged.verdict is Verdict.REFUTED) is refuted


def test_assumption_3_is_not_enough_for_the_printed_factor() -> None:
    """With ρ/n in place of nρ the repaired proof does not go through."""
    wrong = kappa * repaired_thm_4.ERR.subs(rho, rho / n**2)
    terms = {**repaired_thm_4.THEOREM.terms, "error": wrong}
    assert prove(replace(repaired_thm_4.THEOREM, terms=terms)).verdict is Verdict.UNKNOWN


def test_remark_4_beyond_what_is_small_enough_is_no_counterexample() -> None:
    """ρ > 3n is not shown to be meant; what fails for a ρ < 3n as well is refuted."""
    printed = decided(remark_4.CLAIM.account(remark_4.PRINTED))
    assert (printed.verdict, printed.counterexample) == (Verdict.CONDITIONAL, None)
    assert printed.findings[0].witness is not None
    assert remark_4.CLAIM.depends == ()  # formulas are compared: it rests on no row that is refuted
    false = decided(remark_4.CLAIM.account({**remark_4.PRINTED, "V1": V2 / 2})).counterexample
    assert false is not None
    assert 2 * false["n"] < false["rho"] < 3 * false["n"]


def test_another_denominator_in_assumption_3_is_not_enough_for_less() -> None:
    cases = decided(assumption_3.CLAIM.account({"factor": rho / n - 2})).cases
    assert cases[-1].verdict is Verdict.UNKNOWN


def test_noise_needs_its_share_of_the_mean_noise() -> None:
    terms = {"noise": (1 - 2 / n) * V1}
    assert prove(replace(wp_1_noise.THEOREM, terms=terms)).verdict is Verdict.UNKNOWN


def test_theorem_5_on_its_own_domain_is_not_proved_with_less_noise() -> None:
    for error in (small(sympy.S.One) * V2, sharp_thm_5.ERR - small(V1) / n):
        terms = {**sharp_thm_5.THEOREM.terms, "error": error}
        assert prove(replace(sharp_thm_5.THEOREM, terms=terms)).verdict is Verdict.UNKNOWN


def test_theorem_5_with_its_repair_is_not_refuted() -> None:
    printed = thm_5.CLAIM.printed
    judged = decided(thm_5.CLAIM.account({**printed, "error": kappa * repaired_thm_5.ERR}))
    assert judged.verdict is Verdict.UNKNOWN
    assert judged.counterexample is None
    assert {case.when: case.verdict for case in judged.cases}["2 L² eta² < 1, kappa = 1"] is (
        Verdict.UNKNOWN
    )


def test_a_positive_error_is_not_said_to_be_negative() -> None:
    assert thm_5.negative_outside({"error": kappa * ERR_0}).verdict is Verdict.UNKNOWN
    silent = {**thm_5.CLAIM.printed, "variance": sympy.S.Zero}
    assert established(thm_5.inside(silent)) is Verdict.UNKNOWN
    assert established(sgd.nothing_predicted({"all": V1})) is Verdict.UNKNOWN


def test_a_model_that_moves_on_does_not_stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    moving = replace(wp_1_stall.STALLED, learning_rate=Fraction(1, 4))
    monkeypatch.setattr(wp_1_stall, "STALLED", moving)
    assert not wp_1_stall.stands_still.__wrapped__()  # type: ignore[attr-defined]


def test_a_bound_that_is_no_number_is_not_exceeded() -> None:
    assert wp_1_stall.STALLED.violation({"all": 1 / (T - 12)}, 12) is None
    assert wp_1_stall.STALLED.violation({"all": sympy.Symbol("c") * T}, 12) is None
