"""SGD with gradients that are up to τ iterations old, nonconvex: the delay costs nothing in the
noise term.

Problem: min f(x), f L-smooth and at least f_low. Gradients are ∇f(x) + ξ, E‖ξ‖² ≤ σ².
Method: v⁺ = v − γ(∇f(x) + ξ), where x is a v of the last τ iterations. It is written v = γp + q and
x = γp̂ + q̂, where p moves by −∇f(x) and q, the noise, by −γξ.
Guarantee: for γ ≤ 1/(4L(τ + 1)) the mean of E‖∇f(x)‖² over K iterations is at most 8(f(x_0) −
f_low)/(γK) + 4Lγσ² + 8L²γ²τσ².
Source: Stich and Karimireddy 2020, delayed SGD, nonconvex, for M = 0; they give rates in
O-notation, the constants are ours. That noises of different iterations are orthogonal is assumed as
E‖q − q̂‖² ≤ τγ²σ², which holds if the delay does not depend on the noise.
"""

from theory.notation import (
    count,
    function,
    index,
    mean,
    nonnegative,
    positive,
    real,
    theorem,
    total,
    vectors,
)

L, gamma = positive("L gamma")
sigma, low = nonnegative("sigma"), real("f_low")
k, K, tau = index("k"), count("K"), index("tau")
f, (v, p, p_old, q_old, noise) = function("f"), vectors("v p p̂ q̂ ξ")
x = gamma * p_old + q_old
g = f.grad(x) + noise
E = mean("E", noise, given=(q_old,))

T = theorem("ef.delayed", "Stich and Karimireddy 2020, delayed SGD, nonconvex")
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, noise, 0 * p)
T.assume(E(noise**2) <= sigma**2)
step = T.assume(4 * L * gamma * (tau + 1) <= 1)
T.iterate(v, v - gamma * g, k)
T.iterate(p, p - f.grad(x), k)
T.delayed(p_old, p, tau)

F, S = T.sequence("F", f(v)), T.sequence("S", f.grad(x) ** 2)
P, Q = T.sequence("P", (p - p_old) ** 2), T.sequence("Q", (v - gamma * p - q_old) ** 2)
T.assume(Q(k) <= tau * gamma**2 * sigma**2)
noisy = L * gamma**2 * sigma**2 / 2
apart = gamma**2 * (p - p_old) ** 2 + (v - gamma * p - q_old) ** 2
T.have(E(f(v - gamma * g)) <= f(v) - gamma / 4 * f.grad(x) ** 2 + gamma * L**2 * apart + noisy)
CLAIM = T.shows(
    total(S(k), k, K) / K
    <= 8 * (F(0) - low) / (gamma * K)
    + 4 * L * gamma * sigma**2
    + 8 * L**2 * gamma**2 * tau * sigma**2
)
