"""Double-buffered weights: a linear rate down to the noise, without convexity.

Problem: min f(x), f L-smooth with ‖∇f(x)‖² ≥ 2μ(f(x) − f_low); g has mean ∇f(x⁻) and variance at
most σ².
Method: x⁺ = x − γg(x⁻), where x⁻ is the weight before x.
Guarantee: for γ ≤ 1/(2L), E f(x_n) − f_low + γL²E‖x_n − x_(n−1)‖² ≤ (1 − γμ)ⁿΦ_0 + (Lγ/2 +
L²γ²)σ²/μ, where Φ_0 is the left side for n = 0.
Source: the update of PipeDream-2BW (Narayanan et al. 2021). That paper states no rate; this one is
ours. μ ≤ L, which follows from the assumptions, is assumed. What decreases is f(x) + γL²‖x − x⁻‖².
"""

from theory.notation import (
    function,
    index,
    mean,
    nonnegative,
    positive,
    real,
    theorem,
    vectors,
)

L, gamma, mu = positive("L gamma mu")
sigma, low = nonnegative("sigma"), real("f_low")
k, n = index("k n")
f, (x, before, g) = function("f"), vectors("x x⁻ g")
E = mean("E", g)

T = theorem("two-buffers.linear", "ours, for PipeDream-2BW")
T.smooth(f, L)
T.pl(f, mu, low)
T.unbiased(E, g, f.grad(before))
T.bounded_variance(E, g, f.grad(before), sigma)
T.assume(2 * L * gamma <= 1)
T.assume(mu <= L)
T.iterate(x, x - gamma * g, k)
T.iterate(before, x, k)
w = gamma * L**2
Phi = T.sequence("Φ", f(x) - low + w * (x - before) ** 2)
rate = 1 - gamma * mu
bound = rate**n * Phi(0) + (L * gamma / 2 + L**2 * gamma**2) * sigma**2 / mu
CLAIM = T.shows(Phi(n) <= bound)
