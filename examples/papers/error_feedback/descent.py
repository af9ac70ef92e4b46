"""One step of SGD with delayed or compressed updates, nonconvex.

Problem: min f(x), f L-smooth. Gradients are g = ∇f(x) + ξ with mean-zero noise, E‖ξ‖² ≤ M‖∇f(x)‖² +
σ².
Method: the step is made at the virtual iterate v, the gradient taken at x; v⁺ = v − γg.
Guarantee: for γ ≤ 1/(2L(1 + M)) the mean of f(v⁺) is at most f(v) − (γ/4)‖∇f(x)‖² + (γL²/2)‖x − v‖²
+ Lγ²σ²/2.
Source: Stich and Karimireddy 2020, the descent lemma for nonconvex functions. The mean is over the
noise of this step alone.
"""

from theory.notation import function, mean, nonnegative, positive, theorem, vectors

L, gamma = positive("L gamma")
M, sigma = nonnegative("M sigma")
f, (v, x, g) = function("f"), vectors("v x g")
E = mean("E", g)

T = theorem("ef.descent", "Stich and Karimireddy 2020, descent lemma, nonconvex")
T.smooth(f, L)
T.unbiased(E, g, f.grad(x))
T.assume(E((g - f.grad(x)) ** 2) <= M * f.grad(x) ** 2 + sigma**2)
T.assume(2 * L * gamma * (1 + M) <= 1)
CLAIM = T.shows(
    E(f(v - gamma * g))
    <= f(v)
    - gamma / 4 * f.grad(x) ** 2
    + gamma * L**2 / 2 * (x - v) ** 2
    + L * gamma**2 * sigma**2 / 2
)
