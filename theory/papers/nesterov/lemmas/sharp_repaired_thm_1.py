"""The repaired Theorem 1 with the longest stepsize that its proof allows.

a/(2(a² + 1)) with a = 2τ − 1 is 1/4 for τ = 1 and 1/(4τ − 2 + 2/(2τ − 1)) in general, a little more
than the 1/(4τ) of `nesterov.repaired-thm-1`. For τ ≥ 2 none above 1/(4(τ − 1)) will do.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, le
from theory.papers.nesterov.lemmas import repaired_look_ahead
from theory.papers.nesterov.lemmas.repaired_look_ahead import K
from theory.papers.nesterov.lemmas.repaired_start import STEPSIZE
from theory.papers.nesterov.lemmas.repaired_step import F_STAR, F
from theory.papers.nesterov.runs.challenges import CHALLENGES
from theory.papers.nesterov.symbols import R, beta, eta, t, tau

AFTER: Final = Hypothesis("after the delay", "t > τ", le(tau + 1, t))
LAST: Final = t - tau - 1
"""y_t = x_{t−τ} is where F(t − τ − 1) is taken."""

THEOREM: Final = replace(
    repaired_look_ahead.THEOREM,
    id="nesterov.sharp-repaired-thm-1",
    where="ours",
    statement=(
        "With η ≤ a/(2(a² + 1)β), a = 2τ − 1, f(y_t) − f* ≤ ‖w_1 − w*‖²/(4η(t − τ)) for every "
        "convex β-smooth f with a minimiser w*, every delay τ ≥ 1 and every t > τ."
    ),
    latex=r"f(y_t) - f^* \le \tfrac{1}{4\eta(t-\tau)}\|w_1 - w^*\|^2",
    symbols=(beta, eta, tau, R, F_STAR, t),
    hypotheses=(*repaired_look_ahead.THEOREM.hypotheses, AFTER),
    cites=(repaired_look_ahead.THEOREM,),
    steps=(
        Step(
            "look-ahead",
            le(F(LAST) - F_STAR, R**2 / (4 * eta * (t - tau))),
            Cite(repaired_look_ahead.THEOREM.id, scalars={K: LAST}, domain=(AFTER.name,)),
            "y_t = x_{t−τ}",
        ),
    ),
    lhs=F(LAST) - F_STAR,
    terms={"distance": R**2 / (4 * eta * (t - tau))},
    conclude=Combine({"look-ahead": 1}, domain=(AFTER.name,)),
)

CLAIM: Final = as_claim(
    THEOREM,
    challenge=CHALLENGES["nesterov-point-gap"],
    where=sympy.And(
        sympy.Le(STEPSIZE.relation.lhs, STEPSIZE.relation.rhs), sympy.Ge(tau, 1), sympy.Gt(t, tau)
    ),
)
