"""(27): under (28) what stands behind λ_th̄_t is the same vector one iteration later.

Problem    none: an identity of vectors.
Method     one iteration of (14), any γ_t; 1 + λ_{t+1}γ_{t+1} = λ_t.
Guarantee  λ_th̄_t + w_t + λ_td_t − w* = w_{t+1} + λ_{t+1}d_{t+1} − w*.
Source     Nesterov paper, (27).
"""

import sympy

from theory.kernel import Combine, Hypothesis, eq, vector
from theory.notation import function, theorem
from theory.papers.nesterov import method

beta, gamma, lam, NEXT, STAR, D, W, Y = method.letters("beta gamma lam NEXT STAR D W Y")

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

draft = theorem("nesterov.eq-27", "(27)", function("f", W, Y, NEXT))
draft.assume(NEEDED)
draft.have(
    eq(
        (NEXT.position + AFTER * _AHEAD - STAR.position) @ V,
        (W.position + _MOVED + AFTER * AFTER_MOMENTUM * _MOVED - STAR.position) @ V,
    ),
    "moved",
    by=Combine(),
    says="with w_{t+1} = w_t + d_t + h̄_t and d_{t+1} = γ_{t+1}(d_t + h̄_t)",
    where="(27)",
)
TERMS = {
    "model": NEXT.position @ V,
    "ahead": AFTER * (_AHEAD @ V),
    "minimum": -(STAR.position @ V),
}
CLAIM = THEOREM = draft.shows(
    eq(_NOW @ V, sum(TERMS.values())),
    TERMS,
    by=Combine({"moved": 1, "(28)": -(_MOVED @ V)}),
    says=(
        "If 1 + λ_{t+1}γ_{t+1} = λ_t, then λ_th̄_t + w_t + λ_td_t − w* = w_{t+1} + "
        "λ_{t+1}d_{t+1} − w* for every delay and every t ≥ 1 (taken with any vector)."
    ),
    latex=r"\lambda_t\bar h_t + w_t + \lambda_t d_t - w^* = w_{t+1} + \lambda_{t+1}d_{t+1} - w^*",
)
