"""The noise of the averaged model.

Problem    N noises of variance at most σ², pairwise uncorrelated.
Method     One local step of LocalSGD, by which x̄ moves by the mean of the noises.
Guarantee  E‖ξ̄‖² ≤ σ²/N.
Source     ours, behind (11) of the RPD paper's appendix D.
"""

from theory.notation import theorem
from theory.papers.localsgd.method import E_T, INDEPENDENT, NOISE_ITSELF, VARIANCE, mean_noise
from theory.papers.rpd.symbols import N, sigma

T = theorem("localsgd.mean-noise", "appendix D, behind (11)")
for known in (INDEPENDENT, VARIANCE, NOISE_ITSELF):
    T.assume(known)
CLAIM = THEOREM = T.shows(
    E_T.of(mean_noise**2) <= sigma**2 / N,
    {"variance": sigma**2 / N},
    says="The mean of the noises of N replicas, pairwise uncorrelated and each of variance at most "
    "σ², has second moment at most σ²/N.",
)
