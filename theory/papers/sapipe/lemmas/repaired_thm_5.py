"""SAPipe-WP with option 2 for every η ≤ 1/L and every share κ: four times Err₀.

The predicted weights miss by the difference of two updates, each of mean square at most η²V₂. No
recursion is needed, so no condition beyond η ≤ 1/L is either. Where κ < 1, an update is a mixture
of fresh and stale elements, and the samples of the stale ones are not used before.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Combine,
    Expect,
    Lipschitz,
    Step,
    Telescope,
    Theorem,
    Total,
    le,
    lipschitz,
    square,
)
from theory.papers.sapipe.error_terms import OPTIMIZATION, VAR_0
from theory.papers.sapipe.lemmas import elements, workers, wp_update
from theory.papers.sapipe.runs.challenges import CHALLENGES
from theory.papers.sapipe.setting import (
    AVERAGE,
    E_T,
    F_STAR,
    LOWER,
    OFF,
    SHARE,
    SMOOTH,
    START,
    STEPSIZE,
    F,
    G,
    S,
    X,
    mean_of,
    nu,
    second_moment,
)
from theory.papers.sapipe.symbols import R0, V1, V2, L, T, eta, kappa, n, t
from theory.papers.sapipe.wp_2_method import (
    AIM,
    AT_START,
    E_AHEAD,
    FOLLOWING,
    GAP,
    GAP_AHEAD,
    LAST,
    LAST_AHEAD,
    MOVES,
    POINTS,
    PREDICTED,
    SEQUENCES,
    SIZE,
    VECTORS,
    U,
    W,
)

_ALL: Final = (t, 0, T - 1)
_HALF = eta / 2
_NOISE = V1 / n
_ONE = L * eta**2 * _NOISE / 2
_MISSED = X.gradient - AIM
_BIAS = {OFF.terms[0][0]: _MISSED}
_BOTH = 2 * square(G) + 2 * square(LAST.position)

ERR: Final = 4 * L**2 * eta**2 * V2
"""The error term."""

THEOREM: Final = Theorem(
    id="sapipe.repaired-thm-5",
    where="ours",
    statement=(
        "With η ≤ 1/L, SAPipe-WP with option 2 has a mean over t < T of E‖∇F(x_t)‖² of at most "
        "2R₀/(ηT) + 4κL²η²V₂ + LηV₁/n for every T ≥ 1. This is Algorithm 3 for κ = 1, round 0 not "
        "counted and g_0 = 0; for 0 < κ < 1 if stale elements have samples of their own."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"4\kappa L^2\eta^2 V_2 + \tfrac{L\eta V_1}{n}"
    ),
    symbols=(T, n, eta, L, kappa, V1, V2, R0, F_STAR),
    vectors=(*VECTORS, elements.DRAWN),
    points=POINTS,
    sequences=SEQUENCES,
    following=FOLLOWING,
    hypotheses=(
        SMOOTH,
        *elements.drawn(_MISSED),
        elements.UNBIASED,
        *elements.SAMPLES,
        *(one for one in MOVES if one.name in ("next last update", "next gap")),
        SIZE,
        *(one for one in AT_START if one.name in ("first gap", "at rest")),
        START,
        LOWER,
        STEPSIZE,
        SHARE,
    ),
    cites=(workers.THEOREM, elements.THEOREM, wp_update.THEOREM),
    steps=(
        Step(
            "second moment",
            second_moment(_MISSED, _NOISE).relation,
            Cite("sapipe.random-elements", vectors=_BIAS),
        ),
        Step(
            "unbiased", mean_of(_MISSED).relation, Combine({"elements": 1, "unbiased samples": 1})
        ),
        Step(
            "update",
            wp_update.THEOREM.goal.replaced({nu: _NOISE}, _BIAS),
            Cite("sapipe.wp-update", {nu: _NOISE}, _BIAS),
        ),
        Step("lipschitz", lipschitz(L, X, PREDICTED), Lipschitz("smooth", X, PREDICTED)),
        Step("small", le(0, 1 - L * eta), Combine({"stepsize": L})),
        Step("part", le(0, 1 - kappa), Combine({"share": 1})),
        Step(
            "together",
            le(
                wp_update.AHEAD,
                X.value
                - _HALF * square(X.gradient)
                + _HALF * kappa * L**2 * square(GAP.position)
                + _ONE,
            ),
            Combine(
                {"update": 1, "lipschitz": _HALF * kappa},
                squares=(
                    (_HALF * (1 - L * eta) * kappa, AIM),
                    (_HALF * (1 - L * eta) * (1 - kappa), X.gradient),
                ),
                domain=("small", "part"),
            ),
        ),
        Step(
            "one update, total",
            le(F(t + 1), F(t) - _HALF * (S(t) - kappa * L**2 * W(t)) + _ONE),
            Total("together", t),
        ),
        Step(
            "two updates",
            le(square(G - LAST.position), _BOTH),
            Combine(squares=((1, G + LAST.position),)),
            "a difference has at most twice the squares of both",
        ),
        Step(
            "two updates, expected",
            le(E_T.of(square(G - LAST.position)), E_T.of(_BOTH)),
            Expect("two updates", E_T),
        ),
        Step(
            "gap ahead",
            le(
                E_AHEAD.of(square(GAP_AHEAD.position)),
                2 * eta**2 * (V2 + square(LAST.position)),
            ),
            Combine(
                {"next gap": 1, "two updates, expected": eta**2, "size": 2 * eta**2},
            ),
        ),
        Step("gaps", le(W(t + 1), 2 * eta**2 * (V2 + U(t))), Total("gap ahead", t)),
        Step(
            "next size",
            le(E_AHEAD.of(square(LAST_AHEAD.position)), V2),
            Combine({"next last update": 1, "size": 1}),
        ),
        Step("sizes", le(U(t + 1), V2), Total("next size", t)),
        Step(
            "sum",
            le(F(T), F(0) - _HALF * sympy.Sum(S(t) - kappa * L**2 * W(t), _ALL) + T * _ONE),
            Telescope("one update, total", t, T),
        ),
        Step(
            "sum of gaps",
            le(
                sympy.Sum(W(t), _ALL) + W(T) - W(0),
                2 * eta**2 * (T * V2 + sympy.Sum(U(t), _ALL)),
            ),
            Telescope("gaps", t, T),
        ),
        Step(
            "sum of sizes",
            le(sympy.Sum(U(t), _ALL) + U(T) - U(0), T * V2),
            Telescope("sizes", t, T),
        ),
    ),
    lhs=AVERAGE,
    terms={"optimization": OPTIMIZATION, "error": kappa * ERR, "variance": VAR_0},
    conclude=Combine(
        {
            **dict.fromkeys(("sum", "lower bound", "start"), 2 / (eta * T)),
            **dict.fromkeys(("sum of gaps", "first gap"), kappa * L**2 / T),
            **dict.fromkeys(("sum of sizes", "at rest"), 2 * eta**2 * kappa * L**2 / T),
        },
        plus=(kappa * L**2 * W(T) / T, 2 * eta**2 * kappa * L**2 * U(T) / T),
    ),
)

CLAIM: Final = as_claim(THEOREM, challenge=CHALLENGES["sapipe-wp-2"], cost=2)
