"""Corollary C.1: the mean steady delay of PipeDream is p²/2 + O(1).

Compared with the derived mean on each parity class; the gap comes with an explicit constant,
or with the p beyond which it exceeds any given one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
import sympy

from schedules.closed_forms.floor_sums import p_
from schedules.delays import Steady, steady
from theory.claims import Claim, Formulas
from theory.delay_laws.comparison import bounded
from theory.delay_laws.polynomials import in_words, readable
from theory.ledger import Evidence, Finding, Judgement
from theory.rpd import prop_4_1
from theory.rpd.entries import proof_by_slots
from theory.rpd.laws import (
    ASSUMES,
    PAPER,
    by_linearization,
    closed,
    linearization_of,
    our_steps,
    replay,
    verdict_in_paper,
)
from theory.verdicts import Verdict

PICTURED: Final = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32)
"""Numbers of stages replayed for the picture."""
SHOWN: Final = 16
"""Stages of the replay beside a refutation."""


def _verdict(formulas: Formulas, linearization: str) -> tuple[Verdict, str]:
    derived = closed(linearization).mean
    outcome = bounded(derived, formulas["mean"])
    gap = outcome.exceeds
    if outcome.bound is not None:
        gap = f"gap at most {readable(outcome.bound)}"
    return outcome.verdict, f"the mean is {in_words(derived)}; {gap}"


def _holds(formulas: Formulas) -> Verdict:
    return _verdict(formulas, PAPER)[0]


def _judge(formulas: Formulas) -> Judgement:
    cases = by_linearization(lambda name: _verdict(formulas, name))
    verdict = verdict_in_paper(cases)
    refuted = [linearization_of(case) for case in cases if case.verdict is Verdict.REFUTED]
    return Judgement(
        verdict=verdict,
        printed_proof=proof_by_slots(verdict),
        cases=cases,
        assumes=ASSUMES,
        steps=our_steps(),
        findings=tuple(_finding(formulas, name) for name in refuted),
        counterexample=_witness(formulas, PAPER) if verdict is Verdict.REFUTED else None,
        evidence=(_growth(formulas, verdict),),
    )


def _finding(formulas: Formulas, name: str) -> Finding:
    return Finding(
        kind="false" if name == PAPER else "missing-condition",
        where="Corollary C.1",
        says=f"in `{name}` the mean is {in_words(closed(name).mean)}: no bounded gap",
        witness=_witness(formulas, name),
    )


def _witness(formulas: Formulas, name: str) -> dict[str, object]:
    """The p whose gap exceeds any constant, and one of them replayed."""
    rows = steady(replay(SHOWN, 4 * SHOWN, name))
    assert isinstance(rows, Steady), "PipeDream is periodic at M = 4p"
    return {
        "linearization": name,
        "for every C": bounded(closed(name).mean, formulas["mean"]).exceeds,
        "p": SHOWN,
        "mean": str(rows.mean),
        "printed": str(formulas["mean"].subs(p_, SHOWN)),
    }


def _growth(formulas: Formulas, verdict: Verdict) -> Evidence:
    """The paper's figure 6 from replays: statistics over the second half of a run of M = 4p."""
    means, largest, low, whole = [], [], [], []
    for p in PICTURED:
        run = replay(p, 4 * p)
        rows = steady(run)
        assert isinstance(rows, Steady), "PipeDream is periodic at M = 4p"
        second_half = run.matrix[len(run.matrix) // 2 :]
        means.append(str(rows.mean))
        largest.append(rows.max)
        low.append(str(Fraction(float(np.percentile(second_half, 10)))))
        whole.append(int(run.matrix.max()))
    worst = prop_4_1.CLAIM.printed["worst"]
    return Evidence(
        points="for" if verdict is Verdict.PROVED else "neither",
        says=f"steady mean and maximum, 10th percentile, and whole-run maximum, p up to {p}",
        data={
            "figure": "growth",
            "linearization": PAPER,
            "p": list(PICTURED),
            "mean": means,
            "max": largest,
            "p10": low,
            "whole_run_max": whole,
            "laws": [
                _law("mean", formulas["mean"]),
                _law("maximum", worst),
            ],
        },
    )


def _law(of: str, form: sympy.Expr) -> dict[str, object]:
    values = [str(form.subs(p_, p)) for p in PICTURED]
    return {"label": f"{of} {readable(form)}", "latex": sympy.latex(form), "values": values}


_PRINTED: Final = {"mean": p_**2 / 2}

CLAIM: Final = Claim(
    id="rpd.cor-c1",
    where="Corollary C.1",
    statement="The mean steady delay of PipeDream with p stages is p²/2 + O(1).",
    latex=r"\bar d = \tfrac{p^2}{2} + O(1)",
    judge=_judge,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
    shares="delay laws",
)
