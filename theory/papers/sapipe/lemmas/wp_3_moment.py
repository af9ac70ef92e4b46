"""SAPipe-WP with option 3 for every stepsize: what holds without asking how good predictions are.

The gradients of the other workers and their prediction are of length √V₂ at most, and the
compensation adds λ V₂ times a step.
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
    Step,
    Telescope,
    Theorem,
    Total,
    Triangle,
    le,
    square,
)
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import wp_1_average
from theory.papers.sapipe.error_terms import OPTIMIZATION, VAR_0
from theory.papers.sapipe.setting import AVERAGE
from theory.papers.sapipe.symbols import V2, L, T, eta, kappa, lambda_, n, t
from theory.papers.sapipe.wp_1_method import AT_START, NEXT_SPREAD, W
from theory.papers.sapipe.wp_3_method import (
    ALONG,
    ALONGS,
    BEFORE,
    DEVIATION,
    DEVIATION_ALONG,
    E_ALL,
    EACH,
    KNOWN,
    MOVED,
    OTHERS,
    OUTER,
    STEP_SIZE,
)

_ALL: Final = (t, 0, T - 1)
_BASE: Final = wp_1_average.THEOREM
_SHARE: Final[Scalar] = 1 - 1 / n
_MISSED: Final = -eta * (OTHERS - KNOWN - lambda_ * OUTER)
_ROOT: Final[Scalar] = sympy.sqrt(V2)
_INNER: Final[Scalar] = ALONG + DEVIATION_ALONG
_LENGTH: Final[Scalar] = eta * _SHARE * _ROOT * (2 + lambda_ * eta * V2)

ERR: Final[Scalar] = L**2 * eta**2 * V2 * _SHARE**2 * (2 + lambda_ * eta * V2) ** 2
"""The error term."""

HYPOTHESES: Final = (
    Hypothesis(
        "predictions",
        "x_{t+1} − x̃_i is −η(q_i − p_i − λ p_i p_iᵀΔx) (Algorithm 3, option 3): V⁺ is the mean of "
        "its square",
        le(NEXT_SPREAD, EACH.of(square(_MISSED))),
    ),
    Hypothesis(
        "others",
        "q_i is 1/n times n − 1 gradients of squared norm at most V₂ (Assumption 2)",
        le(square(OTHERS), (_SHARE * _ROOT) ** 2),
    ),
    Hypothesis(
        "known",
        "p_i is 1/n times n − 1 gradients of squared norm at most V₂ (Assumption 2)",
        le(square(KNOWN), (_SHARE * _ROOT) ** 2),
    ),
    *ALONGS,
    STEP_SIZE,
    AT_START,
)

THEOREM: Final = Theorem(
    id="sapipe.wp-3-moment",
    where="ours",
    statement=(
        "With η ≤ 1/L and every λ ≥ 0, SAPipe-WP with option 3 at κ = 1 has a mean over t < T of "
        "E‖∇F(x_t)‖² of at most 2R₀/(ηT) + L²η²V₂(1 − 1/n)²(2 + ληV₂)² + LηV₁/n for every T ≥ 1; "
        "with the factor κ also for κ < 1, if steps are at most η√V₂ long."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\kappa L^2\eta^2 V_2 (1-\tfrac1n)^2 (2 + \lambda\eta V_2)^2 + \tfrac{L\eta V_1}{n}"
    ),
    symbols=(*_BASE.symbols, V2, lambda_),
    scalars=(*_BASE.scalars, ALONG, DEVIATION_ALONG),
    vectors=(*_BASE.vectors, OTHERS, BEFORE, DEVIATION, MOVED),
    points=_BASE.points,
    sequences=_BASE.sequences,
    following=_BASE.following,
    hypotheses=(*wp_1_average.HYPOTHESES, *HYPOTHESES),
    cites=(_BASE,),
    steps=(
        Step("average", _BASE.goal, Cite("sapipe.wp-1-average")),
        Step(
            "whole",
            le(square(KNOWN), V2),
            Combine({"known": 1}, plus=(V2 * (1 - _SHARE**2),)),
        ),
        Step(
            "inner",
            le(_INNER**2, eta**2 * V2**2),
            Combine(
                {
                    "whole": _INNER**2 / V2,
                    "along": 2 * _INNER,
                    "deviation along": 2 * _INNER,
                    "step": V2,
                },
                squares=((1 / V2, V2 * MOVED - _INNER * KNOWN),),
            ),
            "⟨p_i, Δx⟩² ≤ η²V₂²",
        ),
        Step(
            "outer",
            le(square(OUTER), (eta * V2 * _SHARE * _ROOT) ** 2),
            Combine({"known": _INNER**2, "inner": _SHARE**2 * V2}),
        ),
        Step(
            "missed",
            le(square(_MISSED), _LENGTH**2),
            Triangle(
                (
                    ("others", eta, -OTHERS, _SHARE * _ROOT),
                    ("known", eta, KNOWN, _SHARE * _ROOT),
                    ("outer", eta * lambda_, OUTER, eta * V2 * _SHARE * _ROOT),
                )
            ),
        ),
        Step("missed, workers", le(EACH.of(square(_MISSED)), _LENGTH**2), Expect("missed", EACH)),
        Step(
            "ahead", le(NEXT_SPREAD, _LENGTH**2), Combine({"missed, workers": 1, "predictions": 1})
        ),
        Step("mean", le(E_ALL.of(NEXT_SPREAD), _LENGTH**2), Expect("ahead", E_ALL)),
        Step("total", le(W(t + 1), _LENGTH**2), Total("mean", t)),
        Step(
            "spreads",
            le(sympy.Sum(W(t), _ALL) + W(T) - W(0), T * _LENGTH**2),
            Telescope("total", t, T),
        ),
    ),
    lhs=AVERAGE,
    terms={"optimization": OPTIMIZATION, "error": kappa * ERR, "variance": VAR_0},
    conclude=Combine(
        {
            "average": 1,
            "spreads": kappa * L**2 / T,
            "first prediction": kappa * L**2 / T,
        },
        plus=(kappa * L**2 * W(T) / T,),
    ),
)

CLAIM: Final = as_claim(THEOREM)
