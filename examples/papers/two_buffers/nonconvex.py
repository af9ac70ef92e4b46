"""Double-buffered weights: every gradient is one update old. Nonconvex.

Problem: min f(x), f L-smooth and at least f_low; g has mean ∇f(x⁻) and variance at most σ².
Method: x⁺ = x − γg(x⁻), where x⁻ is the weight before x; the first two are the same.
Guarantee: for Lγ + L²γ² ≤ 1 the mean of E‖∇f(x)‖² over K iterations is at most 2(f(x_0) −
f_low)/(γK) + Lγσ² + L²γ²σ².
Source: the update of PipeDream-2BW (Narayanan et al. 2021: W(t+1) = W(t) − ν∇f(W(t−1))). That paper
states no rate; this one is ours. What decreases is f(x) + (γL²/2)‖x − x⁻‖².
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
    theorem,
    total,
    vectors,
)

L, gamma = positive("L gamma")
sigma, low = nonnegative("sigma"), real("f_low")
k, K = index("k"), count("K")
f, (x, before, g) = function("f"), vectors("x x⁻ g")
E = mean("E", g)

T = theorem("two-buffers.nonconvex", "ours, for PipeDream-2BW")
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, g, f.grad(before))
T.bounded_variance(E, g, f.grad(before), sigma)
T.assume(L * gamma + L**2 * gamma**2 <= 1)
T.iterate(x, x - gamma * g, k)
T.iterate(before, x, k)
F, S = T.sequence("F", f(x)), T.sequence("S", f.grad(x) ** 2)
D = T.sequence("D", (x - before) ** 2)
T.assume(equal(D(0), 0))
CLAIM = T.shows(
    total(S(k), k, K) / K
    <= 2 * (F(0) - low) / (gamma * K) + L * gamma * sigma**2 + L**2 * gamma**2 * sigma**2
)
