"""Theorem 4 with what Assumption 3 gives, and with each gradient where it is taken.

The workers' gradients are at predictions of their own, x̃_i, and Assumption 3 speaks of one point.
With ∇F_i(x̃_i) = ∇F_i(x_t) − e_i and ‖e_i‖ ≤ L‖x_t − x̃_i‖ it can be used at x_t; how far the
predictions are off then obeys a recursion, which contracts where 2L²η² < 1.
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
    Lipschitz,
    Step,
    Swap,
    Telescope,
    Theorem,
    Total,
    dot,
    eq,
    le,
    lipschitz,
    square,
)
from theory.papers.sapipe import wp_1_average
from theory.papers.sapipe.error_terms import OPTIMIZATION, VAR_0
from theory.papers.sapipe.lemmas import wp_1_noise
from theory.papers.sapipe.lemmas.wp_update import ROOM, SMALL
from theory.papers.sapipe.runs.challenges import CHALLENGES
from theory.papers.sapipe.setting import AVERAGE, X
from theory.papers.sapipe.symbols import V1, V2, L, T, eta, kappa, n, rho, t
from theory.papers.sapipe.wp_1_method import (
    AT_START,
    AVG,
    AWAY,
    E_WITH_WORKERS,
    HERE,
    MEAN_MISSED,
    MEAN_NOISE,
    MISSED,
    NEXT_SPREAD,
    NOISE,
    PREDICTED,
    READ_SO,
    SPREAD,
    W,
)

_ALL: Final = (t, 0, T - 1)
_BASE: Final = wp_1_average.THEOREM
_E: Final = E_WITH_WORKERS
_DIVERSE = HERE.gradient - X.gradient
_OFF = MISSED - MEAN_MISSED
_FIXED = _DIVERSE - _OFF
_NOISY = wp_1_noise.APART
_SLOPES = lipschitz(L, HERE, PREDICTED)
_RATIO: Final = 2 * L**2 * eta**2

ERR: Final = L**2 * eta**2 / (1 - _RATIO) * ((1 - 1 / n) * V1 + 2 * (n * rho - 1) * V2)
"""The error term that takes the place of Err_WP-1."""

_BOUND = eta**2 * ((1 - 1 / n) * V1 + 2 * (n * rho - 1) * V2)
_SPREADS = sympy.Sum(W(t), _ALL)
_SHARE = kappa * L**2 / (T * ROOM)

PARTS: Final = (
    Hypothesis(
        "predictions",
        "x̃_i is x_t − ηg_i and x_{t+1} is x_t − ηg (Algorithm 3, option 1), with g_i = "
        "∇F_i(x_t) − a_i + ζ_i: V⁺ is η² times the mean of the ‖g_i − g‖²",
        le(NEXT_SPREAD, eta**2 * AVG.of(square(_FIXED + _NOISY))),
    ),
    Hypothesis(
        "stale part",
        "a_i is made of the stale elements of ∇F_i(x_t) − ∇F_i(x̃_i), 0 in the others",
        le(square(MISSED), square(HERE.gradient - PREDICTED.gradient)),
    ),
    Hypothesis(
        "mean of the stale parts",
        "a is the mean over the workers of the a_i",
        eq(AVG.of(dot(MISSED, MEAN_MISSED)), square(MEAN_MISSED)),
    ),
    Hypothesis(
        "no tilt",
        "ζ_i has the mean 0 given the past and the stale elements (taken with what these fix)",
        eq(_E.of(dot(_NOISY, _FIXED)), 0),
    ),
    *wp_1_noise.HYPOTHESES,
    Hypothesis(
        "objective",
        "∇F(x) is the mean of the ∇F_i(x)",
        eq(AVG.of(dot(HERE.gradient, X.gradient)), square(X.gradient)),
    ),
    Hypothesis(
        "diversity",
        "Σ‖∇F_i(x)‖² ≤ ρ‖Σ∇F_i(x)‖² at x_t (Assumption 3)",
        le(AVG.of(square(HERE.gradient)), n * rho * square(X.gradient)),
    ),
    Hypothesis(
        "slope",
        "‖∇F(x_t)‖² ≤ V₂, the mean of stochastic gradients there (Assumption 2)",
        le(square(X.gradient), V2),
    ),
    Hypothesis(
        "diverse",
        "ρ ≥ 1/n, as Assumption 3 implies where ∇F is not 0",
        le(1, n * rho),
    ),
)


THEOREM: Final = Theorem(
    id="sapipe.repaired-thm-4",
    where="ours",
    statement=(
        "With η ≤ 1/L and 2L²η² < 1, SAPipe-WP with option 1 has a mean over t < T of "
        "E‖∇F(x_t)‖² of at most 2R₀/(ηT) + κL²η²[(1 − 1/n)V₁ + 2(nρ − 1)V₂]/(1 − 2L²η²) + LηV₁/n "
        "for every T ≥ 1, V₂ being at least every ‖∇F(x_t)‖². "
        f"{READ_SO}"
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\tfrac{\kappa L^2\eta^2}{1 - 2L^2\eta^2}\bigl[(1-\tfrac1n)V_1 + 2(n\rho-1)V_2\bigr] + "
        r"\tfrac{L\eta V_1}{n}"
    ),
    symbols=(*_BASE.symbols, V2, rho, ROOM),
    scalars=_BASE.scalars,
    vectors=(*_BASE.vectors, MISSED, MEAN_MISSED, NOISE, MEAN_NOISE),
    points=_BASE.points,
    sequences=_BASE.sequences,
    following=_BASE.following,
    hypotheses=(*wp_1_average.HYPOTHESES, *PARTS, SMALL, AT_START),
    cites=(_BASE, wp_1_noise.THEOREM),
    steps=(
        Step("average", _BASE.goal, Cite("sapipe.wp-1-average")),
        # of what the past and the stale elements fix
        Step("lipschitz", _SLOPES, Lipschitz("each smooth", HERE, PREDICTED)),
        Step(
            "stale",
            le(square(MISSED), L**2 * square(AWAY)),
            Combine({"stale part": 1, "lipschitz": 1}),
        ),
        Step(
            "stale parts",
            le(AVG.of(square(MISSED)), L**2 * AVG.of(square(AWAY))),
            Expect("stale", AVG),
        ),
        Step(
            "square",
            le(0, square(_DIVERSE + _OFF)),
            Combine(squares=((1, _DIVERSE + _OFF),)),
        ),
        Step("squares", le(0, AVG.of(square(_DIVERSE + _OFF))), Expect("square", AVG)),
        Step(
            "fixed",
            le(
                AVG.of(square(_FIXED)),
                2 * (n * rho - 1) * square(X.gradient) + 2 * L**2 * SPREAD,
            ),
            Combine(
                {
                    "squares": 1,
                    "diversity": 2,
                    "objective": -4,
                    "stale parts": 2,
                    "mean of the stale parts": -4,
                    "spread": -2 * L**2,
                },
                squares=((2, MEAN_MISSED),),
            ),
        ),
        Step(
            "fixed, expected",
            le(
                wp_1_noise.expected(square(_FIXED)),
                2 * (n * rho - 1) * square(X.gradient) + 2 * L**2 * SPREAD,
            ),
            Expect("fixed", _E),
        ),
        # of the noises
        Step("no tilt of each", eq(AVG.of(_E.of(dot(_NOISY, _FIXED))), 0), Expect("no tilt", AVG)),
        Step(
            "no tilt at all",
            eq(wp_1_noise.expected(dot(_NOISY, _FIXED)), 0),
            Swap("no tilt of each", AVG, _E),
        ),
        Step("noise apart", wp_1_noise.THEOREM.goal, Cite("sapipe.wp-1-noise")),
        # together
        Step(
            "ahead",
            le(_E.of(NEXT_SPREAD), eta**2 * wp_1_noise.expected(square(_FIXED + _NOISY))),
            Expect("predictions", _E),
        ),
        Step(
            "recursion",
            le(
                _E.of(NEXT_SPREAD),
                eta**2 * ((1 - 1 / n) * V1 + 2 * (n * rho - 1) * square(X.gradient))
                + _RATIO * SPREAD,
            ),
            Combine(
                {
                    "ahead": 1,
                    "fixed, expected": eta**2,
                    "noise apart": eta**2,
                    "no tilt at all": 2 * eta**2,
                }
            ),
        ),
        Step("more", le(0, n * rho - 1), Combine({"diverse": 1})),
        Step(
            "bounded",
            le(_E.of(NEXT_SPREAD), _BOUND + _RATIO * SPREAD),
            Combine(
                {"recursion": 1, "slope": 2 * eta**2 * (n * rho - 1)},
                domain=("more",),
            ),
        ),
        Step("total", le(W(t + 1), _BOUND + _RATIO * W(t)), Total("bounded", t)),
        Step(
            "spreads",
            le(
                (1 - _RATIO) * _SPREADS + W(T) - W(0),
                T * _BOUND,
            ),
            Telescope("total", t, T),
        ),
    ),
    lhs=AVERAGE,
    terms={"optimization": OPTIMIZATION, "error": kappa * ERR, "variance": VAR_0},
    conclude=Combine(
        {
            "average": 1,
            "spreads": _SHARE,
            "first prediction": _SHARE,
            "small": _SHARE * (_SPREADS - T * _BOUND / (1 - _RATIO)),
        },
        plus=(_SHARE * W(T),),
        domain=("small",),
    ),
)

CLAIM: Final = as_claim(THEOREM, challenge=CHALLENGES["sapipe-wp-1"], where=_RATIO < 1, cost=2)
