"""Corollary C.1: the mean steady delay of PipeDream is p²/2 + O(1).

Problem    the mean over stages and blocks of the delays of PipeDream's steady state.
Method     the derived mean, on each parity class of p; the gap comes with an explicit constant, or
           with the p beyond which it exceeds any given one.
Guarantee  p²/2 + O(1).
Source     RPD paper, Corollary C.1.
"""

from fractions import Fraction
from functools import partial

import numpy as np
import sympy

from schedules.closed_forms.floor_sums import p_
from schedules.delays import Steady, steady
from theory.judging import prover
from theory.laws.delays.comparison import Bounded, bounded
from theory.laws.delays.polynomials import in_words, readable
from theory.papers.rpd import prop_4_1
from theory.papers.rpd.lemmas import laws
from theory.papers.rpd.lemmas.entries import by_slots

PICTURED = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32)
"""Numbers of stages replayed for the picture."""
SHOWN = 16
"""Stages of the replay beside a refutation."""


def _known(formulas: prover.Formulas, linearization: str) -> tuple[prover.Decision, str]:
    derived = laws.closed(linearization).mean
    outcome = bounded(derived, formulas["mean"])
    gap = outcome.exceeds
    if outcome.bound is not None:
        gap = f"gap at most {readable(outcome.bound)}"
    fails = _refutation(formulas, linearization, outcome) if outcome.exceeds else None
    return prover.Decision((outcome,), fails), f"the mean is {in_words(derived)}; {gap}"


def _holds(formulas: prover.Formulas) -> tuple[Bounded]:
    return (bounded(laws.closed().mean, formulas["mean"]),)


def _account(formulas: prover.Formulas) -> prover.Account:
    cases = laws.by_linearization(partial(_known, formulas))
    decision = laws.in_paper(cases)
    refuted = [(laws.linearization_of(case), case.decision.fails) for case in cases]
    return prover.Account(
        decision,
        cases=cases,
        assumes=laws.ASSUMES,
        steps=(by_slots(), *laws.our_steps()),
        findings=tuple(_finding(name, fails) for name, fails in refuted if fails),
        evidence=(_growth(formulas, prover.proves(*decision.grounds)),),
    )


def _finding(name: str, fails: prover.Refutation) -> prover.Finding:
    unsaid = "whether a slot's forwards read before its updates is left open: "
    return prover.Finding(
        "false" if name == laws.PAPER else "missing-condition",
        "Corollary C.1",
        f"{'' if name == laws.PAPER else unsaid}in `{name}` the mean is "
        f"{in_words(laws.closed(name).mean)}: no bounded gap",
        fails.witness,
    )


def _refutation(formulas: prover.Formulas, name: str, outcome: Bounded) -> prover.Refutation:
    """The p whose gap exceeds any constant, and one of them replayed."""
    witness = {
        "linearization": name,
        "for every C": outcome.exceeds,
        "p": SHOWN,
        "mean": str(laws.mean_in_replay(SHOWN, name)),
        "printed": str(formulas["mean"].subs(p_, SHOWN)),
    }
    unbounded = prover.Compared(outcome.exceeds, "theory.laws.delays.comparison.bounded", True)
    return prover.Refutation(witness, (unbounded,))


def _growth(formulas: prover.Formulas, proved: bool) -> prover.Evidence:
    """The paper's figure 6 from replays: statistics over the second half of a run of M = 4p."""
    means, largest, low, whole = [], [], [], []
    for p in PICTURED:
        run = laws.replay(p, 4 * p)
        rows = steady(run)
        assert isinstance(rows, Steady), "PipeDream is periodic at M = 4p"
        second_half = run.matrix[len(run.matrix) // 2 :]
        means.append(str(rows.mean))
        largest.append(rows.max)
        low.append(str(Fraction(float(np.percentile(second_half, 10)))))
        whole.append(int(run.matrix.max()))
    worst = prop_4_1.CLAIM.printed["worst"]
    return prover.Evidence(
        "for" if proved else "neither",
        f"steady mean and maximum, 10th percentile, and whole-run maximum, p up to {p}",
        {
            "figure": "growth",
            "linearization": laws.PAPER,
            "p": list(PICTURED),
            "mean": means,
            "max": largest,
            "p10": low,
            "whole_run_max": whole,
            "laws": [_law("mean", formulas["mean"]), _law("maximum", worst)],
        },
    )


def _law(of: str, form: sympy.Expr) -> dict[str, object]:
    values = [str(form.subs(p_, p)) for p in PICTURED]
    return {"label": f"{of} {readable(form)}", "latex": sympy.latex(form), "values": values}


_PRINTED = {"mean": p_**2 / 2}

CLAIM = prover.Claim(
    "rpd.cor-c1",
    "Corollary C.1",
    "The mean steady delay of PipeDream with p stages is p²/2 + O(1).",
    r"\bar d = \tfrac{p^2}{2} + O(1)",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
    shares="delay laws",
)
