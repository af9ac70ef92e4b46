"""The square of Lemma B.2's bound, against the mean under uniform draws.

Problem    whether (γτG)², the square of Lemma B.2's bound, is tight for the mean under uniform
           draws.
Method     `rpd.sharp-drift`, which bounds the mean by γ²G²τ(τ + p − 1)/p and is attained.
Guarantee  It is not: with p = τ that is about 2/p of (γτG)². So no constant is small enough.
Source     RPD paper, Lemma B.2 with Assumption B.1.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sympy

from theory.judging import prover
from theory.kernel import Theorem
from theory.papers.rpd import lemma_b2
from theory.papers.rpd.lemmas import sharp_drift
from theory.papers.rpd.lemmas.draw_counts import w
from theory.papers.rpd.symbols import G, gamma, p, tau
from theory.papers.rpd.witnesses.exact_runs import drift, number, require

SHOWN = (4, 4)
"""p and τ of the run beside the refutation."""

_UNITS = {gamma: 1, G: 1}
"""Stepsize and gradients of that run."""

SHARP = sharp_drift.THEOREM.terms["drift"]

_T = sympy.Symbol("t", integer=True, positive=True)
_CONSTANTS = tuple(sympy.Integer(2) ** n for n in range(8))


def _ratio(bound: sympy.Expr) -> sympy.Expr:
    """The sharp bound over another one."""
    return sympy.cancel(sympy.together(SHARP / bound))


def _decay(bound: sympy.Expr) -> tuple[sympy.Expr, prover.Outcome] | None:
    """A constant C with ratio ≤ C/t at p = τ = t, for every t ≥ 1, and its proof."""
    along = _ratio(bound).subs({p: _T, tau: _T}, simultaneous=True)
    if along.free_symbols - {_T}:
        return None
    found = ((c, prover.nonnegative(c / _T - along)) for c in _CONSTANTS)
    return next(((c, proof) for c, proof in found if prover.proves(proof)), None)


def _known(bound: sympy.Expr) -> prover.Decision:
    ratio, decay = _ratio(bound), _decay(bound)
    if decay is not None:
        constant, proof = decay
        return prover.Decision(
            fails=prover.Refutation(_witness(bound, constant), (sharp_drift.THEOREM, proof))
        )
    if ratio.is_Rational and 0 < ratio <= 1:
        return prover.Decision((sharp_drift.THEOREM, sharp_drift.ATTAINED))
    return prover.OPEN


def _account(printed: prover.Formulas) -> prover.Account:
    decision = _known(printed["bound"])
    return prover.Account(
        decision,
        assumes=tuple(f"{h.name}: {h.says}" for h in sharp_drift.THEOREM.hypotheses),
        steps=tuple(
            prover.Line("ours", theorem.statement, theorem.id, prover.Decision((theorem,)))
            for theorem in (sharp_drift.THEOREM, sharp_drift.ATTAINED)
        ),
        findings=(_finding(decision.fails),) if decision.fails else (),
    )


def _witness(bound: sympy.Expr, constant: sympy.Expr) -> dict[str, Any]:
    run = drift(*SHOWN, bound)
    measured, sharp = number(run["measured"]), SHARP.subs({p: SHOWN[0], tau: SHOWN[1], **_UNITS})
    require(measured == sharp, "rpd.lemma-b2-expected", run=measured, formula=sharp)
    return {
        "for every c > 0": f"with p = τ > {constant}/c the mean of ‖x − x̂‖² is below c times "
        "the square of the bound, for every f and every rule of delays",
        "sharp bound / square of the bound": sympy.sstr(_ratio(bound)),
        **run,
    }


def _finding(fails: prover.Refutation) -> prover.Finding:
    return prover.Finding(
        "loose",
        "Lemma B.2, where (9) uses it",
        "the pathwise bound counts as if every update of the window hit one block; the mean "
        "under uniform draws is smaller by a factor up to p",
        fails.witness,
        shown=(sharp_drift.THEOREM,),
        repaired=prover.Repair.by(sharp_drift.THEOREM),
    )


def _holds(edited: prover.Formulas) -> Iterator[Theorem]:
    """The repaired bound: proved, and attained."""
    bound = edited["expected"]
    yield replace(sharp_drift.THEOREM, terms={"drift": bound})
    yield replace(sharp_drift.ATTAINED, terms={"drift": bound.subs(tau, w)})


CLAIM = prover.Claim(
    "rpd.lemma-b2-expected",
    "Lemma B.2 with Assumption B.1",
    "Under the uniform sampling of Assumption B.1 the square of Lemma B.2's bound, γ²τ²G², is "
    "tight in expectation up to a constant.",
    r"\mathbb{E}\|x^k - \hat x^k\|^2 = \Theta(\gamma^2\tau^2G^2)",
    account=_account,
    printed={"bound": lemma_b2.THEOREM.terms["drift"]},
    core={"expected": SHARP},
    holds=_holds,
    depends=("rpd.sharp-drift", "rpd.sharp-drift-attained"),
)
