"""The false twin of papers/error_feedback/quasi_convex.py: half of the noise.

At v = x = x* the mean of ‖v⁺ − x*‖² is γ²σ².
"""

from theory.notation import dot, function, mean, nonnegative, positive, square, theorem, vectors

L, gamma = positive("L gamma")
M, sigma, mu = nonnegative("M sigma mu")
f, (v, x, star, g) = function("f"), vectors("v x x* g")
E = mean("E", g)

T = theorem("ef.quasi-convex-false", "false on purpose")
T.smooth(f, L)
T.minimum(f, star)
gap = f(x) - f(star)
T.assume(dot(f.grad(x), x - star) >= gap + mu / 2 * square(x - star))
T.unbiased(E, g, f.grad(x))
T.assume(E(square(g - f.grad(x))) <= M * square(f.grad(x)) + sigma**2)
T.assume(4 * L * gamma * (1 + M) <= 1)
T.assume(mu <= L)
T.have(f(x - f.grad(x) / L) >= f(star))
T.have(square(f.grad(x)) <= 2 * L * gap)
T.have(2 * dot(f.grad(x), x - v) <= gap + 2 * L * square(x - v))
T.have(mu * square(v - star) <= 2 * mu * square(x - star) + 2 * mu * square(x - v))
T.have(gamma * E(square(g)) <= gap / 2 + gamma * sigma**2)
CLAIM = T.shows(
    E(square(v - gamma * g - star))
    <= (1 - gamma * mu / 2) * square(v - star)
    - gamma / 2 * gap
    + 3 * gamma * L * square(x - v)
    + gamma**2 * sigma**2 / 2
)
