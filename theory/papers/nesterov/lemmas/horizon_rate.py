"""Without delay: the worst case of a run that ends at a known iteration.

Problem    f is convex and β-smooth with a minimiser w*; N = K + 2.
Method     (14) with (29), τ = 0, η = 1/β. U(k) is the energy after iteration min(k, K) of those
           that `nesterov.horizon-step` is about; `go` is 1 while k < K, with i = k and
           m = K − 1 − k, and 0 from there on.
Guarantee  f(w_{N+1}) − f* ≤ β‖w_1 − w*‖²/(4N + 2), which Huber's function attains.
Source     ours. R_j = 1 − (N − j + 2)/(j(2N − j) + 2) is what semidefinite programs find, and the
           only choice; u, v and o are guesses.
"""

from typing import Any

import sympy

from theory.kernel import Combine
from theory.kernel.vectors import Scalar, Vector
from theory.notation import equal, index, named, nonnegative, square, theorem, vectors
from theory.papers.nesterov.lemmas import horizon_form as form
from theory.papers.nesterov.lemmas import horizon_step as step
from theory.papers.nesterov.lemmas import interpolation
from theory.papers.nesterov.symbols import R, beta

f, a, star, i, j, m = step.f, step.a, step.star, step.i, step.j, step.m
k, K = index("k K")
last, ahead = vectors("x_N z")
go = nonnegative("go")
U: Any = sympy.Function("U", real=True)
N = K + 2


def weight(t: Scalar, left: Scalar) -> Scalar:
    """R at x_t in a run that has so many iterations left."""
    return 1 - (left + 2) / (t * (t + 2 * left) + 2)


def _plain(*exact: Any) -> tuple[Scalar, ...]:
    return tuple(one.as_expr() for one in exact)


def _apart(at: Vector) -> Vector:
    h: Vector = f.grad(at) / beta - a
    return h


FIRST = named("w_1", star + (2 * N + 1) * a)
SECOND = named("w_2", FIRST - f.grad(FIRST) / beta)
END = named("w_{N+1}", last - 2 / (beta * N) * f.grad(last))

T = theorem("nesterov.horizon-rate")
T.along(k)
T.constant(a, star, last, ahead)
T.varying(go, i, m, form.R_0, form.R, *form.before, *form.now, step.E_x, step.E_y)
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.assume(equal(form.R_0, weight(j - 1, m + 1)), "R before")
T.assume(equal(form.R, weight(j, m)), "R after")
_TOP = i**4 + 10 * i**3 + 41 * i**2 + 76 * i + 46 + (8 * i**2 + 32 * i + 28) * m
_BELOW = (2 * i**3 + 11 * i**2 + 20 * i + 16) * m + 2 * (i + 2) ** 2 * m**2 + 6
_AT = {
    form.rho: (3 * i**2 + 2 * m) / ((6 * j - 8) * step.Q_0),
    form.lean: (j + 1) * _TOP / (2 * j * _BELOW),
}
T.have(form.FIRST.replaced(_AT), "R", by=Combine({"R before": 1}))
T.have(form.RISE.replaced(_AT), "rise", by=Combine({"R after": 1, "R before": -1}))
T.have(step.RECURSION, "recursion", by=Combine({"R after": step.Q, "R before": -step.Q_0}))
T.cite(step.THEOREM, _AT, name="step")
T.assume(equal(U(k + 1) - U(k), go * (step.E_x - step.E_y)), "moves")
_down = T.have(U(k + 1) <= U(k), "down", by=Combine({"moves": 1, "step": go}))
_kept = T.induction(U(K) <= U(0), _down)

_n = form.exact(K) + 2
_two, _none = map(_n.field, (2, 0))
_R, _weights = weight(_two, _n - 2), form.weights(_two)
_u, _v, _o = _weights
_behind = SECOND - f.grad(SECOND) / beta, SECOND - star - 2 / beta * f.grad(SECOND)
_parts = step.parts(sympy.Integer(2), N, *_behind)
_energy = step.energy(sympy.Integer(2), N, SECOND, *_parts, *_plain(_R, *_weights))
T.assume(equal(U(0), _energy), "at w_2")
_own, _both = (2 - _R - _o) / 4 - _u - _v / 2, (2 * _R - 2 * _o - 4 * _u - 3 * _v - 1) / 4
_rest = _R - _o - _u - _v - _both**2 / _own
_R, _own, _lean, _rest = _plain(_R, _own, _both / _own, _rest)
_more = (2 * _R - sympy.Rational(1, 2)) / beta
_CERTIFICATE = Combine(
    {
        "at w_2": 1,
        interpolation.tangent(T, FIRST, star): 1 / (2 * beta),
        interpolation.tangent(T, SECOND, FIRST): 1 / (2 * beta),
        interpolation.tangent(T, SECOND, star): _more,
        "∇f(w*) = 0, with ∇f(w_1)": 1 / (2 * beta**2),
        "∇f(w*) = 0, with ∇f(w_2)": _more / beta,
    },
    squares=(
        (_R / beta**2, f.grad(star)),
        (_own, _apart(FIRST) + _lean * _apart(SECOND)),
        (_rest, _apart(SECOND)),
    ),
)
_start = T.have(U(0) <= 0, "start", by=_CERTIFICATE)

_R, _weights = weight(_n, _none), form.weights(_n)
_u, _v, _o = _weights
_energy = step.energy(N, N, last, *step.parts(N, N, END, ahead), *_plain(_R, *_weights))
T.assume(equal(U(K), _energy), "at x_N")
T.assume(equal(square(FIRST - star), R**2), "distance")
_D, _P = step.parts(N, N, END, ahead)
_own, _both, _held = _n * (_n + 1) / (_n**2 + 2), 2 / (_n**2 + 2), _R + _o
_rest = _u - _both**2 / _own - _v**2 / (4 * _held)
_R, _own, _both, _held, _half, _rest = _plain(
    _R, _own, _both / _own, _held, _v / (2 * _held), _rest
)
_share = beta / N
_CERTIFICATE = Combine(
    {
        interpolation.tangent(T, END, last): _R,
        interpolation.tangent(T, END, star): 1 - _R,
        "∇f(w*) = 0, with ∇f(w_{N+1})": (1 - _R) / beta,
        "at x_N": -_share,
        _kept: _share,
        _start: _share,
        "distance": beta / (4 * N + 2),
    },
    squares=(
        ((1 - _R) / (2 * beta), f.grad(star)),
        (_share * _R * K / 2, _apart(last) - _apart(END)),
        (_share * _own, _apart(END) + _both * _D),
        (_share * _held, _P + _half * _D),
        (_share * _rest, _D),
    ),
)
CLAIM = T.shows(
    f(END) - f(star) <= beta * R**2 / (4 * N + 2),
    {"distance": beta * R**2 / (4 * N + 2)},
    by=_CERTIFICATE,
    says=(
        "Without delay, with η = 1/β and γ_t = (t − 2)/t, f(w_{N+1}) − f* ≤ β‖w_1 − w*‖²/(4N + 2) "
        "for every convex β-smooth f with a minimiser w* and every N = K + 2 ≥ 2."
    ),
    latex=r"f(w_{N+1}) - f^* \le \tfrac{\beta}{4N + 2}\|w_1 - w^*\|^2, \quad N = K + 2",
)
