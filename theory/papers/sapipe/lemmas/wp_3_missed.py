"""What a prediction misses, but for the noise of the gradients that it is of.

Three parts: that those gradients are at predictions themselves, what the compensation leaves of
the change from x_{t−1} to x_t, and what the gradients before, which are extrapolated, missed.
"""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Expect, Hypothesis, Step, Theorem, eq, le, square
from theory.kernel.vectors import Scalar, Vector
from theory.papers.sapipe.lemmas import wp_3_left_out, wp_3_outer
from theory.papers.sapipe.lemmas.wp_3_left_out import LEFT
from theory.papers.sapipe.lemmas.wp_3_outer import APART, SIZES
from theory.papers.sapipe.symbols import V2, Delta, L, M, eta, lambda_
from theory.papers.sapipe.wp_1_method import SPREAD
from theory.papers.sapipe.wp_3_method import (
    ALONG,
    ALONGS,
    BEFORE,
    DEVIATION,
    DEVIATION_ALONG,
    DEVIATIONS,
    EACH,
    FIXED,
    HESSIAN,
    MOVED,
    STEP_SIZE,
)

EXTRAPOLATED: Final[Vector] = DEVIATION + lambda_ * APART
COMPENSATED: Final[Vector] = FIXED - LEFT + EXTRAPOLATED
"""∇G_i(x_t) − ∇G_i(x_{t−1}) − λ∇G_i∇G_iᵀΔx."""

CHANGE: Final[Vector] = COMPENSATED + lambda_ * ALONG * BEFORE
"""∇G_i(x_t) − ∇G_i(x_{t−1})."""

STRETCH: Final[Scalar] = 1 + 2 * lambda_ * eta * V2
CURVED: Final[Scalar] = (1 - lambda_) ** 2 * L**2 + lambda_**2 * Delta**2
_DC: Final[Scalar] = 2 * eta**4 * M**2 * V2**2 + 4 * eta**2 * V2 * CURVED

CURVATURE: Final = (
    Hypothesis(
        "taylor",
        "the remainder of Taylor's formula of ∇G_i at x_{t−1} is at most M‖Δx‖² (Assumption 4)",
        le(square(CHANGE - HESSIAN), M**2 * square(MOVED) ** 2),
    ),
    Hypothesis(
        "curvature",
        "the Hessian of G_i is at most L (Assumption 1)",
        le(square(HESSIAN), L**2 * square(MOVED)),
    ),
    Hypothesis(
        "outer product",
        "‖∇G_i∇G_iᵀ − ∇²G_i‖ ≤ Δ at x_{t−1} (Assumption 4, of F − F_i/n)",
        le(square(HESSIAN - ALONG * BEFORE), Delta**2 * square(MOVED)),
    ),
)
DEVIATIONS_ARE: Final = Hypothesis(
    "deviations",
    "N is the mean over the workers of ‖δ_i‖²",
    eq(DEVIATIONS, EACH.of(square(DEVIATION))),
)

THEOREM: Final = Theorem(
    id="sapipe.wp-3-missed",
    where="ours",
    statement=(
        "Without its noise, what a prediction misses has a mean square over the workers of at most "
        "η² times 3L²V + 6η⁴M²V₂² + 12η²V₂((1 − λ)²L² + λ²Δ²) + 3(1 + 2ληV₂)²N, V being that of "
        "x_t − x̃_i and N that of what the gradients before missed."
    ),
    latex=(
        r"\tfrac1n\sum_i\|f_i\|^2 \le 3L^2V + 6\eta^4M^2V_2^2 + 12\eta^2V_2((1-\lambda)^2L^2 + "
        r"\lambda^2\Delta^2) + 3(1+2\lambda\eta V_2)^2N"
    ),
    symbols=(*wp_3_left_out.THEOREM.symbols, eta, V2, M, Delta, lambda_),
    scalars=(*wp_3_left_out.THEOREM.scalars, DEVIATIONS, ALONG, DEVIATION_ALONG),
    vectors=(*wp_3_left_out.THEOREM.vectors, BEFORE, DEVIATION, MOVED, FIXED, HESSIAN),
    points=wp_3_left_out.THEOREM.points,
    hypotheses=(
        *wp_3_left_out.THEOREM.hypotheses,
        *CURVATURE,
        *SIZES,
        *ALONGS,
        STEP_SIZE,
        DEVIATIONS_ARE,
    ),
    cites=(wp_3_left_out.THEOREM, wp_3_outer.THEOREM),
    steps=(
        Step("left out", wp_3_left_out.THEOREM.goal, Cite("sapipe.wp-3-left-out")),
        Step(
            "two parts of the change",
            le(
                square(COMPENSATED),
                2 * square(CHANGE - HESSIAN) + 2 * square(HESSIAN - lambda_ * ALONG * BEFORE),
            ),
            Combine(squares=((1, CHANGE - 2 * HESSIAN + lambda_ * ALONG * BEFORE),)),
        ),
        Step(
            "compensated change",
            le(
                square(COMPENSATED),
                2 * M**2 * square(MOVED) ** 2 + 4 * CURVED * square(MOVED),
            ),
            Combine(
                {
                    "two parts of the change": 1,
                    "taylor": 2,
                    "curvature": 4 * (1 - lambda_) ** 2,
                    "outer product": 4 * lambda_**2,
                },
                squares=((2, (1 - lambda_) * HESSIAN - lambda_ * (HESSIAN - ALONG * BEFORE)),),
            ),
            "what the compensation leaves, with the factors of Young's inequality",
        ),
        Step(
            "compensated",
            le(square(COMPENSATED), _DC),
            Combine(
                {
                    "compensated change": 1,
                    "step": 2 * M**2 * (square(MOVED) + eta**2 * V2) + 4 * CURVED,
                }
            ),
        ),
        Step("outer", wp_3_outer.THEOREM.goal, Cite("sapipe.wp-3-outer")),
        Step(
            "extrapolated",
            le(square(EXTRAPOLATED), STRETCH**2 * square(DEVIATION)),
            Combine(
                {"outer": lambda_**2 + lambda_ / (2 * eta * V2)},
                squares=((lambda_ / (2 * eta * V2), 2 * eta * V2 * DEVIATION - APART),),
            ),
            "what the gradients before missed, and what the compensation makes of it",
        ),
        Step(
            "three parts",
            le(
                square(FIXED),
                3 * square(LEFT) + 3 * square(COMPENSATED) + 3 * square(EXTRAPOLATED),
            ),
            Combine(
                squares=(
                    (1, LEFT - COMPENSATED),
                    (1, LEFT + EXTRAPOLATED),
                    (1, COMPENSATED + EXTRAPOLATED),
                )
            ),
        ),
        Step(
            "fixed",
            le(
                square(FIXED),
                3 * square(LEFT) + 3 * _DC + 3 * STRETCH**2 * square(DEVIATION),
            ),
            Combine({"three parts": 1, "compensated": 3, "extrapolated": 3}),
        ),
        Step(
            "fixed, workers",
            le(
                EACH.of(square(FIXED)),
                3 * EACH.of(square(LEFT)) + 3 * _DC + 3 * STRETCH**2 * EACH.of(square(DEVIATION)),
            ),
            Expect("fixed", EACH),
        ),
    ),
    lhs=EACH.of(square(FIXED)),
    terms={
        "predictions": 3 * L**2 * SPREAD,
        "remainder": 6 * eta**4 * M**2 * V2**2,
        "compensation": 12 * eta**2 * V2 * CURVED,
        "gradients before": 3 * STRETCH**2 * DEVIATIONS,
    },
    conclude=Combine({"fixed, workers": 1, "left out": 3, "deviations": -3 * STRETCH**2}),
)

CLAIM: Final = as_claim(THEOREM)
