"""Assumption 4 for F alone, in Theorem 3: the variance of the gradients adds to Δ.

Problem    ‖∇F∇Fᵀ − ∇²F‖ ≤ Δ, and ξ = g − ∇F has the mean 0 and a variance of at most w > 0.
Method     the mean of ggᵀΔx is ∇F∇FᵀΔx + E[ξ⟨ξ, Δx⟩], and ‖E[ξ⟨ξ, Δx⟩]‖ ≤ E‖ξ‖²‖Δx‖.
Guarantee  ‖∇²F Δx − E[ggᵀ]Δx‖ ≤ (Δ + w)‖Δx‖ for every Δx that is not 0.
Source     ours.
"""

import sympy

from theory.kernel import Combine, Operator, Triangle, eq, vectors
from theory.notation import theorem
from theory.papers.sapipe.symbols import Delta

NOISE, CURVED, SLOPED, COVARIED, STEP = vectors("ξ ∇²FΔx ∇F∇FᵀΔx E[ξξᵀ]Δx Δx")

LENGTH = sympy.Symbol("a", positive=True)
"""‖Δx‖, which is not 0."""

SPREAD = sympy.Symbol("w", positive=True)
"""A bound on the variance of g, such as V₁/n; any number above 0 if that is 0."""

ALONG = sympy.Symbol("c", real=True)
"""⟨ξ, Δx⟩."""

E = Operator("E", ("ξ", "c"), given=("Δx",))
_WEIGHED = ALONG * COVARIED - LENGTH**2 * SPREAD * NOISE

draft = theorem("sapipe.dc-objective")
draft.varying(ALONG)
draft.assume(eq(STEP**2, LENGTH**2), "length", "‖Δx‖ is a, above 0")
draft.assume(eq(ALONG, NOISE @ STEP), "along", "c is ⟨ξ, Δx⟩")
draft.assume(
    eq(E.of(ALONG * (NOISE @ COVARIED)), COVARIED**2),
    "covaried",
    "the covariance times Δx is E[cξ] (taken with itself)",
)
draft.assume(E.of(NOISE**2) <= SPREAD, "variance", "E‖ξ‖² ≤ w (Assumption 2)")
draft.assume(
    (CURVED - SLOPED) ** 2 <= (Delta * LENGTH) ** 2,
    "outer product",
    "‖∇F∇Fᵀ − ∇²F‖ ≤ Δ (Assumption 4, of F)",
)
draft.have(
    ALONG**2 <= LENGTH**2 * NOISE**2,
    by=Combine(
        {"along": 2 * ALONG, "length": ALONG**2 / LENGTH**2},
        squares=((1 / LENGTH**2, LENGTH**2 * NOISE - ALONG * STEP),),
    ),
)
draft.have(_WEIGHED**2 >= 0, by=Combine(squares=((1, _WEIGHED),)))
draft.have(COVARIED**2 <= (SPREAD * LENGTH) ** 2, "covariance")
_APART = (Delta * LENGTH + SPREAD * LENGTH) ** 2
CLAIM = THEOREM = draft.shows(
    (CURVED - SLOPED - COVARIED) ** 2 <= _APART,
    {"apart": _APART},
    by=Triangle(
        (
            ("outer product", 1, CURVED - SLOPED, Delta * LENGTH),
            ("covariance", 1, -COVARIED, SPREAD * LENGTH),
        )
    ),
    says="If ‖∇F∇Fᵀ − ∇²F‖ ≤ Δ and g has the mean ∇F and a variance of at most w > 0, then "
    "‖∇²F Δx − E[ggᵀ]Δx‖ ≤ (Δ + w)‖Δx‖ for every Δx that is not 0.",
    latex=r"\|\nabla^2F\,\Delta x - \mathbb{E}[gg^\top]\Delta x\|^2 \le (\Delta + w)^2\|\Delta "
    r"x\|^2",
)
