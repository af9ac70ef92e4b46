"""The average of synchronous SGD, which the mismatch is measured against.

Problem    f is L-smooth and bounded below; stochastic gradients are unbiased, of variance ≤ σ².
Method     x⁺ = x − η g, the mean of g being ∇f(x), with η ≤ 1/L.
Guarantee  mean over t < T of E‖∇f(x_t)‖² ≤ 2Δ/(ηT) + Lησ².
Source     ours.
"""

from theory.notation import theorem
from theory.papers.amdp.convergence import AVERAGE, Delta, F, L, S, T, eta, f, sgd, sigma, t, x

_T = theorem("amdp.eta2-synchronous", "ours", f)
sgd(_T, f.grad(x))
_T.assume(eta <= 1 / L, "stepsize", "η ≤ 1/L")
_T.have(F(t + 1) <= F(t) - eta / 2 * S(t) + L * eta**2 * sigma**2 / 2)
TERMS = {"optimization": 2 * Delta / (eta * T), "sampling": L * eta * sigma**2}
CLAIM = THEOREM = _T.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    says=(
        "For synchronous SGD, g_t unbiased for ∇f(x_t), with η ≤ 1/L the mean over t < T of "
        "E‖∇f(x_t)‖² is at most 2Δ/(ηT) + Lησ² for every T ≥ 1."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla f(x_t)\|^2 \le \tfrac{2\Delta}{\eta T} + "
        r"L\eta\sigma^2"
    ),
)
