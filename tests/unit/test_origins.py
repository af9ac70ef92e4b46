"""Whose statement each row is: every row of a paper says so, and only of claims that exist."""

from __future__ import annotations

import pytest

from theory.errors import UnknownClaimError
from theory.judging.arguments import with_arguments
from theory.judging.as_claim import as_claim
from theory.judging.catalogue import CLAIMS, claims_of
from theory.judging.decide import decided
from theory.judging.origins import Origins, with_origins
from theory.kernel.lemmas import YOUNG
from theory.papers.amdp.origins import ORIGINS as AMDP
from theory.papers.blog.origins import ORIGINS as BLOG
from theory.papers.localsgd.origins import ORIGINS as LOCALSGD
from theory.papers.nesterov.origins import ORIGINS as NESTEROV
from theory.papers.rpd.origins import ORIGINS as RPD
from theory.papers.sapipe.origins import ORIGINS as SAPIPE

NAMED: dict[str, Origins] = {
    "rpd": RPD,
    "localsgd": LOCALSGD,
    "nesterov": NESTEROV,
    "sapipe": SAPIPE,
    "amdp": AMDP,
    "blog": BLOG,
}

OURS = ("rpd.stepsize", "rpd.lemma-b2-expected", "rpd.table-1", "rpd.delay-whole-run")


@pytest.mark.parametrize("paper", NAMED)
def test_no_row_of_a_paper_is_printed_because_nobody_looked(paper: str) -> None:
    assert [
        claim.id
        for claim in claims_of(paper)
        if claim.where != "ours" and claim.id not in NAMED[paper]
    ] == []


def test_questions_and_schedules_of_ours_are_ours() -> None:
    assert {CLAIMS[name].origin for name in OURS} == {"ours"}
    assert {claim.origin for claim in claims_of("schedules")} == {"ours"}
    assert {claim.origin for claim in CLAIMS.values() if claim.where == "ours"} == {"ours"}


def test_what_was_lost_is_reconstructed() -> None:
    for name in ("rpd.thm-4.1", "localsgd.eq-13", "nesterov.eq-31"):
        assert CLAIMS[name].origin == "reconstructed"
    assert CLAIMS["nesterov.eq-26"].origin == "printed"


def test_names_that_no_claim_has_are_refused() -> None:
    with pytest.raises(UnknownClaimError, match=r"kernel\.old"):
        with_origins([as_claim(YOUNG)], {"kernel.old": "ours"})
    with pytest.raises(UnknownClaimError, match=r"kernel\.old"):
        with_arguments([as_claim(YOUNG)], {"words": "…"}, {"kernel.old": ("words",)})


def test_a_row_that_rests_on_words_says_so() -> None:
    account = CLAIMS["nesterov.prop-1-repaired"].account
    assert account is not None
    found = decided(account(CLAIMS["nesterov.prop-1-repaired"].printed))
    assert "words" in found.rests_on
    assert found.arguments[0].startswith("one fixed vector: ")


def test_cited_theorems_have_rows() -> None:
    cited = {
        one.id
        for claim in CLAIMS.values()
        if claim.theorem is not None
        for one in claim.theorem.cites
    }
    assert cited <= set(CLAIMS)


def test_no_line_of_a_theorem_of_ours_is_printed() -> None:
    for name in ("rpd.thm-4.1-any-stepsize", "sapipe.wp-2-first"):
        account = CLAIMS[name].account
        assert account is not None
        assert decided(account(CLAIMS[name].printed)).printed_proof == "none"
