"""How far the stale point is from the current one, on one path, by which updates it misses.

`rpd.block-drift` for every block, and the sum over blocks. Nothing is said about how blocks are
drawn: with uniform draws this gives `rpd.sharp-drift`, with PipeDream's schedule `rpd.stale-power`.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, Telescope, Theorem, Total, eq, le, square
from theory.papers.rpd.lemmas import block_drift
from theory.papers.rpd.lemmas.block_drift import DISTANCE, MISSED
from theory.papers.rpd.method import STALE, X
from theory.papers.rpd.symbols import G, gamma, p

i: Final = sympy.Symbol("i", integer=True, nonnegative=True)
COUNTS: Final = sympy.Symbol("Q", nonnegative=True)
"""Σ_i n_i²."""

_DISTANCES, _SQUARES = (sympy.Function(name, nonnegative=True) for name in ("V", "n²"))
SEQUENCES: Final = {
    **block_drift.SEQUENCES,
    _DISTANCES: DISTANCE,
    _SQUARES: MISSED**2,
}
"""Along the path; the last two by block, from 0."""

_ALL_DISTANCES = sympy.Sum(_DISTANCES(i), (i, 0, p - 1))
_ALL_SQUARES = sympy.Sum(_SQUARES(i), (i, 0, p - 1))

THEOREM: Final = Theorem(
    id="rpd.drift-by-counts",
    where="ours",
    statement=(
        "‖x^k − x̂^k‖² ≤ γ²G² Σ_i n_i² on every path, however blocks are drawn, n_i being the "
        "number of updates of block i that x̂^k misses."
    ),
    latex=r"\|x^k - \hat x^k\|^2 \le \gamma^2 G^2 \sum_i n_i^2",
    symbols=(p, gamma, G, block_drift.DELAY),
    scalars=(block_drift.DRAWN, DISTANCE, MISSED, COUNTS),
    vectors=(block_drift.MOVED, block_drift.AWAY),
    points=(X, STALE, *block_drift.THEOREM.points),
    sequences=SEQUENCES,
    following=block_drift.FOLLOWING,
    hypotheses=(
        *block_drift.THEOREM.hypotheses,
        Hypothesis(
            "blocks",
            "a squared norm is the sum over blocks",
            eq(square(X.position - STALE.position), _ALL_DISTANCES),
        ),
        Hypothesis("counts", "Q is Σ_i n_i²", eq(COUNTS, _ALL_SQUARES)),
    ),
    cites=(block_drift.THEOREM,),
    steps=(
        Step("block", block_drift.THEOREM.goal, Cite("rpd.block-drift")),
        Step(
            "every block",
            le(_DISTANCES(i), gamma**2 * G**2 * _SQUARES(i)),
            Total("block", i),
            "the same for every block",
        ),
        Step(
            "all blocks",
            le(_ALL_DISTANCES, gamma**2 * G**2 * _ALL_SQUARES),
            Telescope("every block", i, p),
            "sum over the blocks",
        ),
    ),
    lhs=square(X.position - STALE.position),
    terms={"drift": gamma**2 * G**2 * COUNTS},
    conclude=Combine({"all blocks": 1, "blocks": 1, "counts": -(gamma**2) * G**2}),
)

CLAIM: Final = as_claim(THEOREM)
