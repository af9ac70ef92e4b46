"""What a first gradient step leaves of the height and of the distance together.

The certificate takes three inequalities between w*, w_1 and w_2 with the margin that smoothness
gives. Huber's function with its edge at a fifth of the distance attains the constant.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Hypothesis, Point, Step, Theorem, dot, eq, point, square
from theory.kernel.vectors import vector
from theory.papers.nesterov.lemmas import interpolation
from theory.papers.nesterov.lemmas.interpolation import between, interpolated
from theory.papers.nesterov.method import SMOOTH, STAR, convex
from theory.papers.nesterov.symbols import R, beta

FIRST: Final = point("w_1")
SECOND: Final = Point(
    FIRST.position - FIRST.gradient / beta, sympy.Symbol("f(w_2)", real=True), vector("∇f(w_2)")
)
"""w_2: γ_1 = 0, and y_1 = w_1."""

_PAIRS = {
    "w*, w_1": (STAR, FIRST, between(STAR, FIRST, "u₁")),
    "w*, w_2": (STAR, SECOND, between(STAR, SECOND, "u₂")),
    "w_1, w_2": (FIRST, SECOND, between(FIRST, SECOND, "u₃")),
}
_WAY = FIRST.position - STAR.position
_SUM = FIRST.gradient + SECOND.gradient

MINIMUM: Final = tuple(
    Hypothesis(
        f"minimum, {name}",
        f"w* is a minimiser: ∇f(w*) is 0 (taken with ∇f({name}))",
        eq(dot(STAR.gradient, one.gradient), 0),
    )
    for name, one in (("w_1", FIRST), ("w_2", SECOND))
)


def _share(value: int) -> sympy.Rational:
    """So many sixteenths."""
    return sympy.Rational(value, 16)


THEOREM: Final = Theorem(
    id="nesterov.first-drop",
    where="ours",
    statement=(
        "w_2 = w_1 − ∇f(w_1)/β has f(w_2) − f* + β/4 ‖w_2 − w*‖² ≤ 3β/10 ‖w_1 − w*‖² for every "
        "convex β-smooth f with a minimiser."
    ),
    latex=(r"f(w_2) - f^* + \tfrac\beta4\|w_2 - w^*\|^2 \le \tfrac{3\beta}{10}\|w_1 - w^*\|^2"),
    symbols=(beta, R),
    points=(FIRST, SECOND, STAR, *(middle for *_, middle in _PAIRS.values())),
    hypotheses=(
        SMOOTH,
        *(convex(f"convex, {name}", end, middle) for name, (_, end, middle) in _PAIRS.items()),
        *MINIMUM,
        Hypothesis("start", "R is ‖w_1 − w*‖", eq(square(_WAY), R**2)),
    ),
    cites=(interpolation.THEOREM,),
    steps=tuple(
        Step(name, interpolated(one, other), interpolation.at(one, other, middle))
        for name, (one, other, middle) in _PAIRS.items()
    ),
    lhs=SECOND.value - STAR.value + beta / 4 * square(SECOND.position - STAR.position),
    terms={"start": 3 * beta * R**2 / 10},
    conclude=Combine(
        {
            "w*, w_1": _share(12),
            "w*, w_2": _share(4),
            "w_1, w_2": _share(12),
            "minimum, w_1": _share(12) / beta,
            "minimum, w_2": _share(4) / beta,
            "start": 3 * beta / 10,
        },
        squares=(
            (beta / 20, _WAY - _SUM * (sympy.Rational(5, 2) / beta)),
            (_share(3) / beta, FIRST.gradient - SECOND.gradient),
            (_share(8) / beta, STAR.gradient),
        ),
    ),
)

CLAIM: Final = as_claim(THEOREM)
