"""(22): the descent lemma between y_t and w_{t+1}."""

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Descent, Step, Theorem, dot, le, square
from theory.papers.nesterov import method
from theory.papers.nesterov.symbols import beta, gamma

AWAY, GRADIENT, NEXT, D, W, Y = method.letters("AWAY GRADIENT NEXT D W Y")


_MOVED = AWAY + method.step()
"""w_{t+1} − y_t."""
_RISE = NEXT.value - Y.value
_SHARE = (1 - gamma) / beta

THEOREM = Theorem(
    id="nesterov.eq-22",
    where="(22)",
    statement=(
        "With η = 1/β, f(w_{t+1}) − f(y_t) ≤ β/2‖Δ̄_t‖² + γ_t ḡ_t·Δ̄_t + (γ_t² − 1)/(2β)‖ḡ_t‖² "
        "for every γ_t, every delay and every t ≥ 1."
    ),
    latex=(
        r"f(w_{t+1}) - f(y_t) \le \tfrac\beta2\|\bar\Delta_t\|^2 + "
        r"\gamma_t\,\bar g_t\cdot\bar\Delta_t + \tfrac{\gamma_t^2-1}{2\beta}\|\bar g_t\|^2"
    ),
    symbols=(beta, gamma),
    vectors=(D,),
    points=(W, Y, NEXT),
    hypotheses=(method.SMOOTH,),
    steps=(
        Step(
            "descent",
            le(_RISE, dot(GRADIENT, _MOVED) + beta / 2 * square(_MOVED)),
            Descent("smooth", Y, NEXT),
            "the first inequality of (21), from y_t to w_{t+1}",
            "(22), first line",
        ),
        Step(
            "expanded",
            le(
                _RISE,
                dot(GRADIENT, AWAY)
                - _SHARE * square(GRADIENT)
                + beta
                / 2
                * (square(AWAY) - 2 * _SHARE * dot(GRADIENT, AWAY) + _SHARE**2 * square(GRADIENT)),
            ),
            Combine({"descent": 1}),
            "with the square expanded",
            "(22), second line",
        ),
    ),
    lhs=_RISE,
    terms={
        "distance": beta / 2 * square(AWAY),
        "alignment": gamma * dot(GRADIENT, AWAY),
        "gradient": (gamma**2 - 1) / (2 * beta) * square(GRADIENT),
    },
    conclude=Combine({"expanded": 1}),
)

CLAIM = as_claim(THEOREM)
