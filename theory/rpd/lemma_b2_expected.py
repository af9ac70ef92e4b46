"""The square of Lemma B.2's bound, against the mean under uniform draws.

It is not tight: `rpd.sharp-drift` bounds the mean by γ²G²τ(τ + p − 1)/p, which is attained, and
with p = τ that is about 2/p of (γτG)². So no constant is small enough.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import sympy

from theory.claims import Claim, Formulas
from theory.kernel import prove
from theory.kernel.signs import nonnegative
from theory.ledger import Finding, Judgement, Repair, Step
from theory.rpd import lemma_b2, sharp_drift
from theory.rpd.draw_counts import WINDOW
from theory.rpd.exact_runs import drift, number, require
from theory.rpd.symbols import G, gamma, p, tau
from theory.verdicts import Verdict, weakest

SHOWN: Final = (4, 4)
"""p and τ of the run beside the refutation."""

_UNITS: Final = {gamma: 1, G: 1}
"""Stepsize and gradients of that run."""

SHARP: Final = sharp_drift.THEOREM.terms["drift"]

_T: Final = sympy.Symbol("t", integer=True, positive=True)
_CONSTANTS: Final = tuple(sympy.Integer(2) ** n for n in range(8))


def _ratio(bound: sympy.Expr) -> sympy.Expr:
    """The sharp bound over another one."""
    return sympy.cancel(sympy.together(SHARP / bound))


def _decay(bound: sympy.Expr) -> sympy.Expr | None:
    """A constant C with ratio ≤ C/t at p = τ = t, for every t ≥ 1; None if none is found."""
    along = _ratio(bound).subs({p: _T, tau: _T}, simultaneous=True)
    if along.free_symbols - {_T}:
        return None
    proved = (c for c in _CONSTANTS if nonnegative(c / _T - along).verdict is Verdict.PROVED)
    return next(proved, None)


def _verdict(bound: sympy.Expr) -> Verdict:
    if prove(sharp_drift.THEOREM).verdict is not Verdict.PROVED:
        return Verdict.UNKNOWN
    if _decay(bound) is not None:
        return Verdict.REFUTED
    ratio = _ratio(bound)
    if ratio.is_Rational and 0 < ratio <= 1:
        return prove(sharp_drift.ATTAINED).verdict
    return Verdict.UNKNOWN


def _judge(printed: Formulas) -> Judgement:
    verdict = _verdict(printed["bound"])
    witness = _witness(printed["bound"]) if verdict is Verdict.REFUTED else None
    return Judgement(
        verdict=verdict,
        printed_proof="none",
        assumes=tuple(f"{h.name}: {h.says}" for h in sharp_drift.THEOREM.hypotheses),
        steps=tuple(
            Step("ours", theorem.statement, theorem.id, prove(theorem).verdict)
            for theorem in (sharp_drift.THEOREM, sharp_drift.ATTAINED)
        ),
        findings=(_finding(witness),) if witness else (),
        counterexample=witness,
    )


def _witness(bound: sympy.Expr) -> dict[str, Any]:
    run = drift(*SHOWN, bound)
    measured, sharp = number(run["measured"]), SHARP.subs({p: SHOWN[0], tau: SHOWN[1], **_UNITS})
    require(measured == sharp, "rpd.lemma-b2-expected", run=measured, formula=sharp)
    return {
        "for every c > 0": f"with p = τ > {_decay(bound)}/c the mean of ‖x − x̂‖² is below c times "
        "the square of the bound, for every f and every rule of delays",
        "sharp bound / square of the bound": sympy.sstr(_ratio(bound)),
        **run,
    }


def _finding(witness: dict[str, Any]) -> Finding:
    return Finding(
        kind="loose",
        where="Lemma B.2, where (9) uses it",
        says=(
            "the pathwise bound counts as if every update of the window hit one block; the mean "
            "under uniform draws is smaller by a factor up to p"
        ),
        witness=witness,
        repaired=Repair(sharp_drift.THEOREM.statement, prove(sharp_drift.THEOREM).verdict),
    )


def _holds(edited: Formulas) -> Verdict:
    """The repaired bound: proved, and attained."""
    bound = edited["expected"]
    upper = replace(sharp_drift.THEOREM, terms={"drift": bound})
    lower = replace(sharp_drift.ATTAINED, terms={"drift": bound.subs(tau, WINDOW)})
    return weakest((prove(upper).verdict, prove(lower).verdict))


CLAIM: Final = Claim(
    id="rpd.lemma-b2-expected",
    where="Lemma B.2 with Assumption B.1",
    statement=(
        "Under the uniform sampling of Assumption B.1 the square of Lemma B.2's bound, γ²τ²G², is "
        "tight in expectation up to a constant."
    ),
    latex=r"\mathbb{E}\|x^k - \hat x^k\|^2 = \Theta(\gamma^2\tau^2G^2)",
    judge=_judge,
    printed={"bound": lemma_b2.THEOREM.terms["drift"]},
    core={"expected": SHARP},
    holds=_holds,
    depends=("rpd.sharp-drift",),
)
