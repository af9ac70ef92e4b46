"""How far ppᵀΔx and aaᵀΔx are apart: by at most 2ηV₂‖p − a‖, on a step of length η√V₂."""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Hypothesis, Step, Theorem, le, square
from theory.kernel.vectors import Vector
from theory.papers.sapipe.symbols import V2, eta
from theory.papers.sapipe.wp_3_method import (
    ALONG,
    ALONGS,
    BEFORE,
    DEVIATION,
    DEVIATION_ALONG,
    KNOWN,
    MOVED,
    OUTER,
    STEP_SIZE,
)

APART: Final[Vector] = OUTER - ALONG * BEFORE
"""p_i p_iᵀΔx − ∇G_i ∇G_iᵀΔx at x_{t−1}."""

SIZES: Final = (
    Hypothesis(
        "known",
        "‖p_i‖² ≤ V₂: it is 1/n times n − 1 gradients of that size (Assumption 2)",
        le(square(KNOWN), V2),
    ),
    Hypothesis(
        "mean known",
        "‖∇G_i(x_{t−1})‖² ≤ V₂: it is a mean of such, V₂ bounding gradients at the models x_t and "
        "not at the predictions alone, where Assumption 2 has it",
        le(square(BEFORE), V2),
    ),
)
_INNER = ALONG + DEVIATION_ALONG

THEOREM: Final = Theorem(
    id="sapipe.wp-3-outer",
    where="ours",
    statement=(
        "If p and a have squared norms of at most V₂ and ‖Δx‖ ≤ η√V₂, then "
        "‖ppᵀΔx − aaᵀΔx‖² ≤ 4η²V₂²‖p − a‖²."
    ),
    latex=r"\|pp^\top\Delta x - aa^\top\Delta x\|^2 \le 4\eta^2V_2^2\|p - a\|^2",
    symbols=(eta, V2),
    scalars=(ALONG, DEVIATION_ALONG),
    vectors=(BEFORE, DEVIATION, MOVED),
    hypotheses=(*SIZES, *ALONGS, STEP_SIZE),
    steps=(
        Step(
            "inner",
            le(_INNER**2, eta**2 * V2**2),
            Combine(
                {
                    "known": _INNER**2 / V2,
                    "along": 2 * _INNER,
                    "deviation along": 2 * _INNER,
                    "step": V2,
                },
                squares=((1 / V2, V2 * MOVED - _INNER * KNOWN),),
            ),
        ),
        Step(
            "inner of the deviation",
            le(DEVIATION_ALONG**2, eta**2 * V2 * square(DEVIATION)),
            Combine(
                {
                    "step": DEVIATION_ALONG**2 / (eta**2 * V2),
                    "deviation along": 2 * DEVIATION_ALONG,
                },
                squares=(
                    (
                        1 / (eta**2 * V2),
                        eta**2 * V2 * DEVIATION - DEVIATION_ALONG * MOVED,
                    ),
                ),
            ),
        ),
        Step(
            "two parts",
            le(
                square(APART),
                2 * _INNER**2 * square(DEVIATION) + 2 * DEVIATION_ALONG**2 * square(BEFORE),
            ),
            Combine(squares=((1, _INNER * DEVIATION - DEVIATION_ALONG * BEFORE),)),
        ),
    ),
    lhs=square(APART),
    terms={"apart": 4 * eta**2 * V2**2 * square(DEVIATION)},
    conclude=Combine(
        {
            "two parts": 1,
            "inner": 2 * square(DEVIATION),
            "mean known": 2 * DEVIATION_ALONG**2,
            "inner of the deviation": 2 * V2,
        }
    ),
)

CLAIM: Final = as_claim(THEOREM)
