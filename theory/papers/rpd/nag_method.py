"""NAG-RPD as the kernel sees it: RPD with a stale point that is extrapolated.

x̃_i = x_i^r + β(x_i^r − x_i^{r−1}) at r = k − d_i, which is x̂ + βy with y the last increments; the
update is that of RPD with x̃ in place of x̂.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import sympy

from theory.kernel import Combine, Hypothesis, Point, Step, eq, le, square, vector
from theory.kernel.vectors import Scalar, Vector
from theory.papers.rpd import method
from theory.papers.rpd.method import STALE, X
from theory.papers.rpd.symbols import beta

INCREMENT: Final = vector("y")
"""In block i: x_i^r − x_i^{r−1} at r = k − d_i, 0 where r = 0."""

AHEAD: Final = Point(
    STALE.position + beta * INCREMENT, sympy.Symbol("f(x̃)", real=True), vector("∇f(x̃)")
)
"""The extrapolated stale model x̃^k at which the gradient is taken."""

AWAY: Final = X.position - AHEAD.position
LENGTH: Final = Step(
    "length",
    le(0, square(AWAY)),
    Combine(squares=((1, AWAY),)),
    "‖x − x̃‖² has a root",
)

AT_AHEAD: Final[dict[str, Vector]] = {
    "x̂": AHEAD.position,
    "∇f(x̂)": AHEAD.gradient,
}
"""What takes the place of the vectors of RPD's theorems, …"""
VALUE_AHEAD: Final[dict[Scalar, Scalar]] = {STALE.value: AHEAD.value}
"""… and of the function value."""


def uniform(against: Vector) -> tuple[Hypothesis, ...]:
    """Assumption B.1 and the finite sum at x̃, as in `theory.papers.rpd.method.uniform`."""
    return tuple(
        replace(
            one,
            says=one.says.replace("x̂", "x̃"),
            relation=one.relation.replaced({}, {"∇f(x̂)": AHEAD.gradient}),
        )
        for one in method.uniform(against)
    )


APART: Final = vector("x − x̃")
NAMED: Final = Hypothesis("apart", "a name for x − x̃", eq(square(APART), square(AWAY)))

DRIFT: Final = sympy.Function("nag drift", nonnegative=True)
"""By iteration: E‖x^k − x̃^k‖²."""
