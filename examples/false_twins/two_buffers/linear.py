"""The false twin of papers/two_buffers/linear.py: three times the rate.

On Lx²/2 with μ = L, small γ and no noise, f shrinks by about 1 − 2γμ.
"""

from theory.notation import (
    function,
    index,
    mean,
    nonnegative,
    positive,
    real,
    square,
    theorem,
    vectors,
)

L, gamma, mu = positive("L gamma mu")
sigma, low = nonnegative("sigma"), real("f_low")
k, n = index("k n")
f, (x, before, g) = function("f"), vectors("x x⁻ g")
E = mean("E", g)

T = theorem("two-buffers.linear-false", "false on purpose")
T.smooth(f, L)
T.pl(f, mu, low)
T.unbiased(E, g, f.grad(before))
T.bounded_variance(E, g, f.grad(before), sigma)
T.assume(2 * L * gamma <= 1)
T.assume(mu <= L)
T.iterate(x, x - gamma * g, k)
T.iterate(before, x, k)
w = gamma * L**2
Phi = T.sequence("Φ", f(x) - low + w * square(x - before))
noise, rate = (L / 2 + w) * gamma**2 * sigma**2, 1 - 3 * gamma * mu
shrinks = T.have(Phi(k + 1) <= rate * Phi(k) + noise)
bound = rate**n * Phi(0) + (L * gamma / 2 + L**2 * gamma**2) * sigma**2 / mu
T.induction(Phi(n) <= bound, shrinks)
CLAIM = T.shows(Phi(n) <= bound)
