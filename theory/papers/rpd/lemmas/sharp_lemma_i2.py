"""Lemma I.2 with its exact constant for β ≤ 1: without √p.

x − x̃ = (x − x̂) − βy. Of the τ + 1 latest updates q give y an increment, one a block, and the
others are at most M ≤ τ + 1 − q missed ones. A missed update pairs with y in its own block only,
where y has one increment, so ‖x − x̃‖² ≤ γ²G²(M² + 2βM + qβ²). At M = τ + 1 − q that is convex in
q; for β² ≤ 2β + τ its maximum is at q = 1. `rpd.sharp-lemma-i2-any-beta` has it for every β.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Expect,
    Hypothesis,
    Operator,
    Step,
    Theorem,
    dot,
    eq,
    le,
    square,
    vector,
)
from theory.kernel.rules.norms import Root
from theory.papers.rpd.method import STALE, X
from theory.papers.rpd.nag_method import AHEAD, AWAY, INCREMENT, LENGTH
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, beta, gamma, tau

MISSED: Final = vector("e")
"""What an update moved that x̂ does not have."""
BLOCK: Final = vector("y_i")
"""A block of the increments: beside an update, that update's block."""

COUNT: Final = sympy.Symbol("M", integer=True, nonnegative=True)
"""Updates that x̂ does not have."""
AHEAD_BLOCKS: Final = sympy.Symbol("q", integer=True, positive=True)
"""Blocks in which an update gives y its increment; 1 if there is none."""

_S, _Q = COUNT, AHEAD_BLOCKS
_UPDATES = Operator("avg", ("e", "y_i"), given=("y",))
_BLOCKS = Operator("avg_i", ("y_i",), given=("e",))
_STALE = X.position - STALE.position
_ONE = gamma**2 * G**2
_PAIR = 2 * dot(MISSED, INCREMENT)

HYPOTHESES: Final = (
    Hypothesis(
        "window",
        "x − x̂ is the sum of what M updates moved",
        eq(square(_STALE), _S * _UPDATES.of(dot(MISSED, _STALE))),
    ),
    Hypothesis(
        "window with y",
        "the same, taken with y",
        eq(dot(_STALE, INCREMENT), _S * _UPDATES.of(dot(MISSED, INCREMENT))),
    ),
    Hypothesis(
        "one update",
        "an update moves one block, by γ times a block gradient, of norm at most G",
        le(square(MISSED), gamma**2 * G**2),
    ),
    Hypothesis(
        "same block",
        "so it pairs with that block of y only",
        eq(dot(MISSED, INCREMENT), dot(MISSED, BLOCK)),
    ),
    Hypothesis(
        "one increment",
        "a block of y is what one update moved, or 0",
        le(square(BLOCK), gamma**2 * G**2),
    ),
    Hypothesis(
        "blocks",
        "y has q blocks that may differ from 0: their squared norms add up",
        eq(square(INCREMENT), _Q * _BLOCKS.of(square(BLOCK))),
    ),
    Hypothesis(
        "positions",
        "these are different updates among the τ + 1 latest (delays at most τ)",
        le(_S + _Q, tau + 1),
    ),
)

STEPS: Final = (
    Step(
        "square",
        le(0, square(_S * MISSED - _STALE)),
        Combine(squares=((1, _S * MISSED - _STALE),)),
    ),
    Step(
        "spread",
        le(0, _UPDATES.of(square(_S * MISSED - _STALE))),
        Expect("square", _UPDATES),
    ),
    Step("size", le(_UPDATES.of(square(MISSED)), _ONE), Expect("one update", _UPDATES)),
    Step(
        "stale",
        le(square(_STALE), _S**2 * _ONE),
        Combine({"spread": 1, "window": 2, "size": _S**2}),
        "‖x − x̂‖ ≤ γGM",
    ),
    Step(
        "pair",
        le(-_PAIR, 2 * _ONE),
        Combine(
            {"one update": 1, "one increment": 1, "same block": -2},
            squares=((1, MISSED + BLOCK),),
        ),
    ),
    Step("pairs", le(-_UPDATES.of(_PAIR), 2 * _ONE), Expect("pair", _UPDATES)),
    Step("each", le(_BLOCKS.of(square(BLOCK)), _ONE), Expect("one increment", _BLOCKS)),
    Step("increments", le(square(INCREMENT), _Q * _ONE), Combine({"each": _Q, "blocks": 1})),
    Step(
        "path",
        le(square(AWAY), _ONE * (_S**2 + 2 * beta * _S + _Q * beta**2)),
        Combine(
            {"stale": 1, "window with y": -2 * beta, "pairs": beta * _S, "increments": beta**2}
        ),
        "‖x − x̃‖² ≤ γ²G²(M² + 2βM + qβ²)",
    ),
    Step(
        "full",
        le(square(AWAY), _ONE * ((tau + 1 - _Q + beta) ** 2 + (_Q - 1) * beta**2)),
        Combine(
            {"path": 1, "positions": _ONE * (tau + 1 - _Q + _S + 2 * beta)}, domain=("positions",)
        ),
        "as M ≤ τ + 1 − q",
    ),
)

_SIZE = gamma * G * (tau + beta)

THEOREM: Final = Theorem(
    id="rpd.sharp-lemma-i2",
    where="ours",
    statement=(
        "‖x^k − x̃^k‖ ≤ γG(τ + β) on every path if β² ≤ 2β + τ, in particular for all β ≤ 1."
    ),
    latex=r"\|x^k - \tilde x^k\| \le \gamma G(\tau + \beta)",
    symbols=(gamma, tau, G, beta, _S, _Q),
    vectors=(MISSED, INCREMENT, BLOCK),
    points=(X, STALE, AHEAD),
    hypotheses=(
        *HYPOTHESES,
        Hypothesis("extrapolation", "β² ≤ 2β + τ", le(beta**2, 2 * beta + tau)),
    ),
    steps=(
        *STEPS,
        Step(
            "one block",
            le(square(AWAY), _SIZE**2),
            Combine(
                {"full": 1, "extrapolation": _ONE * (_Q - 1)},
                plus=(_ONE * (_Q - 1) * (tau + 1 - _Q),),
                domain=("positions",),
            ),
            "which is largest at q = 1",
        ),
        LENGTH,
    ),
    lhs=sympy.sqrt(square(AWAY)),
    terms={"delay": gamma * G * tau, "extrapolation": gamma * G * beta},
    conclude=Root("one block", domain=("length",)),
)

CLAIM: Final = as_claim(
    THEOREM, CHALLENGES["nag-drift-pathwise"], where=sympy.Le(beta**2, 2 * beta + tau), cost=3
)
