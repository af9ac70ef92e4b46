"""Asynchronous SGD as the kernel sees it: the points, vectors and assumptions of its theorems.

One update: x⁺ = x − η g, where g is a stochastic vector whose mean given the past is v and whose
variance is at most σ². In synchronous SGD v is ∇f(x). With a mismatch of one step it is ∇f(x̂), x̂
being x or the model x⁻ before it, if a stash keeps the weights of the forward; else v mixes both.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.kernel import Hypothesis, Operator, Point, Smooth, dot, eq, le, point, square, vector
from theory.kernel.vectors import Scalar, Vector

L: Final = sympy.Symbol("L", positive=True)
"""Smoothness constant of f."""

eta: Final = sympy.Symbol("eta", positive=True)
"""Stepsize."""

sigma: Final = sympy.Symbol("sigma", nonnegative=True)
"""Standard deviation bound of the stochastic vectors."""

T: Final = sympy.Symbol("T", integer=True, positive=True)
"""Updates."""

Delta: Final = sympy.Symbol("Delta", nonnegative=True)
"""f(x_0) − f*."""

X: Final = point("x")
"""The model x_t."""

DRAWN: Final = vector("g")
"""What the update subtracts, divided by η."""

LAST: Final = point("g⁻", "step")
"""The same of the update before, so that x_{t−1} is x_t + η g⁻; 0 at the start."""

THIS: Final = Point(DRAWN, sympy.Symbol("step(g)", real=True), vector("∇step(g)"), "step")
"""g in the same role, for the next update."""

NEXT: Final = Point(X.position - eta * DRAWN, sympy.Symbol("f(x⁺)", real=True), vector("∇f(x⁺)"))
"""The model x_{t+1}."""

E_T: Final = Operator("E_t", ("g", "f(x⁺)", "∇f(x⁺)", "step(g)", "∇step(g)"))
"""Expectation over the draw of update t, given everything before it."""

F: Final = sympy.Function("F", real=True)
S, R, U = (sympy.Function(name, nonnegative=True) for name in ("S", "R", "U"))
"""Total expectations by update: f(x_t), ‖∇f(x_t)‖², ‖v_t‖² and ‖g_{t−1}‖²."""

FOLLOWING: Final = ((X, NEXT), (LAST, THIS))

t: Final = sympy.Symbol("t", integer=True, nonnegative=True)
"""An update."""

AVERAGE: Final = sympy.Sum(S(t), (t, 0, T - 1)) / T
"""Mean over the updates of E‖∇f(x_t)‖²."""

F_STAR: Final = sympy.Symbol("f*", real=True)
"""A lower bound of f."""

MOVED: Final[Scalar] = eta**2 * square(LAST.position)
"""‖x_t − x_{t−1}‖²."""

SMOOTH: Final = Smooth("smooth", "f is L-smooth", L)
LOWER: Final = Hypothesis("lower bound", "f is at least f* everywhere", le(F_STAR, F(T)))
START: Final = Hypothesis("start", "Δ is f(x_0) − f*", eq(F(0), F_STAR + Delta))
AT_REST: Final = Hypothesis(
    "at rest", "x_{−1} is x_0: there is no update before the first", eq(U(0), 0)
)


def sequences(mean: Vector) -> dict[Scalar, Scalar]:
    """What the sequences are means of, for this mean of g."""
    return {F: X.value, S: square(X.gradient), R: square(mean), U: square(LAST.position)}


def mean_of(mean: Vector, against: Vector, name: str) -> Hypothesis:
    """The mean of g given the past, as an inner product with a vector fixed before the draw."""
    return Hypothesis(
        name,
        "stochastic gradients are unbiased: the mean of g given the past is v, that of its "
        "minibatch over all draws (taken with a fixed vector)",
        eq(E_T.of(dot(DRAWN, against)), dot(mean, against)),
    )


def noise(mean: Vector) -> Hypothesis:
    """The variance of g given the past."""
    return Hypothesis(
        "variance",
        "stochastic gradients have variance at most σ², given the past",
        le(E_T.of(square(DRAWN - mean)), sigma**2),
    )
