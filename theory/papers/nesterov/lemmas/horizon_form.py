"""What one iteration without delay leaves, where a run ends at a known iteration.

Problem    none: any vectors h, P and D; j = i + 3.
Method     Energies weigh ‖D‖², ⟨D, P⟩ and ‖P‖² by u, v and o, which depend on j alone, and by a
           sequence that rises from R_0 = 1 − 3/(6j − 8) + ρ at j − 1 to R at j, by between
           1/(2j(j − 1)) and 1/(j² − 1): `lean` says where.
Guarantee  The form that `nesterov.horizon-step` leaves is nonnegative.
Source     ours. It is affine in the rise, and has positive pivots at either end.
"""

from typing import Any

from sympy import QQ
from sympy.polys.fields import field

from theory.kernel import Combine
from theory.kernel.vectors import Scalar, Vector
from theory.notation import dot, eq, nonnegative, real, square, theorem, vectors

i, rho, lean, R_0, R = nonnegative("i rho lean R_0 R")
before, now = real("u_0 v_0 o_0"), real("u v o")
h, P, D = vectors("h P D")
j = i + 3


def weights(t: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Of ‖D‖², ⟨D, P⟩ and ‖P‖² at iteration t."""
    return 16 / ((2 * t - 1) * (2 * t + 1) * (2 * t + 3)), -3 / (t * (t + 1)), 9 / (4 * t + 2)


def ends(t: Scalar) -> tuple[Scalar, Scalar]:
    """Between what the sequence rises at t."""
    return 1 / (2 * t * (t - 1)), 1 / (t**2 - 1)


def _held(weights: tuple[Scalar, ...], D: Vector, P: Vector) -> Scalar:
    u, v, o = weights
    return u * square(D) + v * dot(D, P) + o * square(P)


def exact(symbol: Scalar) -> Any:
    """A symbol as a rational function of the kind that is always brought to lowest terms."""
    return field((symbol,), QQ)[1]


def _squares(end: int, share: Scalar) -> tuple[tuple[Scalar, Vector], ...]:
    """A share of the form at one end, as squares weighed by its pivots."""
    t = exact(i) + 3
    (u_0, v_0, o_0), (u, v, o), rise = weights(t - 1), weights(t), ends(t)[end]
    e, r = u_0 - u, o_0 - rise - u - v - o
    s, c = ((v_0 - v) / 2 - u) / e, (rise - u - v / 2) / e
    n = r - e * s**2
    g = -(u + v + o + e * s * c) / n
    rest = (3 - 9 / (6 * t - 8) + t * rise) / 2 - u - v - o - e * c**2 - n * g**2
    e, s, c, n, g, rest = (one.as_expr() for one in (e, s, c, n, g, rest))
    return (share * e, D + s * P + c * h), (share * n, P + g * h), (share * rest, h)


LEAST, MOST = ends(j)
FIRST = eq(R_0, 1 - 3 / (6 * j - 8) + rho)
RISE = eq(R - R_0, (LEAST + lean * MOST) / (1 + lean))
_SHIFTED = _held(before, D, P) - _held(now, D + P + h, P + h)
_FORM = _SHIFTED + (R - R_0) * (2 * dot(h, D) - square(P))
_FORM += (3 * R_0 + j * (R - R_0)) / 2 * square(h)

T = theorem("nesterov.horizon-form")
T.assume(FIRST, "R")
T.assume(RISE, "rise")
_MEANT: dict[str, Scalar] = {}
for _letters, _t in ((before, j - 1), (now, j)):
    for _letter, _value in zip(_letters, weights(_t), strict=True):
        _MEANT[T.assume(eq(_letter, _value), str(_letter))] = -_SHIFTED.coeff(_letter)
_CERTIFICATE = Combine(
    {"R": -3 * square(h) / 2, "rise": square(P) - j * square(h) / 2 - 2 * dot(h, D), **_MEANT},
    squares=(
        (3 * rho / 2, h),
        *_squares(0, 1 / (1 + lean)),
        *_squares(1, lean / (1 + lean)),
    ),
)
CLAIM = THEOREM = T.shows(
    _FORM >= 0,
    by=_CERTIFICATE,
    says=(
        "With u = 16/((2j − 1)(2j + 1)(2j + 3)), v = −3/(j(j + 1)), o = 9/(4j + 2) and the same at "
        "j − 1 ≥ 2, R_0 ≥ 1 − 3/(6j − 8) and R − R_0 between 1/(2j(j − 1)) and 1/(j² − 1), a "
        "quadratic form of h, P and D is nonnegative."
    ),
)
