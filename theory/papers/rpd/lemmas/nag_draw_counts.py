"""`rpd.draw-counts` with one draw before the window that counts β.

W_i is how many of w uniform draws hit block i, plus β if the draw before them did.
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
    Step,
    Telescope,
    Theorem,
    Total,
    dot,
    eq,
    square,
)
from theory.papers.rpd.lemmas.draw_counts import (
    COUNTS,
    E_L,
    FOLLOWING,
    HIT,
    NEXT,
    PAIRS,
    SEQUENCES,
    WINDOW,
    l,
)
from theory.papers.rpd.symbols import beta, p

_OF = sympy.Function("W", nonnegative=True)
_I = sympy.Symbol("i", integer=True)
_ALL = sympy.Sum(_OF(_I, l), (_I, 1, p))
_LONGER = square(COUNTS.position) + 2 * dot(HIT, COUNTS.position) + 1
_GROWTH = 2 * (l + beta) / p + 1

THEOREM: Final = Theorem(
    id="rpd.nag-draw-counts",
    where="ours",
    statement=(
        "The mean of Σ_i W_i² is (w(w + p − 1) + 2βw + pβ²)/p, W_i being how often w uniform draws "
        "from p blocks hit block i, plus β if the draw before them did."
    ),
    latex=r"\mathbb{E} \sum_i W_i^2 = \tfrac{w(w + p - 1) + 2\beta w + p\beta^2}{p}",
    symbols=(p, WINDOW, beta),
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
        Hypothesis(
            "draws so far", "l draws have been made, and one that counts β", eq(_ALL, l + beta)
        ),
        Hypothesis("first draw", "which is all there is at the start", eq(PAIRS(0), beta**2)),
    ),
    steps=(
        Step("longer", eq(square(NEXT.position), _LONGER), Combine({"draw": 1, "one block": 1})),
        Step(
            "mean of longer",
            eq(E_L.of(square(NEXT.position)), E_L.of(_LONGER)),
            Expect("longer", E_L),
        ),
        Step(
            "mean",
            eq(E_L.of(square(NEXT.position)), square(COUNTS.position) + _GROWTH),
            Combine({"mean of longer": 1, "uniform draws": 2, "draws so far": 2 / p}),
        ),
        Step("growth", eq(PAIRS(l + 1), PAIRS(l) + _GROWTH), Total("mean", l)),
        Step(
            "sum",
            eq(PAIRS(WINDOW) - PAIRS(0), sympy.Sum(_GROWTH, (l, 0, WINDOW - 1))),
            Telescope("growth", l, WINDOW),
        ),
        Step(
            "numbers",
            eq(sympy.Sum(l, (l, 0, WINDOW - 1)), WINDOW * (WINDOW - 1) / 2),
            ClosedSum(l, WINDOW),
        ),
    ),
    kind="==",
    lhs=PAIRS(WINDOW),
    terms={
        "window": WINDOW * (WINDOW + p - 1) / p,
        "with the draw before": 2 * beta * WINDOW / p,
        "draw before": beta**2,
    },
    conclude=Combine({"sum": 1, "first draw": 1, "numbers": 2 / p}),
)

CLAIM: Final = as_claim(THEOREM)
