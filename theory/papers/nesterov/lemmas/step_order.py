"""(31) put right for every delay τ ≥ 1 and stepsize: steps are O(1/√t), and no better for τ ≥ 2.

Problem    ‖w_2 − w*‖² ≤ A and ‖z_{t+1}‖² ≤ A + c(t − 2) for every t ≥ 2, as with bounded gradients
           and a minimiser (`bounded_energy`).
Method     (10) with (29): t(w_{t+1} − w*) = (t − 1)(w_t − w*) + z_{t+1} (`averaged_step`).
Guarantee  ‖w_{t+1} − w_t‖² ≤ 4(A + ct)/t² for every t ≥ 2.
Source     ours. `nesterov.eq-31` shows that steps are not o(1/√t) for every τ ≥ 2 and η = 1/β.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Everywhere
from theory.notation import equal, index, named, nonnegative, real, theorem, vectors
from theory.papers.nesterov.lemmas import averaged_step, bounded_energy

k, n = index("k"), sympy.Function("n", nonnegative=True)
K = index("K")
A, c = real("A"), nonnegative("c")
t = n(k) + 2
v, z = vectors("v z")
"""w_t − w* and z_{t+1}."""
v_next = named("v⁺", ((t - 1) * v + z) / t)
X, Z, S = (sympy.Function(name, real=True) for name in "XZS")

T = theorem("nesterov.step-order")
T.iterate(v, v_next, k)
T.assume(equal(n(k), k), "counted")
T.assume(equal(X(k), v**2), "distance")
T.assume(equal(X(k + 1), v_next**2), "distance after")
T.assume(equal(Z(k), z**2), "far")
T.assume(equal(S(k), (v_next - v) ** 2), "step")
T.assume(Z(k) <= A + c * k, "bounded", "‖z_{t+1}‖² ≤ A + c(t − 2)")
T.assume(X(0) <= A, "start")
mean = T.have(
    X(k + 1) <= (1 - 1 / t) * X(k) + Z(k) / t,
    "mean",
    by=Combine(
        {"distance": 1 / t - 1, "distance after": 1, "far": -1 / t},
        squares=((sympy.factor((1 - 1 / t) / t), z - v),),
    ),
)
_NOW = k + 2
ratio = T.have(
    X(k + 1) <= (1 - 1 / _NOW) * X(k) + (A + c * k) / _NOW,
    "recurrence",
    by=Combine({mean: 1, "bounded": 1 / _NOW, "counted": (X(k) - Z(k)) / (t * _NOW)}),
)
near = T.induction(X(K) <= A + c * K, ratio, "start")
T.have(
    t**2 * S(k) <= 2 * X(k) + 2 * Z(k),
    "moved",
    by=Combine({"step": t**2, "distance": -2, "far": -2}, squares=((1, z + v),)),
)
T.have(
    _NOW**2 * S(k) <= 2 * X(k) + 2 * (A + c * k),
    "by k",
    by=Combine({"moved": 1, "bounded": 2, "counted": -(t + _NOW) * S(k)}),
)
T.have((K + 2) ** 2 * S(K) <= 2 * X(K) + 2 * (A + c * K), "last", by=Everywhere("by k", {k: K}))
_BOUND = 4 * (A + c * K) / (K + 2) ** 2
THEOREM = T.shows(
    S(K) <= _BOUND,
    {"distance": _BOUND},
    by=Combine({"last": 1 / (K + 2) ** 2, near: 2 / (K + 2) ** 2}),
    says=(
        "‖w_{t+1} − w_t‖² ≤ 4(A + c(t − 2))/t² for every t = K + 2 ≥ 2, if ‖w_2 − w*‖² ≤ A and "
        "‖z_{t+1}‖² ≤ A + c(t − 2) for every t ≥ 2: steps are O(1/√t) for every τ ≥ 1, every "
        "stepsize and every f with bounded gradients and a minimiser w*, by "
        "nesterov.bounded-energy for t > τ, A being large enough for the first τ."
    ),
    latex=r"\|w_{t+1} - w_t\|^2 \le \tfrac{4}{t^2}(A + c(t-2))",
)

CLAIM = as_claim(THEOREM, beside=(averaged_step.THEOREM.id, bounded_energy.THEOREM.id))
