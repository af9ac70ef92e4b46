"""(23): convexity between y_t and w_t.

Problem    f is convex.
Method     y_t = w_{t−τ} + d_{t−τ}.
Guarantee  f(y_t) − f(w_t) ≤ ḡ_t·(d_t − Δ̄_t).
Source     Nesterov paper, (23).
"""

from theory.kernel import Combine, vector
from theory.notation import function, theorem
from theory.papers.nesterov import method

AWAY, GRADIENT, D, W, Y = method.letters("AWAY GRADIENT D W Y")

DELAYED = vector("w̄")
"""w_{t−τ}."""
_RISE = Y.value - W.value
_AHEAD = Y.position - DELAYED
"""d_{t−τ}."""
_LATE = W.position - DELAYED
"""Δ_t."""

draft = theorem("nesterov.eq-23", "(23)", function("f", W, Y))
draft.assume(method.CONVEX_NOW)
draft.have(
    _RISE <= GRADIENT @ (_AHEAD - _LATE),
    "delayed",
    by=Combine({method.CONVEX_NOW.name: 1}),
    says="the second inequality of (21), with d̄_t − Δ_t = y_t − w_t",
    where="(23)",
)
CLAIM = THEOREM = draft.shows(
    _RISE <= GRADIENT @ (D - AWAY),
    {"slope": GRADIENT @ (D - AWAY)},
    by=Combine({"delayed": 1}),
    says="f(y_t) − f(w_t) ≤ ḡ_t·(d_t − Δ̄_t) for every delay and every t ≥ 1.",
    latex=r"f(y_t) - f(w_t) \le \bar g_t\cdot(d_t - \bar\Delta_t)",
)
