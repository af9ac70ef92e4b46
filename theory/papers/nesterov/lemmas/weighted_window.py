"""What τ gradients with weights come to along one direction h.

Problem    none: h is any vector.
Method     p⁺ = p − 2ce over τ iterations, the c² of which come to C at most.
Guarantee  ⟨p_first − p_last, h⟩ ≤ oΣ‖e‖² + (C/o)‖h‖² for every o > 0.
Source     ours: 2c⟨e, h⟩ is at most o‖e‖² + (c²/o)‖h‖², by the square of e − (c/o)h.
"""

import sympy

from theory.kernel import Combine
from theory.notation import equal, index, nonnegative, positive, theorem, total, vectors
from theory.papers.nesterov.symbols import tau

j = index("j")
SIZES, LONG, SQUARES = nonnegative("Q_M ‖h‖² C")
MOST = positive("o")
weight, at, along = (sympy.Function(name, real=True) for name in ("c", "p", "e_h"))
length = sympy.Function("e_M²", nonnegative=True)
"""By iteration: c, ⟨p, h⟩, ⟨e, h⟩ and ‖e‖²."""
MOVE, FIRST, LAST, SEEN = vectors("e_M p_first p_last h")

T = theorem("nesterov.weighted-window")
T.along(j)
T.constant(SEEN)
T.assume(equal(along(j), MOVE @ SEEN), "along")
T.assume(equal(length(j), MOVE**2), "long")
T.assume(equal(at(j + 1), at(j) - 2 * weight(j) * along(j)), "weighted move")
T.assume(equal(FIRST @ SEEN, at(0)), "at first")
T.assume(equal(LAST @ SEEN, at(tau)), "at last")
T.assume(equal(SIZES, total(length(j), j, tau)), "all sizes")
T.assume(equal(SEEN**2, LONG), "direction")
T.assume(total(weight(j) ** 2, j, tau) <= SQUARES, "all weights")
T.have(
    2 * weight(j) * along(j) <= MOST * length(j) + weight(j) ** 2 / MOST * LONG,
    "young",
    by=Combine(
        {"direction": weight(j) ** 2 / MOST, "along": 2 * weight(j), "long": -MOST},
        squares=((MOST, MOVE - weight(j) / MOST * SEEN),),
    ),
)
CLAIM = THEOREM = T.shows(
    FIRST @ SEEN - (LAST @ SEEN) <= SQUARES / MOST * LONG + MOST * SIZES,
    {"direction": SQUARES / MOST * LONG, "gradients": MOST * SIZES},
    says=(
        "Over τ iterations p⁺ = p − 2ce, with Σc² ≤ C, p moves against any vector h by at most "
        "oΣ‖e‖² + (C/o)‖h‖², for every o > 0."
    ),
    latex=(
        r"\langle p_0 - p_\tau, h\rangle \le "
        r"o\,\textstyle\sum_j \|e_j\|^2 + \tfrac Co\,\|h\|^2"
    ),
)
