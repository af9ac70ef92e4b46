"""One iteration without delay, weighed for a run that ends at a known iteration N.

Problem    f is convex and β-smooth with a minimiser w*; a is any vector, j = i + 3, N = j + m.
Method     (14) with (29), τ = 0, η = 1/β: from y = x_{j−1}, w_j and z_j to x = x_j.
Guarantee  The energy of x is at most that of y if the weights jR_j grow and if the form in h, P and
           D that they leave has positive pivots p, n/p and d/n.
Source     ours. Where every gradient is βa, as along Huber's line, h, P and D are 0.
"""

from sympy import Rational

from theory.kernel import Combine
from theory.kernel.vectors import Scalar, Vector
from theory.notation import (
    dot,
    eq,
    equal,
    function,
    named,
    nonnegative,
    positive,
    real,
    square,
    theorem,
    vectors,
)
from theory.papers.nesterov.lemmas import interpolation
from theory.papers.nesterov.symbols import beta

f, (y, z, a, star) = function("f"), vectors("y z a w*")
i, m, d, R_0 = nonnegative("i m d R_0")
S, p, n = positive("S p n")
R, E_y, E_x = real("R E_y E_x")
u_0, v_0, o_0, u, v, o = real("u_0 v_0 o_0 u v o")
b, c, r, s, e, g, q = real("b c r s e g q")
j, N = i + 3, i + 3 + m


def parts(t: Scalar, last: Scalar, w: Vector, ahead: Vector) -> tuple[Vector, Vector]:
    """D and P behind x_t in a run to N = `last`, by w_{t+1} and z_{t+1}."""
    return ((2 * last + 1 - t) * a - (w - star)) * (t / 2), (last - t + 1) * a - ahead / 2


def energy(t: Scalar, last: Scalar, at: Vector, D: Vector, P: Vector, *weights: Scalar) -> Scalar:
    """The energy of x_t in a run to N = `last`, weighed by R, u, v and o."""
    R, u, v, o = weights
    h = f.grad(at) / beta - a
    lean = (last - t) * P + (1 - R) * D - R * (t - 2) / 2 * h
    least = (last - t) * (t - Rational(1, 2)) + (t**2 + R * (t * (2 * last - t) + 2)) / 2
    height = (f(at) - f(star)) / beta - square(f.grad(at)) / (2 * beta**2)
    held = u * square(D) + v * dot(D, P) + (R + o) * square(P) + R * (t - 2) / 2 * square(h)
    return t * R * height + held - 2 * dot(a, lean) - least * square(a)


w = y - 2 / (beta * (j - 1)) * f.grad(y)
x = named("x", w + (z + star - w) / j)
D, P = parts(j - 1, N, w, z)
_after = parts(j, N, x - 2 / (beta * j) * f.grad(x), z - 2 / beta * f.grad(x))
_h, _h_y, _rise = f.grad(x) / beta - a, f.grad(y) / beta - a, R - R_0
PIVOTS = {
    "p": eq(p, S * ((3 * R + i * _rise) / 2 - u - v - o)),
    "b": eq(b, -S * (u + v + o)),
    "c": eq(c, S * (_rise - u - v / 2)),
    "r": eq(r, S * (o_0 - _rise - u - v - o)),
    "s": eq(s, S * (v_0 - v - 2 * u) / 2),
    "e": eq(e, S * (u_0 - u)),
    "n": eq(n, p * r - b**2),
    "g": eq(g, p * s - b * c),
    "q": eq(q, p * e - c**2),
    "d": eq(d * p, n * q - g**2),
}
"""The form, times S, and what its squares are weighed by."""
Q_0, Q = (j - 1) * (2 * N - j + 1) + 2, j * (2 * N - j) + 2
RECURSION = eq(R * Q, R_0 * Q_0 + 2 * (m + 1))

T = theorem("nesterov.horizon-step")
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.assume(equal(E_y, energy(j - 1, N, y, D, P, R_0, u_0, v_0, o_0)), "energy")
T.assume(equal(E_x, energy(j, N, x, *_after, R, u, v, o)), "energy after")
T.assume(RECURSION, "recursion")
T.assume((j - 1) * R_0 <= j * R, "grow")
for _name, _fact in PIVOTS.items():
    T.assume(_fact, _name)
_more = (j * R - (j - 1) * R_0) / beta
_CERTIFICATE = Combine(
    {
        interpolation.tangent(T, x, star): _more,
        interpolation.tangent(T, x, y): (j - 1) * R_0 / beta,
        "∇f(w*) = 0, with ∇f(x)": _more / beta,
        "energy": -1,
        "energy after": 1,
        "recursion": dot(a, f.grad(x)) / beta - square(a) / 2,
        "p": square(_h) / S,
        "b": 2 * dot(_h, P) / S,
        "c": 2 * dot(_h, D) / S,
        "r": square(P) / S,
        "s": 2 * dot(P, D) / S,
        "e": square(D) / S,
        "n": square(P) / (S * p),
        "g": 2 * dot(P, D) / (S * p),
        "q": square(D) / (S * p),
        "d": square(D) / (S * p * n),
    },
    squares=(
        (_more / (2 * beta), f.grad(star)),
        (R_0 * i / 2, _h_y - _h),
        (1 / (S * p), p * _h + b * P + c * D),
        (1 / (S * p * n), n * P + g * D),
        (d / (S * n), D),
    ),
    domain=("grow",),
)
THEOREM = T.shows(
    E_x <= E_y,
    by=_CERTIFICATE,
    says="Without delay and with η = 1/β the energy of x_j is at most that of x_{j−1}, j ≥ 3.",
)
