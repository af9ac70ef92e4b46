"""The repaired bound by look-aheads, for every delay τ ≥ 1.

Problem    f is convex and β-smooth with a minimiser w*; η ≤ a/(2(a² + 1)β), a = 2τ − 1.
Method     (10) with (29), from w_1; x_s = w_s + d_s.
Guarantee  f(x_s) − f* ≤ ‖w_1 − w*‖²/(4ηs) for every s = K + 1 ≥ 1.
Source     ours: `nesterov.repaired-step` from `nesterov.repaired-start` on.
"""

from theory.notation import eq
from theory.papers.nesterov.lemmas import repaired_start, run_energy
from theory.papers.nesterov.lemmas import repaired_step as step
from theory.papers.nesterov.symbols import eta, tau

OC, k, j, window = run_energy.letters("OC k j window")
f = step.f
CHANGES = {
    "change": eq(OC(k), (step.old - step.used) ** 2),
    "handed on": eq(OC(k + tau), (step.g - f.grad(step.x)) ** 2),
    "first changes": eq(window(OC(j)), f.grad(repaired_start.FIRST) ** 2 / 4),
}
"""τ iterations later a change is the old one; at first there is none, but that ḡ_1 counts half."""
RUN = run_energy.Iteration(
    f=f,
    now=step.x,
    then=step.x_next,
    first=repaired_start.FIRST,
    seen=step.x_next,
    z=step.z,
    z_then=step.z_then,
    z_early=step.z_now - 2 * eta * step.old,
    star=step.star,
    step=step.THEOREM,
    start=repaired_start.THEOREM,
    weights={step.y: repaired_start.a},
    kept=OC,
    weight=repaired_start.a,
    meanings=CHANGES,
)
CLAIM = THEOREM = run_energy.rate(
    "nesterov.repaired-look-ahead",
    RUN,
    "For τ ≥ 1 and η ≤ a/(2(a² + 1)β), a = 2τ − 1, and γ_t = (t − 2)/t, from rest, f(x_s) − f* ≤ "
    "‖w_1 − w*‖²/(4ηs) at every look-ahead x_s = w_s + d_s, s = K + 1 ≥ 1.",
    r"f(w_s + d_s) - f^* \le \tfrac{1}{4\eta s}\|w_1 - w^*\|^2",
)
