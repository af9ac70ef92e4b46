"""(30), line 2, where it holds: one iteration of the telescoping sum, from t = 2 on.

There λ_t(1 − γ_t) = 2, and 0 ≤ γ_t < 1 as (26) needs.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, Theorem, le, square
from theory.papers.nesterov import eq_26, method, symbols
from theory.papers.nesterov.eq_26 import GAMMA

beta, lam, t, theta = symbols.letters("beta lam t theta")
MOMENTUM, STAR, D, W, Y = method.letters("MOMENTUM STAR D W Y")


_AT = {theta: 2 / t, lam: t}
NEXT = method.after(momentum=GAMMA.subs(_AT))
"""w_{t+1}."""
LATER = Hypothesis("later", "t ≥ 2", le(2, t))

U = beta / 2 * square(W.position + t * D - STAR.position)
"""u_t, with λ_t = t."""
U_NEXT = beta / 2 * square(NEXT.position + (t - 1) * (NEXT.position - W.position) - STAR.position)
"""u_{t+1}, with λ_{t+1}d_{t+1} = (t − 1)(w_{t+1} − w_t)."""

THEOREM = Theorem(
    id="nesterov.eq-30-later",
    where="ours",
    statement=(
        "With η = 1/β, λ_t = t and γ_t = (t − 2)/t, tδ_{t+1} − (t − 1)δ_t ≤ Ω_t + (u_t − "
        "u_{t+1})/2 for every delay and every t ≥ 2."
    ),
    latex=r"t\,\delta_{t+1} - (t-1)\,\delta_t \le \Omega_t + \tfrac12(u_t - u_{t+1})",
    symbols=(beta, t, STAR.value),
    vectors=(D, STAR.position),
    points=(W, Y, NEXT),
    hypotheses=(method.SMOOTH, method.CONVEX_NOW, method.CONVEX_STAR, LATER),
    cites=(eq_26.THEOREM,),
    steps=(
        Step("not negative", le(0, GAMMA.subs(_AT)), Combine({"later": 1 / t})),
        Step("weight", le(1, t), Combine({"later": 1}, plus=(sympy.S.One,))),
        Step(
            "(26)",
            eq_26.THEOREM.goal.replaced(_AT),
            Cite("nesterov.eq-26", _AT),
            "(26) with (29), which is line 1 of (30)",
        ),
    ),
    lhs=t * (NEXT.value - STAR.value) - (t - 1) * (W.value - STAR.value),
    terms={
        "excess": method.excess(t, MOMENTUM),
        "before": U / 2,
        "after": -U_NEXT / 2,
    },
    conclude=Combine({"(26)": 1}),
)

CLAIM = as_claim(THEOREM)
