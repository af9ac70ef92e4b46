"""Asynchronous SGD whose vectors are off by at most Λ times the last step.

Problem    f is L-smooth and bounded below. The backward of a minibatch may use other weights than
           its forward, and then what it gives is no gradient of f at any point; let v be its mean,
           with ‖v − ∇f(x)‖ ≤ Λ‖x − x⁻‖ and variance ≤ σ². For one mixed derivative M(x⁻, x), with
           M(x, x) = ∇f(x), this asks that M is Λ-Lipschitz in what the forward read.
Method     x⁺ = x − η g, the mean of g being v, with Lη + Λ²η² ≤ 1.
Guarantee  mean over t < T of E‖∇f(x_t)‖² ≤ 2Δ/(ηT) + Lησ² + Λ²η²σ²: Λ²η²σ² more than synchronous.
Source     ours: f + (ηΛ²/2)‖x − x⁻‖² decreases.
"""

from theory.notation import equal, positive, theorem, vector
from theory.papers.amdp.convergence import (
    AVERAGE,
    D,
    F,
    L,
    S,
    before,
    eta,
    f,
    sgd,
    sigma,
    t,
    x,
)
from theory.papers.amdp.lemmas import synchronous

Lambda, MEAN = positive("Lambda"), vector("v")
"""How far v is from the gradient at the newest weights, for each unit of the last step; v."""

_T = theorem("amdp.eta2-mixed", "ours", f)
sgd(_T, MEAN)
_T.iterate(before, x, t)
_T.sequences({D: (x - before) ** 2})
_T.assume(equal(D(0), 0), "at rest", "x_{−1} is x_0: there is no update before the first")
_T.assume(
    (f.grad(x) - MEAN) ** 2 <= Lambda**2 * (x - before) ** 2,
    "one step",
    "v differs from ∇f(x_t) by at most Λ‖x_t − x_{t−1}‖",
)
_T.assume(L * eta + Lambda**2 * eta**2 <= 1, "stepsize", "Lη + Λ²η² ≤ 1")
_W = eta * Lambda**2 / 2
_T.have(
    F(t + 1) + _W * D(t + 1) <= F(t) + _W * D(t) - eta / 2 * S(t) + (L / 2 + _W) * eta**2 * sigma**2
)
TERMS = {**synchronous.TERMS, "mismatch": Lambda**2 * eta**2 * sigma**2}
CLAIM = THEOREM = _T.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    says=(
        "If the mean v of the applied vector has ‖v − ∇f(x_t)‖ ≤ Λ‖x_t − x_{t−1}‖ and "
        "Lη + Λ²η² ≤ 1, then the mean over t < T of E‖∇f(x_t)‖² is at most "
        "2Δ/(ηT) + Lησ² + Λ²η²σ² for every T ≥ 1."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla f(x_t)\|^2 \le \tfrac{2\Delta}{\eta T} + "
        r"L\eta\sigma^2 + \Lambda^2\eta^2\sigma^2"
    ),
)
