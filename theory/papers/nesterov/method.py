"""Nesterov's method with delayed gradients, as the kernel sees it: what its theorems share.

One iteration t of (14): the gradient ḡ_t is taken at y_t = w_{t−τ} + d_{t−τ}, and
w_{t+1} = w_t + d_t + h̄_t with h̄_t = −η(1 − γ_t)ḡ_t. Where the delay itself does not matter, y_t
is any point.
"""

import sympy

from theory.kernel import Hypothesis, Point, Smooth, le, point, vector
from theory.kernel.vectors import Scalar, Vector
from theory.notation import glossary
from theory.papers.nesterov import symbols
from theory.papers.nesterov.symbols import G, beta, gamma, lam, t

W = point("w")
"""w_t."""

D = vector("d")
"""The look-ahead d_t = γ_t(w_t − w_{t−1})."""

Y = point("y")
"""y_t, where the gradient is taken."""

STAR = Point(vector("w*"), sympy.Symbol("f*", real=True), vector("∇f(w*)"))
"""A minimiser; the printed inequalities hold for any point in its place."""

GRADIENT = Y.gradient
"""ḡ_t."""

AWAY = W.position + D - Y.position
"""Δ̄_t, how far y_t is from where it would be without a delay."""


def step(stepsize: Scalar = 1 / beta, momentum: Scalar = gamma) -> Vector:
    """h̄_t = −η(1 − γ_t)ḡ_t."""
    moved: Vector = GRADIENT * (-stepsize * (1 - momentum))
    return moved


def after(stepsize: Scalar = 1 / beta, momentum: Scalar = gamma) -> Point:
    """w_{t+1} = w_t + d_t + h̄_t."""
    position = W.position + D + step(stepsize, momentum)
    return Point(position, sympy.Symbol("f(w⁺)", real=True), vector("∇f(w⁺)"))


NEXT = after()
"""w_{t+1} for η = 1/β."""


def excess(weight: Scalar = lam, momentum: Scalar = gamma) -> Scalar:
    """Ω_t = λ_tβ/2‖Δ̄_t‖² + λ_t(γ_t − 1) ḡ_t·Δ̄_t."""
    return weight * beta / 2 * AWAY**2 + weight * (momentum - 1) * (GRADIENT @ AWAY)


SMOOTH = Smooth("smooth", "f is β-smooth, the third inequality of (21)", beta)
"""The first inequality of (21) is the kernel's rule `Descent`."""


def convex(name: str, at: Point, other: Point) -> Hypothesis:
    """The second inequality of (21): f lies above its tangent at a point, seen from another."""
    return Hypothesis(
        name,
        f"f is convex (at {at.value}, against {other.value})",
        le(at.value - other.value, at.gradient @ (at.position - other.position)),
    )


CONVEX_NOW = convex("convex at y, w", Y, W)
CONVEX_STAR = convex("convex at y, w*", Y, STAR)


def bounded(name: str, at: Point) -> Hypothesis:
    """Bounded gradients at a point, both sides squared."""
    return Hypothesis(
        name, f"gradients have norm at most G (at {at.value})", le(at.gradient**2, G**2)
    )


NOT_NEGATIVE = Hypothesis("momentum not negative", "0 ≤ γ_t", le(0, gamma))
WEIGHT = Hypothesis("weight", "1 ≤ λ_t", le(1, lam))

MOMENTUM = (t - 2) / t
"""γ_t of (29), for t ≥ 2."""
FIRST = sympy.S.Zero
"""γ_1, as stated beside (14)."""

letters = glossary({**vars(symbols), **globals()})
"""Gives these by name: ``a, b = letters("a b")``."""
