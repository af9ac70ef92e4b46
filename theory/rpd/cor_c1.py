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
from theory.ledger import Evidence, Judgement
from theory.rpd.laws import (
    ASSUMES,
    PAPER,
    by_linearization,
    closed,
    our_steps,
    replay,
    verdict_in_paper,
)
from theory.verdicts import Verdict

PICTURED: Final = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32)
"""Numbers of stages replayed for the picture."""


def _verdict(formulas: Formulas, linearization: str) -> tuple[Verdict, str]:
    derived = closed(linearization).mean
    outcome = bounded(derived, formulas["mean"])
    gap = f"gap at most {readable(outcome.bound)}" if outcome.bound is not None else outcome.exceeds
    return outcome.verdict, f"the mean is {in_words(derived)}; {gap}"


def _holds(formulas: Formulas) -> Verdict:
    return _verdict(formulas, PAPER)[0]


def _judge(formulas: Formulas) -> Judgement:
    cases = by_linearization(lambda name: _verdict(formulas, name))
    return Judgement(
        verdict=verdict_in_paper(cases),
        printed_proof="gap",
        cases=cases,
        assumes=ASSUMES,
        steps=our_steps(),
        evidence=(_growth(formulas),),
    )


def _growth(formulas: Formulas) -> Evidence:
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
    worst = p_**2 - p_ / 2
    return Evidence(
        points="for",
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
                _law("mean p²/2", r"p^2/2", formulas["mean"]),
                _law("maximum p² − p/2", r"p^2 - p/2", worst),
            ],
        },
    )


def _law(label: str, latex: str, form: sympy.Expr) -> dict[str, object]:
    values = [str(form.subs(p_, p)) for p in PICTURED]
    return {"label": label, "latex": latex, "values": values}


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
)
