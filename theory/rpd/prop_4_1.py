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
from theory.ledger import Case, Finding, Judgement
from theory.rpd.laws import (
    ASSUMES,
    PAPER,
    by_linearization,
    largest,
    our_steps,
    replayed_entry,
    verdict_in_paper,
)
from theory.verdicts import Verdict, weakest

EVEN: Final = (0,)


def _judge_one(formulas: Formulas, linearization: str) -> tuple[Verdict, str]:
    table = largest(linearization)
    exact = equal(table, formulas["worst"], EVEN)
    near = bounded(table, formulas["worst"])
    gap = (
        f"the gap to the law is at most {readable(near.bound)}"
        if near.bound is not None
        else near.exceeds
    )
    return weakest((exact.verdict, near.verdict)), f"maximum {in_words(table)}; {gap}"


def _holds(formulas: Formulas) -> Verdict:
    return _judge_one(formulas, PAPER)[0]


def _judge(formulas: Formulas) -> Judgement:
    cases = by_linearization(lambda name: _judge_one(formulas, name))
    return Judgement(
        verdict=verdict_in_paper(cases),
        printed_proof="gap",
        cases=cases,
        assumes=ASSUMES,
        steps=our_steps(),
        findings=tuple(_finding(formulas, case) for case in cases if case.verdict < Verdict.PROVED),
    )


def _finding(formulas: Formulas, case: Case) -> Finding:
    name = case.when.removeprefix("linearization = ")
    p = equal(largest(name), formulas["worst"], EVEN).p
    assert p is not None, "an unproved case has a witness"
    return Finding(
        kind="missing-condition",
        where="appendix C, proof of Lemma C.1, case 1",
        says=(
            "the printed count sums whole slots and leaves out the updates of the first and the "
            f"last slot; they cancel at i = j = 1 in `{PAPER}`, but not in `{name}`"
        ),
        witness={
            "linearization": name,
            "p": p,
            "i": 1,
            "j": 1,
            "delay": replayed_entry(p, 0, 0, name),
            "printed": str(formulas["worst"].subs(p_, p)),
        },
    )


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
)
