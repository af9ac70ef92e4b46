"""Theorem 1 (2) put right: with a stepsize of at most 1/(4τβ) the rate O(1/t) holds for all delays.

The method is the printed one, (10) with (29); no gradient needs to be bounded. What Theorem 2 takes
for the stepsize, 1/β, is too long for the delay: see `nesterov.thm-1`. For τ ≥ 2 no
stepsize above 1/(4(τ − 1)β) has this rate (`nesterov.stepsize-limit`), so that 1/(4τβ) is too
strict by a factor of at most τ/(τ − 1).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, le
from theory.papers.nesterov.lemmas import repaired_look_ahead, repaired_start, sharp_repaired_thm_1
from theory.papers.nesterov.lemmas.repaired_start import LATE, a
from theory.papers.nesterov.lemmas.sharp_repaired_thm_1 import AFTER
from theory.papers.nesterov.runs.challenges import CHALLENGES
from theory.papers.nesterov.symbols import beta, eta, t, tau

STEPSIZE: Final = Hypothesis("short", "η ≤ 1/(4τβ)", le(4 * tau * beta * eta, 1))
HYPOTHESES: Final = tuple(
    STEPSIZE if one == repaired_start.STEPSIZE else one
    for one in repaired_look_ahead.THEOREM.hypotheses
)
SHORTER: Final = Step(
    repaired_start.STEPSIZE.name,
    repaired_start.STEPSIZE.relation,
    Combine({STEPSIZE.name: a}, plus=(4 * beta * eta * (tau - 1),), domain=(LATE.name,)),
    "a² + 1 ≤ 2τa for a = 2τ − 1",
)

THEOREM: Final = replace(
    sharp_repaired_thm_1.THEOREM,
    id="nesterov.repaired-thm-1",
    where="ours",
    statement=(
        "With η ≤ 1/(4τβ), f(y_t) − f* ≤ ‖w_1 − w*‖²/(4η(t − τ)) for every convex β-smooth f with "
        "a minimiser w*, every delay τ ≥ 1 and every t > τ."
    ),
    hypotheses=(*HYPOTHESES, AFTER),
    cites=(sharp_repaired_thm_1.THEOREM,),
    steps=(
        SHORTER,
        Step(
            "rate",
            sharp_repaired_thm_1.THEOREM.goal,
            Cite(sharp_repaired_thm_1.THEOREM.id),
        ),
    ),
    conclude=Combine({"rate": 1}, domain=(AFTER.name,)),
)

DOMAIN: Final = sympy.And(sympy.Le(4 * tau * beta * eta, 1), sympy.Ge(tau, 1))
"""Instances that the hypotheses allow."""

CLAIM: Final = as_claim(
    THEOREM, challenge=CHALLENGES["nesterov-point-gap"], where=sympy.And(DOMAIN, sympy.Gt(t, tau))
)
