"""(24): one iteration against the point before it, the sum of (22) and (23)."""

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Step, Theorem, dot, square
from theory.papers.nesterov import eq_22, eq_23, method
from theory.papers.nesterov.symbols import beta, gamma

AWAY, GRADIENT, NEXT, D, W, Y = method.letters("AWAY GRADIENT NEXT D W Y")


THEOREM = Theorem(
    id="nesterov.eq-24",
    where="(24)",
    statement=(
        "With η = 1/β, δ_{t+1} − δ_t ≤ β/2‖Δ̄_t‖² + (γ_t − 1)ḡ_t·Δ̄_t + (γ_t² − 1)/(2β)‖ḡ_t‖² + "
        "ḡ_t·d_t for every γ_t, every delay and every t ≥ 1."
    ),
    latex=(
        r"\delta_{t+1} - \delta_t \le \tfrac\beta2\|\bar\Delta_t\|^2 + "
        r"(\gamma_t-1)\,\bar g_t\cdot\bar\Delta_t + "
        r"\tfrac{\gamma_t^2-1}{2\beta}\|\bar g_t\|^2 + \bar g_t\cdot d_t"
    ),
    symbols=(beta, gamma),
    vectors=(D,),
    points=(W, Y, NEXT),
    hypotheses=(method.SMOOTH, method.CONVEX_NOW),
    cites=(eq_22.THEOREM,),
    steps=(
        Step("(22)", eq_22.THEOREM.goal, Cite("nesterov.eq-22"), "(22)", "(24)"),
        Step("(23)", eq_23.THEOREM.goal, Combine({method.CONVEX_NOW.name: 1}), "(23)", "(24)"),
    ),
    lhs=NEXT.value - W.value,
    terms={
        "distance": beta / 2 * square(AWAY),
        "alignment": (gamma - 1) * dot(GRADIENT, AWAY),
        "gradient": (gamma**2 - 1) / (2 * beta) * square(GRADIENT),
        "ahead": dot(GRADIENT, D),
    },
    conclude=Combine({"(22)": 1, "(23)": 1}),
)

CLAIM = as_claim(THEOREM)
