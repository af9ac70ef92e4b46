"""Lemma C.1, odd p: every steady delay is claimed to be (p/2) times its window plus O(1).

Problem    every steady delay is claimed to be (p/2) times its window plus O(1), for odd p.
Method     the derived delay matrix. Per-slot counts do alternate between (p−1)/2 and (p+1)/2, and
           sums of them over a window are within 1/2 of p/2 a slot.
Guarantee  False: what the printed proof leaves out, the updates inside the two end slots, grows
           with i − j.
Source     RPD paper, appendix C, proof of Lemma C.1, case 2.
"""

from schedules.closed_forms.floor_sums import p_
from theory.judging import prover
from theory.laws.delays.matrix import i_, j_
from theory.papers.rpd.lemmas.entries import corner_excess, entries_equal, gaps, wrong_entry
from theory.papers.rpd.lemmas.laws import PAPER, judged

ODD = 1
WHERE = "appendix C, proof of Lemma C.1, case 2"


def _known(formulas: prover.Formulas, linearization: str) -> tuple[prover.Decision, str]:
    entry = formulas["entry"]
    found = [gap for _, gap in gaps(entry, linearization, ODD)]
    if all(gap.is_number for gap in found):
        says = f"the correction is at most {max(abs(gap) for gap in found)}"
        return prover.Decision(
            (prover.Compared(says, "theory.papers.rpd.lemmas.entries.gaps", True),)
        ), says
    excess = corner_excess(entry, linearization, ODD)
    fails = _refutation(formulas, linearization, excess) if excess else None
    return prover.Decision(fails=fails), excess or "no unbounded corner found"


def _refutation(formulas: prover.Formulas, linearization: str, excess: str) -> prover.Refutation:
    """Entries whose correction exceeds any constant, and the least that is not as printed."""
    example = wrong_entry(formulas["entry"], linearization, ODD)
    witness = {"for every C": excess, **(example.witness if example else {})}
    code = "theory.papers.rpd.lemmas.entries.corner_excess"
    return prover.Refutation(witness, (prover.Compared(excess, code, bool(excess)),))


def _holds(formulas: prover.Formulas) -> tuple[prover.Compared]:
    return (entries_equal(formulas["entry"], PAPER, ODD),)


def _account(formulas: prover.Formulas) -> prover.Account:
    says = "the delay is the number of updates in the window's slots, (p/2)(2p − i − j + 1) + O(1)"
    rule = "compared with the derived delay matrix"
    printed = prover.Line(WHERE, says, rule, _known(formulas, PAPER)[0])
    return judged(formulas, _known, _findings, printed)


def _findings(fails: prover.Refutation) -> tuple[prover.Finding, ...]:
    finding = prover.Finding(
        "false",
        WHERE,
        "the correction is (i − j − 1)/2 and grows with p: updates inside the end slots are "
        "left out of the count",
        fails.witness,
        repaired=prover.Repair(
            "for odd p the steady delay is exactly (p/2)(2p − i − j + 1) + (i − j − 1)/2 "
            "(i, j from 1)",
            _holds(_REPAIRED),
        ),
    )
    return (finding,)


_WINDOWED = p_ / 2 * (2 * p_ - i_ - j_ + 1)
_REPAIRED = {"entry": _WINDOWED + (i_ - j_ - 1) / 2}

CLAIM = prover.Claim(
    "rpd.lemma-c1-odd",
    WHERE,
    "For odd p every steady delay is (p/2) times its window of 2p − i − j + 1 slots (i, j from "
    "1), up to a correction that stays bounded as p grows.",
    r"d_{ij} = \tfrac{p}{2}\,(2p - i - j + 1) + O(1) \quad (p \text{ odd})",
    account=_account,
    printed={"entry": _WINDOWED},
    core=_REPAIRED,
    holds=_holds,
    shares="delay laws",
)
