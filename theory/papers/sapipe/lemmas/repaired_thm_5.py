"""SAPipe-WP with option 2 for every η ≤ 1/L and every share κ: four times Err₀.

The predicted weights miss by the difference of two updates, each of mean square at most η²V₂. No
recursion is needed, so no condition beyond η ≤ 1/L is either. Where κ < 1, an update is a mixture
of fresh and stale elements, and the samples of the stale ones are not used before.
"""

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
from theory.papers.sapipe import setting, wp_2_method
from theory.papers.sapipe.lemmas import elements, workers, wp_update
from theory.papers.sapipe.runs.challenges import CHALLENGES

R0, V1, V2, L, T, eta, kappa, n, t = setting.letters("R0 V1 V2 L T eta kappa n t")
AVERAGE, E_T, F_STAR, OFF, F, G, S = setting.letters("AVERAGE E_T F_STAR OFF F G S")
X, nu, OPTIMIZATION, VAR_0 = setting.letters("X nu OPTIMIZATION VAR_0")
AIM, E_AHEAD, GAP, GAP_AHEAD = wp_2_method.letters("AIM E_AHEAD GAP GAP_AHEAD")
LAST, LAST_AHEAD, PREDICTED, U, W = wp_2_method.letters("LAST LAST_AHEAD PREDICTED U W")


_ALL = (t, 0, T - 1)
_HALF = eta / 2
_NOISE = V1 / n
_ONE = L * eta**2 * _NOISE / 2
_MISSED = X.gradient - AIM
_BIAS = {OFF.terms[0][0]: _MISSED}
_BOTH = 2 * square(G) + 2 * square(LAST.position)

ERR = 4 * L**2 * eta**2 * V2
"""The error term."""

THEOREM = Theorem(
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
    vectors=(*wp_2_method.VECTORS, elements.DRAWN),
    points=wp_2_method.POINTS,
    sequences=wp_2_method.SEQUENCES,
    following=wp_2_method.FOLLOWING,
    hypotheses=(
        setting.SMOOTH,
        *elements.drawn(_MISSED),
        elements.UNBIASED,
        *elements.SAMPLES,
        *(one for one in wp_2_method.MOVES if one.name in ("next last update", "next gap")),
        wp_2_method.SIZE,
        *(one for one in wp_2_method.AT_START if one.name in ("first gap", "at rest")),
        setting.START,
        setting.LOWER,
        setting.STEPSIZE,
        setting.SHARE,
    ),
    cites=(workers.THEOREM, elements.THEOREM, wp_update.THEOREM),
    steps=(
        Step(
            "second moment",
            setting.second_moment(_MISSED, _NOISE).relation,
            Cite("sapipe.random-elements", vectors=_BIAS),
        ),
        Step(
            "unbiased",
            setting.mean_of(_MISSED).relation,
            Combine({"elements": 1, "unbiased samples": 1}),
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

CLAIM = as_claim(THEOREM, challenge=CHALLENGES["sapipe-wp-2"], cost=2)
