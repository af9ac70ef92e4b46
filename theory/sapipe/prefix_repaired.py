"""Theorem 2 where the same elements are stale in every iteration: κ becomes 1, Var₀ doubles.

The stale part of g keeps the bias of its own elements, ‖P(∇F(x_t) − ∇F(x_{t−1}))‖², which is at
most L²η²V₂ and no share of it. Fresh and stale elements are noisy at two points, and each noise may
have all its variance where it is used.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.kernel import (
    Cite,
    Combine,
    Hypothesis,
    Step,
    Theorem,
    as_claim,
    dot,
    eq,
    le,
    square,
    vector,
)
from theory.sapipe import biased, stale_bias
from theory.sapipe.biased import BIAS
from theory.sapipe.convergence import (
    AVERAGE,
    E_T,
    F_STAR,
    LOWER,
    NEXT,
    OFF,
    SMOOTH,
    START,
    STEPSIZE,
    B,
    G,
    X,
    e,
    nu,
    second_moment,
    sequences,
)
from theory.sapipe.errors import ERR_0, OPTIMIZATION, VAR_0
from theory.sapipe.stale_bias import AT_REST, FOLLOWING, OFF_NEXT, OFF_NOW, SIZE, STALE_MEAN
from theory.sapipe.symbols import R0, V1, V2, L, T, eta, kappa, n

MEAN: Final = X.gradient - OFF
"""The mean of g: ∇F(x_t) on fresh elements and ∇F(x_{t−1}) on stale ones."""

_FRESH_NOISE, _STALE_NOISE = vector("ξ"), vector("d")
_ONE: Final = {kappa: sympy.S.One}

THEOREM: Final = Theorem(
    id="sapipe.prefix-repaired",
    where="ours",
    statement=(
        "For vanilla SAPipe with η ≤ 1/L whose first layers are stale in every iteration, with "
        "samples of their own, the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/(ηT) + L²η²V₂ + "
        "2LηV₁/n for every T ≥ 1, from rest, whatever share of the parameters they hold."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"L^2\eta^2 V_2 + \tfrac{2 L\eta V_1}{n}"
    ),
    symbols=(T, eta, L, n, V1, V2, R0, F_STAR),
    vectors=(G, OFF, _FRESH_NOISE, _STALE_NOISE),
    points=(X, NEXT, OFF_NOW, OFF_NEXT),
    sequences=sequences(OFF),
    following=FOLLOWING,
    hypotheses=(
        SMOOTH,
        Hypothesis(
            "unbiased",
            "samples are unbiased and drawn independently of the past (Assumption 2)",
            eq(E_T.of(dot(G, X.gradient)), dot(MEAN, X.gradient)),
        ),
        Hypothesis(
            "noise",
            "g has the noise ξ on fresh elements and d on stale ones, uncorrelated with its mean",
            eq(
                E_T.of(square(G)),
                square(MEAN) + E_T.of(square(_FRESH_NOISE)) + E_T.of(square(_STALE_NOISE)),
            ),
        ),
        Hypothesis(
            "fresh noise",
            "a part of the mean of the workers' noises at x_t (sapipe.mean-of-workers)",
            le(E_T.of(square(_FRESH_NOISE)), V1 / n),
        ),
        Hypothesis(
            "stale noise",
            "a part of the mean of the workers' noises at x_{t−1}",
            le(E_T.of(square(_STALE_NOISE)), V1 / n),
        ),
        Hypothesis(
            "stale part",
            "in the next iteration b is ∇F(x_{t+1}) − ∇F(x_t) on stale elements, else 0",
            eq(
                square(OFF_NEXT.position),
                dot(OFF_NEXT.position, NEXT.gradient - X.gradient),
            ),
        ),
        SIZE,
        AT_REST,
        START,
        LOWER,
        STEPSIZE,
    ),
    cites=(stale_bias.THEOREM, biased.THEOREM),
    steps=(
        Step(
            "stale",
            STALE_MEAN.relation,
            Combine(
                {"stale part": 2},
                squares=((1, NEXT.gradient - X.gradient - OFF_NEXT.position),),
            ),
            "a part is no longer than the whole",
        ),
        Step("error", stale_bias.THEOREM.goal, Cite("sapipe.stale-bias")),
        Step(
            "bias",
            BIAS.relation.replaced({e: ERR_0}),
            Combine({"error": 1 / T, "at rest": 1 / T}, plus=(B(T) / T,)),
        ),
        Step(
            "second moment",
            second_moment(OFF, 2 * V1 / n).relation.replaced(_ONE),
            Combine({"noise": 1, "fresh noise": 1, "stale noise": 1}),
        ),
    ),
    lhs=AVERAGE,
    terms={"optimization": OPTIMIZATION, "staleness": ERR_0, "variance": 2 * VAR_0},
    conclude=Cite("sapipe.biased", scalars={e: ERR_0, nu: 2 * V1 / n, **_ONE}),
)

CLAIM: Final = as_claim(THEOREM, challenge="sapipe-prefix")
