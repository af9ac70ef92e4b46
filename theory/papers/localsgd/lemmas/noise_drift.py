"""Drift of replicas that share one function, by the noise alone: without noise there is none.

Two replicas that were averaged together are moved apart by their noises, and further by what the
gradient differs between them; the noises add up like 2γ²σ² a step, the rest is a factor of at most
(1 + γL)² a step. While γL(H − 1) is small, that is (H − 1)γ²σ² instead of (H − 1)²γ²G̃².
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Expect,
    Found,
    Hypothesis,
    Induction,
    Lipschitz,
    Operator,
    Point,
    Smooth,
    Step,
    Theorem,
    Total,
    dot,
    eq,
    le,
    lipschitz,
    point,
    square,
    vector,
)
from theory.papers.rpd.symbols import L, N, gamma, sigma

ONE: Final = point("x_s")
APART: Final = vector("δ")
OTHER: Final = Point(ONE.position + APART, sympy.Symbol("f(x_r)", real=True), vector("∇f(x_r)"))
"""Two replicas, δ apart."""

SLOPES: Final = OTHER.gradient - ONE.gradient
NOISES: Final = vector("ξ_r"), vector("ξ_s")
_KEPT = APART - gamma * SLOPES
_MOVED = _KEPT - gamma * (NOISES[0] - NOISES[1])
THEN: Final = vector("δ⁺")
"""x_r − x_s one local step later."""

E_T: Final = Operator("E_t", ("ξ_r", "ξ_s", "δ⁺", "w⁺", "∇w⁺"), given=("δ", "∇f(x_r)", "∇f(x_s)"))
W: Final = sympy.Function("W", nonnegative=True)
"""E‖x_r − x_s‖², by the local steps since the last average."""

SPREAD: Final = sympy.Function("V", nonnegative=True)
"""The mean over replicas of E‖x_r − x̄‖², likewise."""

i: Final = sympy.Symbol("i", integer=True, nonnegative=True)
j: Final = sympy.Symbol("j", integer=True, nonnegative=True)

RATIO: Final = (1 + gamma * L) ** 2
_GROWTH = 2 * gamma**2 * sigma**2 * (RATIO**j - 1) / (RATIO - 1)

PAIR: Final = Point(APART, sympy.Symbol("w", real=True), vector("∇w"))
PAIR_THEN: Final = Point(THEN, sympy.Symbol("w⁺", real=True), vector("∇w⁺"))
"""The pair as one point, at x_r − x_s: only where it is matters."""

THEOREM: Final = Theorem(
    id="localsgd.noise-drift",
    where="ours",
    statement=(
        "Where all replicas share one L-smooth function, the mean over replicas of E‖x_r − x̄‖² is "
        "at most (1 − 1/N)γ²σ²((1 + γL)^{2j} − 1)/((1 + γL)² − 1) after j local steps since the "
        "last average."
    ),
    latex=(
        r"\tfrac1N\sum_r \mathbb{E}\|x_r - \bar x\|^2 \le \bigl(1 - \tfrac1N\bigr)\gamma^2\sigma^2"
        r"\,\tfrac{(1 + \gamma L)^{2j} - 1}{(1 + \gamma L)^2 - 1}"
    ),
    symbols=(N, gamma, L, sigma, j),
    vectors=(APART, THEN, *NOISES),
    points=(ONE, OTHER, PAIR, PAIR_THEN),
    sequences={W: square(APART)},
    following=((PAIR, PAIR_THEN),),
    hypotheses=(
        Smooth("smooth", "f is L-smooth", L),
        Hypothesis(
            "update",
            "both models move by −γ times their stochastic gradients",
            eq(square(THEN), square(_MOVED)),
        ),
        Hypothesis(
            "unbiased",
            "stochastic gradients are unbiased, given the past",
            eq(E_T.of(dot(NOISES[0] - NOISES[1], _KEPT)), 0),
        ),
        Hypothesis(
            "independent",
            "the noises of two replicas are uncorrelated, given the past",
            eq(E_T.of(dot(*NOISES)), 0),
        ),
        Hypothesis("variance", "of x_r: at most σ²", le(E_T.of(square(NOISES[0])), sigma**2)),
        Hypothesis("variance too", "of x_s: at most σ²", le(E_T.of(square(NOISES[1])), sigma**2)),
        Hypothesis("averaged", "all replicas are equal after an average", eq(W(0), 0)),
        Hypothesis(
            "pairs",
            "the mean of ‖x_r − x̄‖² is half that of ‖x_r − x_s‖² over all pairs, r = s among them, "
            "and replicas are exchangeable (one law of noise for all), so that all pairs r ≠ s are "
            "equally far apart on average",
            eq(SPREAD(j), (1 - 1 / N) * W(j) / 2),
        ),
    ),
    steps=(
        Step("lipschitz", lipschitz(L, OTHER, ONE), Lipschitz("smooth", OTHER, ONE)),
        Step(
            "kept",
            le(square(_KEPT), RATIO * square(APART)),
            Combine(
                {"lipschitz": gamma / L + gamma**2}, squares=((gamma / L, L * APART + SLOPES),)
            ),
            "a step of length γ on f parts two points by a factor of at most 1 + γL",
        ),
        Step("moved", eq(E_T.of(square(THEN)), E_T.of(square(_MOVED))), Expect("update", E_T)),
        Step(
            "step",
            le(E_T.of(square(THEN)), RATIO * square(APART) + 2 * gamma**2 * sigma**2),
            Found("moved", "kept", "unbiased", "independent", "variance", "variance too"),
        ),
        Step("total", le(W(i + 1), RATIO * W(i) + 2 * gamma**2 * sigma**2), Total("step", i)),
        Step("growth", le(W(j), _GROWTH), Induction("total", i, j, W, "averaged")),
    ),
    lhs=SPREAD(j),
    terms={
        "drift": (1 - 1 / N) * gamma**2 * sigma**2 * (RATIO**j - 1) / (RATIO - 1),
    },
    conclude=Combine({"growth": (1 - 1 / N) / 2, "pairs": 1}),
)

CLAIM: Final = as_claim(THEOREM)
