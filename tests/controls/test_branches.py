"""Statements by branches: what is assumed, that nothing is left out, and that all say the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import sympy

from tests.stated import theorem
from theory.claims import Claim
from theory.errors import TheoryError
from theory.judging.branches import by_branches, minimum
from theory.judging.decide import decided
from theory.kernel import Combine, Hypothesis, Theorem, le
from theory.ledger import Judgement
from theory.papers.localsgd import eq_13
from theory.papers.rpd import cor_b1
from theory.papers.rpd.lemmas import tuned
from theory.papers.rpd.symbols import G, K, L, N, T, gamma
from theory.verdicts import Verdict


def judged_of(claim: Claim) -> Judgement:
    assert claim.account is not None
    return decided(claim.account(claim.printed))


def names(claim_assumes: tuple[str, ...]) -> set[str]:
    return {line.split(":")[0] for line in claim_assumes}


def test_the_corollary_assumes_what_any_branch_assumes() -> None:
    judged = judged_of(cor_b1.CLAIM)
    assert {"uniform", "bounded", "smooth", "window", "lower bound"} <= names(judged.assumes)
    [least] = (line for line in judged.assumes if line.startswith("least:"))
    assert "only in the case Δ = 0" in least
    [uniform] = (line for line in judged.assumes if line.startswith("uniform:"))
    assert "only in the case" not in uniform


def test_a_branch_that_the_paper_does_not_treat_is_a_gap() -> None:
    judged = judged_of(eq_13.CLAIM)
    assert judged.verdict is Verdict.PROVED
    assert judged.printed_proof == "gap"
    assert {"unbiased", "variance", "independent"} <= names(judged.assumes)


def test_branches_that_leave_a_case_out_prove_nothing() -> None:
    only = {eq_13.ON_SECOND: eq_13.SECOND}
    conditions = {eq_13.ON_SECOND: ("stepsize",)}
    claim = by_branches(eq_13.SECOND, only, conditions, eq_13.CHOSEN)
    judged = judged_of(claim)
    assert judged.cases[0].verdict is Verdict.PROVED
    assert judged.verdict is Verdict.UNKNOWN
    assert judged.steps[-1].verdict is not Verdict.PROVED
    assert claim.holds is not None
    assert claim.holds(claim.core) is Verdict.UNKNOWN


def test_a_narrower_branch_leaves_a_case_out() -> None:
    narrow = Hypothesis("fewer steps", "2N ≥ T²", le(T**2, 2 * N))
    hypotheses = tuple(narrow if h.name == narrow.name else h for h in eq_13.FIRST.hypotheses)
    branches = {**eq_13.BRANCHES, eq_13.ON_FIRST: replace(eq_13.FIRST, hypotheses=hypotheses)}
    claim = by_branches(eq_13.SECOND, branches, eq_13.CONDITIONS, eq_13.CHOSEN)
    assert judged_of(claim).verdict is Verdict.UNKNOWN


def test_a_choice_that_is_free_is_not_covered() -> None:
    claim = by_branches(
        eq_13.SECOND, eq_13.BRANCHES, eq_13.CONDITIONS, minimum(gamma, 2 / L, eq_13.TUNED)
    )
    assert judged_of(claim).verdict is Verdict.UNKNOWN


def test_a_stepsize_of_zero_has_to_be_covered_too() -> None:
    """Without its last branch Corollary B.1 says nothing of Δ = 0."""
    some = dict(list(tuned.BRANCHES.items())[:3])
    claim = by_branches(
        tuned.SECOND,
        some,
        {when: tuned.CONDITIONS[when] for when in some},
        minimum(gamma, 1 / L, tuned.GAMMA_2),
        vanishing=(gamma,),
        instances=tuned.INSTANCES,
    )
    assert judged_of(claim).verdict is Verdict.UNKNOWN


def test_a_branch_may_not_assume_more_in_silence() -> None:
    more = replace(
        eq_13.FIRST,
        hypotheses=(*eq_13.FIRST.hypotheses, Hypothesis("more", "K ≤ T", le(K, T))),
    )
    branches = {**eq_13.BRANCHES, eq_13.ON_FIRST: more}
    with pytest.raises(TheoryError, match="found more in"):
        by_branches(eq_13.SECOND, branches, eq_13.CONDITIONS, eq_13.CHOSEN)


def _other_terms() -> Theorem:
    return replace(eq_13.FIRST, terms={"drift": eq_13.TERMS["drift"]})


def _other_lhs() -> Theorem:
    return replace(eq_13.FIRST, lhs=eq_13.FIRST.lhs / 2)


def _other_kind() -> Theorem:
    return replace(eq_13.FIRST, kind="==")


def _other_domain() -> Theorem:
    larger = sympy.Symbol("Extra", positive=True)
    named = sympy.Symbol("G", nonnegative=True)
    return replace(eq_13.FIRST, symbols=(*eq_13.FIRST.symbols, larger, named))


@pytest.mark.parametrize("other", [_other_terms, _other_lhs, _other_kind])
def test_branches_say_one_thing(other: Callable[[], Theorem]) -> None:
    branches = {**eq_13.BRANCHES, eq_13.ON_FIRST: other()}
    with pytest.raises(TheoryError, match="one left-hand side"):
        by_branches(eq_13.SECOND, branches, eq_13.CONDITIONS, eq_13.CHOSEN)


def test_branches_have_one_domain() -> None:
    stated = replace(eq_13.SECOND, symbols=(*eq_13.SECOND.symbols, G))
    branches = {eq_13.ON_SECOND: eq_13.SECOND, eq_13.ON_FIRST: _other_domain()}
    with pytest.raises(TheoryError, match="one left-hand side"):
        by_branches(stated, branches, eq_13.CONDITIONS, eq_13.CHOSEN)


@pytest.mark.parametrize(("real", "expected"), [(False, Verdict.PROVED), (True, Verdict.UNKNOWN)])
def test_a_case_that_is_not_defined_everywhere_covers_nothing(
    real: bool, expected: Verdict
) -> None:
    """√b ≥ 0 and b ≥ 0 say that b ≥ 0, and not that every real number is so."""
    b = sympy.Symbol("b", real=True) if real else sympy.Symbol("b", nonnegative=True)
    case = theorem(
        le(0, b),
        Combine({"least": 1}),
        symbols=(b,),
        hypotheses=(
            Hypothesis("root", "0 ≤ √b", le(0, sympy.sqrt(b))),
            Hypothesis("least", "0 ≤ b", le(0, b)),
        ),
    )
    stated = replace(case, hypotheses=(), conclude=Combine())
    claim = by_branches(stated, {"0 ≤ b": case}, {"0 ≤ b": ("root", "least")}, ())
    assert judged_of(claim).verdict is expected
