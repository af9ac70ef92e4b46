"""One iteration without delay, weighed for a run that ends at a known iteration N.

Problem    f is convex and β-smooth with a minimiser w*; a is any vector, j = i + 3, N = j + m.
Method     (14) with (29), τ = 0, η = 1/β: from y = x_{j−1}, w_j and z_j to x = x_j.
Guarantee  The energy of x is at most that of y, if R, u, v and o are as in `horizon_form` and
           R Q_j = R_0 Q_{j−1} + 2(m + 1) for Q_j = j(2N − j) + 2.
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
    real,
    square,
    theorem,
    vectors,
)
from theory.papers.nesterov.lemmas import horizon_form as form
from theory.papers.nesterov.lemmas import interpolation
from theory.papers.nesterov.symbols import beta

f, (y, z, a, star) = function("f"), vectors("y z a w*")
(m,), (E_y, E_x) = nonnegative("m,"), real("E_y E_x")
i, j, R_0, R = form.i, form.j, form.R_0, form.R
N = j + m


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
_h, _h_y = f.grad(x) / beta - a, f.grad(y) / beta - a
Q_0, Q = (j - 1) * (2 * N - j + 1) + 2, j * (2 * N - j) + 2
RECURSION = eq(R * Q, R_0 * Q_0 + 2 * (m + 1))

T = theorem("nesterov.horizon-step")
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.assume(equal(E_y, energy(j - 1, N, y, D, P, R_0, *form.before)), "energy")
T.assume(equal(E_x, energy(j, N, x, *_after, R, *form.now)), "energy after")
T.assume(RECURSION, "recursion")
_left = T.cite(form.THEOREM, vectors={form.h: _h, form.P: P, form.D: D}, name="form")
_more = (j * R - (j - 1) * R_0) / beta
_CERTIFICATE = Combine(
    {
        interpolation.tangent(T, x, star): _more,
        interpolation.tangent(T, x, y): (j - 1) * R_0 / beta,
        "∇f(w*) = 0, with ∇f(x)": _more / beta,
        "energy": -1,
        "energy after": 1,
        "recursion": dot(a, f.grad(x)) / beta - square(a) / 2,
        _left: 1,
    },
    squares=((_more / (2 * beta), f.grad(star)), (R_0 * i / 2, _h_y - _h)),
    domain=("rise",),
)
CLAIM = THEOREM = T.shows(
    E_x <= E_y,
    by=_CERTIFICATE,
    says="Without delay and with η = 1/β the energy of x_j is at most that of x_{j−1}, j ≥ 3.",
)
