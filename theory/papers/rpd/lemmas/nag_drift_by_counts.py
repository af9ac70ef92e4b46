"""How far the extrapolated point is from the current one, on one path, by which blocks are drawn.

Block i of x − x̃ is block i of x − x̂ less β times one increment. Both come from the τ + 1 latest
updates: if n of the d_i updates that x̂_i misses drew the block, and the one before them did (b = 1)
or not (b = 0), then n + b of the latest τ + 1 did. For β ≤ 1 the increment counts most if it is the
oldest of them.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Combine,
    Found,
    Hypothesis,
    Step,
    Telescope,
    Theorem,
    Total,
    Triangle,
    eq,
    le,
    square,
    vector,
)
from theory.papers.rpd.lemmas import block_drift
from theory.papers.rpd.lemmas.block_drift import DISTANCE, MISSED
from theory.papers.rpd.lemmas.drift_by_counts import i
from theory.papers.rpd.method import STALE, X
from theory.papers.rpd.nag_method import AHEAD, AWAY, INCREMENT
from theory.papers.rpd.symbols import G, beta, gamma, p

BLOCK: Final = vector("y_i")
"""Block i of the increments."""
BEFORE: Final = sympy.Symbol("b_i", nonnegative=True)
"""1 if that increment's update, the one before the last d_i, drew block i, else 0."""
DRAWN: Final = sympy.Symbol("N_i", nonnegative=True)
"""How many of the last τ updates drew block i."""
OLDEST: Final = sympy.Symbol("h_i", nonnegative=True)
"""1 if the update before those drew block i, else 0."""
WEIGHT: Final = sympy.Symbol("w_i", nonnegative=True)
"""N_i + βh_i."""
AHEAD_DISTANCE: Final = sympy.Symbol("Ṽ", nonnegative=True)
"""‖x_i^k − x̃_i^k‖²."""
COUNTS: Final = sympy.Symbol("Q̃", nonnegative=True)
"""Σ_i (N_i + βh_i)²."""

_DISTANCES, _SQUARES = (sympy.Function(name, nonnegative=True) for name in ("Ṽ", "w²"))
SEQUENCES: Final = {
    **block_drift.SEQUENCES,
    _DISTANCES: AHEAD_DISTANCE,
    _SQUARES: WEIGHT**2,
}
"""Along the path; the last two by block, from 0."""

_ALL_DISTANCES = sympy.Sum(_DISTANCES(i), (i, 0, p - 1))
_ALL_SQUARES = sympy.Sum(_SQUARES(i), (i, 0, p - 1))
_UPDATE = gamma * G
_BLOCK_AWAY = block_drift.AWAY - beta * BLOCK

THEOREM: Final = Theorem(
    id="rpd.nag-drift-by-counts",
    where="ours",
    statement=(
        "‖x^k − x̃^k‖² ≤ γ²G² Σ_i (N_i + βh_i)² on every path for β ≤ 1, N_i being how many of the "
        "last τ updates drew block i and h_i whether the one before them did."
    ),
    latex=r"\|x^k - \tilde x^k\|^2 \le \gamma^2 G^2 \sum_i (N_i + \beta h_i)^2",
    symbols=(p, gamma, G, beta, block_drift.DELAY),
    scalars=(
        block_drift.DRAWN,
        DISTANCE,
        MISSED,
        BEFORE,
        DRAWN,
        OLDEST,
        WEIGHT,
        AHEAD_DISTANCE,
        COUNTS,
    ),
    vectors=(block_drift.MOVED, block_drift.AWAY, BLOCK, INCREMENT),
    points=(X, STALE, AHEAD, *block_drift.THEOREM.points),
    sequences=SEQUENCES,
    following=block_drift.FOLLOWING,
    hypotheses=(
        *block_drift.THEOREM.hypotheses,
        Hypothesis(
            "increment",
            "block i of y is what the update before the last d_i moved it by: at most γG, or 0",
            le(square(BLOCK), _UPDATE**2 * BEFORE**2),
        ),
        Hypothesis("missed", "d_i ≤ τ: n_i ≤ N_i", le(MISSED, DRAWN)),
        Hypothesis(
            "with the one before",
            "d_i + 1 ≤ τ + 1: n_i + b_i ≤ N_i + h_i",
            le(MISSED + BEFORE, DRAWN + OLDEST),
        ),
        Hypothesis("weight", "w_i is N_i + βh_i", eq(WEIGHT, DRAWN + beta * OLDEST)),
        Hypothesis("extrapolation", "β ≤ 1", le(beta, 1)),
        Hypothesis(
            "ahead",
            "Ṽ is ‖x_i − x̃_i‖², and x_i − x̃_i = (x_i − x̂_i) − βy_i",
            eq(AHEAD_DISTANCE, square(_BLOCK_AWAY)),
        ),
        Hypothesis(
            "blocks", "a squared norm is the sum over blocks", eq(square(AWAY), _ALL_DISTANCES)
        ),
        Hypothesis("counts", "Q̃ is Σ_i w_i²", eq(COUNTS, _ALL_SQUARES)),
    ),
    cites=(block_drift.THEOREM,),
    steps=(
        Step("stale", block_drift.THEOREM.goal, Cite("rpd.block-drift")),
        Step(
            "length",
            le(square(block_drift.AWAY), (_UPDATE * MISSED) ** 2),
            Combine({"stale": 1, "distance": 1}),
        ),
        Step(
            "triangle",
            le(square(_BLOCK_AWAY), _UPDATE**2 * (MISSED + beta * BEFORE) ** 2),
            Triangle(
                (
                    ("length", sympy.Integer(1), block_drift.AWAY, _UPDATE * MISSED),
                    ("increment", beta, -BLOCK, _UPDATE * BEFORE),
                )
            ),
        ),
        Step("within", le(0, 1 - beta), Combine({"extrapolation": 1})),
        Step(
            "oldest",
            le(MISSED + beta * BEFORE, WEIGHT),
            Found("missed", "with the one before", "weight", "within"),
            "n_i + βb_i ≤ N_i + βh_i",
        ),
        Step(
            "block",
            le(AHEAD_DISTANCE, _UPDATE**2 * WEIGHT**2),
            Found("triangle", "ahead", "oldest"),
        ),
        Step("every block", le(_DISTANCES(i), _UPDATE**2 * _SQUARES(i)), Total("block", i)),
        Step(
            "all blocks",
            le(_ALL_DISTANCES, _UPDATE**2 * _ALL_SQUARES),
            Telescope("every block", i, p),
            "sum over the blocks",
        ),
    ),
    lhs=square(AWAY),
    terms={"drift": gamma**2 * G**2 * COUNTS},
    conclude=Combine({"all blocks": 1, "blocks": 1, "counts": -(gamma**2) * G**2}),
)

CLAIM: Final = as_claim(THEOREM)
