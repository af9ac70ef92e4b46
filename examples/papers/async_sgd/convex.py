"""Asynchronous SGD with any delays, convex and not smooth.

Problem: min f(x), f convex with subgradients ∇f(x), ‖∇f‖ ≤ G; gradients have mean ∇f(x) and
variance at most σ².
Method: asynchronous SGD with constant γ; p gradients are in flight (p = M − 1 for M workers).
Guarantee: the mean of E f(x) − f* over K iterations is at most ‖v_0 − x*‖²/(2γK) + (γ/2)((3p + 1)G²
+ 3σ²).
Source: Mishchenko, Bach, Even and Woodworth 2022, constant stepsize, convex; constants are ours.
That noises in flight are orthogonal is assumed as E‖ξ̄‖² ≤ σ²/p.
"""

from in_flight import CLAIM as NEAR
from in_flight import G, f, g, gamma, noise, p, star, v, x

from theory.notation import count, index, mean, nonnegative, theorem, total

sigma = nonnegative("sigma")
k, K = index("k"), count("K")
E = mean("E", g)

T = theorem("async.convex", "Mishchenko et al. 2022, constant stepsize, convex")
T.convex(f)
T.minimum(f, star)
T.bounded_gradient(f, G)
T.unbiased(E, g, f.grad(x))
T.bounded_variance(E, g, f.grad(x), sigma)
T.iterate(v, v - gamma * g, k)
T.cite(NEAR)
F, D = T.sequence("F", f(x) - f(star)), T.sequence("D", (v - star) ** 2)
N = T.sequence("N", noise**2)
T.assume(N(k) <= sigma**2 / p)
T.have(
    E((v - gamma * g - star) ** 2)
    <= (v - star) ** 2
    - 2 * gamma * (f(x) - f(star))
    + gamma**2 * ((3 * p + 1) * G**2 + sigma**2)
    + 2 * p * gamma**2 * noise**2
)
CLAIM = T.shows(
    total(F(k), k, K) / K
    <= D(0) / (2 * gamma * K) + gamma / 2 * ((3 * p + 1) * G**2 + 3 * sigma**2)
)
