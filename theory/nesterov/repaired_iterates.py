"""Theorem 1 (2) put right, for the iterates: O(1/t) with η ≤ 1/(4τβ), for every delay τ ≥ 1.

The delay costs a shorter stepsize and nothing else: the bound is the one without it.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

import sympy

from theory.claims import Formulas
from theory.kernel import Cite, Combine, Step, as_claim, prove
from theory.kernel.prove import Proof
from theory.ledger import Evidence, Finding, Repair
from theory.nesterov import iterate_start, long_runs, sharp_repaired_iterates
from theory.nesterov.repaired_start import LATE
from theory.nesterov.repaired_thm_1 import DOMAIN, STEPSIZE
from theory.nesterov.sharp_repaired_iterates import SECOND
from theory.nesterov.symbols import beta, eta, t, tau
from theory.verdicts import Verdict, weakest

_SHORT = beta * eta

THEOREM: Final = replace(
    sharp_repaired_iterates.THEOREM,
    id="nesterov.repaired-iterates",
    where="ours",
    statement=(
        "With η ≤ 1/(4τβ), f(w_t) − f* ≤ ‖w_1 − w*‖²/(4η(t − 1)) for every convex β-smooth f with "
        "a minimiser w*, every delay τ ≥ 1 and every t ≥ 2."
    ),
    hypotheses=tuple(
        STEPSIZE if one == iterate_start.STEPSIZE else one
        for one in sharp_repaired_iterates.THEOREM.hypotheses
    ),
    cites=(sharp_repaired_iterates.THEOREM,),
    steps=(
        Step(
            iterate_start.STEPSIZE.name,
            iterate_start.STEPSIZE.relation,
            Combine(
                {STEPSIZE.name: 1 + _SHORT, LATE.name: 4 * _SHORT**2},
                plus=(_SHORT + 2 * _SHORT**2,),
            ),
        ),
        Step(
            "rate", sharp_repaired_iterates.THEOREM.goal, Cite(sharp_repaired_iterates.THEOREM.id)
        ),
    ),
    conclude=Combine({"rate": 1}, domain=(SECOND.name,)),
)

_AT: Final = 2
"""Delay at which stepsizes are compared, in units of 1/β."""


def _remarks(proof: Proof) -> tuple[Finding, ...]:
    """That the condition can be weakened a little, and no more than a little."""
    sharp = prove(sharp_repaired_iterates.THEOREM).verdict
    longer = {eta: 1 / ((4 * tau - 1) * beta), tau: _AT}
    room = iterate_start.STEPSIZE.relation.gap.subs(longer).subs(tau, _AT)
    if weakest((proof.verdict, sharp)) is not Verdict.PROVED or room < 0:
        return ()
    return (
        Finding(
            "loose",
            "ours",
            "η may be 1/((4τ − 1)β), and what the proof needs is (4τ − 2)βη + 2β²η² ≤ 1; for τ ≥ 2 "
            "nothing above 1/(4(τ − 1)β) will do, by nesterov.stepsize-limit",
            witness={
                "tau": _AT,
                "beta*eta here": str(Fraction(1, 4 * _AT)),
                "beta*eta in the sharper theorem": str(Fraction(1, 4 * _AT - 1)),
                "no rate above": str(Fraction(1, 4 * (_AT - 1))),
            },
            repaired=Repair(sharp_repaired_iterates.THEOREM.statement, sharp),
        ),
    )


_PROVED: Final = as_claim(
    THEOREM,
    challenge="nesterov-iterate-gap",
    remarks=_remarks,
    where=sympy.And(DOMAIN, sympy.Ge(t, 2)),
)


def _deeper(printed: Formulas) -> tuple[Evidence, ...]:
    """What there is of every theorem, and runs of a million iterations."""
    known = _PROVED.deeper(printed) if _PROVED.deeper else ()
    return (*known, *long_runs.at_small_steps())


CLAIM: Final = replace(_PROVED, deeper=_deeper)
