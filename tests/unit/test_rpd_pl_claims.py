"""Appendix H: the rows, their cases, and the numbers of their witnesses."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from tests import published
from tests.challenges import CHALLENGES
from theory.judging.decide import decided
from theory.kernel import prove
from theory.papers.rpd import eq_15, thm_h1
from theory.papers.rpd.lemmas import sharp_eq_15
from theory.papers.rpd.symbols import Delta, G, K, L, gamma, mu, p, tau
from theory.verdicts import Verdict

GAP = thm_h1.GAP


def test_h1_as_printed() -> None:
    terms = thm_h1.CLAIM.printed
    at = {GAP: 8, gamma: 1, mu: 1, p: 4, L: 2, G: 3, tau: 5}
    assert {name: form.subs(at) for name, form in terms.items()} == {
        "contraction": 6,
        "sampling": 9,
        "staleness": sympy.Rational(4 * 25 * 9, 8),
    }
    printed = [step.where for step in prove(thm_h1.THEOREM).lines].count(thm_h1.PROOF)
    assert printed == 8
    assert decided(thm_h1.CLAIM.account(terms)).printed_proof == "valid"


def test_eq_15_needs_a_stepsize() -> None:
    judged = published.row(eq_15.CLAIM.id).judgement
    assert judged.verdict is Verdict.CONDITIONAL
    assert {case.when: case.verdict for case in judged.cases} == {
        "gamma <= 1/L": Verdict.PROVED,
        "gamma <= p/mu": Verdict.PROVED,
        "gamma > p/mu": Verdict.REFUTED,
    }
    (finding,) = judged.findings
    assert finding.kind == "missing-condition"
    assert finding.repaired is not None
    assert finding.repaired.verdict is Verdict.PROVED
    assert finding.witness is not None
    assert (finding.witness["measured"], finding.witness["bound"]) == ("9/2", "3")
    assert judged.counterexample is None
    assert judged.printed_proof == "none"


def test_eq_15_at_numbers() -> None:
    at = {p: 2, mu: 1, L: 2, gamma: sympy.Rational(1, 2), G: 2, Delta: 16, K: 2, tau: 3}
    assert {name: form.subs(at) for name, form in eq_15.CLAIM.printed.items()} == {
        "optimization": 9,
        "sampling": 4,
        "staleness": 18,
    }
    sharp = sharp_eq_15.CLAIM.printed["staleness"]
    assert sharp.subs(at) == 18 * sympy.Rational(4, 6)  # (τ + p − 1)/(pτ) of the printed one


def test_both_forms_agree_for_one_block() -> None:
    for name, form in eq_15.CLAIM.printed.items():
        assert sympy.expand((form - sharp_eq_15.CLAIM.printed[name]).subs(p, 1)) == 0


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("curvature", [Fraction(1), Fraction(2, 3)])
def test_one_update_is_what_the_method_does(stages: int, curvature: Fraction) -> None:
    stepsize = 2 * stages / curvature
    one = eq_15.noisy_parabola(stages, curvature, stepsize)
    challenge = CHALLENGES["rpd-pl-gap"]
    expected = eq_15.one_update(curvature, stepsize, Fraction(1))
    assert challenge.measure(one) == challenge.replay(one) == expected
    assert one.numbers["mu"] == one.numbers["L"] == curvature
    assert one.numbers["Delta"] == one.numbers["tau"] == 0


def test_at_the_limit_the_noisy_parabola_attains_the_bound() -> None:
    bound = sympy.Add(*eq_15.CLAIM.printed.values())
    at = {K: 1, Delta: 0, L: mu, tau: 0, gamma: p / mu}
    assert sympy.simplify(eq_15.one_update(mu, p / mu, G) - bound.subs(at)) == 0
