"""(20): how far the model moves in τ iterations, by (18) and (19).

Problem    none: an identity of vectors, for any γ and every t > τ.
Method     the moves of (18), each by (19).
Guarantee  Δ_t is the sum over i = 1, …, τ of what (19) says, with d̄_t for d_{t−τ}: a part along
           the look-ahead, and one of the gradients since then.
Source     Nesterov paper, (20).
"""

import sympy

from theory.kernel import Cite, Combine, Everywhere, Step, Telescope, Theorem, eq
from theory.papers.nesterov import eq_19, window

AHEAD, GRADIENT, MODEL, MOMENTUM = window.letters("AHEAD GRADIENT MODEL MOMENTUM")
MOVE, PRODUCT, k, m, eta, tau = window.letters("MOVE PRODUCT k m eta tau")

_ONE = eq_19.THEOREM.goal.replaced({eq_19.n: k})
_ITERATIONS = (k, 0, tau - 1)
_GRADIENTS = sympy.Sum(PRODUCT(m, k - m) * (1 - MOMENTUM(m)) * GRADIENT(m), (m, 0, k))

CLAIM = THEOREM = Theorem(
    id="nesterov.eq-20",
    where="(20)",
    statement=(
        "Δ_t = w_t − w_{t−τ} = Σ_{i=1}^{τ} [(γ_{t−τ+1} ⋯ γ_{t−i}) d̄_t − η Σ_{k=t−τ}^{t−i} "
        "(γ_{k+1} ⋯ γ_{t−i})(1 − γ_k) ḡ_k] for every τ ≥ 0, any γ and every t > τ, and for "
        "t ≥ 1 where d_k = ḡ_k = 0 for k < 1 (taken with any vector)."
    ),
    latex=(
        r"\Delta_t = \sum_{i=1}^{\tau}\Big[\Big(\prod_{j=t-\tau+1}^{t-i}\gamma_j\Big)\bar d_t - "
        r"\eta\sum_{k=t-\tau}^{t-i}\Big(\prod_{j=k+1}^{t-i}\gamma_j\Big)(1-\gamma_k)\,\bar g_k\Big]"
    ),
    symbols=(eta, tau),
    indices=(k,),
    hypotheses=(*eq_19.THEOREM.hypotheses, window.IS_MODEL),
    cites=(eq_19.THEOREM,),
    steps=(
        Step(
            "move here",
            window.IS_MOVE.relation.replaced({m: k}),
            Everywhere(window.IS_MOVE.name, {m: k}),
        ),
        Step(
            "moves",
            eq(MODEL(k + 1) - MODEL(k), MOVE(k)),
            Combine({window.IS_MODEL.name: 1, "move here": -1}),
        ),
        Step(
            "(18)",
            eq(MODEL(tau) - MODEL(0), sympy.Sum(MOVE(k), _ITERATIONS)),
            Telescope("moves", k, tau),
            "(18)",
            "(20)",
        ),
        Step("(19)", _ONE, Cite("nesterov.eq-19", {eq_19.n: k}), "(19) at every i", "(20)"),
        Step(
            "sum of (19)",
            eq(sympy.Sum(MOVE(k), _ITERATIONS), sympy.Sum(_ONE.rhs, _ITERATIONS)),
            Telescope("(19)", k, tau),
        ),
    ),
    kind="==",
    lhs=MODEL(tau) - MODEL(0),
    terms={
        "look-ahead": sympy.Sum(PRODUCT(0, k) * AHEAD(0), _ITERATIONS),
        "gradients": -eta * sympy.Sum(_GRADIENTS, _ITERATIONS),
    },
    conclude=Combine({"(18)": 1, "sum of (19)": 1}),
)
