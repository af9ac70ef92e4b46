"""How large a compensated gradient is, and what follows for the moments of the steps.

‖g_s + λ g_s g_sᵀΔx‖² ≤ V₂/(1 − q) + q‖g⁻‖² with q = ληV₂: both moments follow linear recurrences.
"""

import sympy

from theory.kernel import Combine, Step, Telescope, Total, le, square
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import dc_method, setting

V2, T, eta, lambda_, t, G = setting.letters("V2 T eta lambda_ t G")
ALONG, COMPENSATED, LAST, MOVED = dc_method.letters("ALONG COMPENSATED LAST MOVED")
OUTER, STALE, Q, q = dc_method.letters("OUTER STALE Q q")


KEPT = 1 - q
"""At least 1/√2."""

ROOM = sympy.sqrt(2) * (sympy.sqrt(2) * KEPT + 1) / KEPT**2
"""2 − 1/(1 − q)² is so many times 1 − 1/√2 − q."""

ALL = (t, 0, T - 1)
LENGTH = square(LAST.position)
"""‖g⁻‖²."""

COMPENSATION = (
    Step(
        "inner",
        le(ALONG**2, V2 * square(MOVED)),
        Combine(
            {"stale size": ALONG**2 / V2, "along": 2 * ALONG},
            squares=((1 / V2, V2 * MOVED - ALONG * STALE),),
        ),
        "⟨g_s, Δx⟩² ≤ V₂‖Δx‖²",
    ),
    Step(
        "outer",
        le(square(OUTER), V2**2 * square(MOVED)),
        Combine({"stale size": ALONG**2, "inner": V2}),
        "‖g_s g_sᵀΔx‖² ≤ V₂²‖Δx‖²",
    ),
)

GROWTH = (
    *COMPENSATION,
    Step(
        "compensated size",
        le(square(COMPENSATED), V2 / KEPT + q * LENGTH),
        Combine(
            {"stale size": 1 / KEPT, "outer": lambda_ / (eta * V2)},
            squares=((q / KEPT, STALE - KEPT / (eta * V2) * OUTER),),
            domain=("small",),
        ),
        "Young's inequality, with the weight at which the recurrence has its least fixed point",
    ),
)


def fourth_powers(size: Scalar) -> tuple[Step, ...]:
    """From "size", ‖g‖² ≤ size/(1 − q) + q‖g⁻‖², to the mean over the updates of E‖g⁻‖⁴."""
    bound = size / KEPT + q * LENGTH
    added = size**2 / KEPT**3
    return (
        Step(
            "size, squared",
            le(square(G) ** 2, bound**2),
            Combine({"size": square(G) + bound}, domain=("small",)),
        ),
        Step(
            "fourth power",
            le(square(G) ** 2, added + q * LENGTH**2),
            Combine(
                {"size, squared": 1},
                squares=((q / KEPT, size / KEPT - KEPT * LENGTH),),
                domain=("small",),
            ),
        ),
        Step("fourth power, total", le(Q(t + 1), added + q * Q(t)), Total("fourth power", t)),
        Step(
            "fourth powers",
            le(Q(T), Q(0) + T * added - KEPT * sympy.Sum(Q(t), ALL)),
            Telescope("fourth power, total", t, T),
        ),
        Step(
            "room",
            le(1 / KEPT**4, 4),
            Combine({"small": ROOM * (2 + 1 / KEPT**2)}, domain=("small",)),
        ),
    )


def settled(size: Scalar) -> Combine:
    """What concludes the mean of E‖g⁻‖⁴ from these steps."""
    share = 1 / (T * KEPT)
    return Combine(
        {"fourth powers": share, "at rest, fourth power": share, "room": size**2},
        plus=(share * Q(T),),
        domain=("small",),
    )
