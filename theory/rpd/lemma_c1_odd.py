"""Lemma C.1, odd p: every steady delay is claimed to be (p/2) times its window plus O(1).

Per-slot counts do alternate between (p−1)/2 and (p+1)/2, and sums of them over a window are
within 1/2 of p/2 a slot. What the printed proof leaves out, the updates inside the two end
slots, grows with i − j.
"""

from __future__ import annotations

from typing import Final

from schedules.closed_forms.floor_sums import p_
from theory.claims import Claim, Formulas
from theory.delay_laws.matrix import i_, j_
from theory.ledger import Finding, Judgement, Repair
from theory.rpd.entries import corner_excess, entries_equal, first_wrong_entry, gaps, proof_by_slots
from theory.rpd.laws import ASSUMES, PAPER, by_linearization, our_steps, verdict_in_paper
from theory.verdicts import Verdict

ODD: Final = 1


def _verdict(formulas: Formulas, linearization: str) -> tuple[Verdict, str]:
    found = [gap for _, gap in gaps(formulas["entry"], linearization, ODD)]
    if all(gap.is_number for gap in found):
        return Verdict.PROVED, f"the correction is at most {max(abs(gap) for gap in found)}"
    excess = corner_excess(formulas["entry"], linearization, ODD)
    return (Verdict.REFUTED if excess else Verdict.UNKNOWN), excess or "no unbounded corner found"


def _holds(formulas: Formulas) -> Verdict:
    return entries_equal(formulas["entry"], PAPER, ODD)


def _judge(formulas: Formulas) -> Judgement:
    cases = by_linearization(lambda name: _verdict(formulas, name))
    verdict = verdict_in_paper(cases)
    finding = _finding(formulas) if verdict is Verdict.REFUTED else None
    return Judgement(
        verdict=verdict,
        printed_proof=proof_by_slots(verdict),
        cases=cases,
        assumes=ASSUMES,
        steps=our_steps(),
        findings=(finding,) if finding else (),
        counterexample=finding.witness if finding else None,
    )


def _finding(formulas: Formulas) -> Finding:
    example = first_wrong_entry(formulas["entry"], PAPER, ODD) or {}
    return Finding(
        kind="false",
        where="appendix C, proof of Lemma C.1, case 2",
        says=(
            "the correction is (i − j − 1)/2 and grows with p: updates inside the end slots are "
            "left out of the count"
        ),
        witness={"for every C": corner_excess(formulas["entry"], PAPER, ODD), **example},
        repaired=Repair(
            "for odd p the steady delay is exactly (p/2)(2p − i − j + 1) + (i − j − 1)/2 "
            "(i, j from 1)",
            _holds(_REPAIRED),
        ),
    )


_WINDOWED: Final = p_ / 2 * (2 * p_ - i_ - j_ + 1)
_REPAIRED: Final = {"entry": _WINDOWED + (i_ - j_ - 1) / 2}

CLAIM: Final = Claim(
    id="rpd.lemma-c1-odd",
    where="appendix C, proof of Lemma C.1, case 2",
    statement=(
        "For odd p every steady delay is (p/2) times its window of 2p − i − j + 1 slots (i, j from "
        "1), up to a correction that stays bounded as p grows."
    ),
    latex=r"d_{ij} = \tfrac{p}{2}\,(2p - i - j + 1) + O(1) \quad (p \text{ odd})",
    judge=_judge,
    printed={"entry": _WINDOWED},
    core=_REPAIRED,
    holds=_holds,
    shares="delay laws",
)
