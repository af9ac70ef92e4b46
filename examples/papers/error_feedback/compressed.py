"""SGD with error feedback: a compressed update, the rest of it kept for later.

Problem: min f(x), f L-smooth and at least f_low. Gradients are g = ∇f(x) + ξ, E‖ξ‖² ≤ M‖∇f(x)‖² +
σ².
Method: x⁺ = x − C(e + γg) and e⁺ = e + γg − C(e + γg), with E‖z − C(z)‖² ≤ (1 − δ)‖z‖² and e = 0 at
the start.
Guarantee: for γ ≤ 1/(4L(2/δ + M)) the mean of ‖∇f(x)‖² over K iterations is at most 8(f(x_0) −
f_low)/(γK) + 4Lγσ² + 8L²γ²σ²/δ.
Source: Stich and Karimireddy 2020, error feedback with a δ-compressor, nonconvex. They give rates
in O-notation for the best γ; the constants here are ours. The method has v = x − e: v moves by −γg,
and gradients are taken at x = v + e.
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

L, gamma, delta = positive("L gamma delta")
(M, sigma), low = nonnegative("M sigma"), real("f_low")
k, K = index("k"), count("K")
f, (v, e, g, c) = function("f"), vectors("v e g c")
x = v + e
E = mean("E", g, c)

T = theorem("ef.compressed", "Stich and Karimireddy 2020, error feedback, nonconvex")
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, g, f.grad(x))
T.assume(E((g - f.grad(x)) ** 2) <= M * f.grad(x) ** 2 + sigma**2)
T.assume(E((e + gamma * g - c) ** 2) <= (1 - delta) * E((e + gamma * g) ** 2))
T.assume(delta <= 1)
T.assume(4 * L * gamma * (2 + M * delta) <= delta)
T.iterate(v, v - gamma * g, k)
T.iterate(e, e + gamma * g - c, k)
F, S, R = T.sequence("F", f(v)), T.sequence("S", f.grad(x) ** 2), T.sequence("R", e**2)
T.assume(equal(R(0), 0))
CLAIM = T.shows(
    total(S(k), k, K) / K
    <= 8 * (F(0) - low) / (gamma * K)
    + 4 * L * gamma * sigma**2
    + 8 * L**2 * gamma**2 * sigma**2 / delta
)
