"""One iteration with a delay of one, weighed for a run that ends at a known iteration M.

Problem    f is convex and β-smooth with a minimiser w*; a is any vector, j = i + 3, M = j + 1 + m.
Method     (14) with (29), τ = 1 and η ≤ 1/(4β): from y = x_{j−1} to x = x_j, x_s = w_s + d_s. With
           w_1 − w* = (2Mβη + 1)a and h_s = ∇f(x_s)/β − a the run is told by what x_{j−1} sees,
           S = h_1/2 + h_1 + h_2 + … + h_{j−3} and B = h_1 + 2h_2 + 3h_3 + …, and by u = h_{j−2}.
Guarantee  The energy of x is at most that of y. k_0 and k_1 are κ_{j−1} and κ_j, x_s weighs sκ_s in
           all; s_0 is (j + 1)κ_{j+1} − jκ_j and b_0 is (κ_j − κ_{j+1})/(j + 1). `kappa` is κ.
Source     ours. Inequalities are weighed as semidefinite programs say. Summation by parts leaves
           squares of S and B, as s_0 and b_0 fall, and of h_j, h_j − h_{j−1}, h_{j−1} − h_{j−2}.
"""

from typing import Any

import sympy

from theory.kernel import Combine, le
from theory.kernel.vectors import Scalar, Vector
from theory.notation import (
    eq,
    equal,
    function,
    named,
    nonnegative,
    positive,
    real,
    theorem,
    vectors,
)
from theory.papers.nesterov.lemmas import interpolation
from theory.papers.nesterov.symbols import beta, eta

f, (a, star, S, B, u) = function("f"), vectors("a w* S B u")
(i, m), (k_0, k_1, s_0, b_0), (E_y, E_x) = (
    nonnegative("i m"),
    positive("k_0 k_1 s_0 b_0"),
    real("E_y E_x"),
)
j = i + 3
M = j + 1 + m
e = beta * eta


def kappa(t: Scalar, last: Scalar) -> Scalar:
    """Weight of x_t per iteration, in a run to M = `last`."""
    return ((2 * t + 1) * last - t * (t + 1)) / (last * (t * (2 * last - t) + 2))


def held(t: Scalar, last: Scalar) -> tuple[Scalar, Scalar]:
    """Weights of the squares of S and B before x_t, t ≥ 3."""
    before, after = kappa(t - 1, last), kappa(t, last)
    return sympy.factor(t * after - (t - 1) * before), sympy.factor((before - after) / t)


def place(t: Scalar, last: Scalar, S: Vector, B: Vector) -> Vector:
    """x_t, of S and B over what it sees, in a run to M = `last`."""
    found: Vector = star + (e * (2 * last - t + 2 / t) + 1) * a - 2 * e * S + 2 * e / t * B
    return found


def apart(at: Vector) -> Vector:
    """What h is at a point."""
    h: Vector = f.grad(at) / beta - a
    return h


def energy(
    t: Scalar, last: Scalar, at: Vector, S: Vector, B: Vector, u: Vector, *by: Any
) -> Scalar:
    """The energy of x_t, of S and B over what it sees, of u = h_{t−1}, κ_t and `held`."""
    k, s, b = by
    h = apart(at)
    all_S, all_B = S + u + h, B + (t - 1) * u + t * h
    lean = 4 * e * a @ (all_S - all_B / last - t * k * S + k * B)
    least = t * k + 2 * e * k * (t * (2 * last - t) + 2)
    kept = 2 * e * s * all_S**2 + 2 * e * b * all_B**2 + 4 * e * k * (h - u) ** 2
    return 2 * t * k / beta * (f(at) - f(star)) - lean - least * a**2 + kept


y = named("y", place(j - 1, M, S, B))
x = named("x", place(j, M, S + u, B + (j - 2) * u))
_h, _h_y = apart(x), apart(y)
_s, _b = j * k_1 - (j - 1) * k_0, (k_0 - k_1) / j
_AT = dict(zip((k_0, k_1, s_0, b_0), (kappa(j - 1, M), kappa(j, M), *held(j + 1, M)), strict=True))
_WEIGHTS = {
    "falls": le(k_1, k_0),
    "room": le(4 * (j - 1) * (k_0 - k_1), k_1),
    "S falls": le(s_0, _s),
    "B falls": le(b_0, _b),
}

T = theorem("nesterov.one-delay-horizon-step")
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.assume(4 * beta * eta <= 1, "stepsize", "η ≤ 1/(4β)")
T.assume(equal(E_y, energy(j - 1, M, y, S, B, u, k_0, _s, _b)), "energy")
T.assume(equal(E_x, energy(j, M, x, S + u, B + (j - 2) * u, _h_y, k_1, s_0, b_0)), "energy after")
for _symbol, _value in _AT.items():
    T.assume(equal(_symbol, _value), str(_symbol))
_RECURSION = eq(
    (j * (2 * M - j) + 2) * k_1, ((j - 1) * (2 * M - j + 1) + 2) * k_0 + 2 * (m + 1) / M
)
for _name, _said in {**_WEIGHTS, "recursion": _RECURSION}.items():
    _by = {str(one): -_said.gap.diff(one) for one in _AT if _said.gap.has(one)}
    _rest = sympy.factor(_said.gap.subs(_AT))
    T.have(_said, _name, by=Combine(_by, plus=(_rest,) if _rest else ()))
_own, _share = _s, (j - 1) * k_0
_room = k_1 / 4 - (j - 1) * (k_0 - k_1)
_S, _B = S + u + _h_y, B + (j - 2) * u + (j - 1) * _h_y
_CERTIFICATE = Combine(
    {
        interpolation.tangent(T, x, star): 2 * _own / beta,
        interpolation.tangent(T, x, y): 2 * _share / beta,
        "∇f(w*) = 0, with ∇f(x)": 2 * _own / beta**2,
        "energy": -1,
        "energy after": 1,
        "recursion": 2 * e * (a @ _h),
    },
    squares=(
        (_own / beta**2, f.grad(star)),
        ((1 - 4 * e) * _own, _h),
        ((1 - 4 * e) * _share, _h - _h_y),
        (2 * e * (_s - s_0), _S + _h),
        (2 * e * (_b - b_0), _B + j * _h),
        (4 * e * k_0, _h_y - u - _h / 2),
        (4 * e * (k_0 - k_1), _h - _h_y - _h / 2),
        (4 * e * (j - 2) * k_0, _h - _h_y),
        (4 * e * _room, _h),
    ),
    domain=("stepsize", *_WEIGHTS),
)
CLAIM = THEOREM = T.shows(
    E_x <= E_y,
    by=_CERTIFICATE,
    says="With τ = 1 and η ≤ 1/(4β) the energy of x_j is at most that of x_{j−1}, j ≥ 3.",
)
