"""How far the extrapolated point is from the current one, by which blocks are drawn.

Problem    Block gradients have norm at most G.
Method     NAG-RPD with β ≤ 1. Block i of x − x̃ is that of x − x̂ less β times one increment, and
           both come from the τ + 1 latest updates: if n of the d_i updates that x̂_i misses drew the
           block, and the one before them did (b = 1) or not (b = 0), then n + b of the τ + 1 did.
Guarantee  ‖x − x̃‖² ≤ γ²G² Σ_i (N_i + βh_i)² on every path: the increment counts most if it is the
           oldest of them.
Source     ours.
"""

import sympy

from theory.kernel import Triangle, le
from theory.notation import equal, nonnegative, theorem, total, vector
from theory.papers.rpd.lemmas import block_drift
from theory.papers.rpd.lemmas.block_drift import DISTANCE, MISSED, away
from theory.papers.rpd.lemmas.drift_by_counts import i
from theory.papers.rpd.method import x
from theory.papers.rpd.nag_method import ahead
from theory.papers.rpd.symbols import G, beta, gamma, p

block = vector("y_i")
"""Block i of the increments."""
BEFORE, DRAWN, OLDEST, WEIGHT, AHEAD_DISTANCE, COUNTS = nonnegative("b_i N_i h_i w_i Ṽ Q̃")
"""1 if that increment's update, the one before the last d_i, drew block i, else 0; how many of the
last τ updates drew block i; 1 if the update before those did, else 0; N_i + βh_i; ‖x_i − x̃_i‖²;
Σ_i (N_i + βh_i)²."""
_ONE = gamma * G

T = theorem("rpd.nag-drift-by-counts", "ours")
T.along(i)
T.varying(DISTANCE, MISSED, BEFORE, DRAWN, OLDEST, WEIGHT, AHEAD_DISTANCE, COUNTS)
T.cite(block_drift.THEOREM, name="stale")
DISTANCES, SQUARES = T.sequence("Ṽ", AHEAD_DISTANCE), T.sequence("w²", WEIGHT**2)
T.assume(
    block**2 <= _ONE**2 * BEFORE**2,
    "increment",
    "block i of y is what the update before the last d_i moved it by: at most γG, or 0",
)
T.assume(MISSED <= DRAWN, "missed", "d_i ≤ τ: n_i ≤ N_i")
T.assume(
    MISSED + BEFORE <= DRAWN + OLDEST,
    "with the one before",
    "d_i + 1 ≤ τ + 1: n_i + b_i ≤ N_i + h_i",
)
T.assume(equal(WEIGHT, DRAWN + beta * OLDEST), "weight", "w_i is N_i + βh_i")
T.assume(beta <= 1, "extrapolation", "β ≤ 1")
T.assume(
    equal(AHEAD_DISTANCE, (away - beta * block) ** 2),
    "ahead",
    "Ṽ is ‖x_i − x̃_i‖², and x_i − x̃_i = (x_i − x̂_i) − βy_i",
)
T.assume(
    equal((x - ahead) ** 2, total(DISTANCES(i), i, p)),
    "blocks",
    "a squared norm is the sum over blocks",
)
T.assume(equal(COUNTS, total(SQUARES(i), i, p)), "counts", "Q̃ is Σ_i w_i²")
T.have(away**2 <= (_ONE * MISSED) ** 2, "length")
T.have(
    (away - beta * block) ** 2 <= _ONE**2 * (MISSED + beta * BEFORE) ** 2,
    "triangle",
    by=Triangle(
        (("length", sympy.S.One, away, _ONE * MISSED), ("increment", beta, -block, _ONE * BEFORE))
    ),
)
T.have(le(0, 1 - beta), "within")
T.have(MISSED + beta * BEFORE <= WEIGHT, "oldest", says="n_i + βb_i ≤ N_i + βh_i")
T.have(AHEAD_DISTANCE <= _ONE**2 * WEIGHT**2, "block")
CLAIM = THEOREM = T.shows(
    (x - ahead) ** 2 <= gamma**2 * G**2 * COUNTS,
    says="‖x^k − x̃^k‖² ≤ γ²G² Σ_i (N_i + βh_i)² on every path for β ≤ 1, N_i being how many of "
    "the last τ updates drew block i and h_i whether the one before them did.",
)
