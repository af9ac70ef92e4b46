"""Lemma I.2 with its exact constant: without √p for β ≤ 1, and the maximum for every β.

x − x̃ = (x − x̂) − βy. Of the τ + 1 latest updates q give y an increment, one a block, and the
others are at most S ≤ τ + 1 − q missed ones. A missed update pairs with y in its own block only,
where y has one increment, so ‖x − x̃‖² ≤ γ²G²(S² + 2βS + qβ²). At S = τ + 1 − q that is convex in
q: the maximum is at q = 1, or at the largest q for which there are blocks and updates.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

import sympy

from theory.claims import Formulas
from theory.kernel import (
    Combine,
    Expect,
    Hypothesis,
    Operator,
    Step,
    Theorem,
    as_claim,
    dot,
    eq,
    le,
    square,
    vector,
)
from theory.kernel.as_claim import judgement
from theory.ledger import Evidence, Judgement
from theory.rpd.method import STALE, X
from theory.rpd.nag_method import AHEAD, AWAY, INCREMENT
from theory.rpd.nag_paths import Path
from theory.rpd.symbols import G, beta, gamma, tau

MISSED: Final = vector("e")
"""What an update moved that x̂ does not have."""
BLOCK: Final = vector("y_i")
"""A block of the increments: beside an update, that update's block."""

COUNT: Final = sympy.Symbol("S", integer=True, nonnegative=True)
"""Updates that x̂ does not have."""
AHEAD_BLOCKS: Final = sympy.Symbol("q", integer=True, positive=True)
"""Blocks in which an update gives y its increment; 1 if there is none."""
OTHERS: Final = sympy.Symbol("d", integer=True, nonnegative=True)
"""min(p − 1, τ): the most blocks that can have an increment beside another one."""
SHARE, REST = sympy.symbols("s r", nonnegative=True)
"""Where q lies between 1 and d + 1: q − 1 = sd with s + r = 1."""

_S, _Q = COUNT, AHEAD_BLOCKS
_UPDATES, _BLOCKS = Operator("avg", ("e", "y_i")), Operator("avg_i", ("y_i",))
_STALE = X.position - STALE.position
_ONE = gamma**2 * G**2
_PAIR = 2 * dot(MISSED, INCREMENT)

HYPOTHESES: Final = (
    Hypothesis(
        "window",
        "x − x̂ is the sum of what S updates moved",
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
        le(square(MISSED), _ONE),
    ),
    Hypothesis(
        "same block",
        "so it pairs with that block of y only",
        eq(dot(MISSED, INCREMENT), dot(MISSED, BLOCK)),
    ),
    Hypothesis(
        "one increment",
        "a block of y is what one update moved, or 0",
        le(square(BLOCK), _ONE),
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

_STEPS: Final = (
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
        "‖x − x̂‖ ≤ γGS",
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
        "‖x − x̃‖² ≤ γ²G²(S² + 2βS + qβ²)",
    ),
    Step(
        "full",
        le(square(AWAY), _ONE * ((tau + 1 - _Q + beta) ** 2 + (_Q - 1) * beta**2)),
        Combine(
            {"path": 1, "positions": _ONE * (tau + 1 - _Q + _S + 2 * beta)}, domain=("positions",)
        ),
        "as S ≤ τ + 1 − q",
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
        *_STEPS,
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
    ),
    lhs=sympy.sqrt(square(AWAY)),
    terms={"delay": gamma * G * tau, "extrapolation": gamma * G * beta},
    # The divisor is 0 only where both sides of the statement are.
    conclude=Combine({"one block": 1 / (_SIZE + sympy.sqrt(square(AWAY)))}),
)

_FIRST = (tau + beta) ** 2
_LAST = (tau - OTHERS + beta) ** 2 + OTHERS * beta**2
LARGEST: Final = sympy.Max(_FIRST, _LAST, evaluate=False)
"""The maximum over q of (τ + 1 − q + β)² + (q − 1)β², d being min(p − 1, τ)."""

ANY_BETA: Final = replace(
    THEOREM,
    id="rpd.sharp-lemma-i2-any-beta",
    statement=(
        "‖x^k − x̃^k‖² ≤ γ²G² max{(τ + β)², (τ − d + β)² + dβ²} on every path for every β ≥ 0, "
        "with d = min(p − 1, τ)."
    ),
    latex=(
        r"\|x^k - \tilde x^k\|^2 \le \gamma^2G^2 \max\{(\tau + \beta)^2, "
        r"(\tau - d + \beta)^2 + d\beta^2\},\ d = \min(p - 1, \tau)"
    ),
    symbols=(gamma, tau, G, beta, _S, _Q, OTHERS, SHARE, REST),
    hypotheses=(
        *HYPOTHESES,
        Hypothesis("between", "q − 1 is the part s of d, …", eq(_Q, 1 + SHARE * OTHERS)),
        Hypothesis("share", "… which is at most all of it", eq(SHARE + REST, 1)),
        Hypothesis("one block", "a maximum is at least its first entry", le(_FIRST, LARGEST)),
        Hypothesis("all blocks", "and at least its second", le(_LAST, LARGEST)),
    ),
    steps=_STEPS,
    lhs=square(AWAY),
    terms={"drift": _ONE * LARGEST},
    conclude=Combine(
        {
            "full": 1,
            "one block": _ONE * REST,
            "all blocks": _ONE * SHARE,
            "between": _ONE * (_Q + 1 + SHARE * OTHERS - 2 * (tau + 1 + beta) + beta**2),
            "share": _ONE * (LARGEST - _FIRST + OTHERS**2 * SHARE),
        },
        plus=(_ONE * OTHERS**2 * SHARE * REST,),
    ),
)


def largest(stages: int, delay: int, extrapolation: Fraction) -> Fraction:
    """The maximum of `ANY_BETA` at γ = G = 1.

    Examples
    --------
    >>> largest(4, 1, Fraction(1)), largest(4, 1, Fraction(4))
    (Fraction(4, 1), Fraction(32, 1))
    """
    others = min(stages - 1, delay)
    at = {tau: delay, OTHERS: others, beta: sympy.Rational(str(extrapolation))}
    return Fraction(str(max(form.subs(at) for form in (_FIRST, _LAST))))


REPLAYED: Final = ((1, 3, 1), (4, 1, Fraction(1, 2)), (4, 0, 1), (3, 2, 2), (4, 1, 4), (5, 3, 6))
"""p, τ and β of the paths that attain the maximum."""


def _attained() -> Evidence:
    """Paths on which the bound is an equality, replayed; by how many blocks share the updates."""
    rows: list[dict[str, int | Fraction]] = []
    for stages, delay, extrapolation in REPLAYED:
        beta_ = Fraction(extrapolation)
        most = largest(stages, delay, beta_)
        paths = [Path.dealt(delay, stages, q) for q in (1, min(stages, delay + 1))]
        reached = max(path.replay(beta_) for path in paths)
        rows.append({"p": stages, "tau": delay, "beta": beta_, "squared": reached, "bound": most})
    tight = all(row["squared"] == row["bound"] for row in rows)
    over = any(row["squared"] > row["bound"] for row in rows)
    return Evidence(
        "against" if over else "for",
        f"the bound is {'attained' if tight else 'not attained'} on replayed paths (γ = G = 1)",
        {"paths": rows},
    )


def _judge(formulas: Formulas) -> Judgement:
    return replace(judgement(ANY_BETA, formulas), evidence=(_attained(),))


CLAIM: Final = as_claim(
    THEOREM, "nag-drift-pathwise", where=sympy.Le(beta**2, 2 * beta + tau), cost=3
)
ANY_BETA_CLAIM: Final = replace(as_claim(ANY_BETA), judge=_judge)
