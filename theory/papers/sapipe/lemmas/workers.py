"""The mean over n workers: independent noises of variance at most V₁ average to V₁/n."""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Average,
    Combine,
    Expect,
    Hypothesis,
    Step,
    Swap,
    Theorem,
    dot,
    eq,
    le,
    square,
    vector,
)
from theory.papers.sapipe.setting import E_T
from theory.papers.sapipe.symbols import V1, n

NOISE, MEAN_NOISE = vector("ξ_i"), vector("ξ")
"""By how much a worker's gradient misses its mean, given the past; the mean of that over i."""

WORKERS: Final = Average("avg_i", ("ξ_i",), over="worker")
"""The mean over the workers."""

UNCORRELATED: Final = Hypothesis(
    "independent",
    "the noise of a worker is uncorrelated with the sum of the others' noises, given the past "
    "(Assumption 2: gradients of different workers are independent)",
    eq(E_T.of(dot(NOISE, n * MEAN_NOISE - NOISE)), 0),
)
VARIANCE: Final = Hypothesis(
    "variance",
    "every worker's gradient has variance at most V₁, given the past (Assumption 2)",
    le(E_T.of(square(NOISE)), V1),
)
AVERAGED: Final = Hypothesis(
    "mean noise",
    "ξ is the mean over the workers of ξ_i",
    eq(WORKERS.of(dot(NOISE, MEAN_NOISE)), square(MEAN_NOISE)),
)

_OTHERS = dot(NOISE, n * MEAN_NOISE - NOISE)

THEOREM: Final = Theorem(
    id="sapipe.mean-of-workers",
    where="ours",
    statement=(
        "The mean of the gradients of n workers, pairwise uncorrelated given the past and each of "
        "variance at most V₁, has variance at most V₁/n."
    ),
    latex=r"\mathbb{E}\bigl\|\tfrac1n\sum_{i\in[n]} \xi_i\bigr\|^2 \le \tfrac{V_1}{n}",
    symbols=(n, V1),
    vectors=(NOISE, MEAN_NOISE),
    hypotheses=(UNCORRELATED, VARIANCE, AVERAGED),
    steps=(
        Step("others", eq(WORKERS.of(E_T.of(_OTHERS)), 0), Expect("independent", WORKERS)),
        Step("pairs", eq(E_T.of(WORKERS.of(_OTHERS)), 0), Swap("others", WORKERS, E_T)),
        Step(
            "itself",
            eq(E_T.of(WORKERS.of(dot(NOISE, MEAN_NOISE))), E_T.of(square(MEAN_NOISE))),
            Expect("mean noise", E_T),
        ),
        Step("each", le(WORKERS.of(E_T.of(square(NOISE))), V1), Expect("variance", WORKERS)),
        Step("size", le(E_T.of(WORKERS.of(square(NOISE))), V1), Swap("each", WORKERS, E_T)),
    ),
    lhs=E_T.of(square(MEAN_NOISE)),
    terms={"variance": V1 / n},
    conclude=Combine({"pairs": 1 / n, "itself": -1, "size": 1 / n}),
)

CLAIM: Final = as_claim(THEOREM)
