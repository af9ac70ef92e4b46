"""One iteration of Nesterov's method with delayed gradients, as one of delayed gradient descent.

Problem    f is convex and β-smooth with a minimiser w*.
Method     x_{s+1} = x_s − 2ηḡ_s/s + d_{s+1}, by (10) and (29); ḡ_1 counts half. With
           z_{s+1} = w_{s+1} + (s + 1)d_{s+1} − w*, z_{t+1} = z_t − 2ηḡ_t (`averaged_step`).
Guarantee  ‖z_{s+1+τ}‖² + 4ηs(f(x_s) − f*) grows by what gradients and their changes cost.
Source     ours: convexity at x_{s+1}, against w* and s times against x_s, leaves ⟨∇f, z_{s+1}⟩; z
           is compared with τ iterations later (`gradient_window`), the rest is Young's.
"""

from theory.judging.as_claim import as_claim
from theory.notation import function, named, positive, theorem, vectors
from theory.papers.nesterov.lemmas import averaged_step, interpolation, run_energy

beta, eta, tau, s, SIZES = run_energy.letters("beta eta tau s SIZES")

y = positive("y")
"""Weight of Young's inequality, which parts ḡ_{s+1} − ḡ_s from ∇f."""
f, (x, d, used, old, z, star) = function("f"), vectors("x d ḡ⁻ ḡ z w*")
"""x_s, d_{s+1}, ḡ_s, ḡ_{s+1}, z_{s+1+τ} and w*."""
x_next = named("x⁺", x - 2 * eta / s * used + d)
g = f.grad(x_next)
z_now, z_then = x_next - star + s * d, z - 2 * eta * g
"""z_{s+1}, and z_{s+2+τ}; τ iterations lie between z_{s+2} and that."""

T = theorem("nesterov.repaired-step")
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.varying(SIZES)
T.assume((z_now - 2 * eta * old - z_then) @ g <= eta * tau * g**2 + eta * SIZES, "window")
interpolation.tangent(T, x_next, star)
interpolation.tangent(T, x_next, x)
T.have(2 * ((old - used) @ g) <= g**2 / y + y * (old - used) ** 2, "young")
TERMS = {
    "before": z**2 + 4 * eta * s * (f(x) - f(star)),
    "gradient": (4 * eta**2 * (tau - 1 + 1 / y) - 2 * eta / beta) * g**2,
    "change": -2 * eta / beta * s * (g - f.grad(x)) ** 2,
    "old change": 4 * eta**2 * y * (old - used) ** 2,
    "window": 4 * eta**2 * SIZES,
}
THEOREM = T.shows(
    z_then**2 + 4 * eta * (s + 1) * (f(x_next) - f(star)) <= sum(TERMS.values()),
    TERMS,
    says=(
        "‖z_{s+1+τ}‖² + 4ηs(f(x_s) − f*) grows from s to s + 1 by at most "
        "(4η²(τ − 1 + 1/y) − 2η/β)‖g‖² − (2η/β)s‖g − ∇f(x_s)‖² + 4η²y‖ḡ_{s+1} − ḡ_s‖², "
        "g = ∇f(x_{s+1}), and 4η² times the sum of ‖g‖² and the last τ − 1 of the ‖∇f‖² before it, "
        "for every y > 0."
    ),
    latex=(
        r"\|z_{s+\tau+2}\|^2 + 4\eta(s+1)(f(x_{s+1}) - f^*) \le \|z_{s+\tau+1}\|^2 + "
        r"4\eta s(f(x_s) - f^*) + \dots"
    ),
)

CLAIM = as_claim(THEOREM, beside=(averaged_step.THEOREM.id,))
