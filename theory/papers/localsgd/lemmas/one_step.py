"""One step of the averaged model: the descent lemma, polarization and the two means.

Problem    f and every f_r are L-smooth; noises are unbiased, uncorrelated, of variance at most σ².
Method     One local step of LocalSGD: x̄⁺ = x̄ − γ(h + ξ̄).
Guarantee  E f(x̄⁺) ≤ f(x̄) − (γ/2)‖∇f(x̄)‖² − (γ/2)(1 − Lγ)‖h‖² + (γL²/2)V + Lγ²σ²/(2N), V being the
           mean over replicas of ‖x_r − x̄‖².
Source     ours, behind (11) of the RPD paper's appendix D.
"""

from theory.notation import theorem
from theory.papers.localsgd.lemmas import mean_noise, slope_gap
from theory.papers.localsgd.method import (
    E_T,
    NOISE_TURN,
    SMOOTH,
    SPREAD,
    UNBIASED,
    after,
    f,
    h,
    x,
)
from theory.papers.rpd.symbols import L, N, gamma, sigma

T = theorem("localsgd.one-step", "appendix D, behind (11)", f)
for known in (SMOOTH, UNBIASED, NOISE_TURN):
    T.assume(known)
T.cite(mean_noise.THEOREM)
T.cite(slope_gap.THEOREM)
CLAIM = THEOREM = T.shows(
    E_T.of(f(after))
    <= f(x)
    - gamma / 2 * f.grad(x) ** 2
    - gamma / 2 * (1 - L * gamma) * h**2
    + gamma * L**2 / 2 * SPREAD
    + L * gamma**2 * sigma**2 / (2 * N),
    says="E_t f(x̄^{t+1}) ≤ f(x̄^t) − (γ/2)‖∇f(x̄^t)‖² − (γ/2)(1 − Lγ)‖h^t‖² + (γL²/2)V^t + "
    "Lγ²σ²/(2N) for every local step, h^t the mean of the replicas' gradients and V^t of their "
    "‖x_r − x̄‖².",
)
