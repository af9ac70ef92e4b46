"""How far one block of the stale point is from the current one, however blocks are drawn.

Problem    Block gradients have norm at most G.
Method     Going back from x^k one update at a time, block i moves only at an update that draws i,
           and then by γ times a block gradient; d_i updates back it is block i of x̂^k.
Guarantee  ‖x_i − x̂_i‖² ≤ γ²G²n² on every path, n of the d_i updates having drawn block i.
           PipeDream's own schedule is one of these paths.
Source     ours.
"""

import sympy

from theory.kernel.rules import Combine
from theory.notation import equal, index, nonnegative, theorem, total, vectors
from theory.papers.rpd.symbols import G, gamma

back, further, moved, away = vectors("z z⁻ e a")
"""Block i j updates before x^k, and one update earlier; what the update between the two moved;
block i of x^k − x̂^k."""
drawn, DISTANCE = nonnegative("h V")
"""1 if that update drew block i, else 0; ‖x_i^k − x̂_i^k‖²."""
MISSED, DELAY = index("n_i d_i")
"""How many of the last d_i updates drew block i."""
j = index("j")

T = theorem("rpd.block-drift")
T.iterate(back, further, j)
T.constant(away)
T.varying(drawn)
PLACE = T.sequence("Z", back @ away)
MOVE = T.sequence("E", moved @ away)
DRAW = T.sequence("h", drawn)
_MOVES, _DRAWS = (total(one(j), j, DELAY) for one in (MOVE, DRAW))
_STEP = gamma**2 * G**2

T.assume(
    equal(further @ away, back @ away - moved @ away),
    "update",
    "an update moves block i by e (update (2); taken with the vector x_i − x̂_i)",
)
T.assume(
    equal(drawn * (moved @ away), moved @ away),
    "still",
    "e is 0 if the update draws another block",
)
T.assume(
    moved**2 <= gamma**2 * G**2 * drawn,
    "size",
    "e is else γ times a block gradient, of norm at most G",
)
T.assume(equal(drawn**2, drawn), "drawn or not", "h is 1 or 0")
T.assume(
    equal(DISTANCE, PLACE(0) - PLACE(DELAY)),
    "stale read",
    "block i of x̂ is that of the model d_i updates back (with x_i − x̂_i)",
)
T.assume(equal(away**2, DISTANCE), "distance", "V is ‖x_i − x̂_i‖²")
T.assume(equal(MISSED, _DRAWS), "count", "n_i of these updates draw block i")

for weight in (MISSED, sympy.Integer(1)):
    T.have(
        2 * weight * (moved @ away) <= drawn * (weight**2 * _STEP + DISTANCE),
        f"apart by {weight}",
        by=Combine(
            {
                "size": weight**2,
                "still": -2 * weight,
                "distance": drawn**2,
                "drawn or not": DISTANCE,
            },
            squares=((1, weight * moved - drawn * away),),
        ),
    )
T.have(equal(DISTANCE, _MOVES), says="x_i − x̂_i is the sum of what the last d_i updates moved")
T.have(2 * MISSED * DISTANCE <= MISSED * (MISSED**2 * _STEP + DISTANCE), "many")
T.have(2 * DISTANCE <= MISSED * (_STEP + DISTANCE), "none", says="so the distance is 0 if n is")
CLAIM = THEOREM = T.shows(
    DISTANCE <= gamma**2 * G**2 * MISSED**2,
    says="If n of the updates that block i of x̂^k is late drew that block, then "
    "‖x_i^k − x̂_i^k‖ ≤ γGn on every path, however blocks are drawn (both sides squared).",
)
