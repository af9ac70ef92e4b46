"""Rows about the convergence of RPD: verdicts, witnesses, and numbers worked out by hand."""

from __future__ import annotations

import pytest
import sympy

from schedules.closed_forms.floor_sums import p_
from schedules.families import pipedream
from tests import published
from theory.judging import prover
from theory.judging.decide import decided
from theory.kernel import prove
from theory.papers.rpd import (
    cor_b1,
    lemma_b2_expected,
    stale_power,
    stale_power_of_the_bound,
    stash_invariant,
    stepsize,
    table_1,
    thm_4_1,
)
from theory.papers.rpd.lemmas import draw_counts, sharp_drift, tuned
from theory.papers.rpd.lemmas.growth import grows_as
from theory.papers.rpd.lemmas.missed_updates import replayed, worst_squares
from theory.papers.rpd.symbols import G, gamma, p, tau
from theory.papers.rpd.witnesses.exact_runs import drift
from theory.verdicts import Verdict


def test_theorem_4_1_never_uses_its_stepsize_condition() -> None:
    proof = prove(thm_4_1.THEOREM)
    unused = {h.name for h in thm_4_1.THEOREM.hypotheses} - proof.used
    assert unused == {"stepsize"}


def test_stale_term_of_theorem_4_1_is_reported_as_loose() -> None:
    judged = published.row(thm_4_1.CLAIM.id).judgement
    loose = next(one for one in judged.findings if one.kind == "loose")
    assert loose.witness is not None
    assert loose.witness["stale term"] == "256*G**2*L**2*gamma**2"
    assert loose.witness["stale term in expectation"] == "31*G**2*L**2*gamma**2"


# Stepsize


def test_run_beyond_the_stepsize_limit_satisfies_the_bound() -> None:
    witness = published.row(stepsize.CLAIM.id).judgement.counterexample
    assert witness is not None
    assert witness["parameters"]["gamma"] == "10"
    assert sympy.Rational(witness["measured"]) <= sympy.Rational(witness["bound"])


# Drift in expectation


def test_two_draws_from_two_blocks() -> None:
    counts = sympy.Add(*draw_counts.THEOREM.terms.values())
    assert counts.subs({p: 2, draw_counts.w: 2}) == 3  # 4 or 2, each with probability 1/2


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (2, 3), (3, 3), (4, 2)])
def test_sharp_drift_is_attained_on_lines(size: tuple[int, int]) -> None:
    found = drift(*size, sharp_drift.THEOREM.terms["drift"])
    assert found["measured"] == found["bound"]


def test_sharp_drift_attained_is_proved() -> None:
    assert prove(sharp_drift.ATTAINED).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("bound", "verdict"),
    [
        (gamma**2 * tau**2 * G**2, Verdict.REFUTED),
        (gamma**2 * tau**3 * G**2, Verdict.REFUTED),
        (sharp_drift.THEOREM.terms["drift"], Verdict.PROVED),
        (3 * sharp_drift.THEOREM.terms["drift"], Verdict.PROVED),
        (sharp_drift.THEOREM.terms["drift"] / 2, Verdict.UNKNOWN),
        (gamma**2 * tau * G**2, Verdict.UNKNOWN),
    ],
)
def test_tightness_in_expectation_of_other_bounds(bound: sympy.Expr, verdict: Verdict) -> None:
    assert decided(lemma_b2_expected.CLAIM.account({"bound": bound})).verdict is verdict


# Corollary B.1


def test_bound_at_gamma_2_is_the_printed_rate() -> None:
    step = tuned.GAMMA_2
    at = sympy.Add(*(term.subs(gamma, step) for term in thm_4_1.THEOREM.terms.values()))
    assert sympy.simplify(at - sympy.Add(*tuned.PRINTED.values())) == 0


def test_every_branch_is_a_case() -> None:
    judged = published.row(cor_b1.CLAIM.id).judgement
    assert [case.verdict for case in judged.cases] == [Verdict.PROVED] * 4


def test_better_rate_where_all_roots_are_rational() -> None:
    judged = published.row(cor_b1.CLAIM.id).judgement
    witness = next(one.witness for one in judged.findings if one.kind == "loose")
    assert witness is not None
    assert witness["second term, printed"] == "16"  # 2·16·64/128
    assert witness["second term at min{γ₂, q}"] == "8"  # 2·64/16, as q³ = 128/8192
    assert (witness["q"], witness["γ₂"]) == ("1/4", "1/2")


@pytest.mark.parametrize("factor", [sympy.Rational(1, 2), 2])
def test_another_constant_in_corollary_b1_is_not_proved(factor: sympy.Rational) -> None:
    edited = {**cor_b1.CLAIM.printed, "staleness": factor * cor_b1.CLAIM.printed["staleness"]}
    assert decided(cor_b1.CLAIM.account(edited)).verdict is not Verdict.PROVED


# Powers of p


def test_squares_of_missed_updates_by_hand() -> None:
    assert replayed(4, 0) == (3, 3, 2, 2)
    assert worst_squares()[0].subs(p_, 4) == 9 + 9 + 4 + 4
    assert replayed(5, 0) == (4, 4, 3, 3, 2)
    assert worst_squares()[1].subs(p_, 5) == 16 + 16 + 9 + 9 + 4


def test_cases_of_the_stale_power() -> None:
    judged = published.row(stale_power.CLAIM.id).judgement
    assert [case.verdict for case in judged.cases] == [Verdict.REFUTED, Verdict.REFUTED]


@pytest.mark.parametrize(
    ("power", "verdict"), [(3, Verdict.REFUTED), (4, Verdict.PROVED), (5, Verdict.REFUTED)]
)
def test_the_term_of_the_bound_grows_as_printed(power: int, verdict: Verdict) -> None:
    of_the_bound = stale_power_of_the_bound.CLAIM
    edited = {**of_the_bound.printed, "growth": p_**power}
    assert decided(of_the_bound.account(edited)).verdict is verdict


@pytest.mark.parametrize(
    ("power", "verdict"), [(2, Verdict.REFUTED), (3, Verdict.PROVED), (5, Verdict.REFUTED)]
)
def test_stale_power_of_another_exponent(power: int, verdict: Verdict) -> None:
    edited = {**stale_power.CLAIM.printed, "growth": p_**power}
    assert decided(stale_power.CLAIM.account(edited)).verdict is verdict


def test_the_tuned_term_is_the_same_polynomial() -> None:
    delay = p_**2 - p_ / 2
    assert stale_power_of_the_bound.tuned_term(delay) == {0: p_**4 - p_**3 + p_**2 / 4}
    assert stale_power_of_the_bound.tuned_term(delay) != {0: p_**4}


def test_a_shorter_ring_is_lost_in_a_run_that_overwrites() -> None:
    lost = prover.decide(stash_invariant._ring(-1)).witness
    stages, size, s, m = (lost[name] for name in ("p", "M", "s", "m"))
    overwriting = m + min(stages, 2 * stages - 1 - 2 * s) - 1
    done = [str(action) for action in pipedream.build(stages, size).rank(s)]
    assert done.index(f"{s}F{overwriting}") < done.index(f"{s}B{m}")


def test_growth_by_parity_takes_the_worst_constants() -> None:
    found = grows_as({0: p_**2, 1: 3 * p_**2}, p_**2)
    assert found.says == "between 1 and 3 times p² for p ≥ 2"


@pytest.mark.parametrize("form", [sympy.sqrt(p_), -p_, sympy.Integer(0)])
def test_growth_of_what_is_not_comparable_is_unknown(form: sympy.Expr) -> None:
    assert grows_as({0: form}, p_).as_claimed is None


# Table 1


@pytest.mark.parametrize(
    ("moment", "verdict"),
    [
        (G**2, Verdict.REFUTED),
        (p * G**2, Verdict.PROVED),
        (p * G**2 / 2, Verdict.REFUTED),
        (2 * p * G**2, Verdict.UNKNOWN),
        (p**2 * G**2, Verdict.UNKNOWN),
    ],
)
def test_second_moment_in_terms_of_the_block_bound(moment: sympy.Expr, verdict: Verdict) -> None:
    assert decided(table_1.CLAIM.account({"second moment": moment})).verdict is verdict
