"""Proposition 4.1: the largest steady delay is p² − p/2 + O(1), exactly so for even p.

The paper defines the delay by its simulator's embedding, which appends updates in stage order;
that is the linearization `ascending`. Our proof: the derived delay matrix falls in i and in j,
so its maximum is D[0][0]; compare that with the printed formula on each parity class.
"""

from __future__ import annotations

from typing import Final

from schedules.closed_forms.floor_sums import p_
from theory.claims import Claim, Formulas
from theory.delay_laws.comparison import bounded, equal
from theory.delay_laws.polynomials import in_words, readable
from theory.ledger import Finding, Judgement
from theory.rpd.entries import proof_by_slots
from theory.rpd.laws import (
    ASSUMES,
    PAPER,
    by_linearization,
    largest,
    largest_in_replay,
    linearization_of,
    our_steps,
    verdict_in_paper,
)
from theory.verdicts import Verdict, weakest

EVEN: Final = (0,)


def _judge_one(formulas: Formulas, linearization: str) -> tuple[Verdict, str]:
    table = largest(linearization)
    exact = equal(table, formulas["worst"], EVEN)
    near = bounded(table, formulas["worst"])
    gap = near.exceeds
    if near.bound is not None:
        gap = f"the gap to the law is at most {readable(near.bound)}"
    return weakest((exact.verdict, near.verdict)), f"maximum {in_words(table)}; {gap}"


def _holds(formulas: Formulas) -> Verdict:
    return _judge_one(formulas, PAPER)[0]


def _judge(formulas: Formulas) -> Judgement:
    cases = by_linearization(lambda name: _judge_one(formulas, name))
    verdict = verdict_in_paper(cases)
    refuted = [case for case in cases if case.verdict is Verdict.REFUTED]
    return Judgement(
        verdict=verdict,
        printed_proof=proof_by_slots(verdict),
        cases=cases,
        assumes=ASSUMES,
        steps=our_steps(),
        findings=tuple(_finding(formulas, linearization_of(case)) for case in refuted),
        counterexample=_witness(formulas, PAPER) if verdict is Verdict.REFUTED else None,
    )


def _finding(formulas: Formulas, name: str) -> Finding:
    if name == PAPER:
        return Finding(
            kind="false",
            where="Proposition 4.1",
            says=f"the largest steady delay in `{name}` is {in_words(largest(name))}",
            witness=_witness(formulas, name),
        )
    return Finding(
        kind="missing-condition",
        where="appendix C, proof of Lemma C.1, case 1",
        says=(
            "the printed count sums whole slots and leaves out the updates of the first and the "
            f"last slot; that does not matter at i = j = 1 (from 1) in `{PAPER}`, but it does in "
            f"`{name}`, so the way of counting inside a slot has to be stated"
        ),
        witness=_witness(formulas, name),
    )


def _witness(formulas: Formulas, name: str) -> dict[str, object]:
    """A replayed p with another maximum, else the p whose gap exceeds any constant."""
    p = equal(largest(name), formulas["worst"], EVEN).p
    if p is None:
        return {
            "linearization": name,
            "for every C": bounded(largest(name), formulas["worst"]).exceeds,
        }
    return {
        "linearization": name,
        "p": p,
        "largest delay": largest_in_replay(p, name),
        "printed": str(formulas["worst"].subs(p_, p)),
    }


_PRINTED: Final = {"worst": p_**2 - p_ / 2}

CLAIM: Final = Claim(
    id="rpd.prop-4.1",
    where="Proposition 4.1, (4)",
    statement=(
        "The largest delay of steady PipeDream with p stages is p² − p/2 + O(1), and exactly "
        "p² − p/2 for even p."
    ),
    latex=r"\tau_{\max} = p^2 - \tfrac{p}{2} + O(1), \quad \tau_{\max} = p^2 - \tfrac{p}{2}"
    r" \text{ for even } p",
    judge=_judge,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
    shares="delay laws",
)
