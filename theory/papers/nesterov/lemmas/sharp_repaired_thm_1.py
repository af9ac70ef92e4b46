"""The repaired Theorem 1 with the longest stepsize that its proof allows.

Problem    f is convex and β-smooth with a minimiser w*.
Method     (10) with (29) and any delay τ ≥ 1.
Guarantee  f(y_t) − f* ≤ ‖w_1 − w*‖²/(4η(t − τ)) for η ≤ a/(2(a² + 1)β), a = 2τ − 1, and t > τ.
Source     ours: `nesterov.repaired-look-ahead`, as y_t = x_{t−τ}. The stepsize is 1/4 for τ = 1 and
           1/(4τ − 2 + 2/(2τ − 1)) in general; for τ ≥ 2 none above 1/(4(τ − 1)) will do.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.notation import theorem
from theory.papers.nesterov import symbols
from theory.papers.nesterov.lemmas import repaired_look_ahead, repaired_start
from theory.papers.nesterov.lemmas.run_energy import F_STAR, F, K
from theory.papers.nesterov.runs.challenges import CHALLENGES

R, eta, t, tau = symbols.letters("R eta t tau")

T = theorem("nesterov.sharp-repaired-thm-1")
AFTER = T.assume(tau + 1 <= t, "after the delay", "t > τ")
rate = T.cite(repaired_look_ahead.THEOREM, {K: t - tau - 1}, domain=(AFTER,))
THEOREM = T.shows(
    F(t - tau - 1) - F_STAR <= R**2 / (4 * eta * (t - tau)),
    {"distance": R**2 / (4 * eta * (t - tau))},
    rate,
    AFTER,
    says=(
        "With η ≤ a/(2(a² + 1)β), a = 2τ − 1, and γ_t = (t − 2)/t, from rest, f(y_t) − f* ≤ ‖w_1 "
        "− w*‖²/(4η(t − τ)) for every convex β-smooth f with a minimiser w*, every delay τ ≥ 1 "
        "and every t > τ."
    ),
    latex=r"f(y_t) - f^* \le \tfrac{1}{4\eta(t-\tau)}\|w_1 - w^*\|^2",
)

_CONDITION = repaired_start.STEPSIZE.relation
CLAIM = as_claim(
    THEOREM,
    challenge=CHALLENGES["nesterov-point-gap"],
    where=sympy.And(sympy.Le(_CONDITION.lhs, _CONDITION.rhs), sympy.Ge(tau, 1), sympy.Gt(t, tau)),
)
