"""How far the noises of n workers are from their mean: by (1 − 1/n)V₁, all workers together.

The proof of Theorem 4 counts V₁ for every worker and V₁/n for the mean, 2V₁ in all, as if a noise
and the mean that it is part of were uncorrelated; what they share has to be taken off, not added.
"""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Expect, Hypothesis, Step, Swap, Theorem, dot, eq, le, square
from theory.kernel.vectors import Scalar
from theory.papers.sapipe.symbols import V1, n
from theory.papers.sapipe.wp_1_method import AVG, MEAN_NOISE, NOISE
from theory.papers.sapipe.wp_1_method import E_WITH_WORKERS as E

APART: Final = NOISE - MEAN_NOISE
_OTHERS = dot(NOISE, n * MEAN_NOISE - NOISE)

HYPOTHESES: Final = (
    Hypothesis(
        "mean of the noises",
        "ζ is the mean over the workers of the ζ_i",
        eq(AVG.of(dot(NOISE, MEAN_NOISE)), square(MEAN_NOISE)),
    ),
    Hypothesis(
        "noises apart",
        "ζ_i is uncorrelated with the sum of the other workers', given the past (Assumption 2)",
        eq(E.of(_OTHERS), 0),
    ),
    Hypothesis(
        "noise of each",
        "ζ_i has variance at most V₁, given the past (Assumption 2)",
        le(E.of(square(NOISE)), V1),
    ),
)


def expected(form: Scalar) -> Scalar:
    """Expectation of the mean over the workers."""
    return E.of(AVG.of(form))


THEOREM: Final = Theorem(
    id="sapipe.wp-1-noise",
    where="ours",
    statement=(
        "The noises of n workers, pairwise uncorrelated given the past and each of variance at "
        "most V₁, differ from their mean by (1 − 1/n)V₁ at most, in the mean over the workers."
    ),
    latex=(
        r"\tfrac1n\sum_{i\in[n]}\mathbb{E}\|\zeta_i - \zeta\|^2 \le \bigl(1 - \tfrac1n\bigr) V_1"
    ),
    symbols=(n, V1),
    vectors=(NOISE, MEAN_NOISE),
    hypotheses=HYPOTHESES,
    steps=(
        Step("pairs of each", eq(AVG.of(E.of(_OTHERS)), 0), Expect("noises apart", AVG)),
        Step("pairs", eq(expected(_OTHERS), 0), Swap("pairs of each", AVG, E)),
        Step("each", le(AVG.of(E.of(square(NOISE))), V1), Expect("noise of each", AVG)),
        Step("all", le(expected(square(NOISE)), V1), Swap("each", AVG, E)),
        Step(
            "with the mean",
            eq(expected(dot(NOISE, MEAN_NOISE)), E.of(square(MEAN_NOISE))),
            Expect("mean of the noises", E),
        ),
    ),
    lhs=expected(square(APART)),
    terms={"noise": (1 - 1 / n) * V1},
    conclude=Combine({"all": 1 - 1 / n, "with the mean": -1, "pairs": -1 / n}),
)

CLAIM: Final = as_claim(THEOREM)
