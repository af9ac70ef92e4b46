"""Lemma I.2 with its exact constant for β ≤ 1: without √p.

Problem    Block gradients along the trajectory have norm at most G.
Method     NAG-RPD with delays of at most τ. Of the τ + 1 latest updates q give y an increment, one
           a block, and the others are at most M ≤ τ + 1 − q missed ones. A missed update pairs with
           y in its own block only, where y has one increment.
Guarantee  ‖x − x̃‖² ≤ γ²G²(M² + 2βM + qβ²). At M = τ + 1 − q that is convex in q; for β² ≤ 2β + τ
           its maximum (τ + β)² is at q = 1. `rpd.sharp-lemma-i2-any-beta` has it for every β.
Source     ours.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, le
from theory.kernel.rules.norms import Root
from theory.notation import Draft, count, equal, index, mean, theorem, vectors
from theory.papers.rpd.method import f, old, x
from theory.papers.rpd.nag_method import ahead, y
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, beta, gamma, tau

e, block = vectors("e y_i")
"""What an update moved that x̂ does not have; a block of the increments: beside an update, that
update's block."""
M, q = index("M"), count("q")
"""Updates that x̂ does not have; blocks in which an update gives y its increment, 1 if there is
none."""
UPDATES, BLOCKS = mean("avg", e, block, given=(y,)), mean("avg_i", block, given=(e, y))
ONE = gamma**2 * G**2


def path(T: Draft) -> None:
    """Bound ‖x − x̃‖² by M and q, and by q alone."""
    T.assume(
        equal((x - old) ** 2, M * UPDATES(e @ (x - old))),
        "window",
        "x − x̂ is the sum of what M updates moved",
    )
    T.assume(equal((x - old) @ y, M * UPDATES(e @ y)), "window with y", "the same, taken with y")
    T.assume(
        e**2 <= ONE,
        "one update",
        "an update moves one block, by γ times a block gradient, of norm at most G",
    )
    T.assume(equal(e @ y, e @ block), "same block", "so it pairs with that block of y only")
    T.assume(block**2 <= ONE, "one increment", "a block of y is what one update moved, or 0")
    T.assume(
        equal(y**2, q * BLOCKS(block**2)),
        "blocks",
        "y has q blocks that may differ from 0: their squared norms add up",
    )
    T.assume(
        M + q <= tau + 1,
        "positions",
        "these are different updates among the τ + 1 latest (delays at most τ)",
    )
    T.have(le(0, (M * e - (x - old)) ** 2))
    T.have((x - old) ** 2 <= M**2 * ONE, says="‖x − x̂‖ ≤ γGM")
    T.have(-2 * (e @ y) <= 2 * ONE, "pair")
    T.have(
        (x - ahead) ** 2 <= ONE * (M**2 + 2 * beta * M + q * beta**2),
        "path",
        says="‖x − x̃‖² ≤ γ²G²(M² + 2βM + qβ²)",
    )
    T.have(
        (x - ahead) ** 2 <= ONE * ((tau + 1 - q + beta) ** 2 + (q - 1) * beta**2),
        "full",
        by=Combine(
            {"path": 1, "positions": ONE * (tau + 1 - q + M + 2 * beta)}, domain=("positions",)
        ),
        says="as M ≤ τ + 1 − q",
    )


T = theorem("rpd.sharp-lemma-i2", "ours", f)
path(T)
T.assume(beta**2 <= 2 * beta + tau, "extrapolation", "β² ≤ 2β + τ")
T.have(
    (x - ahead) ** 2 <= ONE * (tau + beta) ** 2,
    "one block",
    by=Combine(
        {"full": 1, "extrapolation": ONE * (q - 1)},
        plus=(ONE * (q - 1) * (tau + 1 - q),),
        domain=("positions",),
    ),
    says="which is largest at q = 1",
)
T.have(le(0, (x - ahead) ** 2), "length", says="‖x − x̃‖² has a root")
THEOREM = T.shows(
    sympy.sqrt((x - ahead) ** 2) <= gamma * G * tau + gamma * G * beta,
    {"delay": gamma * G * tau, "extrapolation": gamma * G * beta},
    by=Root("one block", domain=("length",)),
    says="‖x^k − x̃^k‖ ≤ γG(τ + β) on every path if β² ≤ 2β + τ, in particular for all β ≤ 1.",
)

CLAIM = as_claim(
    THEOREM, CHALLENGES["nag-drift-pathwise"], where=sympy.Le(beta**2, 2 * beta + tau), cost=3
)
