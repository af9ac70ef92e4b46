"""(19): a move in terms of an earlier look-ahead and of the gradients since then.

Problem    none: an identity of vectors, for any γ, 1 ≤ i ≤ τ and every t > τ.
Method     the recurrence v_{t+1} = γ_{t+1}v_t + h̄_{t+1} of the moves v = d + h̄, solved by
           products.
Guarantee  d_{t−i} + h̄_{t−i} = (γ_{t−τ+1} ⋯ γ_{t−i}) d_{t−τ} − η Σ_{k=t−τ}^{t−i} (γ_{k+1} ⋯
           γ_{t−i})(1 − γ_k) ḡ_k.
Source     Nesterov paper, (19).
"""

import sympy

from theory.kernel import Combine, Everywhere, Step, Telescope, Theorem, Unroll, eq
from theory.papers.nesterov import window
from theory.papers.nesterov.symbols import eta

AHEAD, GRADIENT, MOMENTUM, MOVE = window.letters("AHEAD GRADIENT MOMENTUM MOVE")
PRODUCT, STEP, j, m = window.letters("PRODUCT STEP j m")

PROOF = "(19)"
n = sympy.Symbol("n", integer=True, nonnegative=True)
"""τ − i, the number of the iteration t − i."""

_LATER = PRODUCT(m, n - m)
_AHEAD = PRODUCT(0, n) * AHEAD(0)


def _sum(added: sympy.Expr) -> sympy.Expr:
    return sympy.Sum(_LATER * added, (m, 0, n))


_GRADIENT = (1 - MOMENTUM(m)) * GRADIENT(m)

CLAIM = THEOREM = Theorem(
    id="nesterov.eq-19",
    where=PROOF,
    statement=(
        "d_{t−i} + h̄_{t−i} = (γ_{t−τ+1} ⋯ γ_{t−i}) d_{t−τ} − η Σ_{k=t−τ}^{t−i} (γ_{k+1} ⋯ "
        "γ_{t−i})(1 − γ_k) ḡ_k for every 1 ≤ i ≤ τ, any γ and every t > τ, and for t ≥ 1 where "
        "d_k = ḡ_k = 0 for k < 1 (taken with any vector)."
    ),
    latex=(
        r"d_{t-i} + \bar h_{t-i} = \Big(\prod_{j=t-\tau+1}^{t-i}\gamma_j\Big) d_{t-\tau} - "
        r"\eta\sum_{k=t-\tau}^{t-i}\Big(\prod_{j=k+1}^{t-i}\gamma_j\Big)(1-\gamma_k)\,\bar g_k"
    ),
    symbols=(eta, n),
    hypotheses=(window.IS_STEP, window.IS_MOVE, window.IS_AHEAD, window.IS_EMPTY, window.IS_LONGER),
    steps=(
        Step(
            "move after",
            window.IS_MOVE.relation.replaced({m: m + 1}),
            Everywhere(window.IS_MOVE.name, {m: m + 1}),
        ),
        Step(
            "recurrence",
            eq(MOVE(m + 1), MOMENTUM(m + 1) * MOVE(m) + STEP(m + 1)),
            Combine({"move after": 1, window.IS_AHEAD.name: 1}),
            "v_{t+1} = γ_{t+1}v_t + h̄_{t+1}",
        ),
        Step(
            "first move",
            eq(MOVE(0), AHEAD(0) + STEP(0)),
            Everywhere(window.IS_MOVE.name, {m: sympy.S.Zero}),
        ),
        Step(
            "by steps",
            eq(MOVE(n), _AHEAD + _sum(STEP(m))),
            Unroll(
                "recurrence",
                "first move",
                window.IS_EMPTY.name,
                window.IS_LONGER.name,
                m,
                j,
                n,
                MOVE,
                PRODUCT,
            ),
            "with h̄",
            "(19), first line",
        ),
        Step(
            "weighted step",
            eq(_LATER * STEP(m), -eta * _LATER * _GRADIENT),
            Combine({window.IS_STEP.name: _LATER}),
        ),
        Step(
            "steps",
            eq(_sum(STEP(m)), -eta * _sum(_GRADIENT)),
            Telescope("weighted step", m, n + 1),
        ),
    ),
    kind="==",
    lhs=MOVE(n),
    terms={"look-ahead": _AHEAD, "gradients": -eta * _sum(_GRADIENT)},
    conclude=Combine({"by steps": 1, "steps": 1}),
)
