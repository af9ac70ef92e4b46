"""(23): convexity between y_t and w_t."""

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Step, Theorem, dot, le, vector
from theory.papers.nesterov import method

AWAY, GRADIENT, D, W, Y = method.letters("AWAY GRADIENT D W Y")


DELAYED = vector("w̄")
"""w_{t−τ}."""
_RISE = Y.value - W.value
_AHEAD = Y.position - DELAYED
"""d_{t−τ}."""
_LATE = W.position - DELAYED
"""Δ_t."""

THEOREM = Theorem(
    id="nesterov.eq-23",
    where="(23)",
    statement="f(y_t) − f(w_t) ≤ ḡ_t·(d_t − Δ̄_t) for every delay and every t ≥ 1.",
    latex=r"f(y_t) - f(w_t) \le \bar g_t\cdot(d_t - \bar\Delta_t)",
    symbols=(),
    vectors=(D, DELAYED),
    points=(W, Y),
    hypotheses=(method.CONVEX_NOW,),
    steps=(
        Step(
            "delayed",
            le(_RISE, dot(GRADIENT, _AHEAD - _LATE)),
            Combine({method.CONVEX_NOW.name: 1}),
            "the second inequality of (21), with d̄_t − Δ_t = y_t − w_t",
            "(23)",
        ),
    ),
    lhs=_RISE,
    terms={"slope": dot(GRADIENT, D - AWAY)},
    conclude=Combine({"delayed": 1}),
)

CLAIM = as_claim(THEOREM)
