"""The noise of the averaged model: N independent noises of variance at most σ² average to σ²/N."""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Expect, Step, Swap, Theorem, dot, eq, le, square
from theory.papers.localsgd.method import (
    AVG,
    E_T,
    INDEPENDENT,
    MEAN_NOISE,
    NOISE,
    NOISE_ITSELF,
    VARIANCE,
    conditional,
)
from theory.papers.rpd.symbols import N, sigma

_OTHERS = dot(NOISE, N * MEAN_NOISE - NOISE)

THEOREM: Final = Theorem(
    id="localsgd.mean-noise",
    where="appendix D, behind (11)",
    statement=(
        "The mean of the noises of N replicas, pairwise uncorrelated and each of variance at most "
        "σ², has second moment at most σ²/N."
    ),
    latex=(r"\mathbb{E}\bigl\|\tfrac1N\sum_{r} \xi_r\bigr\|^2 \le \tfrac{\sigma^2}{N}"),
    symbols=(N, sigma),
    vectors=(NOISE, MEAN_NOISE),
    hypotheses=(INDEPENDENT, VARIANCE, NOISE_ITSELF),
    steps=(
        Step("others", eq(AVG.of(E_T.of(_OTHERS)), 0), Expect("independent", AVG)),
        Step("pairs", eq(conditional(_OTHERS), 0), Swap("others", AVG, E_T)),
        Step(
            "itself",
            eq(conditional(dot(NOISE, MEAN_NOISE)), E_T.of(square(MEAN_NOISE))),
            Expect("mean noise", E_T),
        ),
        Step("each", le(AVG.of(E_T.of(square(NOISE))), sigma**2), Expect("variance", AVG)),
        Step("size", le(conditional(square(NOISE)), sigma**2), Swap("each", AVG, E_T)),
    ),
    lhs=E_T.of(square(MEAN_NOISE)),
    terms={"variance": sigma**2 / N},
    conclude=Combine({"pairs": 1 / N, "itself": -1, "size": 1 / N}),
)

CLAIM: Final = as_claim(THEOREM)
