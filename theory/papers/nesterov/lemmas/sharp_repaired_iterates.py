"""The repaired rate with the longest stepsize that its proof allows.

Problem    f is convex and β-smooth with a minimiser w*.
Method     (10) with (29) and any delay τ ≥ 1.
Guarantee  f(w_t) − f* ≤ ‖w_1 − w*‖²/(4η(t − 1)) for (4τ − 2)βη + 2β²η² ≤ 1 and t ≥ 2.
Source     ours: `nesterov.iterate-rate`. The condition holds for η ≤ 1/((4τ − 1)β), and for no η
           above 1/((4τ − 2)β).
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.notation import theorem
from theory.papers.nesterov import symbols
from theory.papers.nesterov.lemmas import iterate_rate, iterate_start
from theory.papers.nesterov.lemmas.run_energy import F_STAR, F, K
from theory.papers.nesterov.runs.challenges import CHALLENGES

R, eta, t, tau = symbols.letters("R eta t tau")

T = theorem("nesterov.sharp-repaired-iterates")
SECOND = T.assume(t >= 2, "second", "t ≥ 2")
rate = T.cite(iterate_rate.THEOREM, {K: t - 2}, domain=(SECOND,))
THEOREM = T.shows(
    F(t - 2) - F_STAR <= R**2 / (4 * eta * (t - 1)),
    {"distance": R**2 / (4 * eta * (t - 1))},
    rate,
    SECOND,
    says=(
        "With (4τ − 2)βη + 2β²η² ≤ 1, as for η ≤ 1/((4τ − 1)β), and γ_t = (t − 2)/t, from rest, "
        "f(w_t) − f* ≤ ‖w_1 − w*‖²/(4η(t − 1)) for every convex β-smooth f with a minimiser w*, "
        "every delay τ ≥ 1 and every t ≥ 2."
    ),
    latex=r"f(w_t) - f^* \le \tfrac{1}{4\eta(t-1)}\|w_1 - w^*\|^2",
)

_CONDITION = iterate_start.STEPSIZE.relation
CLAIM = as_claim(
    THEOREM,
    challenge=CHALLENGES["nesterov-iterate-gap"],
    where=sympy.And(sympy.Le(_CONDITION.lhs, _CONDITION.rhs), sympy.Ge(tau, 1), sympy.Ge(t, 2)),
)
