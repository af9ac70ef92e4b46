"""One iteration of Nesterov's method with delayed gradients, seen from the iterates w_{s+1}.

Problem    f is convex and β-smooth with a minimiser w*.
Method     x_t = w_t + d_t, w_{t+1} = x_t − 2ηḡ_t/t by (10) and (29), t = s + 1; with
           z_t = w_t + t d_t − w*, z_{t+1} = z_t − 2ηḡ_t (`averaged_step`).
Guarantee  ‖z_{t+τ}‖² + 4η(t − 1)(f(w_t) − f*) grows by what the gradients cost.
Source     ours: convexity at x_t, against w* and s times against w_t, and t times the descent lemma
           leave ⟨∇f(x_t), z_{t+1}⟩, so that the gradient that is late in w_{t+1} drops out.
"""

from theory.judging.as_claim import as_claim
from theory.notation import function, named, theorem, vectors
from theory.papers.nesterov.lemmas import averaged_step, interpolation, run_energy

beta, eta, tau, s, SIZES = run_energy.letters("beta eta tau s SIZES")

f, (w, d, old, z, star) = function("f"), vectors("w d ḡ z w*")
"""w_t, d_t, ḡ_t, z_{t+τ} and w*; t = s + 1."""
x = named("x_s", w + d)
w_next = named("w⁺", w + d - 2 * eta / (s + 1) * old)
g = f.grad(x)
z_now, z_then = x - star + s * d, z - 2 * eta * g
"""z_t, and z_{t+τ+1}; τ iterations lie between z_{t+1} and that."""

T = theorem("nesterov.iterate-step")
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.varying(SIZES)
T.assume((z_now - 2 * eta * old - z_then) @ g <= eta * tau * g**2 + eta * SIZES, "window")
interpolation.tangent(T, x, star)
TERMS = {
    "before": z**2 + 4 * eta * s * (f(w) - f(star)),
    "gradient": (4 * eta**2 * (tau - 1) - 2 * eta / beta) * g**2,
    "window": 4 * eta**2 * SIZES,
    "late gradient": 4 * beta * eta**3 * old**2,
}
THEOREM = T.shows(
    z_then**2 + 4 * eta * (s + 1) * (f(w_next) - f(star)) <= sum(TERMS.values()),
    TERMS,
    says=(
        "‖z_{s+τ}‖² + 4η(s − 1)(f(w_s) − f*) grows from s ≥ 2 to s + 1 by at most "
        "(4η²(τ − 1) − 2η/β)‖g_s‖² + 4βη³‖ḡ_s‖² and 4η² times the sum of ‖g_s‖² and the last τ − 1 "
        "of the ‖g‖² before it."
    ),
    latex=(
        r"\|z_{s+\tau+1}\|^2 + 4\eta s\,(f(w_{s+1}) - f^*) \le \|z_{s+\tau}\|^2 + "
        r"4\eta(s-1)(f(w_s) - f^*) + \dots"
    ),
)

CLAIM = as_claim(THEOREM, beside=(averaged_step.THEOREM.id,))
