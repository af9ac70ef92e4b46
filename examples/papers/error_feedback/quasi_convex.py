"""One step of SGD with delayed or compressed updates, quasi-convex.

Problem: min f(x), f L-smooth and μ-quasi convex at its minimum x*: ⟨∇f(x), x − x*⟩ ≥ f(x) − f* +
(μ/2)‖x − x*‖².
Method: v⁺ = v − γg with g = ∇f(x) + ξ, E‖ξ‖² ≤ M‖∇f(x)‖² + σ².
Guarantee: for γ ≤ 1/(4L(1 + M)), E‖v⁺ − x*‖² ≤ (1 − γμ/2)‖v − x*‖² − (γ/2)(f(x) − f*) + 3γL‖x − v‖²
+ γ²σ².
Source: Stich and Karimireddy 2020, the descent lemma for quasi-convex functions. μ ≤ L, which
follows from the two assumptions, is assumed.
"""

from theory.notation import function, mean, nonnegative, positive, theorem, vectors

L, gamma = positive("L gamma")
M, sigma, mu = nonnegative("M sigma mu")
f, (v, x, star, g) = function("f"), vectors("v x x* g")
E = mean("E", g)

T = theorem("ef.quasi-convex", "Stich and Karimireddy 2020, descent lemma, quasi-convex")
T.smooth(f, L)
T.minimum(f, star)
gap = f(x) - f(star)
T.assume(f.grad(x) @ (x - star) >= gap + mu / 2 * (x - star) ** 2)
T.unbiased(E, g, f.grad(x))
T.assume(E((g - f.grad(x)) ** 2) <= M * f.grad(x) ** 2 + sigma**2)
T.assume(4 * L * gamma * (1 + M) <= 1)
T.assume(mu <= L)
T.have(f(x - f.grad(x) / L) >= f(star))
CLAIM = T.shows(
    E((v - gamma * g - star) ** 2)
    <= (1 - gamma * mu / 2) * (v - star) ** 2
    - gamma / 2 * gap
    + 3 * gamma * L * (x - v) ** 2
    + gamma**2 * sigma**2
)
