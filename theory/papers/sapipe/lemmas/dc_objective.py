"""Assumption 4 for F alone, in Theorem 3: the variance of the gradients adds to Δ.

With g = ∇F + ξ the mean of ggᵀΔx is ∇F∇FᵀΔx + E[ξ⟨ξ, Δx⟩], and ‖E[ξ⟨ξ, Δx⟩]‖ ≤ E‖ξ‖²‖Δx‖.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Expect,
    Hypothesis,
    Operator,
    Step,
    Theorem,
    Triangle,
    dot,
    eq,
    le,
    square,
    vectors,
)
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

THEOREM = Theorem(
    id="sapipe.dc-objective",
    where="ours",
    statement=(
        "If ‖∇F∇Fᵀ − ∇²F‖ ≤ Δ and g has the mean ∇F and a variance of at most w > 0, then "
        "‖∇²F Δx − E[ggᵀ]Δx‖ ≤ (Δ + w)‖Δx‖ for every Δx that is not 0."
    ),
    latex=(
        r"\|\nabla^2F\,\Delta x - \mathbb{E}[gg^\top]\Delta x\|^2 \le (\Delta + w)^2\|\Delta x\|^2"
    ),
    symbols=(SPREAD, Delta, LENGTH),
    scalars=(ALONG,),
    vectors=(NOISE, CURVED, SLOPED, COVARIED, STEP),
    hypotheses=(
        Hypothesis("length", "‖Δx‖ is a, above 0", eq(square(STEP), LENGTH**2)),
        Hypothesis("along", "c is ⟨ξ, Δx⟩", eq(ALONG, dot(NOISE, STEP))),
        Hypothesis(
            "covaried",
            "the covariance times Δx is E[cξ] (taken with itself)",
            eq(E.of(ALONG * dot(NOISE, COVARIED)), square(COVARIED)),
        ),
        Hypothesis("variance", "E‖ξ‖² ≤ w (Assumption 2)", le(E.of(square(NOISE)), SPREAD)),
        Hypothesis(
            "outer product",
            "‖∇F∇Fᵀ − ∇²F‖ ≤ Δ (Assumption 4, of F)",
            le(square(CURVED - SLOPED), (Delta * LENGTH) ** 2),
        ),
    ),
    steps=(
        Step(
            "inner",
            le(ALONG**2, LENGTH**2 * square(NOISE)),
            Combine(
                {"along": 2 * ALONG, "length": ALONG**2 / LENGTH**2},
                squares=((1 / LENGTH**2, LENGTH**2 * NOISE - ALONG * STEP),),
            ),
        ),
        Step(
            "inner, mean",
            le(E.of(ALONG**2), LENGTH**2 * E.of(square(NOISE))),
            Expect("inner", E),
        ),
        Step("weighed", le(0, square(_WEIGHED)), Combine(squares=((1, _WEIGHED),))),
        Step("weighed, mean", le(0, E.of(square(_WEIGHED))), Expect("weighed", E)),
        Step(
            "covariance",
            le(square(COVARIED), (SPREAD * LENGTH) ** 2),
            Combine(
                {
                    "weighed, mean": 1 / (LENGTH**2 * SPREAD),
                    "inner, mean": square(COVARIED) / (LENGTH**2 * SPREAD),
                    "variance": square(COVARIED) / SPREAD + LENGTH**2 * SPREAD,
                    "covaried": -2,
                }
            ),
        ),
    ),
    lhs=square(CURVED - SLOPED - COVARIED),
    terms={"apart": (Delta * LENGTH + SPREAD * LENGTH) ** 2},
    conclude=Triangle(
        (
            ("outer product", 1, CURVED - SLOPED, Delta * LENGTH),
            ("covariance", 1, -COVARIED, SPREAD * LENGTH),
        )
    ),
)

CLAIM = as_claim(THEOREM)
