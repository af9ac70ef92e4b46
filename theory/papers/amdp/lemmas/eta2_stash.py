"""SGD whose gradients are one step old: every vector is a gradient of f, at x_t or at x_{t−1}.

Problem    f is L-smooth and bounded below; stochastic gradients are unbiased, of variance ≤ σ².
Method     x⁺ = x − η g, the mean of g being ∇f(x̂), with Lη + L²η² ≤ 1. So it is when the backward
           uses the weights that its forward read. Stages may differ in which they read: then the
           gradient is one at a mix x̂ of both, and ‖x_t − x̂‖² is the sum of the squares of those
           stages' steps that read x_{t−1}, so at most ‖x_t − x_{t−1}‖², all that the proof uses.
           The mean of a window is in general a gradient at no single point: `eta2_mixed`, Λ = L.
Guarantee  mean over t < T of E‖∇f(x_t)‖² ≤ 2Δ/(ηT) + Lησ² + L²η²σ².
Source     ours.
"""

from theory.notation import theorem, vector
from theory.papers.amdp.convergence import AVERAGE, L, before, eta, f, sigma, x
from theory.papers.amdp.lemmas import eta2_mixed, synchronous

_stale = vector("x̂")
_T = theorem("amdp.eta2-stash", "ours", f)
_T.smooth(f, L)
_T.assume(
    (x - _stale) ** 2 <= (x - before) ** 2,
    "one step",
    "x̂_t is x_t or x_{t−1}, or stage by stage one of them: ‖x_t − x̂_t‖ ≤ ‖x_t − x_{t−1}‖",
)
_T.assume(L * eta + L**2 * eta**2 <= 1, "stepsize", "Lη + L²η² ≤ 1")
_T.have((f.grad(x) - f.grad(_stale)) ** 2 <= L**2 * (x - before) ** 2)
_T.cite(eta2_mixed.THEOREM, {eta2_mixed.Lambda: L}, {eta2_mixed.MEAN: f.grad(_stale)})
TERMS = {**synchronous.TERMS, "mismatch": L**2 * eta**2 * sigma**2}
CLAIM = THEOREM = _T.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    says=(
        "If every gradient is taken at x_t, x_{t−1} or, stage by stage, a mix of both, and "
        "Lη + L²η² ≤ 1, then the mean over t < T of E‖∇f(x_t)‖² is at most "
        "2Δ/(ηT) + Lησ² + L²η²σ² for every T ≥ 1."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla f(x_t)\|^2 \le \tfrac{2\Delta}{\eta T} + "
        r"L\eta\sigma^2 + L^2\eta^2\sigma^2"
    ),
)
