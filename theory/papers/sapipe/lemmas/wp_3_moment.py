"""SAPipe-WP with option 3 for every stepsize: what holds without asking how good predictions are.

Problem    that of `wp_1_average`, and stochastic gradients are of length √V₂ at most.
Method     worker i predicts the gradients of the others, q_i, by p_i + λ p_i p_iᵀΔx, of length
           √V₂ at most and λV₂ times a step.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + κL²η²V₂(1 − 1/n)²(2 + ληV₂)² + LηV₁/n.
Source     ours.
"""

import sympy

from theory.kernel import Combine, Triangle
from theory.notation import theorem
from theory.papers.sapipe import setting, wp_1_average, wp_1_method, wp_3_method
from theory.papers.sapipe.lemmas import wp_3_outer

V2, L, eta, kappa, lambda_, n, t = setting.letters("V2 L eta kappa lambda_ n t")
AVERAGE, OPTIMIZATION, VAR_0 = setting.letters("AVERAGE OPTIMIZATION VAR_0")
AVG, NEXT_SPREAD, SPREAD, W = wp_1_method.letters("AVG NEXT_SPREAD SPREAD W")
ALONG, DEVIATION_ALONG, KNOWN = wp_3_method.letters("ALONG DEVIATION_ALONG KNOWN")
OTHERS, OUTER = wp_3_method.letters("OTHERS OUTER")

_SHARE = 1 - 1 / n
_MISSED = -eta * (OTHERS - KNOWN - lambda_ * OUTER)
_ROOT = sympy.sqrt(V2)
_INNER = ALONG + DEVIATION_ALONG
_LENGTH = eta * _SHARE * _ROOT * (2 + lambda_ * eta * V2)

ERR = L**2 * eta**2 * V2 * _SHARE**2 * (2 + lambda_ * eta * V2) ** 2
"""The error term."""

draft = setting.along(theorem("sapipe.wp-3-moment"), {W: SPREAD}, wp_1_method.FOLLOWING)
draft.cite(wp_1_average.THEOREM, name="average")
draft.varying(ALONG, DEVIATION_ALONG)
draft.assume(
    NEXT_SPREAD <= AVG.of(_MISSED**2),
    "predictions",
    "x_{t+1} − x̃_i is −η(q_i − p_i − λ p_i p_iᵀΔx) (Algorithm 3, option 3): V⁺ is the mean of its "
    "square",
)
draft.assume(
    OTHERS**2 <= (_SHARE * _ROOT) ** 2,
    "others",
    "q_i is 1/n times n − 1 gradients of squared norm at most V₂ (Assumption 2)",
)
draft.assume(
    KNOWN**2 <= (_SHARE * _ROOT) ** 2,
    "known",
    "p_i is 1/n times n − 1 gradients of squared norm at most V₂ (Assumption 2)",
)
setting.assuming(draft, *wp_3_method.ALONGS, wp_3_method.STEP_SIZE, wp_1_method.AT_START)
draft.have(KNOWN**2 <= V2, "whole", "known")
draft.have(
    _INNER**2 <= eta**2 * V2**2, "inner", says="⟨p_i, Δx⟩² ≤ η²V₂²", by=wp_3_outer.inner("whole")
)
draft.have(
    OUTER**2 <= (eta * V2 * _SHARE * _ROOT) ** 2,
    "outer",
    by=Combine({"known": _INNER**2, "inner": _SHARE**2 * V2}),
)
draft.have(
    _MISSED**2 <= _LENGTH**2,
    "missed",
    by=Triangle(
        (
            ("others", eta, -OTHERS, _SHARE * _ROOT),
            ("known", eta, KNOWN, _SHARE * _ROOT),
            ("outer", eta * lambda_, OUTER, eta * V2 * _SHARE * _ROOT),
        )
    ),
)
draft.have(NEXT_SPREAD <= _LENGTH**2, "ahead")
draft.have(W(t + 1) <= _LENGTH**2, "spreads")
TERMS = {"optimization": OPTIMIZATION, "error": kappa * ERR, "variance": VAR_0}
CLAIM = THEOREM = draft.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="With η ≤ 1/L and every λ ≥ 0, SAPipe-WP with option 3 at κ = 1 has a mean over t < T of "
    "E‖∇F(x_t)‖² of at most 2R₀/(ηT) + L²η²V₂(1 − 1/n)²(2 + ληV₂)² + LηV₁/n for every T ≥ 1; "
    "with the factor κ also for κ < 1, if steps are at most η√V₂ long.",
)
