"""(24): one iteration against the point before it, the sum of (22) and (23).

Problem    f is convex and β-smooth.
Method     one iteration of (14) with η = 1/β.
Guarantee  δ_{t+1} − δ_t ≤ β/2‖Δ̄_t‖² + (γ_t − 1)ḡ_t·Δ̄_t + (γ_t² − 1)/(2β)‖ḡ_t‖² + ḡ_t·d_t.
Source     Nesterov paper, (24).
"""

from theory.kernel import Combine
from theory.notation import function, theorem
from theory.papers.nesterov import eq_22, eq_23, method

beta, gamma, AWAY, GRADIENT, NEXT, D, W, Y = method.letters("beta gamma AWAY GRADIENT NEXT D W Y")

draft = theorem("nesterov.eq-24", "(24)", function("f", W, Y, NEXT))
draft.cite(eq_22.THEOREM, name="(22)", says="(22)", where="(24)")
draft.assume(method.CONVEX_NOW)
draft.have(
    eq_23.THEOREM.goal, "(23)", by=Combine({method.CONVEX_NOW.name: 1}), says="(23)", where="(24)"
)
TERMS = {
    "distance": beta / 2 * AWAY**2,
    "alignment": (gamma - 1) * (GRADIENT @ AWAY),
    "gradient": (gamma**2 - 1) / (2 * beta) * GRADIENT**2,
    "ahead": GRADIENT @ D,
}
CLAIM = THEOREM = draft.shows(
    NEXT.value - W.value <= sum(TERMS.values()),
    TERMS,
    by=Combine({"(22)": 1, "(23)": 1}),
    says=(
        "With η = 1/β, δ_{t+1} − δ_t ≤ β/2‖Δ̄_t‖² + (γ_t − 1)ḡ_t·Δ̄_t + (γ_t² − 1)/(2β)‖ḡ_t‖² + "
        "ḡ_t·d_t for every γ_t, every delay and every t ≥ 1."
    ),
    latex=(
        r"\delta_{t+1} - \delta_t \le \tfrac\beta2\|\bar\Delta_t\|^2 + "
        r"(\gamma_t-1)\,\bar g_t\cdot\bar\Delta_t + "
        r"\tfrac{\gamma_t^2-1}{2\beta}\|\bar g_t\|^2 + \bar g_t\cdot d_t"
    ),
)
