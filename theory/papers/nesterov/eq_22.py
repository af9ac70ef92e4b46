"""(22): the descent lemma between y_t and w_{t+1}.

Problem    f is β-smooth.
Method     one iteration of (14) with η = 1/β.
Guarantee  f(w_{t+1}) − f(y_t) ≤ β/2‖Δ̄_t‖² + γ_t ḡ_t·Δ̄_t + (γ_t² − 1)/(2β)‖ḡ_t‖².
Source     Nesterov paper, (22).
"""

from theory.kernel import Combine, Descent
from theory.notation import function, theorem
from theory.papers.nesterov import method

beta, gamma, AWAY, GRADIENT, NEXT, W, Y = method.letters("beta gamma AWAY GRADIENT NEXT W Y")

_MOVED = AWAY + method.step()
"""w_{t+1} − y_t."""
_RISE = NEXT.value - Y.value
_SHARE = (1 - gamma) / beta

draft = theorem("nesterov.eq-22", "(22)", function("f", W, Y, NEXT))
draft.assume(method.SMOOTH)
draft.have(
    _RISE <= GRADIENT @ _MOVED + beta / 2 * _MOVED**2,
    "descent",
    by=Descent("smooth", Y, NEXT),
    says="the first inequality of (21), from y_t to w_{t+1}",
    where="(22), first line",
)
_SQUARE = AWAY**2 - 2 * _SHARE * (GRADIENT @ AWAY) + _SHARE**2 * GRADIENT**2
draft.have(
    _RISE <= GRADIENT @ AWAY - _SHARE * GRADIENT**2 + beta / 2 * _SQUARE,
    "expanded",
    by=Combine({"descent": 1}),
    says="with the square expanded",
    where="(22), second line",
)
TERMS = {
    "distance": beta / 2 * AWAY**2,
    "alignment": gamma * (GRADIENT @ AWAY),
    "gradient": (gamma**2 - 1) / (2 * beta) * GRADIENT**2,
}
CLAIM = THEOREM = draft.shows(
    _RISE <= sum(TERMS.values()),
    TERMS,
    by=Combine({"expanded": 1}),
    says=(
        "With η = 1/β, f(w_{t+1}) − f(y_t) ≤ β/2‖Δ̄_t‖² + γ_t ḡ_t·Δ̄_t + (γ_t² − 1)/(2β)‖ḡ_t‖² "
        "for every γ_t, every delay and every t ≥ 1."
    ),
    latex=(
        r"f(w_{t+1}) - f(y_t) \le \tfrac\beta2\|\bar\Delta_t\|^2 + "
        r"\gamma_t\,\bar g_t\cdot\bar\Delta_t + \tfrac{\gamma_t^2-1}{2\beta}\|\bar g_t\|^2"
    ),
)
