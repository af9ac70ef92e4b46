"""What a prediction misses, but for the noise of the gradients that it is of.

Problem    Assumption 4 for every G_i = F − F_i/n, of which p_i is a gradient that misses by δ_i.
Method     option 3: worker i predicts with p_i + λ p_i p_iᵀΔx, ‖Δx‖ ≤ η√V₂.
Guarantee  (1/n) Σ_i ‖f_i‖² ≤ 3L²V + 6η⁴M²V₂² + 12η²V₂((1 − λ)²L² + λ²Δ²) + 3(1 + 2ληV₂)²N: that
           gradients are at predictions themselves, what the compensation leaves of the change from
           x_{t−1} to x_t, and what the gradients before, which are extrapolated, missed.
Source     ours.
"""

from theory.kernel import Combine, eq
from theory.notation import theorem
from theory.papers.sapipe import setting, wp_1_method, wp_3_method
from theory.papers.sapipe.lemmas import wp_3_left_out, wp_3_outer

V2, Delta, L, M, eta, lambda_ = setting.letters("V2 Delta L M eta lambda_")
ALONG, BEFORE, DEVIATION = wp_3_method.letters("ALONG BEFORE DEVIATION")
DEVIATIONS, FIXED, HESSIAN, MOVED = wp_3_method.letters("DEVIATIONS FIXED HESSIAN MOVED")

AVG, SPREAD = wp_1_method.letters("AVG SPREAD")
LEFT, APART = wp_3_left_out.LEFT, wp_3_outer.APART

EXTRAPOLATED = DEVIATION + lambda_ * APART
COMPENSATED = FIXED - LEFT + EXTRAPOLATED
"""∇G_i(x_t) − ∇G_i(x_{t−1}) − λ∇G_i∇G_iᵀΔx."""

CHANGE = COMPENSATED + lambda_ * ALONG * BEFORE
"""∇G_i(x_t) − ∇G_i(x_{t−1})."""

STRETCH = 1 + 2 * lambda_ * eta * V2
CURVED = (1 - lambda_) ** 2 * L**2 + lambda_**2 * Delta**2
_DC = 2 * eta**4 * M**2 * V2**2 + 4 * eta**2 * V2 * CURVED

draft = theorem("sapipe.wp-3-missed")
draft.cite(wp_3_left_out.THEOREM)
draft.varying(DEVIATIONS)
draft.assume(
    (CHANGE - HESSIAN) ** 2 <= M**2 * (MOVED**2) ** 2,
    "taylor",
    "the remainder of Taylor's formula of ∇G_i at x_{t−1} is at most M‖Δx‖² (Assumption 4)",
)
draft.assume(
    HESSIAN**2 <= L**2 * MOVED**2, "curvature", "the Hessian of G_i is at most L (Assumption 1)"
)
draft.assume(
    (HESSIAN - ALONG * BEFORE) ** 2 <= Delta**2 * MOVED**2,
    "outer product",
    "‖∇G_i∇G_iᵀ − ∇²G_i‖ ≤ Δ at x_{t−1} (Assumption 4, of F − F_i/n)",
)
draft.assume(
    eq(DEVIATIONS, AVG.of(DEVIATION**2)), "deviations", "N is the mean over the workers of ‖δ_i‖²"
)
draft.cite(wp_3_outer.THEOREM, name="outer")
draft.have(
    COMPENSATED**2 <= 2 * M**2 * (MOVED**2) ** 2 + 4 * CURVED * MOVED**2,
    "compensated change",
    says="what the compensation leaves, with the factors of Young's inequality",
    by=Combine(
        {"taylor": 2, "curvature": 4 * (1 - lambda_) ** 2, "outer product": 4 * lambda_**2},
        squares=(
            (1, CHANGE - 2 * HESSIAN + lambda_ * ALONG * BEFORE),
            (2, (1 - lambda_) * HESSIAN - lambda_ * (HESSIAN - ALONG * BEFORE)),
        ),
    ),
)
draft.have(COMPENSATED**2 <= _DC, "compensated")
draft.have(
    EXTRAPOLATED**2 <= STRETCH**2 * DEVIATION**2,
    "extrapolated",
    says="what the gradients before missed, and what the compensation makes of it",
)
draft.have(FIXED**2 <= 3 * LEFT**2 + 3 * _DC + 3 * STRETCH**2 * DEVIATION**2, "fixed")
TERMS = {
    "predictions": 3 * L**2 * SPREAD,
    "remainder": 6 * eta**4 * M**2 * V2**2,
    "compensation": 12 * eta**2 * V2 * CURVED,
    "gradients before": 3 * STRETCH**2 * DEVIATIONS,
}
CLAIM = THEOREM = draft.shows(
    AVG.of(FIXED**2) <= sum(TERMS.values()),
    TERMS,
    says="Without its noise, what a prediction misses has a mean square over the workers of at "
    "most η² times 3L²V + 6η⁴M²V₂² + 12η²V₂((1 − λ)²L² + λ²Δ²) + 3(1 + 2ληV₂)²N, V being that of "
    "x_t − x̃_i and N that of what the gradients before missed.",
)
