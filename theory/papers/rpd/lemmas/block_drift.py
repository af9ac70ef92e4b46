"""How far one block of the stale point is from the current one, on one path, from update (2).

Going back from x^k one update at a time, block i moves only at an update that draws i, and then by
γ times a block gradient. d_i updates back it is block i of x̂^k. So if n of these d_i updates drew
the block, the two are at most γGn apart. Nothing is said about how blocks are drawn, so this
holds of PipeDream's own schedule too.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Hypothesis,
    Point,
    Sign,
    Step,
    Telescope,
    Theorem,
    Total,
    dot,
    eq,
    le,
    point,
    square,
    vector,
)
from theory.papers.rpd.symbols import G, gamma

BACK: Final = point("y")
"""Block i as it was j updates before x^k; one path is fixed."""
FURTHER: Final = Point(vector("y⁻"), sympy.Symbol("f(y⁻)", real=True), vector("∇f(y⁻)"))
"""The same one update earlier."""
MOVED: Final = vector("e")
"""What the update between the two moved block i."""
AWAY: Final = vector("a")
"""Block i of x^k − x̂^k."""
DRAWN: Final = sympy.Symbol("h", nonnegative=True)
"""1 if that update drew block i, else 0."""
DISTANCE: Final = sympy.Symbol("V", nonnegative=True)
"""‖x_i^k − x̂_i^k‖²."""
MISSED: Final = sympy.Symbol("n_i", integer=True, nonnegative=True)
"""How many of the last d_i updates drew block i."""
DELAY: Final = sympy.Symbol("d_i", integer=True, nonnegative=True)

j: Final = sympy.Symbol("j", integer=True, nonnegative=True)
_PLACE, _MOVE = (sympy.Function(name, real=True) for name in ("Y", "E"))
_DRAW: Final = sympy.Function("h", nonnegative=True)

SEQUENCES: Final = {
    _PLACE: dot(BACK.position, AWAY),
    _MOVE: dot(MOVED, AWAY),
    _DRAW: DRAWN,
}
"""Along the path, by the number j of updates back."""
FOLLOWING: Final = ((BACK, FURTHER),)

_STEP: Final = gamma**2 * G**2
_MOVES: Final = sympy.Sum(_MOVE(j), (j, 0, DELAY - 1))
_DRAWS: Final = sympy.Sum(_DRAW(j), (j, 0, DELAY - 1))


def _apart(scale: sympy.Expr) -> Step:
    """Young's inequality for one update, with a weight."""
    return Step(
        f"apart by {scale}",
        le(2 * scale * dot(MOVED, AWAY), DRAWN * (scale**2 * _STEP + DISTANCE)),
        Combine(
            {
                "size": scale**2,
                "still": -2 * scale,
                "distance": DRAWN**2,
                "drawn or not": DISTANCE,
            },
            squares=((1, scale * MOVED - DRAWN * AWAY),),
        ),
    )


def _summed(scale: sympy.Expr) -> tuple[Step, Step, Step]:
    """The same for all updates that the delay spans."""
    name = f"apart by {scale}"
    return (
        _apart(scale),
        Step(
            f"{name}, j",
            le(2 * scale * _MOVE(j), _DRAW(j) * (scale**2 * _STEP + DISTANCE)),
            Total(name, j),
        ),
        Step(
            f"{name}, sum",
            le(2 * scale * _MOVES, (scale**2 * _STEP + DISTANCE) * _DRAWS),
            Telescope(f"{name}, j", j, DELAY),
        ),
    )


THEOREM: Final = Theorem(
    id="rpd.block-drift",
    where="ours",
    statement=(
        "If n of the updates that block i of x̂^k is late drew that block, then "
        "‖x_i^k − x̂_i^k‖ ≤ γGn on every path, however blocks are drawn (both sides squared)."
    ),
    latex=r"\|x_i^k - \hat x_i^k\| \le \gamma G\, n_i",
    symbols=(gamma, G, DISTANCE, MISSED, DELAY),
    scalars=(DRAWN,),
    vectors=(MOVED, AWAY),
    points=(BACK, FURTHER),
    sequences=SEQUENCES,
    following=FOLLOWING,
    fixed=(AWAY,),
    hypotheses=(
        Hypothesis(
            "update",
            "an update moves block i by e (update (2); taken with the vector x_i − x̂_i)",
            eq(dot(FURTHER.position, AWAY), dot(BACK.position, AWAY) - dot(MOVED, AWAY)),
        ),
        Hypothesis(
            "still",
            "e is 0 if the update draws another block",
            eq(DRAWN * dot(MOVED, AWAY), dot(MOVED, AWAY)),
        ),
        Hypothesis(
            "size",
            "e is else γ times a block gradient, of norm at most G",
            le(square(MOVED), gamma**2 * G**2 * DRAWN),
        ),
        Hypothesis("drawn or not", "h is 1 or 0", eq(DRAWN**2, DRAWN)),
        Hypothesis(
            "stale read",
            "block i of x̂ is that of the model d_i updates back (with x_i − x̂_i)",
            eq(DISTANCE, _PLACE(0) - _PLACE(DELAY)),
        ),
        Hypothesis("distance", "V is ‖x_i − x̂_i‖²", eq(square(AWAY), DISTANCE)),
        Hypothesis("count", "n_i of these updates draw block i", eq(MISSED, _DRAWS)),
    ),
    steps=(
        Step("back", eq(_PLACE(j + 1), _PLACE(j) - _MOVE(j)), Total("update", j)),
        Step(
            "window",
            eq(_PLACE(DELAY) - _PLACE(0), -_MOVES),
            Telescope("back", j, DELAY),
            "x_i − x̂_i is the sum of what the last d_i updates moved",
        ),
        *_summed(MISSED),
        *_summed(sympy.Integer(1)),
        Step(
            "many",
            le(2 * MISSED * DISTANCE, MISSED * (MISSED**2 * _STEP + DISTANCE)),
            Combine(
                {
                    f"apart by {MISSED}, sum": 1,
                    "window": -2 * MISSED,
                    "stale read": 2 * MISSED,
                    "count": -(MISSED**2) * _STEP - DISTANCE,
                }
            ),
        ),
        Step(
            "none",
            le(2 * DISTANCE, MISSED * (_STEP + DISTANCE)),
            Combine(
                {
                    "apart by 1, sum": 1,
                    "window": -2,
                    "stale read": 2,
                    "count": -_STEP - DISTANCE,
                }
            ),
            "so the distance is 0 if n is",
        ),
        Step(
            "either",
            le(DISTANCE, _STEP * MISSED**2),
            Sign(("many", "none")),
            "divide by n if it is not 0",
        ),
    ),
    lhs=DISTANCE,
    terms={"drift": gamma**2 * G**2 * MISSED**2},
    conclude=Combine({"either": 1}),
)

CLAIM: Final = as_claim(THEOREM)
