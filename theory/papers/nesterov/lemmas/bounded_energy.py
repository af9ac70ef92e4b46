"""What bounded gradients give for every delay τ ≥ 1 and stepsize: the energy grows as t at most.

Problem    f is convex and β-smooth with a minimiser w*, and ‖∇f‖ ≤ G.
Method     (10) with (29), τ ≥ 1 and any η > 0.
Guarantee  ‖z_{t+τ}‖² + 4η(t − 1)(f(w_t) − f*) ≤ A + 4η²G²(2τ − 1 + βη)(t − 2), A being its
           value at t = 2.
Source     ours: `nesterov.iterate-step` with every ‖∇f‖² replaced by G².
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine
from theory.notation import equal, index, real, theorem
from theory.papers.nesterov.lemmas import averaged_step, run_energy
from theory.papers.nesterov.lemmas import iterate_step as step

G, beta, eta, tau, k, n, SIZES = run_energy.letters("G beta eta tau k n SIZES")
f, w, z, star, old, g = step.f, step.w, step.z, step.star, step.old, step.g

K, A = index("K"), real("A")
L = sympy.Function("L", real=True)
GROWTH = 4 * eta**2 * G**2 * (2 * tau - 1 + beta * eta)
"""By how much an iteration adds to the energy at most."""

T = theorem("nesterov.bounded-energy", "ours", f)
T.iterate(w, step.w_next, k)
T.iterate(z, step.z_then, k)
T.assume(1 <= tau, "delay")
T.varying(SIZES)
T.cite(step.THEOREM, name="step")
T.assume(g**2 <= G**2, "bounded")
T.assume(old**2 <= G**2, "bounded before")
T.assume(SIZES <= tau * G**2, "sizes", "as a sum of τ of the ‖∇f‖²")
T.assume(
    equal(L(k), z**2 + 4 * eta * (1 + n(k)) * (f(w) - f(star))),
    "energy",
)
T.assume(
    equal(L(k + 1), step.z_then**2 + 4 * eta * (2 + n(k)) * (f(step.w_next) - f(star))),
    "energy after",
)
T.assume(L(0) <= A, "start")
_RULE = Combine(
    {
        "step": 1,
        "energy": -1,
        "energy after": 1,
        "bounded": 4 * eta**2 * (tau - 1),
        "bounded before": 4 * beta * eta**3,
        "sizes": 4 * eta**2,
    },
    squares=((2 * eta / beta, g),),
    domain=("delay",),
)
one = T.have(L(k + 1) <= L(k) + GROWTH, "one", by=_RULE)
_BOUND = A + GROWTH * K
grown = T.induction(L(K) <= _BOUND, one, "start")
THEOREM = T.shows(
    L(K) <= _BOUND,
    {"start": A, "growth": GROWTH * K},
    by=Combine({grown: 1}),
    says=(
        "With ‖∇f‖ ≤ G, ‖z_{t+τ}‖² + 4η(t − 1)(f(w_t) − f*) ≤ A + 4η²G²(2τ − 1 + βη)(t − 2) for "
        "every convex β-smooth f with a minimiser w*, every delay τ ≥ 1, every η > 0 and every "
        "t = K + 2 ≥ 2; A is what the left side is at most for t = 2."
    ),
    latex=(
        r"\|z_{t+\tau}\|^2 + 4\eta(t-1)(f(w_t) - f^*) \le "
        r"A + 4\eta^2 G^2(2\tau - 1 + \beta\eta)(t-2)"
    ),
)

CLAIM = as_claim(THEOREM, beside=(averaged_step.THEOREM.id,))
