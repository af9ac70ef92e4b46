"""The false twin of papers/async_sgd/nonconvex.py: p for p².

A Huber function, every delay p, γ = 1/(4L√p), p large: x swings by about √p/4 times the width of
the quadratic part, so that ‖∇f‖² is mostly G²; the right side tends to G²/4.
"""

from theory.notation import (
    average,
    count,
    function,
    index,
    mean,
    nonnegative,
    positive,
    real,
    square,
    theorem,
    total,
    vectors,
)

L, gamma, G = positive("L gamma G")
sigma, low = nonnegative("sigma"), real("f_low")
k, (p, K) = index("k"), count("p K")
f, (x, v, g, h, noise) = function("f"), vectors("x v g h_i ξ̄")
E = mean("E", g)
avg = average("avg", h, given=(g, f.grad(x)), over="in flight")

T = theorem("async.nonconvex-false", "false on purpose")
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, g, f.grad(x))
T.bounded_variance(E, g, f.grad(x), sigma)
T.assume(2 * L * gamma <= 1)
T.iterate(v, v - gamma * g, k)
part = (x - v) / (gamma * p) - noise
T.unbiased(avg, h, part)
T.assume(avg(square(h)) <= G**2)
T.have(square(h - part) >= 0)
T.have(square(x - v) <= 2 * gamma**2 * p**2 * (G**2 + square(noise)))
F, S = T.sequence("F", f(v)), T.sequence("S", square(f.grad(x)))
D, N = T.sequence("D", square(x - v)), T.sequence("N", square(noise))
T.assume(N(k) <= sigma**2 / p)
noisy = L * gamma**2 * sigma**2 / 2
T.have(
    E(f(v - gamma * g))
    <= f(v) - gamma / 4 * square(f.grad(x)) + gamma * L**2 / 2 * square(x - v) + noisy
)
T.have(F(k + 1) <= F(k) - gamma / 4 * S(k) + gamma * L**2 / 2 * D(k) + noisy)
T.have(D(k) <= 2 * gamma**2 * p**2 * (G**2 + sigma**2 / p))
CLAIM = T.shows(
    total(S(k), k, K) / K
    <= 4 * (F(0) - low) / (gamma * K)
    + 2 * L * gamma * sigma**2
    + 4 * L**2 * gamma**2 * (p * G**2 + p * sigma**2)
)
