"""How large a compensated gradient is, and what follows for the moments of the steps.

‖g_s + λ g_s g_sᵀΔx‖² ≤ V₂/(1 − q) + q‖g⁻‖² with q = ληV₂: both moments follow linear recurrences.
"""

import sympy

from theory.kernel import Combine
from theory.kernel.vectors import Scalar
from theory.notation.draft import Draft
from theory.papers.sapipe import dc_method, setting

V2, eta, lambda_, t, G = setting.letters("V2 eta lambda_ t G")
ALONG, COMPENSATED, LAST, MOVED, OUTER = dc_method.letters("ALONG COMPENSATED LAST MOVED OUTER")
STALE, Q, q = dc_method.letters("STALE Q q")

KEPT = 1 - q
"""At least 1/√2."""

ROOM = sympy.sqrt(2) * (sympy.sqrt(2) * KEPT + 1) / KEPT**2
"""2 − 1/(1 − q)² is so many times 1 − 1/√2 − q."""

LENGTH = LAST.position**2
"""‖g⁻‖²."""


def compensating(draft: Draft) -> None:
    """How large g_s g_sᵀΔx is."""
    draft.have(
        ALONG**2 <= V2 * MOVED**2,
        "inner",
        by=Combine(
            {"stale size": ALONG**2 / V2, "along": 2 * ALONG},
            squares=((1 / V2, V2 * MOVED - ALONG * STALE),),
        ),
        says="⟨g_s, Δx⟩² ≤ V₂‖Δx‖²",
    )
    draft.have(
        OUTER**2 <= V2**2 * MOVED**2,
        "outer",
        by=Combine({"stale size": ALONG**2, "inner": V2}),
        says="‖g_s g_sᵀΔx‖² ≤ V₂²‖Δx‖²",
    )


def growing(draft: Draft) -> None:
    """How large the compensated gradient is."""
    compensating(draft)
    draft.have(
        COMPENSATED**2 <= V2 / KEPT + q * LENGTH,
        "compensated size",
        by=Combine(
            {"stale size": 1 / KEPT, "outer": lambda_ / (eta * V2)},
            squares=((q / KEPT, STALE - KEPT / (eta * V2) * OUTER),),
            domain=("small",),
        ),
        says="Young's inequality, with the weight at which the recurrence has its least fixed "
        "point",
    )


def fourth_powers(draft: Draft, size: Scalar) -> None:
    """From ‖g‖² ≤ size/(1 − q) + q‖g⁻‖² to a recurrence of E‖g⁻‖⁴."""
    growing(draft)
    bound, added = size / KEPT + q * LENGTH, size**2 / KEPT**3
    draft.have(G**2 <= bound, "size")
    draft.have(
        (G**2) ** 2 <= bound**2,
        "size, squared",
        by=Combine({"size": G**2 + bound}, domain=("small",)),
    )
    draft.have(
        (G**2) ** 2 <= added + q * LENGTH**2,
        "fourth power",
        by=Combine(
            {"size, squared": 1},
            squares=((q / KEPT, size / KEPT - KEPT * LENGTH),),
            domain=("small",),
        ),
    )
    draft.have(Q(t + 1) <= added + q * Q(t), "fourth powers")
    draft.have(
        1 / KEPT**4 <= 4, "room", by=Combine({"small": ROOM * (2 + 1 / KEPT**2)}, domain=("small",))
    )
