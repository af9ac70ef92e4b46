"""μ ≤ L: no function that is L-smooth and bounded below satisfies a larger Polyak–Łojasiewicz μ.

A constant function is left out: it satisfies the inequality with every μ. One gradient step of
length 1/L from a point above f* lowers f by ‖∇f(x)‖²/(2L) ≥ (μ/L)(f(x) − f*), and not below f*.
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
    eq,
    le,
    point,
    square,
    vector,
)
from theory.papers.rpd.method import F_STAR, SMOOTH
from theory.papers.rpd.symbols import L, mu
from theory.papers.rpd.thm_h1 import PL

HEIGHT: Final = sympy.Symbol("h", positive=True)
"""How far f(z) lies above f*."""

ABOVE: Final = point("z")
"""A point at which f is not least; no iterate needs to be one."""

_LOWER = Point(
    ABOVE.position - ABOVE.gradient / L, sympy.Symbol("f(y)", real=True), vector("∇f(y)")
)

THEOREM: Final = Theorem(
    id="rpd.pl-constant",
    where="ours",
    statement=(
        "An L-smooth function that is not constant and satisfies the Polyak–Łojasiewicz inequality "
        "with μ has μ ≤ L."
    ),
    latex=r"\mu \le L",
    symbols=(L, mu, F_STAR),
    scalars=(HEIGHT,),
    points=(ABOVE, _LOWER),
    hypotheses=(
        SMOOTH,
        Hypothesis(
            "PL at z",
            PL.says,
            le(2 * mu * (ABOVE.value - F_STAR), square(ABOVE.gradient)),
        ),
        Hypothesis("lower bound", "f is at least f* everywhere", le(F_STAR, _LOWER.value)),
        Hypothesis("above", "f is not constant: f(z) = f* + h", eq(ABOVE.value, F_STAR + HEIGHT)),
    ),
    steps=(
        Step(
            "descent",
            descent(L, ABOVE, _LOWER),
            Descent("smooth", ABOVE, _LOWER),
            "a gradient step of length 1/L",
        ),
    ),
    lhs=mu,
    terms={"smoothness": L},
    conclude=Combine(
        {
            "descent": L / HEIGHT,
            "lower bound": L / HEIGHT,
            "PL at z": 1 / (2 * HEIGHT),
            "above": (L - mu) / HEIGHT,
        }
    ),
)

CLAIM: Final = as_claim(THEOREM)
