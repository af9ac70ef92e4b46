"""The repaired rate, for every delay τ ≥ 1.

Problem    f is convex and β-smooth with a minimiser w*; (4τ − 2)βη + 2β²η² ≤ 1.
Method     (10) with (29), from w_1.
Guarantee  f(w_t) − f* ≤ ‖w_1 − w*‖²/(4η(t − 1)) for every t = K + 2 ≥ 2.
Source     ours: `nesterov.iterate-step` from `nesterov.iterate-start` on.
"""

from theory.notation import eq
from theory.papers.nesterov import symbols
from theory.papers.nesterov.lemmas import iterate_start, repaired_start, run_energy
from theory.papers.nesterov.lemmas import iterate_step as step

beta, eta, tau = symbols.letters("beta eta tau")
S, k, j, window = run_energy.letters("S k j window")

f = step.f
SIZES = {
    "seen late": eq(S(k), step.old**2),
    "first gradients": eq(window(S(j)), tau * f.grad(repaired_start.FIRST) ** 2),
}
"""What w_t is moved by is the gradient of τ iterations before."""
RUN = run_energy.Iteration(
    f=f,
    now=step.w,
    then=step.w_next,
    first=iterate_start.SECOND,
    seen=step.x,
    z=step.z,
    z_then=step.z_then,
    z_early=step.z_now - 2 * eta * step.old,
    star=step.star,
    step=step.THEOREM,
    start=iterate_start.THEOREM,
    weights={},
    kept=S,
    weight=beta * eta,
    meanings=SIZES,
)
CLAIM = THEOREM = run_energy.rate(
    "nesterov.iterate-rate",
    RUN,
    "For τ ≥ 1, (4τ − 2)βη + 2β²η² ≤ 1 and γ_t = (t − 2)/t, from rest, f(w_{K+2}) − f* ≤ ‖w_1 − "
    "w*‖²/(4η(K + 1)) for every K ≥ 0.",
    r"f(w_{K+2}) - f^* \le \tfrac{1}{4\eta(K+1)}\|w_1 - w^*\|^2",
)
