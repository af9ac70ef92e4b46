"""The false twin of papers/error_feedback/delayed.py: the stepsize does not shrink with the delay.

On Lx²/2 with γ = 1/(4L), a delay of always 10 and no noise, iterates grow without bound: stable is
only Lγ < 2 sin(π/42) = 0.149….
"""

from theory.notation import (
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

L, gamma = positive("L gamma")
sigma, low = nonnegative("sigma"), real("f_low")
k, K, tau = index("k"), count("K"), index("tau")
f, (v, p, p_old, q_old, noise) = function("f"), vectors("v p p̂ q̂ ξ")
x = gamma * p_old + q_old
g = f.grad(x) + noise
E = mean("E", noise)

T = theorem("ef.delayed-false", "false on purpose")
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, noise, 0 * p)
T.assume(E(square(noise)) <= sigma**2)
step = T.assume(4 * L * gamma <= 1)
T.iterate(v, v - gamma * g, k)
T.iterate(p, p - f.grad(x), k)
T.delayed(p_old, p, tau)

F, S = T.sequence("F", f(v)), T.sequence("S", square(f.grad(x)))
P, Q = T.sequence("P", square(p - p_old)), T.sequence("Q", square(v - gamma * p - q_old))
T.assume(Q(k) <= tau * gamma**2 * sigma**2)
noisy = L * gamma**2 * sigma**2 / 2
apart = gamma**2 * square(p - p_old) + square(v - gamma * p - q_old)
T.have(square(v - x) <= 2 * apart, "split", step)
T.have(
    E(f(v - gamma * g))
    <= f(v) - gamma / 4 * square(f.grad(x)) + gamma * L**2 / 2 * square(v - x) + noisy
)
T.have(E(f(v - gamma * g)) <= f(v) - gamma / 4 * square(f.grad(x)) + gamma * L**2 * apart + noisy)
CLAIM = T.shows(
    total(S(k), k, K) / K
    <= 8 * (F(0) - low) / (gamma * K)
    + 4 * L * gamma * sigma**2
    + 8 * L**2 * gamma**2 * tau * sigma**2
)
