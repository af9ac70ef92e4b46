"""Theorem 6 with the errors of earlier predictions kept: they obey a recursion that contracts.

The gradients that a prediction extrapolates were taken at predicted weights themselves, so they
miss those at x_{t−1} by the prediction error of the iteration before; the printed proof takes them
for gradients at x_{t−1}. Assumption 4 is used for G_i = F − F_i/n, whose gradient p_i stands for.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Combine,
    Expect,
    Hypothesis,
    Point,
    Step,
    Swap,
    Telescope,
    Theorem,
    Total,
    dot,
    eq,
    le,
    square,
    vector,
)
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import wp_1_average
from theory.papers.sapipe.error_terms import OPTIMIZATION, VAR_0
from theory.papers.sapipe.lemmas import wp_3_left_out, wp_3_missed
from theory.papers.sapipe.lemmas.wp_3_left_out import LEFT
from theory.papers.sapipe.lemmas.wp_3_missed import CURVED, STRETCH
from theory.papers.sapipe.setting import AVERAGE
from theory.papers.sapipe.symbols import V1, V2, Delta, L, M, T, eta, kappa, lambda_, n, t
from theory.papers.sapipe.wp_1_method import (
    AT_START,
    MEAN_MISSED,
    MISSED,
    NEXT_SPREAD,
    SPREAD,
    W,
)
from theory.papers.sapipe.wp_3_method import (
    ALONG,
    BEFORE,
    DEVIATION,
    DEVIATION_ALONG,
    DEVIATIONS,
    E_ALL,
    EACH,
    FIXED,
    HESSIAN,
    MOVED,
    NEXT_DEVIATIONS,
    NOISE,
)

_ALL: Final = (t, 0, T - 1)
_BASE: Final = wp_1_average.THEOREM

N: Final = sympy.Function("N", nonnegative=True)
"""E N by iteration."""

_DEVIATIONS_NOW, _DEVIATIONS_NEXT = (
    Point(vector(f"δ{mark}"), value, vector(f"∇N{mark}"), "N")
    for mark, value in (("", DEVIATIONS), ("⁺", NEXT_DEVIATIONS))
)
"""The δ_i of all workers as one point, at which only the value matters."""

_DC: Final[Scalar] = 2 * eta**4 * M**2 * V2**2 + 4 * eta**2 * V2 * CURVED
_ADDED: Final[Scalar] = eta**2 * ((1 + 3 * STRETCH**2) * V1 / n + 3 * _DC)
_RATIO: Final[Scalar] = 3 * (1 + STRETCH**2) * L**2 * eta**2

ERR: Final[Scalar] = (
    L**2
    * eta**2
    / (1 - _RATIO)
    * ((1 + 3 * STRETCH**2) * V1 / n + 6 * eta**4 * M**2 * V2**2 + 12 * eta**2 * V2 * CURVED)
)
"""The error term that takes the place of Err_WP-3."""

ROOM: Final = sympy.Symbol("delta", positive=True)
SMALL: Final = Hypothesis(
    "small", "3(1 + (1 + 2ληV₂)²)L²η² < 1: δ > 0 is what is left of 1", eq(ROOM, 1 - _RATIO)
)


def _expected(form: Scalar) -> Scalar:
    return E_ALL.of(EACH.of(form))


GRADIENTS: Final = (
    Hypothesis(
        "predictions",
        "x_{t+1} − x̃_i is −η(q_i − p_i − λ p_i p_iᵀΔx) (Algorithm 3, option 3), with q_i = "
        "∇G_i(x_t) + (the others' stale gradients less those at x_t) + ζ_{−i}: V⁺ is the mean of "
        "its square",
        le(NEXT_SPREAD, eta**2 * EACH.of(square(FIXED + NOISE))),
    ),
    Hypothesis(
        "next deviations",
        "q_i misses ∇G_i(x_t) by the same two parts: N⁺ is the mean of their square",
        le(NEXT_DEVIATIONS, EACH.of(square(LEFT + NOISE))),
    ),
    Hypothesis(
        "no tilt",
        "ζ_{−i} has the mean 0 given the past and the stale elements (taken with what these fix, "
        "and averaged over the workers)",
        le(_expected(dot(NOISE, FIXED)), 0),
    ),
    Hypothesis(
        "no tilt, stale part",
        "the same, taken with the stale gradients less those at x_t",
        le(_expected(dot(NOISE, LEFT)), 0),
    ),
    Hypothesis(
        "noise of the others",
        "n − 1 independent noises of variance at most V₁ over n: at most V₁/n (Assumption 2)",
        le(E_ALL.of(square(NOISE)), V1 / n),
    ),
)
FIRST: Final = Hypothesis(
    "first gradients",
    "before the first gradients there are none: p_i is 0 and misses ∇G_i(x_0) whole, so by √V₂ at "
    "most",
    le(N(0), V2),
)


RECURSION: Final = (
    Step(
        "fixed, expected",
        le(
            _expected(square(FIXED)),
            3 * L**2 * SPREAD + 3 * _DC + 3 * STRETCH**2 * DEVIATIONS,
        ),
        Expect("missed", E_ALL),
    ),
    Step(
        "others, expected",
        le(_expected(square(LEFT)), L**2 * SPREAD),
        Expect("left out", E_ALL),
    ),
    Step(
        "noise, each",
        le(EACH.of(E_ALL.of(square(NOISE))), V1 / n),
        Expect("noise of the others", EACH),
    ),
    Step("noise, expected", le(_expected(square(NOISE)), V1 / n), Swap("noise, each", EACH, E_ALL)),
    Step(
        "ahead",
        le(E_ALL.of(NEXT_SPREAD), eta**2 * _expected(square(FIXED + NOISE))),
        Expect("predictions", E_ALL),
    ),
    Step(
        "deviations ahead",
        le(E_ALL.of(NEXT_DEVIATIONS), _expected(square(LEFT + NOISE))),
        Expect("next deviations", E_ALL),
    ),
    Step(
        "spread grows",
        le(
            E_ALL.of(NEXT_SPREAD),
            eta**2 * (V1 / n + 3 * L**2 * SPREAD + 3 * _DC + 3 * STRETCH**2 * DEVIATIONS),
        ),
        Combine(
            {
                "ahead": 1,
                "fixed, expected": eta**2,
                "noise, expected": eta**2,
                "no tilt": 2 * eta**2,
            }
        ),
    ),
    Step(
        "deviations grow",
        le(E_ALL.of(NEXT_DEVIATIONS), V1 / n + L**2 * SPREAD),
        Combine(
            {
                "deviations ahead": 1,
                "others, expected": 1,
                "noise, expected": 1,
                "no tilt, stale part": 2,
            }
        ),
    ),
    Step(
        "spread, total",
        le(
            W(t + 1),
            eta**2 * (V1 / n + 3 * L**2 * W(t) + 3 * _DC + 3 * STRETCH**2 * N(t)),
        ),
        Total("spread grows", t),
    ),
    Step(
        "deviations, total",
        le(N(t + 1), V1 / n + L**2 * W(t)),
        Total("deviations grow", t),
    ),
    Step(
        "together",
        le(
            W(t + 1) + 3 * STRETCH**2 * eta**2 * N(t + 1),
            W(t) + 3 * STRETCH**2 * eta**2 * N(t) - (1 - _RATIO) * W(t) + _ADDED,
        ),
        Combine({"spread, total": 1, "deviations, total": 3 * STRETCH**2 * eta**2}),
        "a potential of both: the prediction error contracts by 3(1 + (1 + 2ληV₂)²)L²η²",
    ),
    Step(
        "spreads",
        le(
            W(T) + 3 * STRETCH**2 * eta**2 * N(T),
            W(0)
            + 3 * STRETCH**2 * eta**2 * N(0)
            - (1 - _RATIO) * sympy.Sum(W(t), _ALL)
            + T * _ADDED,
        ),
        Telescope("together", t, T),
    ),
)
"""From one iteration to the next, and over all of them."""

_WEIGHT: Final[Scalar] = kappa * L**2 / (T * ROOM)
_FIRST: Final[Scalar] = 3 * STRETCH**2 * eta**2 * kappa * L**2 / (T * (1 - _RATIO))
FIRST_ERR: Final[Scalar] = _FIRST * V2
"""What the first prediction adds: it knows no gradient of the others."""

THEOREM: Final = Theorem(
    id="sapipe.repaired-thm-6",
    where="ours",
    statement=(
        "With η ≤ 1/L and r = 3(1 + (1 + 2ληV₂)²)L²η² < 1, SAPipe-WP with option 3 at κ = 1 has a "
        "mean over t < T of E‖∇F(x_t)‖² of at most 2R₀/(ηT) + LηV₁/n + L²η²/(1 − r) times "
        "(1 + 3(1 + 2ληV₂)²)V₁/n + 6η⁴M²V₂² + 12η²V₂((1 − λ)²L² + λ²Δ²) + 3(1 + 2ληV₂)²V₂/T for "
        "every T ≥ 1, Assumption 4 holding for every F − F_i/n, and V₂ bounding ‖∇(F − F_i/n)‖² at "
        "every x_t too; with the factor κ also for κ < 1, if steps are at most η√V₂ long."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\tfrac{\kappa L^2\eta^2}{1 - r}\bigl[(1 + 3(1+2\lambda\eta V_2)^2)\tfrac{V_1}{n} + "
        r"6\eta^4M^2V_2^2 + 12\eta^2V_2((1-\lambda)^2L^2 + \lambda^2\Delta^2) + "
        r"\tfrac{3(1+2\lambda\eta V_2)^2V_2}{T}\bigr] + \tfrac{L\eta V_1}{n}"
    ),
    symbols=(*_BASE.symbols, V2, M, Delta, lambda_, ROOM),
    scalars=(*_BASE.scalars, ALONG, DEVIATION_ALONG),
    vectors=(
        *_BASE.vectors,
        *(MISSED, MEAN_MISSED, NOISE, BEFORE, DEVIATION, MOVED, FIXED, HESSIAN),
    ),
    points=(*_BASE.points, _DEVIATIONS_NOW, _DEVIATIONS_NEXT),
    sequences={**_BASE.sequences, N: DEVIATIONS},
    following=(*_BASE.following, (_DEVIATIONS_NOW, _DEVIATIONS_NEXT)),
    hypotheses=(
        *wp_1_average.HYPOTHESES,
        *GRADIENTS,
        *(h for h in wp_3_missed.THEOREM.hypotheses if h not in wp_1_average.HYPOTHESES),
        SMALL,
        AT_START,
        FIRST,
    ),
    cites=(_BASE, wp_3_left_out.THEOREM, wp_3_missed.THEOREM),
    steps=(
        Step("average", _BASE.goal, Cite("sapipe.wp-1-average")),
        Step("left out", wp_3_left_out.THEOREM.goal, Cite("sapipe.wp-3-left-out")),
        Step("missed", wp_3_missed.THEOREM.goal, Cite("sapipe.wp-3-missed")),
        *RECURSION,
    ),
    lhs=AVERAGE,
    terms={
        "optimization": OPTIMIZATION,
        "error": kappa * ERR,
        "variance": VAR_0,
        "first": FIRST_ERR,
    },
    conclude=Combine(
        {
            "average": 1,
            "spreads": _WEIGHT,
            "first prediction": _WEIGHT,
            "first gradients": _FIRST,
            "small": _WEIGHT * (sympy.Sum(W(t), _ALL) - T * _ADDED / (1 - _RATIO))
            - _FIRST * N(0) / ROOM,
        },
        plus=(_WEIGHT * W(T), _WEIGHT * 3 * STRETCH**2 * eta**2 * N(T)),
        domain=("small",),
    ),
)

CLAIM: Final = as_claim(THEOREM, cost=3)
