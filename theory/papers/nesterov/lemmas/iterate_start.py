"""The start of the repaired rate: until the first look-ahead is seen, every gradient is ∇f(w_1).

That is so for t ≤ τ + 1, where γ_1 = 0 makes the first step half as long as (29) would:
w_2 = w_1 − η∇f(w_1) and z_{τ+2} = w_1 − w* − η(2τ + 1)∇f(w_1).
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
    le,
    square,
    vector,
)
from theory.papers.nesterov.lemmas import interpolation
from theory.papers.nesterov.lemmas.repaired_start import FIRST, LATE, LOWER, MIDDLE, ONWARD, START
from theory.papers.nesterov.lemmas.repaired_step import F_STAR, STAR
from theory.papers.nesterov.method import SMOOTH
from theory.papers.nesterov.symbols import R, beta, eta, tau

SECOND: Final = Point(
    FIRST.position - eta * FIRST.gradient, sympy.Symbol("f(w₂)", real=True), vector("∇f(w₂)")
)
"""w_2."""
STEPSIZE: Final = Hypothesis(
    "stepsize",
    "(4τ − 2)βη + 2β²η² ≤ 1",
    le((4 * tau - 2) * beta * eta + 2 * beta**2 * eta**2, 1),
)
_SIZE = square(FIRST.gradient)
_REACH = eta * (2 * tau + 1)
_SHORT = beta * eta
KEPT: Final = 2 * tau * (tau - 1) + 4 * tau * _SHORT
"""How many η²‖∇f(w_1)‖² the windows hold at first."""

THEOREM: Final = Theorem(
    id="nesterov.iterate-start",
    where="ours",
    statement=(
        "For τ ≥ 1 and (4τ − 2)βη + 2β²η² ≤ 1, ‖z_{τ+2}‖² + 4η(f(w_2) − f*) + "
        "(2τ(τ − 1) + 4τβη)η²‖∇f(w_1)‖² is at most ‖w_1 − w*‖²."
    ),
    latex=(
        r"\|z_{\tau+2}\|^2 + 4\eta(f(w_2) - f^*) + "
        r"(2\tau(\tau-1) + 4\tau\beta\eta)\eta^2\|\nabla f(w_1)\|^2 \le \|w_1 - w^*\|^2"
    ),
    symbols=(beta, eta, tau, R, F_STAR),
    points=(FIRST, SECOND, LOWER, STAR, MIDDLE),
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
        Step(
            "first step",
            descent(beta, FIRST, SECOND),
            Descent("smooth", FIRST, SECOND),
            "from w_1 to w_2",
        ),
    ),
    lhs=square(ONWARD) + 4 * eta * (SECOND.value - F_STAR) + KEPT * eta**2 * _SIZE,
    terms={"distance": R**2},
    conclude=Combine(
        {
            "first step": 4 * eta,
            "against w*": 2 * _REACH,
            "height": 2 * eta * (2 * tau - 1),
            "nothing lower": 2 * eta * (2 * tau - 1),
            "least": 4 * eta,
            "distance": 1,
            "stationary at first": 2 * _REACH / beta,
            "stepsize": 4 * tau * eta * _SIZE / beta,
        },
        squares=((_REACH / beta, STAR.gradient),),
        plus=(
            eta**2 * _SIZE * (10 * tau * (tau - 1) + 3),
            eta**2 * _SIZE * _SHORT * (4 * tau - 2),
        ),
        domain=("delay",),
    ),
)

CLAIM: Final = as_claim(THEOREM)
