"""Theorem 1 (2) put right, for all delays.

Problem    f is convex and β-smooth with a minimiser w*; no gradient needs to be bounded.
Method     the printed one, (10) with (29), and η ≤ 1/(4τβ). What Theorem 2 takes for the stepsize,
           1/β, is too long for the delay (`nesterov.thm-1`).
Guarantee  f(y_t) − f* ≤ ‖w_1 − w*‖²/(4η(t − τ)) for every t > τ.
Source     ours: `nesterov.sharp-repaired-thm-1`. For τ ≥ 2 no stepsize above 1/(4(τ − 1)β) has this
           rate (`nesterov.stepsize-limit`): 1/(4τβ) is too strict by a factor of at most τ/(τ − 1).
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Hypothesis, le
from theory.notation import Draft, theorem
from theory.papers.nesterov import symbols
from theory.papers.nesterov.lemmas import repaired_start, sharp_repaired_thm_1
from theory.papers.nesterov.runs.challenges import CHALLENGES

beta, eta, t, tau = symbols.letters("beta eta t tau")

STEPSIZE = Hypothesis("short", "η ≤ 1/(4τβ)", le(4 * tau * beta * eta, 1))
DOMAIN = sympy.And(sympy.Le(4 * tau * beta * eta, 1), sympy.Ge(tau, 1))
"""Instances that the hypotheses allow."""


def shorter(id: str, stepsize: Hypothesis) -> Draft:
    """That 1/(4τβ) is shorter than a stepsize that will do."""
    draft = theorem(id)
    draft.assume(repaired_start.LATE)
    draft.assume(STEPSIZE)
    draft.have(stepsize.relation, stepsize.name, "short", "delay")
    return draft


T = shorter("nesterov.repaired-thm-1", repaired_start.STEPSIZE)
rate = T.cite(sharp_repaired_thm_1.THEOREM)
THEOREM = T.shows(
    sharp_repaired_thm_1.THEOREM.goal,
    sharp_repaired_thm_1.THEOREM.terms,
    rate,
    sharp_repaired_thm_1.AFTER,
    says=(
        "With η ≤ 1/(4τβ) and γ_t = (t − 2)/t, from rest, f(y_t) − f* ≤ ‖w_1 − w*‖²/(4η(t − τ)) "
        "for every convex β-smooth f with a minimiser w*, every delay τ ≥ 1 and every t > τ."
    ),
    latex=sharp_repaired_thm_1.THEOREM.latex,
)

CLAIM = as_claim(
    THEOREM, challenge=CHALLENGES["nesterov-point-gap"], where=sympy.And(DOMAIN, sympy.Gt(t, tau))
)
