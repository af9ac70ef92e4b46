"""RPD as the kernel sees it: the points, vectors and assumptions that its theorems share.

One iteration: the stale point x̂ is fixed, a block i and a component m are drawn uniformly, and
x⁺ = x − γ g with g the block gradient of f_m at x̂, put into the whole space (update (2)).
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.kernel import Hypothesis, Operator, Point, Smooth, dot, eq, le, point, square, vector
from theory.kernel.vectors import Scalar, Vector
from theory.papers.rpd.symbols import Delta, G, K, L, gamma, n, p

X: Final = point("x")
"""The model x^k."""

STALE: Final = point("x̂")
"""The stale model x̂^k at which the gradient is taken."""

STEP: Final = vector("g")
"""g^k: the drawn block gradient in the whole space."""

NEXT: Final = Point(X.position - gamma * STEP, sympy.Symbol("f(x⁺)", real=True), vector("∇f(x⁺)"))
"""The model x^{k+1}."""

E_K: Final = Operator("E_k", ("g", "f(x⁺)", "∇f(x⁺)"), law="run")
"""Expectation over the draw of iteration k, given everything before it."""

F: Final = sympy.Function("F", real=True)
S, S_STALE = (sympy.Function(name, nonnegative=True) for name in ("S", "Ŝ"))
"""Total expectations by iteration: f(x^k), ‖∇f(x^k)‖² and ‖∇f(x̂^k)‖²."""

SEQUENCES: Final = {
    F: X.value,
    S: square(X.gradient),
    S_STALE: square(STALE.gradient),
}
FOLLOWING: Final = ((X, NEXT),)

k: Final = sympy.Symbol("k", integer=True, nonnegative=True)
"""An iteration."""

AVERAGE: Final = sympy.Sum(S(k), (k, 0, K - 1)) / K
"""Mean over the iterations of E‖∇f(x^k)‖²."""

F_STAR: Final = sympy.Symbol("f*", real=True)
"""A lower bound of f."""

SMOOTH: Final = Smooth("smooth", "f is L-smooth", L)
BOUNDED: Final = Hypothesis(
    "bounded", "block gradients along the trajectory have norm at most G", le(square(STEP), G**2)
)
LOWER: Final = Hypothesis("lower bound", "f is at least f* everywhere", le(F_STAR, F(K)))
START: Final = Hypothesis("start", "Δ is f(x⁰) − f*", eq(F(0), F_STAR + Delta))

_PART = sympy.Function("D", real=True)
_I, _M = sympy.symbols("i m", integer=True)


def uniform(against: Vector) -> tuple[Hypothesis, Hypothesis]:
    """Assumption B.1 and the finite sum, as inner products with a vector fixed before the draw.

    D(i, m) is the inner product of block i of ∇f_m(x̂), put into the whole space, with it.
    """
    parts = sympy.Sum(_PART(_I, _M), (_I, 1, p), (_M, 1, n))
    draw: Scalar = E_K.of(dot(STEP, against))
    return (
        Hypothesis("uniform", "(i, m) is uniform given the past and x̂", eq(draw, parts / (p * n))),
        Hypothesis(
            "finite sum",
            "f is the mean of f_1, …, f_n, and a gradient the sum of its blocks",
            eq(dot(STALE.gradient, against), parts / n),
        ),
    )
