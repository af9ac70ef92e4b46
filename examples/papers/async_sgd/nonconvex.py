"""Asynchronous SGD with any delays, nonconvex: only the number of gradients in flight matters.

Problem: min f(x), f L-smooth, ‖∇f‖ ≤ G and f ≥ f_low; gradients have mean ∇f(x) and variance at
most σ².
Method: asynchronous SGD with constant γ; p gradients are in flight (p = M − 1 for M workers).
Guarantee: for 2Lγ ≤ 1 the mean of E‖∇f(x)‖² over K iterations is at most 4(f(v_0) − f_low)/(γK) +
2Lγσ² + 4L²γ²(p²G² + pσ²), whatever the delays.
Source: Mishchenko, Bach, Even and Woodworth 2022, constant stepsize, nonconvex. They choose the
best γ and write O(…); v_0 is x_0 minus γ times the first gradients. That noises in flight are
orthogonal is assumed as E‖ξ̄‖² ≤ σ²/p.
"""

from in_flight import CLAIM as NEAR
from in_flight import G, f, g, gamma, noise, p, v, x

from theory.notation import count, index, mean, nonnegative, positive, real, theorem, total

L = positive("L")
sigma, low = nonnegative("sigma"), real("f_low")
k, K = index("k"), count("K")
E = mean("E", g)

T = theorem("async.nonconvex", "Mishchenko et al. 2022, constant stepsize, nonconvex")
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, g, f.grad(x))
T.bounded_variance(E, g, f.grad(x), sigma)
T.assume(2 * L * gamma <= 1)
T.iterate(v, v - gamma * g, k)
T.cite(NEAR)
F, S = T.sequence("F", f(v)), T.sequence("S", f.grad(x) ** 2)
N = T.sequence("N", noise**2)
T.assume(N(k) <= sigma**2 / p)
CLAIM = T.shows(
    total(S(k), k, K) / K
    <= 4 * (F(0) - low) / (gamma * K)
    + 2 * L * gamma * sigma**2
    + 4 * L**2 * gamma**2 * (p**2 * G**2 + p * sigma**2)
)
