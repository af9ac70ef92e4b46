"""The false twin of papers/error_feedback/descent.py: half of the noise.

f(x) = Lx²/2 with v = x = 0: f(v⁺) has the mean Lγ²σ²/2.
"""

from theory.notation import function, mean, nonnegative, positive, square, theorem, vectors

L, gamma = positive("L gamma")
M, sigma = nonnegative("M sigma")
f, (v, x, g) = function("f"), vectors("v x g")
E = mean("E", g)

T = theorem("ef.descent-false", "false on purpose")
T.smooth(f, L)
T.unbiased(E, g, f.grad(x))
T.assume(E(square(g - f.grad(x))) <= M * square(f.grad(x)) + sigma**2)
T.assume(2 * L * gamma * (1 + M) <= 1)
CLAIM = T.shows(
    E(f(v - gamma * g))
    <= f(v)
    - gamma / 4 * square(f.grad(x))
    + gamma * L**2 / 2 * square(x - v)
    + L * gamma**2 * sigma**2 / 4
)
