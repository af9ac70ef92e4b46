"""How far ppᵀΔx and aaᵀΔx are apart: by at most 2ηV₂‖p − a‖, on a step of length η√V₂.

Problem    p_i and ∇G_i(x_{t−1}) are of length √V₂ at most, and δ_i is their difference.
Method     option 3 predicts with p_i p_iᵀΔx, ‖Δx‖ ≤ η√V₂.
Guarantee  ‖p_i p_iᵀΔx − ∇G_i ∇G_iᵀΔx‖² ≤ 4η²V₂²‖δ_i‖².
Source     ours.
"""

from theory.kernel import Combine, Hypothesis, le
from theory.notation import theorem
from theory.papers.sapipe import setting, wp_3_method

V2, eta = setting.letters("V2 eta")
ALONG, BEFORE, DEVIATION = wp_3_method.letters("ALONG BEFORE DEVIATION")
DEVIATION_ALONG, KNOWN, MOVED = wp_3_method.letters("DEVIATION_ALONG KNOWN MOVED")
OUTER = wp_3_method.letters("OUTER")

APART = OUTER - ALONG * BEFORE
"""p_i p_iᵀΔx − ∇G_i ∇G_iᵀΔx at x_{t−1}."""

SIZES = (
    Hypothesis(
        "known",
        "‖p_i‖² ≤ V₂: it is 1/n times n − 1 gradients of that size (Assumption 2)",
        le(KNOWN**2, V2),
    ),
    Hypothesis(
        "mean known",
        "‖∇G_i(x_{t−1})‖² ≤ V₂: it is a mean of such, V₂ bounding gradients at the models x_t and "
        "not at the predictions alone, where Assumption 2 has it",
        le(BEFORE**2, V2),
    ),
)
_INNER = ALONG + DEVIATION_ALONG


def inner(known: str) -> Combine:
    """Why ⟨p_i, Δx⟩² ≤ η²V₂², if a fact of this name says that ‖p_i‖² ≤ V₂."""
    return Combine(
        {known: _INNER**2 / V2, "along": 2 * _INNER, "deviation along": 2 * _INNER, "step": V2},
        squares=((1 / V2, V2 * MOVED - _INNER * KNOWN),),
    )


draft = theorem("sapipe.wp-3-outer")
draft.varying(ALONG, DEVIATION_ALONG)
setting.assuming(draft, *SIZES, *wp_3_method.ALONGS, wp_3_method.STEP_SIZE)
draft.have(_INNER**2 <= eta**2 * V2**2, "inner", by=inner("known"))
draft.have(DEVIATION_ALONG**2 <= eta**2 * V2 * DEVIATION**2, "inner of the deviation")
_BOUND = 4 * eta**2 * V2**2 * DEVIATION**2
CLAIM = THEOREM = draft.shows(
    APART**2 <= _BOUND,
    {"apart": _BOUND},
    by=Combine(
        {
            "inner": 2 * DEVIATION**2,
            "mean known": 2 * DEVIATION_ALONG**2,
            "inner of the deviation": 2 * V2,
        },
        squares=((1, _INNER * DEVIATION - DEVIATION_ALONG * BEFORE),),
    ),
    says="If p and a have squared norms of at most V₂ and ‖Δx‖ ≤ η√V₂, then "
    "‖ppᵀΔx − aaᵀΔx‖² ≤ 4η²V₂²‖p − a‖².",
)
