"""The repaired rate with the longest stepsize that its proof allows.

(4τ − 2)βη + 2β²η² ≤ 1 holds for η ≤ 1/((4τ − 1)β), and for no η above 1/((4τ − 2)β).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, le
from theory.papers.nesterov.lemmas import iterate_rate
from theory.papers.nesterov.lemmas.iterate_rate import K
from theory.papers.nesterov.lemmas.iterate_start import STEPSIZE
from theory.papers.nesterov.lemmas.repaired_step import F_STAR, F
from theory.papers.nesterov.runs.challenges import CHALLENGES
from theory.papers.nesterov.symbols import R, beta, eta, t, tau

SECOND: Final = Hypothesis("second", "t ≥ 2", le(2, t))
LAST: Final = t - 2
"""w_t is where F(t − 2) is taken."""

THEOREM: Final = replace(
    iterate_rate.THEOREM,
    id="nesterov.sharp-repaired-iterates",
    where="ours",
    statement=(
        "With (4τ − 2)βη + 2β²η² ≤ 1, as for η ≤ 1/((4τ − 1)β), f(w_t) − f* ≤ "
        "‖w_1 − w*‖²/(4η(t − 1)) for every convex β-smooth f with a minimiser w*, every delay "
        "τ ≥ 1 and every t ≥ 2."
    ),
    latex=r"f(w_t) - f^* \le \tfrac{1}{4\eta(t-1)}\|w_1 - w^*\|^2",
    symbols=(beta, eta, tau, R, F_STAR, t),
    hypotheses=(*iterate_rate.THEOREM.hypotheses, SECOND),
    cites=(iterate_rate.THEOREM,),
    steps=(
        Step(
            "rate",
            le(F(LAST) - F_STAR, R**2 / (4 * eta * (t - 1))),
            Cite(iterate_rate.THEOREM.id, scalars={K: LAST}, domain=(SECOND.name,)),
        ),
    ),
    lhs=F(LAST) - F_STAR,
    terms={"distance": R**2 / (4 * eta * (t - 1))},
    conclude=Combine({"rate": 1}, domain=(SECOND.name,)),
)

CLAIM: Final = as_claim(
    THEOREM,
    challenge=CHALLENGES["nesterov-iterate-gap"],
    where=sympy.And(
        sympy.Le(STEPSIZE.relation.lhs, STEPSIZE.relation.rhs), sympy.Ge(tau, 1), sympy.Ge(t, 2)
    ),
)
