"""What τ gradients with weights come to along one direction h.

Problem    none: h is any vector.
Method     p⁺ = p − 2ce over τ iterations, in none of which |c| is above o.
Guarantee  ⟨p_first − p_last, h⟩ ≤ o(τ‖h‖² + Σ‖e‖²).
Source     ours: 2c⟨e, h⟩ is at most o(‖e‖² + ‖h‖²), by the square of h − (c/o)e.
"""

import sympy

from theory.kernel import Combine
from theory.notation import equal, index, nonnegative, positive, theorem, total, vectors
from theory.papers.nesterov.symbols import tau

j = index("j")
SIZES, LONG = nonnegative("Q_M ‖h‖²")
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
T.assume(weight(j) ** 2 <= MOST**2, "most")
T.have(
    2 * weight(j) * along(j) <= MOST * (LONG + length(j)),
    "young",
    by=Combine(
        {"direction": MOST, "along": 2 * weight(j), "long": -MOST, "most": MOVE**2 / MOST},
        squares=((MOST, SEEN - weight(j) / MOST * MOVE),),
    ),
)
CLAIM = THEOREM = T.shows(
    FIRST @ SEEN - (LAST @ SEEN) <= MOST * (tau * LONG + SIZES),
    {"direction": MOST * tau * LONG, "gradients": MOST * SIZES},
    says=(
        "Over τ iterations p⁺ = p − 2ce with |c| ≤ o p moves against any vector h by at most "
        "o(τ‖h‖² + Σ‖e‖²)."
    ),
    latex=(
        r"\langle p_0 - p_\tau, h\rangle \le "
        r"o\,\bigl(\tau\|h\|^2 + \textstyle\sum_j \|e_j\|^2\bigr)"
    ),
)
