"""A delay of one: the method converges with the printed stepsize, and with every shorter one.

Problem    f is convex and β-smooth with a minimiser w*; no gradient needs to be bounded.
Method     (10) with (29), τ = 1 and η ≤ 1/β; x_s = w_s + d_s, which is y_{s+1}.
Guarantee  f(x_s) − f* ≤ C√s/(28η(s − 1)) for s = K + 49: O(1/√t), C being the energy at s = 49.
Source     ours: `nesterov.one-delay-step`. O(1/t) holds for η < 1/(2β)
           (`nesterov.one-delay-rate`) and stays open for the printed η = 1/β.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Everywhere
from theory.kernel.vectors import Scalar, Vector
from theory.notation import equal, index, real, theorem
from theory.papers.nesterov.lemmas import averaged_step, interpolation
from theory.papers.nesterov.lemmas import one_delay_step as step

beta, eta, s, k, n = step.letters("beta eta s k n")
f, x, old, z, d, star = step.letters("f x old z d star")
g, x_next, z_then, g_next = step.letters("g x_next z_then g_next")

K, C = index("K"), real("C")
F, L = (sympy.Function(name, real=True) for name in "FL")
_LATER = K + step.SINCE
_ROOM = 4 * eta * (1 - beta * eta)
_EIGHTH = sympy.Rational(1, 8)
_ZERO, _LEAST = "∇f(w*) = 0, with ", "f is least at w*, at "

T = theorem("nesterov.one-delay", "ours", f)
T.iterate(x, x_next, k)
T.iterate(z, z_then, k)
T.iterate(old, g, k)
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.assume(beta * eta <= 1, "stepsize", "η ≤ 1/β")
T.cite(step.THEOREM, name="step")
T.assume(equal(n(k), k), "counted")
T.assume(equal(F(k), f(x) - f(star)), "value")
T.assume(equal(L(k), step.energy(x, z, old, s)), "energy")
T.assume(equal(L(k + 1), step.energy(x_next, z_then, g, s + 1)), "energy after")
T.assume(L(0) <= C, "start")


def slope(at: Vector, moved: dict[str, Scalar], name: str) -> str:
    """‖∇f‖² ≤ 2β(f − f*) at a point, which is x moved by multiples of vectors."""
    seen = interpolation.tangent(T, star, at)
    zero = {_ZERO + str(f.grad(at)): 2, **{_ZERO + to: 2 * beta * by for to, by in moved.items()}}
    rule = Combine({seen: 2 * beta, **zero}, squares=((1, f.grad(star)),))
    return T.have(f.grad(at) ** 2 <= 2 * beta * (f(at) - f(star)), name, by=rule)


slope(x, {"w*": 1, "x": -1}, "slope")
slope(x_next, {"w*": 1, "x": -1, "d": -1, "ḡ": 2 * eta / s}, "slope after")
T.have(
    7 * _EIGHTH * z**2 + 4 * eta * (s - 1) * (f(x) - f(star)) <= L(k),
    "at least",
    by=Combine(
        {"energy": -1, "slope": 2 * eta**2, _LEAST + "x": _ROOM},
        squares=((_EIGHTH, z + 4 * eta * g), (eta**2 * (s - 1), g - old)),
        domain=("stepsize",),
    ),
)
T.have(
    4 * eta * s * (f(x_next) - f(star)) <= L(k + 1),
    "at least after",
    by=Combine(
        {"energy after": -1, "slope after": 2 * eta**2, _LEAST + "x⁺": _ROOM},
        squares=(
            (_EIGHTH, z_then + 4 * eta * g_next),
            (7 * _EIGHTH, z_then),
            (eta**2 * s, g_next - g),
        ),
        domain=("stepsize",),
    ),
)
_GROWTH, _LOSS = 1 + 2 / (7 * s), 1 - 8 / (s * (s - 1))
T.have(
    _LOSS * L(k + 1) <= _GROWTH * L(k),
    "both sides",
    by=Combine(
        {
            "step": 1,
            "energy after": 1,
            "energy": -1,
            "at least": 2 / (7 * s),
            _LEAST + "x": 8 * eta * (s - 1) / (7 * s),
            "slope after": step.COST,
            "at least after": 8 / (s * (s - 1)),
            _LEAST + "x⁺": 8 * _ROOM / (s - 1),
        },
        domain=("stepsize",),
    ),
)
_FALL = {"at least": sympy.S.One, _LEAST + "x": 4 * eta * (s - 1)}
T.have(0 <= L(k), "positive", by=Combine(_FALL, squares=((7 * _EIGHTH, z),)))
_BY_COUNT = 1 + 1 / (2 * (s + 1))
_SPARE = sympy.factor(_BY_COUNT - _GROWTH / _LOSS)
_RULE = Combine({"both sides": sympy.cancel(1 / _LOSS), "positive": _SPARE})
T.have(L(k + 1) <= _BY_COUNT * L(k), "ratio by count", by=_RULE)
_RATIO = 1 + 1 / (2 * (k + step.SINCE + 1))
_COUNTED = -L(k) / (2 * (k + step.SINCE + 1) * (s + 1))
_RULE = Combine({"ratio by count": 1, "counted": _COUNTED})
ratio = T.have(L(k + 1) <= _RATIO * L(k), "ratio", by=_RULE)
T.have(0 <= L(0), "positive at 0", by=Everywhere("positive", {k: sympy.S.Zero}))
size = T.have(0 <= C, "size", by=Combine({"positive at 0": 1, "start": 1}))
bounded = T.induction(L(K) <= C * sympy.sqrt(_LATER) / 7, ratio, "start", size)
_RULE = Combine(
    {"at least": 1, "value": 4 * eta * (s - 1), "counted": -4 * eta * F(k)},
    squares=((7 * _EIGHTH, z),),
)
T.have(4 * eta * (k + step.SINCE - 1) * F(k) <= L(k), "height", by=_RULE)
T.have(4 * eta * (_LATER - 1) * F(K) <= L(K), "last", by=Everywhere("height", {k: K}))
_SHARE = 1 / (4 * eta * (_LATER - 1))
BOUND = C * sympy.sqrt(_LATER) / (28 * eta * (_LATER - 1))
THEOREM = T.shows(
    F(K) <= BOUND,
    {"energy at 49": BOUND},
    by=Combine({"last": _SHARE, bounded: _SHARE}),
    says=(
        "With τ = 1 and η ≤ 1/β, f(x_s) − f* ≤ C√s/(28η(s − 1)) for x_s = w_s + d_s = y_{s+1}, "
        "s = K + 49 and every K ≥ 0, for every convex β-smooth f with a minimiser w*; C is at "
        "least ‖z_{51}‖² + 196η(f(x_49) − f*) + η⟨g_49, z_{51}⟩ + 48η²‖g_49 − g_48‖²."
    ),
    latex=r"f(x_s) - f^* \le \tfrac{C\sqrt s}{28\eta(s-1)}, \quad s = K + 49",
)

CLAIM = as_claim(THEOREM, beside=(averaged_step.THEOREM.id,))
