"""What convexity and smoothness give together: the tangent inequality with a margin.

For a convex β-smooth f: the descent lemma from x to u = x − (∇f(x) − ∇f(y))/β, and the tangent at y
seen from u.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Combine,
    Descent,
    Point,
    Relation,
    Step,
    Theorem,
    descent,
    dot,
    le,
    point,
    square,
    vector,
)
from theory.papers.nesterov.method import SMOOTH, convex
from theory.papers.nesterov.symbols import beta

X: Final = point("x")
Y: Final = point("y")


def between(one: Point, other: Point, name: str) -> Point:
    """The point u = x − (∇f(x) − ∇f(y))/β at which the two inequalities meet."""
    position = one.position - (one.gradient - other.gradient) / beta
    return Point(position, sympy.Symbol(f"f({name})", real=True), vector(f"∇f({name})"))


U: Final = between(X, Y, "u")


def interpolated(one: Point, other: Point) -> Relation:
    """f(y) − f(x) ≤ ⟨∇f(y), y − x⟩ − ‖∇f(x) − ∇f(y)‖²/(2β)."""
    way = other.position - one.position
    margin = square(one.gradient - other.gradient) / (2 * beta)
    return le(other.value - one.value, dot(other.gradient, way) - margin)


def at(one: Point, other: Point, middle: Point) -> Cite:
    """The lemma at two other points, u being `middle`."""
    pairs = ((X, one), (Y, other), (U, middle))
    return Cite(
        THEOREM.id,
        scalars={mine.value: theirs.value for mine, theirs in pairs},
        vectors={
            **dict.fromkeys(X.position.names, one.position),
            **dict.fromkeys(Y.position.names, other.position),
            **{next(iter(mine.gradient.names)): theirs.gradient for mine, theirs in pairs},
        },
    )


THEOREM: Final = Theorem(
    id="nesterov.interpolation",
    where="ours",
    statement=(
        "f(y) − f(x) ≤ ⟨∇f(y), y − x⟩ − ‖∇f(x) − ∇f(y)‖²/(2β) for every convex β-smooth f and all "
        "x, y."
    ),
    latex=(
        r"f(y) - f(x) \le \langle \nabla f(y), y - x\rangle - "
        r"\tfrac{1}{2\beta}\|\nabla f(x) - \nabla f(y)\|^2"
    ),
    symbols=(beta,),
    points=(X, Y, U),
    hypotheses=(SMOOTH, convex("convex at y, u", Y, U)),
    steps=(
        Step(
            "descent",
            descent(beta, X, U),
            Descent("smooth", X, U),
            "f(u) ≤ f(x) + ⟨∇f(x), u − x⟩ + (β/2)‖u − x‖²",
        ),
    ),
    lhs=Y.value - X.value,
    terms={
        "slope": dot(Y.gradient, Y.position - X.position),
        "margin": -square(X.gradient - Y.gradient) / (2 * beta),
    },
    conclude=Combine({"descent": 1, "convex at y, u": 1}),
)

CLAIM: Final = as_claim(THEOREM)
