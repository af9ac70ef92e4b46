"""(25): one iteration against the minimum, by (22) and convexity between y_t and w*."""

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Step, Theorem, dot, square
from theory.papers.nesterov import eq_22, method
from theory.papers.nesterov.symbols import beta, gamma

AWAY, GRADIENT, NEXT, STAR, D, W, Y = method.letters("AWAY GRADIENT NEXT STAR D W Y")


THEOREM = Theorem(
    id="nesterov.eq-25",
    where="(25)",
    statement=(
        "With η = 1/β, δ_{t+1} ≤ β/2‖Δ̄_t‖² + (γ_t − 1)ḡ_t·Δ̄_t + (γ_t² − 1)/(2β)‖ḡ_t‖² + "
        "ḡ_t·(w_t + d_t − w*) for every γ_t, every delay and every t ≥ 1."
    ),
    latex=(
        r"\delta_{t+1} \le \tfrac\beta2\|\bar\Delta_t\|^2 + "
        r"(\gamma_t-1)\,\bar g_t\cdot\bar\Delta_t + "
        r"\tfrac{\gamma_t^2-1}{2\beta}\|\bar g_t\|^2 + \bar g_t\cdot(w_t + d_t - w^*)"
    ),
    symbols=(beta, gamma, STAR.value),
    vectors=(D, STAR.position),
    points=(W, Y, NEXT),
    hypotheses=(method.SMOOTH, method.CONVEX_STAR),
    cites=(eq_22.THEOREM,),
    steps=(Step("(22)", eq_22.THEOREM.goal, Cite("nesterov.eq-22"), "(22)", "(25)"),),
    lhs=NEXT.value - STAR.value,
    terms={
        "distance": beta / 2 * square(AWAY),
        "alignment": (gamma - 1) * dot(GRADIENT, AWAY),
        "gradient": (gamma**2 - 1) / (2 * beta) * square(GRADIENT),
        "way": dot(GRADIENT, W.position + D - STAR.position),
    },
    conclude=Combine({"(22)": 1, method.CONVEX_STAR.name: 1}),
)

CLAIM = as_claim(THEOREM)
