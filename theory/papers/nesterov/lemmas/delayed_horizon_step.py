"""One iteration with a delay τ ≥ 2, weighed for a run that ends at a known iteration M.

Problem    f is convex and β-smooth with a minimiser w*; a is any vector, j = i + 3, M = j + τ + m.
Method     (14) with (29), τ = g + 2 and η ≤ 1/((8τ + 3)β): from y = x_{j−1} to x = x_j, where
           x_s = w_s + d_s. With w_1 − w* = (2Mβη + 1)a, h_s = ∇f(x_s)/β − a, and h_1 for s < 1, S
           and B are the sums of h_{s−τ} and (s − 1)h_{s−τ} over s < j + τ, s = 1 counted half, S_x
           and B_x those over s < j, u = h_{j−1−τ} and v = h_{j−τ}. Q is the sum of ‖h_{j−s}‖²,
           1 ≤ s ≤ τ, P is that of (τ − s)/2 times these, and W that of `charge` at j − s + τ, where
           they are v.
Guarantee  The energy of x is at most that of y. k_0 and k_1 are κ_{j−1} and κ_j, and s_0 is
           (j + 1)κ_{j+1} − jκ_j.
Source     ours. Summation by parts leaves squares of S, and products of h_j with the τ gradients
           before it, with u and with the mean of all that x sees: Young's inequality does. What a
           gradient pays in advance for being v falls to 0 as iterations run out.
"""

from typing import Any

import sympy

from theory.kernel import Combine, le
from theory.kernel.vectors import Scalar, Vector
from theory.notation import (
    eq,
    equal,
    function,
    index,
    named,
    nonnegative,
    positive,
    real,
    theorem,
    vectors,
)
from theory.papers.nesterov import symbols
from theory.papers.nesterov.lemmas import gradient_window, interpolation
from theory.papers.nesterov.lemmas import one_delay_horizon_step as one
from theory.papers.nesterov.symbols import beta, eta

f, a, star, e = function("f"), one.a, one.star, one.e
(S, B, S_x, B_x, u, v) = vectors("S B S_x B_x u v")
(i, m, rest, charged), g = nonnegative("i m P W"), index("g")
(k_0, k_1, s_0), (E_y, E_x) = positive("k_0 k_1 s_0"), real("E_y E_x")
sizes = gradient_window.SIZES
tau = g + 2
PACE = 8 * tau + 3
j = i + 3
M = j + tau + m


def kappa(t: Scalar, last: Scalar) -> Scalar:
    """Weight of x_t per iteration, in a run to M = `last`."""
    s = t + tau
    return ((2 * s - 1) * last - s * (s - 1)) / (last * (t * (2 * last - t) + 2))


def apart(at: Vector) -> Vector:
    """What h is at a point."""
    h: Vector = f.grad(at) / beta - a
    return h


def gain(t: Scalar, last: Scalar) -> Scalar:
    """What w* gives x_t, t ≥ 3."""
    return sympy.factor(t * kappa(t, last) - (t - 1) * kappa(t - 1, last))


def charge(t: Scalar, last: Scalar) -> Scalar:
    """What h_{t−τ} pays for being v at t, beside `always`."""
    return (5 * tau - 3) * (last - t) / (6 * last * (2 * last - t))


def always(last: Scalar) -> Scalar:
    """What every h pays for the last window."""
    return (tau + 6) / (12 * last)


def energy(
    t: Scalar, last: Scalar, at: Vector, all_: Any, seen: Any, v: Vector, *by: Any
) -> Scalar:
    """The energy of x_t: of S and B over all and over what it sees, of v, κ_t and windows."""
    (S, B), (S_x, B_x), (k, s, rest, sizes, charged) = all_, seen, by
    lean = 4 * e * a @ (S - B / last - t * k * S_x + k * B_x)
    least = t * k + 2 * e * k * (t * (2 * last - t) + 2)
    kept = 2 * e * s * S**2 + 4 * e * (k - 1 / last) / (t * (t - 1)) * (B_x + (t - 1) * v) ** 2
    windows = 4 * e * (s * rest + always(last) * sizes + charged) + 2 * e * k * v**2
    return 2 * t * k / beta * (f(at) - f(star)) - lean - least * a**2 + kept + windows


y = named("y", one.place(j - 1, M, S_x - u, B_x - (j - 2) * u))
x = named("x", one.place(j, M, S_x, B_x))
_h, _h_y = apart(x), apart(y)
_s = j * k_1 - (j - 1) * k_0
_AT = {k_0: kappa(j - 1, M), k_1: kappa(j, M), s_0: gain(j + 1, M)}
_paid, _due = charge(j + tau, M), charge(j, M)
_spent = _s * (tau + sympy.Rational(1, 2)) + always(M) + _paid + k_0 / 2
_spent += (k_0 - k_1) * (j - 1) * (j - 2) / 4
_ROOM = _s - 4 * _spent / PACE
_WEIGHTS = {
    "falls": le(k_1, k_0),
    "above": le(1 / M, k_1),
    "S falls": le(s_0, _s),
    "left": le((k_1 - 1 / M) * (j - 1) + k_1, 2 * (always(M) + _due)),
    "room": le(0, _ROOM),
}

T = theorem("nesterov.delayed-horizon-step")
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.assume(PACE * beta * eta <= 1, "stepsize", "η ≤ 1/((8τ + 3)β)")
_y = k_0, _s, rest + sizes / 2, sizes, charged
_x = k_1, s_0, rest + tau / 2 * _h**2, sizes + _h**2 - v**2, charged + _paid * _h**2 - _due * v**2
_after = S + _h, B + (j + tau - 1) * _h
_seen = S_x - u, B_x - (j - 2) * u
T.assume(equal(E_y, energy(j - 1, M, y, (S, B), _seen, u, *_y)), "energy")
T.assume(equal(E_x, energy(j, M, x, _after, (S_x, B_x), v, *_x)), "energy after")
for _symbol, _value in _AT.items():
    T.assume(equal(_symbol, _value), str(_symbol))
_RECURSION = eq(
    (j * (2 * M - j) + 2) * k_1, ((j - 1) * (2 * M - j + 1) + 2) * k_0 + 2 * (m + 1) / M
)
for _name, _said in {**_WEIGHTS, "recursion": _RECURSION}.items():
    _by = {str(at): -sympy.expand(_said.gap).coeff(at) for at in _AT if _said.gap.has(at)}
    _rest = sympy.factor(_said.gap.subs(_AT))
    T.have(_said, _name, by=Combine(_by, plus=(_rest,) if _rest else ()))
_ends = {gradient_window.FIRST: 2 * S, gradient_window.LAST: 2 * S_x, gradient_window.SEEN: _h}
_at = {eta: 1, symbols.tau: tau}
T.cite(gradient_window.THEOREM, _at, _ends, "window")
_share = (j - 1) * k_0
_CERTIFICATE = Combine(
    {
        interpolation.tangent(T, x, star): 2 * _s / beta,
        interpolation.tangent(T, x, y): 2 * _share / beta,
        "∇f(w*) = 0, with ∇f(x)": 2 * _s / beta**2,
        "energy": -1,
        "energy after": 1,
        "recursion": 2 * e * (a @ _h),
        "window": 2 * e * _s,
        "length": -2 * e * tau * _s,
        "left": 2 * e * v**2,
    },
    squares=(
        (_s / beta**2, f.grad(star)),
        (_share, _h - _h_y),
        (2 * e * (_s - s_0), S + _h),
        (2 * e * tau * (_s - s_0), _h),
        (2 * e * k_0, _h + u),
        (e * (k_0 - k_1) * (j - 1) * (j - 2), _h + 2 / ((j - 1) * (j - 2)) * B_x),
        (2 * e * (k_1 - 1 / M) * (j - 1) * (j - 2) / j, 2 / ((j - 1) * (j - 2)) * B_x - v),
        ((1 - PACE * e) * _s, _h),
        (PACE * e * _ROOM, _h),
    ),
    plus=(4 * e * (_s - s_0) * rest,),
    domain=("stepsize", *_WEIGHTS),
)
CLAIM = THEOREM = T.shows(
    E_x <= E_y,
    by=_CERTIFICATE,
    says="With τ ≥ 2 and η ≤ 1/((8τ + 3)β) the energy of x_j is at most that of x_{j−1}, j ≥ 3.",
)
