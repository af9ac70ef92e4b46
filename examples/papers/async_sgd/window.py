"""Asynchronous SGD, nonconvex, without a bound on gradients.

Problem: min f(x), f L-smooth and at least f_low; gradients have mean ∇f(x) and variance at most σ².
Method: asynchronous SGD with constant γ; p gradients are in flight, none longer than τ iterations.
x − v = γp(h̄ + ξ̄), where h̄ is the mean of ∇f at the points of the gradients in flight, ξ̄ that of
their noises.
Guarantee: for γ ≤ 1/(4L(1 + √(pτ))) the mean of E‖∇f(x)‖² over K iterations is at most 8(f(v_0) −
f_low)/(γK) + 4Lγσ² + 8L²γ²pσ².
Source: Koloskova, Stich and Jaggi 2022, constant stepsize, nonconvex; p + 1 is their concurrency.
Constants are ours.
Assumed: noises in flight are orthogonal, E‖ξ̄‖² ≤ σ²/p, and every gradient is counted in at most τ
iterations, Σ_k Σ_(in flight at k) E‖∇f‖² ≤ τ Σ_k E‖∇f(x_k)‖².
"""

from theory.notation import (
    average,
    count,
    equal,
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
k, tau, (p, K) = index("k"), index("tau"), count("p K")
f, (v, x, g, h, noise) = function("f"), vectors("v x g h_i ξ̄")
E = mean("E", g)
s = nonnegative("s")
avg = average("avg", h, given=(g, f.grad(x)), over="in flight")

T = theorem("async.window", "Koloskova et al. 2022, constant stepsize")
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, g, f.grad(x))
T.bounded_variance(E, g, f.grad(x), sigma)
T.varying(s)
T.assume(equal(p * avg(h**2), s))
part = (x - v) / (gamma * p) - noise
T.unbiased(avg, h, part)
T.assume(4 * L * gamma <= 1)
T.assume(16 * L**2 * gamma**2 * p * tau <= 1)
T.iterate(v, v - gamma * g, k)
F, S = T.sequence("F", f(v)), T.sequence("S", f.grad(x) ** 2)
N, H = T.sequence("N", noise**2), T.sequence("H", s)
T.assume(N(k) <= sigma**2 / p)
T.assume(total(H(k), k, K) <= tau * total(S(k), k, K))
drift = L**2 * gamma**3 * (p * s + p**2 * noise**2)
noisy = L * gamma**2 * sigma**2 / 2
T.have(F(k + 1) <= F(k) - gamma / 4 * S(k) + L**2 * gamma**3 * (p * H(k) + p**2 * N(k)) + noisy)
CLAIM = T.shows(
    total(S(k), k, K) / K
    <= 8 * (F(0) - low) / (gamma * K)
    + 4 * L * gamma * sigma**2
    + 8 * L**2 * gamma**2 * p * sigma**2
)
