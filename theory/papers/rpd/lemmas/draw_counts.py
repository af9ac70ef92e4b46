"""How often uniform draws hit the same block: the mean of Σ_i N_i² over a window.

Problem    Each of w draws hits one of p blocks, uniformly and independently.
Method     N is the vector of counts and a draw adds a unit vector u, so ⟨u, N⟩ is the count of the
           block that is drawn. One draw before the window may count β.
Guarantee  E‖N‖² = w(w + p − 1)/p; with the draw before, (w(w + p − 1) + 2βw + pβ²)/p.
Source     ours.
"""

import sympy

from theory.kernel import ClosedSum
from theory.notation import Draft, equal, index, mean, theorem, total, vectors
from theory.papers.rpd.symbols import beta, p

counts, longer, hit = vectors("N N⁺ u")
"""N after l draws, and after one more; the unit vector of the block that is drawn."""
E_L = mean("E_l", hit, longer, given=(counts,), law="run")
"""Expectation over one draw, given those before."""
l, w = index("l w")  # noqa: E741
"""Draws so far, and in the window."""
PAIRS = sympy.Function("P", real=True)
"""E‖N‖² after l draws."""


def counted(T: Draft, before: sympy.Expr, says: str) -> None:
    """What w draws do, where `before` is counted already."""
    i, made = sympy.Symbol("i", integer=True), sympy.Function("N", nonnegative=True)
    everything = sympy.Sum(made(i, l), (i, 1, p))
    T.iterate(counts, longer, l)
    T.sequences({PAIRS: counts**2})
    T.assume(
        equal(longer**2, (counts + hit) ** 2),
        "draw",
        "a draw adds 1 to the count of its block",
    )
    T.assume(equal(hit**2, 1), "one block", "u is a unit vector")
    T.assume(
        equal(E_L(hit @ counts), everything / p),
        "uniform draws",
        "every block has probability 1/p, given the draws before",
    )
    T.assume(equal(everything, l + before), "draws so far", says)
    T.assume(equal(PAIRS(0), before**2), "first draw", "that is all there is at the start")
    T.have(
        equal(E_L(longer**2), counts**2 + 2 * (l + before) / p + 1),
        says="a draw hits the block of each of the draws before with probability 1/p",
    )
    T.have(equal(total(l, l, w), w * (w - 1) / 2), by=ClosedSum(l, w))


T = theorem("rpd.draw-counts")
counted(T, sympy.S.Zero, "l draws have been made")
CLAIM = THEOREM = T.shows(
    equal(PAIRS(w), w + w * (w - 1) / p),
    {"itself": w, "others": w * (w - 1) / p},
    says="The mean of Σ_i N_i² is w(w + p − 1)/p, N_i being how often w uniform draws from p "
    "blocks hit block i.",
)

T = theorem("rpd.nag-draw-counts")
counted(T, beta, "l draws have been made, and one that counts β")
WITH_ONE_BEFORE = T.shows(
    equal(PAIRS(w), w * (w + p - 1) / p + 2 * beta * w / p + beta**2),
    {
        "window": w * (w + p - 1) / p,
        "with the draw before": 2 * beta * w / p,
        "draw before": beta**2,
    },
    says="The mean of Σ_i W_i² is (w(w + p − 1) + 2βw + pβ²)/p, W_i being how often w uniform "
    "draws from p blocks hit block i, plus β if the draw before them did.",
)
