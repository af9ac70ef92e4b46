"""How far the stale point is from the current one, by which updates it misses.

Problem    Block gradients have norm at most G.
Method     RPD; x̂ misses n_i updates of block i, however blocks are drawn.
Guarantee  ‖x − x̂‖² ≤ γ²G² Σ_i n_i² on every path: `rpd.block-drift`, summed. With uniform draws
           this gives `rpd.sharp-drift`, with PipeDream's schedule `rpd.stale-power`.
Source     ours.
"""

from theory.notation import equal, index, nonnegative, theorem, total
from theory.papers.rpd.lemmas import block_drift
from theory.papers.rpd.lemmas.block_drift import DISTANCE, MISSED
from theory.papers.rpd.method import old, x
from theory.papers.rpd.symbols import G, gamma, p

i = index("i")
COUNTS = nonnegative("Q")
"""Σ_i n_i²."""

T = theorem("rpd.drift-by-counts", "ours")
T.along(i)
T.varying(DISTANCE, MISSED, COUNTS)
T.cite(block_drift.THEOREM)
DISTANCES, SQUARES = T.sequence("V", DISTANCE), T.sequence("n²", MISSED**2)
T.assume(
    equal((x - old) ** 2, total(DISTANCES(i), i, p)),
    "blocks",
    "a squared norm is the sum over blocks",
)
T.assume(equal(COUNTS, total(SQUARES(i), i, p)), "counts", "Q is Σ_i n_i²")
CLAIM = THEOREM = T.shows(
    (x - old) ** 2 <= gamma**2 * G**2 * COUNTS,
    says="‖x^k − x̂^k‖² ≤ γ²G² Σ_i n_i² on every path, however blocks are drawn, n_i being the "
    "number of updates of block i that x̂^k misses.",
)
