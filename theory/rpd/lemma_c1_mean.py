"""Lemma C.1, mean: for even p the mean steady delay is claimed to be exactly p²/2.

Our proof sums the derived matrix over all i and j by telescoping.
"""

from __future__ import annotations

from typing import Final

import sympy

from schedules.closed_forms.floor_sums import p_
from theory.claims import Claim, Formulas
from theory.delay_laws.comparison import equal
from theory.delay_laws.matrix import prove_mean
from theory.delay_laws.polynomials import in_words
from theory.ledger import Finding, Judgement, Repair
from theory.rpd.entries import proof_by_slots
from theory.rpd.laws import (
    ASSUMES,
    PAPER,
    by_linearization,
    closed,
    our_steps,
    replayed_entry,
    verdict_in_paper,
)
from theory.verdicts import Verdict

EVEN: Final = (0,)


def _verdict(formulas: Formulas, linearization: str) -> tuple[Verdict, str]:
    derived = closed(linearization).mean
    outcome = equal(derived, formulas["mean"], EVEN)
    at = "" if outcome.p is None else f", so p = {outcome.p} refutes it"
    return outcome.verdict, f"the mean is {in_words(derived)}{at}"


def _holds(formulas: Formulas) -> Verdict:
    """The mean of every p, even or odd, in the paper's linearization."""
    matrix = closed().matrix
    return prove_mean(matrix, dict.fromkeys(range(matrix.period), formulas["mean"])).verdict


def _judge(formulas: Formulas) -> Judgement:
    cases = by_linearization(lambda name: _verdict(formulas, name))
    verdict = verdict_in_paper(cases)
    witness = _witness(formulas) if verdict is Verdict.REFUTED else None
    return Judgement(
        verdict=verdict,
        printed_proof=proof_by_slots(verdict),
        cases=cases,
        assumes=ASSUMES,
        steps=our_steps(),
        findings=(_finding(witness),) if witness else (),
        counterexample=witness,
    )


def _finding(witness: dict[str, object]) -> Finding:
    return Finding(
        kind="false",
        where="Lemma C.1, even p",
        says=(
            "updates inside the end slots lower the mean by 1/2; it is p²/2 only in "
            "`slot-start`, where updates of one slot share an index"
        ),
        witness=witness,
        repaired=Repair("for every p ≥ 2, even or odd, the mean is (p² − 1)/2", _holds(_REPAIRED)),
    )


def _witness(formulas: Formulas) -> dict[str, object]:
    p = equal(closed().mean, formulas["mean"], EVEN).p
    assert p is not None, "a refuted formula has a witness"
    total = sum(replayed_entry(p, i, j, PAPER) for i in range(p) for j in range(p))
    return {
        "linearization": PAPER,
        "p": p,
        "mean": str(sympy.Rational(total, p * p)),
        "printed": str(formulas["mean"].subs(p_, p)),
    }


_REPAIRED: Final = {"mean": (p_**2 - 1) / 2}

CLAIM: Final = Claim(
    id="rpd.lemma-c1-mean",
    where="Lemma C.1, even p",
    statement="For even p the mean steady delay over all stages and blocks is exactly p²/2.",
    latex=r"\bar d = \tfrac{p^2}{2} \quad (p \text{ even})",
    judge=_judge,
    printed={"mean": p_**2 / 2},
    core=_REPAIRED,
    holds=_holds,
    shares="delay laws",
)
