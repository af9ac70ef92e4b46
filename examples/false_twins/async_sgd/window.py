"""The false twin of papers/async_sgd/window.py: the number in flight is missing in the stepsize.

On Lx²/2 with p = τ, every delay τ large, γ = 1/(4L√τ) and no noise, iterates grow without bound.
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
    square,
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

T = theorem("async.window-false", "false on purpose")
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, g, f.grad(x))
T.bounded_variance(E, g, f.grad(x), sigma)
T.varying(s)
T.assume(equal(p * avg(square(h)), s))
part = (x - v) / (gamma * p) - noise
T.unbiased(avg, h, part)
T.assume(4 * L * gamma <= 1)
T.assume(16 * L**2 * gamma**2 * tau <= 1)
T.iterate(v, v - gamma * g, k)
F, S = T.sequence("F", f(v)), T.sequence("S", square(f.grad(x)))
N, H = T.sequence("N", square(noise)), T.sequence("H", s)
T.assume(N(k) <= sigma**2 / p)
T.assume(total(H(k), k, K) <= tau * total(S(k), k, K))
T.have(square(h - part) >= 0)
drift = L**2 * gamma**3 * (p * s + p**2 * square(noise))
noisy = L * gamma**2 * sigma**2 / 2
T.have(E(f(v - gamma * g)) <= f(v) - gamma / 4 * square(f.grad(x)) + drift + noisy)
T.have(F(k + 1) <= F(k) - gamma / 4 * S(k) + L**2 * gamma**3 * (p * H(k) + p**2 * N(k)) + noisy)
CLAIM = T.shows(
    total(S(k), k, K) / K
    <= 8 * (F(0) - low) / (gamma * K)
    + 4 * L * gamma * sigma**2
    + 8 * L**2 * gamma**2 * p * sigma**2
)
