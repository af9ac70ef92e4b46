"""The start of the repaired bound: until the first look-ahead is seen, every gradient is ∇f(w_1).

That is so for t ≤ τ + 1, where γ_1 = 0 makes the first step half as long as (29) would; so
z_{τ+2} = w_1 − w* − η(2τ + 1)∇f(w_1).
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Descent,
    Hypothesis,
    Point,
    Step,
    Theorem,
    descent,
    dot,
    eq,
    le,
    point,
    square,
    vector,
)
from theory.papers.nesterov.lemmas import interpolation
from theory.papers.nesterov.lemmas.repaired_step import F_STAR, STAR
from theory.papers.nesterov.method import SMOOTH, convex
from theory.papers.nesterov.symbols import R, beta, eta, tau

FIRST: Final = point("w₁")
"""w_1."""
LOWER: Final = Point(
    FIRST.position - FIRST.gradient / beta, sympy.Symbol("f(v₁)", real=True), vector("∇f(v₁)")
)
"""One gradient step of length 1/β further."""
MIDDLE: Final = interpolation.between(STAR, FIRST, "u₁")

LATE: Final = Hypothesis("delay", "τ ≥ 1", le(1, tau))
a: Final = 2 * tau - 1
STEPSIZE: Final = Hypothesis(
    "stepsize",
    "η ≤ a/(2(a² + 1)β) with a = 2τ − 1",
    le(2 * (a**2 + 1) * beta * eta, a),
)
START: Final = (
    Hypothesis("distance", "R is ‖w_1 − w*‖", eq(square(FIRST.position - STAR.position), R**2)),
    Hypothesis("least", "f* is f(w*)", eq(STAR.value, F_STAR)),
    Hypothesis("nothing lower", "w* is a minimiser", le(STAR.value, LOWER.value)),
    Hypothesis(
        "stationary at first",
        "∇f(w*) = 0 (taken with ∇f(w_1))",
        eq(dot(STAR.gradient, FIRST.gradient), 0),
    ),
    convex("convex at w₁, u₁", FIRST, MIDDLE),
)
ONWARD: Final = FIRST.position - STAR.position - eta * (2 * tau + 1) * FIRST.gradient
"""z_{τ+2}."""
_SIZE = square(FIRST.gradient)
_REACH = eta * (2 * tau + 1)
_SPARE = eta**2 * tau * (5 * a**2 - 7 * a + 8) / a

THEOREM: Final = Theorem(
    id="nesterov.repaired-start",
    where="ours",
    statement=(
        "For τ ≥ 1 and η ≤ a/(2(a² + 1)β), a = 2τ − 1, ‖z_{τ+2}‖² + 4η(f(w_1) − f*) + "
        "(2τ² − 1)η²‖∇f(w_1)‖² is at most ‖w_1 − w*‖²."
    ),
    latex=(
        r"\|z_{\tau+2}\|^2 + 4\eta(f(w_1) - f^*) + (2\tau^2 - 1)\eta^2\|\nabla f(w_1)\|^2 "
        r"\le \|w_1 - w^*\|^2"
    ),
    symbols=(beta, eta, tau, R, F_STAR),
    points=(FIRST, LOWER, STAR, MIDDLE),
    hypotheses=(SMOOTH, *START, LATE, STEPSIZE),
    cites=(interpolation.THEOREM,),
    steps=(
        Step(
            "against w*",
            interpolation.interpolated(STAR, FIRST),
            interpolation.at(STAR, FIRST, MIDDLE),
            "convexity at w_1 against w*",
        ),
        Step(
            "height",
            descent(beta, FIRST, LOWER),
            Descent("smooth", FIRST, LOWER),
            "f(w_1) − f* ≥ ‖∇f(w_1)‖²/(2β)",
        ),
    ),
    lhs=square(ONWARD) + 4 * eta * (FIRST.value - F_STAR) + (2 * tau**2 - 1) * eta**2 * _SIZE,
    terms={"distance": R**2},
    conclude=Combine(
        {
            "against w*": 2 * _REACH,
            "height": 2 * eta * (2 * tau - 1),
            "nothing lower": 2 * eta * (2 * tau - 1),
            "least": 4 * eta,
            "distance": 1,
            "stationary at first": 2 * _REACH / beta,
            "stepsize": 4 * tau * eta * _SIZE / (beta * a),
        },
        squares=((_REACH / beta, STAR.gradient),),
        plus=(_SPARE * _SIZE,),
        domain=("delay",),
    ),
)

CLAIM: Final = as_claim(THEOREM)
