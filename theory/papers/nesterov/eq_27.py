"""(27): under (28) what stands behind λ_th̄_t is the same vector one iteration later."""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Hypothesis, Step, Theorem, dot, eq, vector
from theory.papers.nesterov import method, symbols

beta, gamma, lam = symbols.letters("beta gamma lam")
NEXT, STAR, D, W, Y = method.letters("NEXT STAR D W Y")


AFTER = sympy.Symbol("lambda_next", positive=True)
"""λ_{t+1}."""
AFTER_MOMENTUM = sympy.Symbol("gamma_next", real=True)
"""γ_{t+1}."""
V = vector("v")
"""Any vector: two vectors with the same inner products are equal."""

_MOVED = D + method.step()
_NOW = lam * method.step() + W.position + lam * D - STAR.position
_AHEAD = AFTER_MOMENTUM * (NEXT.position - W.position)
"""d_{t+1}."""

NEEDED = Hypothesis("(28)", "1 + λ_{t+1}γ_{t+1} = λ_t", eq(1 + AFTER * AFTER_MOMENTUM, lam))

THEOREM = Theorem(
    id="nesterov.eq-27",
    where="(27)",
    statement=(
        "If 1 + λ_{t+1}γ_{t+1} = λ_t, then λ_th̄_t + w_t + λ_td_t − w* = w_{t+1} + "
        "λ_{t+1}d_{t+1} − w* for every delay and every t ≥ 1 (taken with any vector)."
    ),
    latex=r"\lambda_t\bar h_t + w_t + \lambda_t d_t - w^* = w_{t+1} + \lambda_{t+1}d_{t+1} - w^*",
    symbols=(beta, gamma, lam, AFTER, AFTER_MOMENTUM),
    vectors=(D, V, STAR.position),
    points=(W, Y, NEXT),
    hypotheses=(NEEDED,),
    steps=(
        Step(
            "moved",
            eq(
                dot(NEXT.position + AFTER * _AHEAD - STAR.position, V),
                dot(W.position + _MOVED + AFTER * AFTER_MOMENTUM * _MOVED - STAR.position, V),
            ),
            Combine(),
            "with w_{t+1} = w_t + d_t + h̄_t and d_{t+1} = γ_{t+1}(d_t + h̄_t)",
            "(27)",
        ),
    ),
    kind="==",
    lhs=dot(_NOW, V),
    terms={
        "model": dot(NEXT.position, V),
        "ahead": AFTER * dot(_AHEAD, V),
        "minimum": -dot(STAR.position, V),
    },
    conclude=Combine({"moved": 1, "(28)": -dot(_MOVED, V)}),
)

CLAIM = as_claim(THEOREM)
