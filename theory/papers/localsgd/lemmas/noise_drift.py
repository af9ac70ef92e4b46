"""Drift of replicas that share one function, by the noise alone: without noise there is none.

Problem    All replicas share one L-smooth function; noises have variance at most σ².
Method     LocalSGD, j local steps after an average. Two replicas are moved apart by their noises,
           which add up like 2γ²σ² a step, and further by what the gradient differs between them, a
           factor of at most (1 + γL)² a step.
Guarantee  The mean over replicas of E‖x_r − x̄‖² is at most (1 − 1/N)γ²σ²((1 + γL)^{2j} − 1) /
           ((1 + γL)² − 1): while γL(H − 1) is small, (H − 1)γ²σ² instead of (H − 1)²γ²G̃².
Source     ours.
"""

import sympy

from theory.notation import equal, function, index, mean, named, theorem, vectors
from theory.papers.rpd.symbols import L, N, gamma, sigma

f = function("f")
x_s, apart, then, noise, other_noise = vectors("x_s δ δ⁺ ξ_r ξ_s")
"""One of two replicas, δ apart; x_r − x_s one local step later; the noises of both."""
x_r = named("x_r", x_s + apart)
_KEPT = apart - gamma * (f.grad(x_r) - f.grad(x_s))
E_T = mean("E_t", noise, other_noise, then, given=(apart, f.grad(x_r), f.grad(x_s)))
i, j = index("i j")
SPREAD = sympy.Function("V", nonnegative=True)
"""The mean over replicas of E‖x_r − x̄‖², by the local steps since the last average."""
RATIO = (1 + gamma * L) ** 2

T = theorem("localsgd.noise-drift")
T.smooth(f, L)
T.iterate(apart, then, i)
W = T.sequence("W", apart**2)
T.assume(
    equal(then**2, (_KEPT - gamma * (noise - other_noise)) ** 2),
    "update",
    "both models move by −γ times their stochastic gradients",
)
T.assume(
    equal(E_T((noise - other_noise) @ _KEPT), 0),
    "unbiased",
    "stochastic gradients are unbiased, given the past",
)
T.assume(
    equal(E_T(noise @ other_noise), 0),
    "independent",
    "the noises of two replicas are uncorrelated, given the past",
)
T.assume(E_T(noise**2) <= sigma**2, "variance", "of x_r: at most σ²")
T.assume(E_T(other_noise**2) <= sigma**2, "variance too", "of x_s: at most σ²")
averaged = T.assume(equal(W(0), 0), "averaged", "all replicas are equal after an average")
T.assume(
    equal(SPREAD(j), (1 - 1 / N) * W(j) / 2),
    "pairs",
    "the mean of ‖x_r − x̄‖² is half that of ‖x_r − x_s‖² over all pairs, r = s among them, "
    "and replicas are exchangeable (one law of noise for all), so that all pairs r ≠ s are "
    "equally far apart on average",
)
T.have(
    _KEPT**2 <= RATIO * apart**2,
    says="a step of length γ on f parts two points by a factor of at most 1 + γL",
)
step = T.have(W(i + 1) <= RATIO * W(i) + 2 * gamma**2 * sigma**2, "step")
_GROWTH = gamma**2 * sigma**2 * (RATIO**j - 1) / (RATIO - 1)
T.induction(W(j) <= 2 * _GROWTH, step, averaged)
CLAIM = THEOREM = T.shows(
    SPREAD(j) <= (1 - 1 / N) * _GROWTH,
    {"drift": (1 - 1 / N) * _GROWTH},
    says="Where all replicas share one L-smooth function, the mean over replicas of E‖x_r − x̄‖² "
    "is at most (1 − 1/N)γ²σ²((1 + γL)^{2j} − 1)/((1 + γL)² − 1) after j local steps since the "
    "last average.",
)
