"""The false twin of papers/two_buffers/nonconvex.py: γ ≤ 1/L is enough.

On Lx²/2 with γ = 1/L and no noise, x⁺ = x − x⁻ has period 6, and gradients do not shrink.
"""

from theory.notation import (
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
k, K = index("k"), count("K")
f, (x, before, g) = function("f"), vectors("x x⁻ g")
E = mean("E", g)

T = theorem("two-buffers.nonconvex-false", "false on purpose")
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, g, f.grad(before))
T.bounded_variance(E, g, f.grad(before), sigma)
T.assume(L * gamma <= 1)
T.iterate(x, x - gamma * g, k)
T.iterate(before, x, k)
F, S = T.sequence("F", f(x)), T.sequence("S", square(f.grad(x)))
D = T.sequence("D", square(x - before))
T.assume(equal(D(0), 0))
w = gamma * L**2 / 2
noise = L * gamma**2 * sigma**2 / 2 + w * gamma**2 * sigma**2
T.have(F(k + 1) + w * D(k + 1) <= F(k) + w * D(k) - gamma / 2 * S(k) + noise)
CLAIM = T.shows(
    total(S(k), k, K) / K
    <= 2 * (F(0) - low) / (gamma * K) + L * gamma * sigma**2 + L**2 * gamma**2 * sigma**2
)
