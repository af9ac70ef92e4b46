"""One step of SGD with delayed or compressed updates, quasi-convex.

Problem: min f(x), f L-smooth and μ-quasi convex at its minimum x*: ⟨∇f(x), x − x*⟩ ≥ f(x) − f* +
(μ/2)‖x − x*‖².
Method: v⁺ = v − γg with g = ∇f(x) + ξ, E‖ξ‖² ≤ M‖∇f(x)‖² + σ².
Guarantee: for γ ≤ 1/(4L(1 + M)), E‖v⁺ − x*‖² ≤ (1 − γμ/2)‖v − x*‖² − (γ/2)(f(x) − f*) + 3γL‖x − v‖²
+ γ²σ².
Source: Stich and Karimireddy 2020, the descent lemma for quasi-convex functions. μ ≤ L, which
follows from the two assumptions, is assumed.
"""

from theory.notation import function, mean, nonnegative, positive, square, theorem, vectors

L, gamma = positive("L gamma")
M, sigma, mu = nonnegative("M sigma mu")
f, (v, x, star, g) = function("f"), vectors("v x x* g")
E = mean("E", g)

T = theorem("ef.quasi-convex", "Stich and Karimireddy 2020, descent lemma, quasi-convex")
T.smooth(f, L)
T.minimum(f, star)
gap = f(x) - f(star)
T.assume(f.grad(x) @ (x - star) >= gap + mu / 2 * square(x - star))
T.unbiased(E, g, f.grad(x))
T.assume(E(square(g - f.grad(x))) <= M * square(f.grad(x)) + sigma**2)
T.assume(4 * L * gamma * (1 + M) <= 1)
T.assume(mu <= L)
T.have(f(x - f.grad(x) / L) >= f(star))
T.have(square(f.grad(x)) <= 2 * L * gap)
T.have(2 * (f.grad(x) @ (x - v)) <= gap + 2 * L * square(x - v))
T.have(mu * square(v - star) <= 2 * mu * square(x - star) + 2 * mu * square(x - v))
T.have(gamma * E(square(g)) <= gap / 2 + gamma * sigma**2)
CLAIM = T.shows(
    E(square(v - gamma * g - star))
    <= (1 - gamma * mu / 2) * square(v - star)
    - gamma / 2 * gap
    + 3 * gamma * L * square(x - v)
    + gamma**2 * sigma**2
)
