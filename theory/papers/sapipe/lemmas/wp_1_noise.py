"""How far the noises of n workers are from their mean: by (1 − 1/n)V₁, all workers together.

Problem    ζ_i is uncorrelated with the sum of the others' noises, and E‖ζ_i‖² ≤ V₁.
Method     ζ is the mean over the workers of the ζ_i. The proof of Theorem 4 counts V₁ for a worker
           and V₁/n for the mean, as if they were uncorrelated: what they share is taken off.
Guarantee  (1/n) Σ_i E‖ζ_i − ζ‖² ≤ (1 − 1/n)V₁.
Source     ours.
"""

from theory.judging import prover
from theory.kernel import Hypothesis
from theory.kernel.vectors import Scalar
from theory.notation import theorem
from theory.papers.sapipe import setting, wp_1_method

V1, n, E_T = setting.letters("V1 n E_T")
AVG, MEAN_NOISE, NOISE = wp_1_method.letters("AVG MEAN_NOISE NOISE")

APART = NOISE - MEAN_NOISE

HYPOTHESES = (
    Hypothesis(
        "mean of the noises",
        "ζ is the mean over the workers of the ζ_i",
        prover.eq(AVG.of(NOISE @ MEAN_NOISE), MEAN_NOISE**2),
    ),
    Hypothesis(
        "noises apart",
        "ζ_i is uncorrelated with the sum of the other workers', given the past (Assumption 2)",
        prover.eq(E_T.of(NOISE @ (n * MEAN_NOISE - NOISE)), 0),
    ),
    Hypothesis(
        "noise of each",
        "ζ_i has variance at most V₁, given the past (Assumption 2)",
        prover.le(E_T.of(NOISE**2), V1),
    ),
)


def expected(form: Scalar) -> Scalar:
    """Expectation of the mean over the workers."""
    return E_T.of(AVG.of(form))


CLAIM = THEOREM = setting.assuming(theorem("sapipe.wp-1-noise"), *HYPOTHESES).shows(
    prover.le(expected(APART**2), (1 - 1 / n) * V1),
    {"noise": (1 - 1 / n) * V1},
    says="The noises of n workers, pairwise uncorrelated given the past and each of variance at "
    "most V₁, differ from their mean by (1 − 1/n)V₁ at most, in the mean over the workers.",
)
