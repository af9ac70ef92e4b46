"""Without delay: the worst case of a run that ends at a known iteration.

Problem    f is convex and β-smooth with a minimiser w*; N = K + 2.
Method     (14) with (29), τ = 0, η = 1/β. U(k) is the energy after iteration min(k, K) of those
           that `nesterov.horizon-step` is about; `go` is 1 while k < K, and 0 from there on.
Guarantee  f(w_{N+1}) − f* ≤ β‖w_1 − w*‖²/(4N + 2), which Huber's function attains.
Source     ours. R_j = 1 − (N − j + 2)/(j(2N − j) + 2) is what semidefinite programs find, and the
           only choice; u, v and o are guesses.
"""

from typing import Any

import sympy
from sympy import Rational

from theory.kernel import Combine, Sign
from theory.kernel.vectors import Scalar, Vector
from theory.notation import equal, index, named, nonnegative, square, theorem, vectors
from theory.papers.nesterov.lemmas import horizon_step as step
from theory.papers.nesterov.lemmas import interpolation
from theory.papers.nesterov.symbols import R, beta

f, a, star = step.f, step.a, step.star
k, K = index("k K")
last, ahead = vectors("x_N z")
go = nonnegative("go")
U: Any = sympy.Function("U", real=True)
N = K + 2


def weights(t: Scalar, N: Scalar) -> tuple[Scalar, ...]:
    """R, u, v and o at x_t in a run to N."""
    q, left = t * (2 * N - t) + 2, N - t
    u, v, o = 3 * (left + 2) / (t**2 * q), -3 / (2 * t**2), 5 * (left + 1) / (2 * q)
    return 1 - (left + 2) / q, u, v, o


def _values() -> dict[Scalar, Scalar]:
    """What stands for the symbols of one iteration; pivots are polynomials with plus signs."""
    before, now = weights(step.j - 1, step.N), weights(step.j, step.N)
    names = (step.R_0, step.u_0, step.v_0, step.o_0, step.R, step.u, step.v, step.o)
    found = dict(zip(names, (*before, *now), strict=True))
    found[step.S] = 4 * (step.j * (step.j - 1)) ** 2 * step.Q_0 * step.Q
    for fact in step.PIVOTS.values():
        top, below = sympy.fraction(sympy.together(fact.rhs.xreplace(found)))
        own = step.d if fact.lhs.is_Mul else fact.lhs
        below *= (fact.lhs / own).xreplace(found)
        divided, _ = sympy.div(*(sympy.Poly(form, step.i, step.m) for form in (top, below)))
        found[own] = divided.as_expr()
    return found


def _apart(at: Vector) -> Vector:
    h: Vector = f.grad(at) / beta - a
    return h


FIRST = named("w_1", star + (2 * N + 1) * a)
SECOND = named("w_2", FIRST - f.grad(FIRST) / beta)
END = named("w_{N+1}", last - 2 / (beta * N) * f.grad(last))

T = theorem("nesterov.horizon-rate")
T.along(k)
T.constant(a, star, last, ahead)
T.varying(go, step.E_x, step.E_y)
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
_at = _values()
for _name, _fact in step.PIVOTS.items():
    T.have(_fact.replaced(_at), _name, by=Combine())
T.have(step.RECURSION.replaced(_at), "recursion", by=Combine())
T.have((step.j - 1) * _at[step.R_0] <= step.j * _at[step.R], "grow", by=Sign())
T.cite(step.THEOREM, _at, name="step")
T.assume(equal(U(k + 1) - U(k), go * (step.E_x - step.E_y)), "moves")
_down = T.have(U(k + 1) <= U(k), "down", by=Combine({"moves": 1, "step": go}))
_kept = T.induction(U(K) <= U(0), _down)

_two = sympy.Integer(2)
_R, _u, _v, _o = weights(_two, N)
_behind = SECOND - f.grad(SECOND) / beta, SECOND - star - 2 / beta * f.grad(SECOND)
_energy = step.energy(_two, N, SECOND, *step.parts(_two, N, *_behind), _R, _u, _v, _o)
T.assume(equal(U(0), _energy), "at w_2")
_own, _both = Rational(1, 2) - (_R + _o) / 4 - _u - _v / 2, (_R - _o - 2 * _u) / 2 - Rational(1, 4)
_both -= 3 * _v / 4
_more = (2 * _R - Rational(1, 2)) / beta
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
        (sympy.factor(_own), _apart(FIRST) + _both / _own * _apart(SECOND)),
        (sympy.factor(_R - _o - _u - _v - _both**2 / _own), _apart(SECOND)),
    ),
)
_start = T.have(U(0) <= 0, "start", by=_CERTIFICATE)

_R, _u, _v, _o = weights(N, N)
_D, _P = step.parts(N, N, END, ahead)
T.assume(equal(U(K), step.energy(N, N, last, _D, _P, _R, _u, _v, _o)), "at x_N")
T.assume(equal(square(FIRST - star), R**2), "distance")
_own, _both, _share = N * (N + 1) / (N**2 + 2), 2 / (N**2 + 2), beta / N
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
        (_share * _own, _apart(END) + _both / _own * _D),
        (_share * (_R + _o), _P + _v / (2 * (_R + _o)) * _D),
        (_share * sympy.factor(_u - _both**2 / _own - _v**2 / (4 * (_R + _o))), _D),
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
