"""`theory.verify`: what every judgement is held to, whoever reached it."""

from __future__ import annotations

import pytest

from theory.claims import Claim
from theory.errors import UnsupportedFormError
from theory.ledger import Evidence, Judgement
from theory.verdicts import Verdict
from theory.verify import judge

FOR, AGAINST = (Evidence(points, "a replay", {}) for points in ("for", "against"))


def verdict_of(judgement: Judgement) -> Verdict:
    claim = Claim("mine.one", "here", "It holds.", "1 = 1", judge=lambda formulas: judgement)
    return judge(claim).verdict


@pytest.mark.parametrize(
    ("judgement", "verdict"),
    [
        (Judgement(Verdict.REFUTED, "none"), Verdict.UNKNOWN),
        (Judgement(Verdict.REFUTED, "none", counterexample={"p": 2}), Verdict.REFUTED),
        (Judgement(Verdict.PROVED, "none", evidence=(FOR, AGAINST)), Verdict.UNKNOWN),
        (Judgement(Verdict.PROVED, "none", evidence=(FOR,)), Verdict.PROVED),
        (Judgement(Verdict.CONDITIONAL, "none", evidence=(AGAINST,)), Verdict.CONDITIONAL),
    ],
    ids=["no witness", "witness", "contradicted", "supported", "conditional"],
)
def test_no_refutation_without_a_witness_and_no_proof_against_a_replay(
    judgement: Judgement, verdict: Verdict
) -> None:
    assert verdict_of(judgement) is verdict


def test_formula_that_cannot_be_read_is_undecided() -> None:
    def unreadable(formulas: object) -> Judgement:
        raise UnsupportedFormError("no polynomial", "claim", "write it out")

    row = judge(Claim("mine.two", "here", "It holds.", "1 = 1", judge=unreadable))
    assert row.verdict is Verdict.UNKNOWN
    assert "no polynomial" in row.judgement.evidence[0].says
