"""(30), line 2, where it holds: one iteration of the telescoping sum, from t = 2 on.

Problem    f is convex and β-smooth; any delay.
Method     one iteration of (14), (26) with η = 1/β and (29): λ_t(1 − γ_t) = 2, and 0 ≤ γ_t < 1 as
           it needs.
Guarantee  tδ_{t+1} − (t − 1)δ_t ≤ Ω_t + (u_t − u_{t+1})/2 for every t ≥ 2.
Source     ours: (30), line 2, where it holds.
"""

import sympy

from theory.kernel import Combine, Hypothesis, le
from theory.notation import function, theorem
from theory.papers.nesterov import eq_26, method

beta, lam, t, theta, MOMENTUM, STAR = method.letters("beta lam t theta MOMENTUM STAR")
D, W, Y = method.letters("D W Y")

_AT = {theta: 2 / t, lam: t}
NEXT = method.after(momentum=eq_26.GAMMA.subs(_AT))
"""w_{t+1}."""
LATER = Hypothesis("later", "t ≥ 2", le(2, t))

U = beta / 2 * (W.position + t * D - STAR.position) ** 2
"""u_t, with λ_t = t."""
U_NEXT = beta / 2 * (NEXT.position + (t - 1) * (NEXT.position - W.position) - STAR.position) ** 2
"""u_{t+1}, with λ_{t+1}d_{t+1} = (t − 1)(w_{t+1} − w_t)."""

draft = theorem("nesterov.eq-30-later", "ours", function("f", W, Y, NEXT))
draft.assume(LATER)
draft.have(eq_26.GAMMA.subs(_AT) >= 0, "not negative", by=Combine({"later": 1 / t}))
draft.have(le(1, t), "weight", by=Combine({"later": 1}, plus=(sympy.S.One,)))
draft.cite(eq_26.THEOREM, _AT, name="(26)", says="(26) with (29), which is line 1 of (30)")
TERMS = {"excess": method.excess(t, MOMENTUM), "before": U / 2, "after": -U_NEXT / 2}
CLAIM = THEOREM = draft.shows(
    t * (NEXT.value - STAR.value) - (t - 1) * (W.value - STAR.value) <= sum(TERMS.values()),
    TERMS,
    by=Combine({"(26)": 1}),
    says=(
        "With η = 1/β, λ_t = t and γ_t = (t − 2)/t, tδ_{t+1} − (t − 1)δ_t ≤ Ω_t + (u_t − "
        "u_{t+1})/2 for every delay and every t ≥ 2."
    ),
    latex=r"t\,\delta_{t+1} - (t-1)\,\delta_t \le \Omega_t + \tfrac12(u_t - u_{t+1})",
)
