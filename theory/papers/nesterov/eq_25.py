"""(25): one iteration against the minimum, by (22) and convexity between y_t and w*.

Problem    f is convex and β-smooth.
Method     one iteration of (14) with η = 1/β.
Guarantee  δ_{t+1} ≤ β/2‖Δ̄_t‖² + (γ_t − 1)ḡ_t·Δ̄_t + (γ_t² − 1)/(2β)‖ḡ_t‖² + ḡ_t·(w_t + d_t − w*).
Source     Nesterov paper, (25).
"""

from theory.kernel import Combine
from theory.notation import function, theorem
from theory.papers.nesterov import eq_22, method

beta, gamma, AWAY, GRADIENT, NEXT = method.letters("beta gamma AWAY GRADIENT NEXT")
STAR, D, W, Y = method.letters("STAR D W Y")

draft = theorem("nesterov.eq-25", "(25)", function("f", W, Y, NEXT))
draft.cite(eq_22.THEOREM, name="(22)", says="(22)", where="(25)")
draft.assume(method.CONVEX_STAR)
TERMS = {
    "distance": beta / 2 * AWAY**2,
    "alignment": (gamma - 1) * (GRADIENT @ AWAY),
    "gradient": (gamma**2 - 1) / (2 * beta) * GRADIENT**2,
    "way": GRADIENT @ (W.position + D - STAR.position),
}
CLAIM = THEOREM = draft.shows(
    NEXT.value - STAR.value <= sum(TERMS.values()),
    TERMS,
    by=Combine({"(22)": 1, method.CONVEX_STAR.name: 1}),
    says=(
        "With η = 1/β, δ_{t+1} ≤ β/2‖Δ̄_t‖² + (γ_t − 1)ḡ_t·Δ̄_t + (γ_t² − 1)/(2β)‖ḡ_t‖² + "
        "ḡ_t·(w_t + d_t − w*) for every γ_t, every delay and every t ≥ 1."
    ),
    latex=(
        r"\delta_{t+1} \le \tfrac\beta2\|\bar\Delta_t\|^2 + "
        r"(\gamma_t-1)\,\bar g_t\cdot\bar\Delta_t + "
        r"\tfrac{\gamma_t^2-1}{2\beta}\|\bar g_t\|^2 + \bar g_t\cdot(w_t + d_t - w^*)"
    ),
)
