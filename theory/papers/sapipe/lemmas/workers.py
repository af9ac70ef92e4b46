"""The mean over n workers: independent noises of variance at most V₁ average to V₁/n.

Problem    ξ_i, the noise of worker i, is uncorrelated with the sum of the others' and E‖ξ_i‖² ≤ V₁.
Method     ξ is the mean over the workers of the ξ_i.
Guarantee  E‖ξ‖² ≤ V₁/n.
Source     ours; the paper uses it.
"""

from theory.kernel import Average, eq, vector
from theory.notation import theorem
from theory.papers.sapipe import setting

V1, n, E_T = setting.letters("V1 n E_T")

NOISE, MEAN_NOISE = vector("ξ_i"), vector("ξ")
"""By how much a worker's gradient misses its mean, given the past; the mean of that over i."""

WORKERS = Average("avg_i", ("ξ_i",), over="worker")
"""The mean over the workers."""

draft = theorem("sapipe.mean-of-workers")
draft.assume(
    eq(E_T.of(NOISE @ (n * MEAN_NOISE - NOISE)), 0),
    "independent",
    "the noise of a worker is uncorrelated with the sum of the others' noises, given the past "
    "(Assumption 2: gradients of different workers are independent)",
)
draft.assume(
    E_T.of(NOISE**2) <= V1,
    "variance",
    "every worker's gradient has variance at most V₁, given the past (Assumption 2)",
)
draft.assume(
    eq(WORKERS.of(NOISE @ MEAN_NOISE), MEAN_NOISE**2),
    "mean noise",
    "ξ is the mean over the workers of ξ_i",
)
CLAIM = THEOREM = draft.shows(
    E_T.of(MEAN_NOISE**2) <= V1 / n,
    {"variance": V1 / n},
    says="The mean of the gradients of n workers, pairwise uncorrelated given the past and each of "
    "variance at most V₁, has variance at most V₁/n.",
)
