"""Theorem 4.1 is stated for γ ≤ 1/L, a condition that its proof never uses.

Problem    Theorem 4.1 is stated for γ ≤ 1/L.
Method     a statement "A is needed for B" is refuted by a proof of B without A, and shown on one
           run whose stepsize is beyond the limit.
Guarantee  False: (3) holds for every γ > 0.
Source     RPD paper, Theorem 4.1 (B.1).
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from theory.falsifier.numbers import fraction
from theory.falsifier.scalars import quadratic
from theory.judging import prover
from theory.papers.rpd import thm_4_1
from theory.papers.rpd.runs.blocks import Setting
from theory.papers.rpd.symbols import L
from theory.papers.rpd.witnesses.exact_runs import alike, gradients, number, require

ANY_STEPSIZE = replace(
    thm_4_1.THEOREM,
    id="rpd.thm-4.1-any-stepsize",
    where="ours",
    statement="(3) holds for every γ > 0.",
    hypotheses=tuple(h for h in thm_4_1.THEOREM.hypotheses if h is not thm_4_1.STEPSIZE),
)
"""Theorem 4.1 without the condition."""
_REPAIRED = prover.as_claim(ANY_STEPSIZE)

BEYOND = 10
"""The stepsize of the run beside the proof is this many times the limit."""


def _run(limit: sympy.Expr) -> dict[str, Any]:
    """RPD on two parabolas with L = 1, far beyond the limit, beside the bound (3)."""
    step = BEYOND * fraction(sympy.Rational(limit.subs(L, 1)))
    problem = alike(quadratic(1), 2, Fraction(1))
    found = gradients(Setting(problem, 3, 2, step), thm_4_1.THEOREM.terms)
    measured, bound = number(found["measured"]), number(found["bound"])
    require(measured <= bound, "rpd.stepsize", run=measured, bound=bound)
    return {"limit": str(limit), "gamma is": f"{BEYOND} times the limit", **found}


def _account(printed: prover.Formulas) -> prover.Account:
    if not prover.proves(ANY_STEPSIZE):
        return prover.Account(prover.OPEN)
    fails = prover.Refutation(_run(printed["limit"]), (ANY_STEPSIZE,))
    known = prover.account(ANY_STEPSIZE, ANY_STEPSIZE.terms)
    return prover.Account(
        prover.Decision(fails=fails),
        assumes=known.assumes,
        steps=known.steps,
        findings=(_finding(printed, fails),),
    )


def _finding(printed: prover.Formulas, fails: prover.Refutation) -> prover.Finding:
    return prover.Finding(
        "superfluous-condition",
        "Theorem 4.1 (B.1)",
        f"(3) holds for every γ > 0; γ ≤ {printed['limit']} is used nowhere in its proof",
        fails.witness,
        shown=(ANY_STEPSIZE,),
        repaired=prover.Repair(
            "Theorem 4.1 without a condition on the stepsize, γ > 0", (ANY_STEPSIZE,)
        ),
    )


CLAIM = prover.Claim(
    "rpd.stepsize",
    "Theorem 4.1 (B.1)",
    "Theorem 4.1 needs γ ≤ 1/L.",
    r"\gamma \le \tfrac1L",
    account=_account,
    printed={"limit": 1 / L},
    core=_REPAIRED.core,
    holds=_REPAIRED.holds,
    weakened=_REPAIRED.weakened,
    depends=(ANY_STEPSIZE.id,),
)
