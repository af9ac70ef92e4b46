"""Theorem 6 with the errors of earlier predictions kept: they obey a recursion that contracts.

Problem    that of `wp_1_average`, and Assumption 4 for every G_i = F − F_i/n.
Method     worker i predicts the gradients of the others from those of the iteration before, p_i,
           which were taken at predicted weights: they miss ∇G_i(x_{t−1}) by the prediction error
           then; the printed proof takes them for gradients at x_{t−1}.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + LηV₁/n + κL²η²/(1 − r)·[(1 + 3c²)V₁/n +
           6η⁴M²V₂² + 12η²V₂((1 − λ)²L² + λ²Δ²) + 3c²V₂/T] with c = 1 + 2ληV₂, where
           r = 3(1 + c²)L²η² < 1.
Source     ours.
"""

import sympy

from theory.judging import prover
from theory.kernel import Combine, Hypothesis, Point, vector
from theory.notation import theorem, total
from theory.papers.sapipe import setting, wp_1_average, wp_1_method, wp_3_method
from theory.papers.sapipe.lemmas import wp_3_left_out, wp_3_missed
from theory.papers.sapipe.lemmas.wp_3_left_out import LEFT
from theory.papers.sapipe.lemmas.wp_3_missed import CURVED, STRETCH

V1, V2, L, M, T, eta, kappa, n, t = setting.letters("V1 V2 L M T eta kappa n t")
AVERAGE, E_T, OPTIMIZATION, VAR_0 = setting.letters("AVERAGE E_T OPTIMIZATION VAR_0")
AVG, NEXT_SPREAD, SPREAD, W = wp_1_method.letters("AVG NEXT_SPREAD SPREAD W")
DEVIATIONS, FIXED = wp_3_method.letters("DEVIATIONS FIXED")
NEXT_DEVIATIONS, NOISE = wp_3_method.letters("NEXT_DEVIATIONS NOISE")

N = sympy.Function("N", nonnegative=True)
"""E N by iteration."""

_DEVIATIONS_NOW, _DEVIATIONS_NEXT = (
    Point(vector(f"δ{mark}"), value, vector(f"∇N{mark}"), "N")
    for mark, value in (("", DEVIATIONS), ("⁺", NEXT_DEVIATIONS))
)
"""The δ_i of all workers as one point, at which only the value matters."""

_DC = 2 * eta**4 * M**2 * V2**2 + 4 * eta**2 * V2 * CURVED
_ADDED = eta**2 * ((1 + 3 * STRETCH**2) * V1 / n + 3 * _DC)
_RATIO = 3 * (1 + STRETCH**2) * L**2 * eta**2

ERR = (
    L**2
    * eta**2
    / (1 - _RATIO)
    * ((1 + 3 * STRETCH**2) * V1 / n + 6 * eta**4 * M**2 * V2**2 + 12 * eta**2 * V2 * CURVED)
)
"""The error term that takes the place of Err_WP-3."""

ROOM = sympy.Symbol("delta", positive=True)
SMALL = Hypothesis(
    "small", "3(1 + (1 + 2ληV₂)²)L²η² < 1: δ > 0 is what is left of 1", prover.eq(ROOM, 1 - _RATIO)
)

GRADIENTS = (
    Hypothesis(
        "predictions",
        "x_{t+1} − x̃_i is −η(q_i − p_i − λ p_i p_iᵀΔx) (Algorithm 3, option 3), with q_i = "
        "∇G_i(x_t) + (the others' stale gradients less those at x_t) + ζ_{−i}: V⁺ is the mean of "
        "its square",
        prover.le(NEXT_SPREAD, eta**2 * AVG.of((FIXED + NOISE) ** 2)),
    ),
    Hypothesis(
        "next deviations",
        "q_i misses ∇G_i(x_t) by the same two parts: N⁺ is the mean of their square",
        prover.le(NEXT_DEVIATIONS, AVG.of((LEFT + NOISE) ** 2)),
    ),
    Hypothesis(
        "no tilt",
        "ζ_{−i} has the mean 0 given the past and the stale elements (taken with what these fix, "
        "and averaged over the workers)",
        prover.le(E_T.of(AVG.of(NOISE @ FIXED)), 0),
    ),
    Hypothesis(
        "no tilt, stale part",
        "the same, taken with the stale gradients less those at x_t",
        prover.le(E_T.of(AVG.of(NOISE @ LEFT)), 0),
    ),
    Hypothesis(
        "noise of the others",
        "n − 1 independent noises of variance at most V₁ over n: at most V₁/n (Assumption 2)",
        prover.le(E_T.of(NOISE**2), V1 / n),
    ),
)
FIRST = Hypothesis(
    "first gradients",
    "before the first gradients there are none: p_i is 0 and misses ∇G_i(x_0) whole, so by √V₂ at "
    "most",
    prover.le(N(0), V2),
)

_WEIGHT = kappa * L**2 / (T * ROOM)
_FIRST = 3 * STRETCH**2 * eta**2 * kappa * L**2 / (T * (1 - _RATIO))
FIRST_ERR = _FIRST * V2
"""What the first prediction adds: it knows no gradient of the others."""

_POINTS = (_DEVIATIONS_NOW, _DEVIATIONS_NEXT)
draft = setting.along(
    theorem("sapipe.repaired-thm-6"), {W: SPREAD, N: DEVIATIONS}, [*wp_1_method.FOLLOWING, _POINTS]
)
for lemma in (wp_1_average, wp_3_left_out, wp_3_missed):
    draft.cite(lemma.THEOREM)
setting.assuming(draft, *GRADIENTS, SMALL, wp_1_method.AT_START, FIRST)
draft.have(
    W(t + 1) + 3 * STRETCH**2 * eta**2 * N(t + 1)
    <= W(t) + 3 * STRETCH**2 * eta**2 * N(t) - (1 - _RATIO) * W(t) + _ADDED,
    "together",
    says="a potential of both: the prediction error contracts by 3(1 + (1 + 2ληV₂)²)L²η²",
)
TERMS = {"optimization": OPTIMIZATION, "error": kappa * ERR, "variance": VAR_0, "first": FIRST_ERR}
THEOREM = draft.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    by=Combine(
        {
            "sapipe.wp-1-average": 1,
            "together, summed to T": _WEIGHT,
            "first prediction": _WEIGHT,
            "first gradients": _FIRST,
            "small": _WEIGHT * (total(W(t), t, T) - T * _ADDED / (1 - _RATIO))
            - _FIRST * N(0) / ROOM,
        },
        plus=(_WEIGHT * W(T), _WEIGHT * 3 * STRETCH**2 * eta**2 * N(T)),
        domain=("small",),
    ),
    says="With η ≤ 1/L and r = 3(1 + (1 + 2ληV₂)²)L²η² < 1, SAPipe-WP with option 3 at κ = 1 has a "
    "mean over t < T of E‖∇F(x_t)‖² of at most 2R₀/(ηT) + LηV₁/n + L²η²/(1 − r) times "
    "(1 + 3(1 + 2ληV₂)²)V₁/n + 6η⁴M²V₂² + 12η²V₂((1 − λ)²L² + λ²Δ²) + 3(1 + 2ληV₂)²V₂/T for "
    "every T ≥ 1, Assumption 4 holding for every F − F_i/n, and V₂ bounding ‖∇(F − F_i/n)‖² at "
    "every x_t too; with the factor κ also for κ < 1, if steps are at most η√V₂ long.",
)

CLAIM = prover.as_claim(THEOREM, cost=3)
