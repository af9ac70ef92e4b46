"""How often uniform draws hit the same block: the mean of Σ_i N_i² over a window.

N_i counts how many of w uniform draws hit block i, so Σ_i N_i² counts the ordered pairs of draws
that hit the same block: each draw with itself, and two different ones with probability
Σ_i (1/p)² = 1/p. In inner products: N is the vector of counts, a draw adds a unit vector u to it,
and ⟨u, N⟩ is the count of the block that is drawn.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    ClosedSum,
    Combine,
    Expect,
    Hypothesis,
    Operator,
    Point,
    Step,
    Telescope,
    Theorem,
    Total,
    dot,
    eq,
    point,
    square,
    vector,
)
from theory.papers.rpd.symbols import p

COUNTS: Final = point("N")
"""N after l draws."""
NEXT: Final = Point(vector("N⁺"), sympy.Symbol("f(N⁺)", real=True), vector("∇f(N⁺)"))
"""N after one draw more."""
HIT: Final = vector("u")
"""The unit vector of the block that is drawn."""
E_L: Final = Operator("E_l", ("u", "N⁺", "f(N⁺)", "∇f(N⁺)"), given=("N",), law="run")
"""Expectation over one draw, given those before."""

l: Final = sympy.Symbol("l", integer=True, nonnegative=True)  # noqa: E741
"""Draws so far."""
WINDOW: Final = sympy.Symbol("w", integer=True, nonnegative=True)
"""Draws in the window."""

PAIRS: Final = sympy.Function("P", real=True)
"""E‖N‖² after l draws."""
SEQUENCES: Final = {PAIRS: square(COUNTS.position)}
FOLLOWING: Final = ((COUNTS, NEXT),)

_OF = sympy.Function("N", nonnegative=True)
_I = sympy.Symbol("i", integer=True)
_ALL = sympy.Sum(_OF(_I, l), (_I, 1, p))

THEOREM: Final = Theorem(
    id="rpd.draw-counts",
    where="ours",
    statement=(
        "The mean of Σ_i N_i² is w(w + p − 1)/p, N_i being how often w uniform draws from p blocks "
        "hit block i."
    ),
    latex=r"\mathbb{E} \sum_i N_i^2 = \tfrac{w(w + p - 1)}{p}",
    symbols=(p, WINDOW),
    indices=(l,),
    vectors=(HIT,),
    points=(COUNTS, NEXT),
    sequences=SEQUENCES,
    following=FOLLOWING,
    hypotheses=(
        Hypothesis(
            "draw",
            "a draw adds 1 to the count of its block",
            eq(square(NEXT.position), square(COUNTS.position + HIT)),
        ),
        Hypothesis("one block", "u is a unit vector", eq(square(HIT), 1)),
        Hypothesis(
            "uniform draws",
            "every block has probability 1/p, given the draws before",
            eq(E_L.of(dot(HIT, COUNTS.position)), _ALL / p),
        ),
        Hypothesis("draws so far", "l draws have been made", eq(_ALL, l)),
        Hypothesis("first draw", "none have been made at the start", eq(PAIRS(0), 0)),
    ),
    steps=(
        Step(
            "longer",
            eq(
                square(NEXT.position),
                square(COUNTS.position) + 2 * dot(HIT, COUNTS.position) + 1,
            ),
            Combine({"draw": 1, "one block": 1}),
        ),
        Step(
            "mean of longer",
            eq(
                E_L.of(square(NEXT.position)),
                E_L.of(square(COUNTS.position) + 2 * dot(HIT, COUNTS.position) + 1),
            ),
            Expect("longer", E_L),
        ),
        Step(
            "mean",
            eq(E_L.of(square(NEXT.position)), square(COUNTS.position) + 2 * l / p + 1),
            Combine({"mean of longer": 1, "uniform draws": 2, "draws so far": 2 / p}),
            "a draw hits the block of each of the l draws before with probability 1/p",
        ),
        Step("growth", eq(PAIRS(l + 1), PAIRS(l) + 2 * l / p + 1), Total("mean", l)),
        Step(
            "sum",
            eq(PAIRS(WINDOW) - PAIRS(0), sympy.Sum(2 * l / p + 1, (l, 0, WINDOW - 1))),
            Telescope("growth", l, WINDOW),
            "sum over the draws of the window",
        ),
        Step(
            "numbers",
            eq(sympy.Sum(l, (l, 0, WINDOW - 1)), WINDOW * (WINDOW - 1) / 2),
            ClosedSum(l, WINDOW),
        ),
    ),
    kind="==",
    lhs=PAIRS(WINDOW),
    terms={"itself": WINDOW, "others": WINDOW * (WINDOW - 1) / p},
    conclude=Combine({"sum": 1, "first draw": 1, "numbers": 2 / p}),
)

CLAIM: Final = as_claim(THEOREM)
