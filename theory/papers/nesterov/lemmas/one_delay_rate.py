"""A delay of one: the printed rate O(1/t) holds for every stepsize below half of the printed one.

Problem    f is convex and β-smooth with a minimiser w*; 2βη + 4β²η²/(S − 1) ≤ 1, S > 1.
Method     (10) with (29) and τ = 1; x_s = w_s + d_s = y_{s+1}, as in `one_delay_step`.
Guarantee  f(x_s) − f* ≤ C/(4ηs) for s = K + S, C being the energy at s = S. Every η < 1/(2β) has
           such an S. `nesterov.sharp-repaired-thm-1` has η ≤ 1/(4β), with ‖w_1 − w*‖² for C.
Source     ours: ‖z‖² + 4ηs(f(x_s) − f*) + (2η/β)(s − 1)‖g_s − g_{s−1}‖² never grows.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Everywhere
from theory.notation import (
    equal,
    function,
    index,
    named,
    positive,
    real,
    theorem,
    vectors,
)
from theory.papers.nesterov import symbols
from theory.papers.nesterov.lemmas import averaged_step, interpolation

beta, eta = symbols.letters("beta eta")

k, K = index("k K")
C, S = real("C"), positive("S")
n = sympy.Function("n", nonnegative=True)
F, L = (sympy.Function(name, real=True) for name in "FL")
s = n(k) + S
f, (x, old, z, d, star) = function("f"), vectors("x ḡ z d w*")
"""x_s, g_{s−1}, z_{s+2}, d_{s+1} and w*."""
x_next = named("x⁺", x - 2 * eta / s * old + d)
g, g_next = f.grad(x), f.grad(x_next)
z_then = z - 2 * eta * g_next
_OLD_TURN, _TURN = g - old, g_next - g
_MARGIN = 2 * eta / beta

T = theorem("nesterov.one-delay-rate", "ours", f)
T.iterate(x, x_next, k)
T.iterate(z, z_then, k)
T.iterate(old, g, k)
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.assume(S >= 2, "later")
T.assume(2 * beta * eta + 4 * beta**2 * eta**2 / (S - 1) <= 1, "stepsize")
T.assume(equal(n(k), k), "counted")
T.assume(equal(z, x_next - star + s * d - 2 * eta * g), "mean")
T.assume(equal(F(k), f(x) - f(star)), "value")
_HELD = z**2 + 4 * eta * s * (f(x) - f(star)) + _MARGIN * (s - 1) * _OLD_TURN**2
T.assume(equal(L(k), _HELD), "energy")
_HELD = z_then**2 + 4 * eta * (s + 1) * (f(x_next) - f(star)) + _MARGIN * s * _TURN**2
T.assume(equal(L(k + 1), _HELD), "energy after")
T.assume(L(0) <= C, "start")
to_star = interpolation.tangent(T, x_next, star)
to_last = interpolation.tangent(T, x_next, x)
_COST = 8 * beta * eta**3 / (s - 1)
T.have(
    8 * eta**2 * (g_next @ _OLD_TURN) <= _MARGIN * (s - 1) * _OLD_TURN**2 + _COST * g_next**2,
    "young",
    by=Combine(
        squares=((_MARGIN / (s - 1), (s - 1) * _OLD_TURN - 2 * beta * eta * g_next),),
        domain=("later",),
    ),
)
_ROOM = _MARGIN - 4 * eta**2 - _COST
_SHORT = _MARGIN * (1 - 2 * beta * eta - 4 * beta**2 * eta**2 / (S - 1))
_LATER = sympy.factor(_ROOM - _SHORT)
one = T.have(
    L(k + 1) <= L(k),
    "decrease",
    by=Combine(
        {
            "energy": -1,
            "energy after": 1,
            to_star: 4 * eta,
            to_last: 4 * eta * s,
            "∇f(w*) = 0, with ∇f(x⁺)": 2 * _MARGIN,
            "mean, with ∇f(x⁺)": -4 * eta,
            "young": 1,
            "stepsize": _MARGIN * g_next**2,
        },
        squares=((_MARGIN, f.grad(star)), (_LATER, g_next)),
        domain=("later",),
    ),
)
kept = T.induction(L(K) <= C, one, "start")
_RULE = Combine(
    {"energy": -1, "value": 4 * eta * s, "counted": -4 * eta * F(k)},
    squares=((1, z), (_MARGIN * (s - 1), _OLD_TURN)),
    domain=("later",),
)
T.have(4 * eta * (k + S) * F(k) <= L(k), "height", by=_RULE)
T.have(4 * eta * (K + S) * F(K) <= L(K), "last", by=Everywhere("height", {k: K}))
_SHARE = 1 / (4 * eta * (K + S))
THEOREM = T.shows(
    F(K) <= C * _SHARE,
    {"energy at S": C * _SHARE},
    by=Combine({"last": _SHARE, kept: _SHARE}),
    says=(
        "With τ = 1 and 2βη + 4β²η²/(S − 1) ≤ 1, S ≥ 2, f(x_s) − f* ≤ C/(4ηs) for x_s = w_s + d_s "
        "= y_{s+1}, s = K + S and every K ≥ 0, for every convex β-smooth f with a minimiser w*; C "
        "is at least ‖z_{S+2}‖² + 4ηS(f(x_S) − f*) + (2η/β)(S − 1)‖g_S − g_{S−1}‖²."
    ),
    latex=r"f(x_s) - f^* \le \tfrac{C}{4\eta s}, \quad s = K + S",
)

CLAIM = as_claim(THEOREM, beside=(averaged_step.THEOREM.id,))
