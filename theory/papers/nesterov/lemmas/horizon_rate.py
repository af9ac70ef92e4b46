"""Without delay: the worst case of a run that ends at a known iteration.

Problem    f is convex and β-smooth with a minimiser w*; N = K + 2.
Method     (14) with (29), τ = 0, η = 1/β. U(k) is the energy after iteration min(k, K) of those
           that `nesterov.horizon-step` is about; `go` is 1 while k < K, with i = k and
           m = K − 1 − k, and 0 from there on.
Guarantee  f(w_{N+1}) − f* ≤ β‖w_1 − w*‖²/(4N + 2), which Huber's function attains.
Source     ours. κ_j = 1/N − (N − j + 2)/(N(j(2N − j) + 2)) is what semidefinite programs find, and
           the only choice.
"""

from typing import Any

import sympy

from theory.kernel import Combine
from theory.kernel.vectors import Vector
from theory.notation import equal, index, named, nonnegative, theorem, vectors
from theory.papers.nesterov.lemmas import horizon_step as step
from theory.papers.nesterov.lemmas import interpolation
from theory.papers.nesterov.symbols import R, beta

f, a, star, i, m = step.f, step.a, step.star, step.i, step.m
(k, K), (last, S, B, c), (go,) = index("k K"), vectors("x_N S_N B_N c_N"), nonnegative("go,")
U: Any = sympy.Function("U", real=True)
N = K + 2


def _apart(at: Vector) -> Vector:
    h: Vector = f.grad(at) / beta - a
    return h


FIRST = named("w_1", star + (2 * N + 1) * a)
SECOND = named("w_2", FIRST - f.grad(FIRST) / beta)
END = named("w_{N+1}", step.place(N, N, S, B))

T = theorem("nesterov.horizon-rate")
T.along(k)
T.constant(a, star, last, S, B, c)
T.varying(go, i, m, step.W_0, step.W, step.E_x, step.E_y)
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.cite(step.THEOREM, name="step")
T.assume(equal(U(k + 1) - U(k), go * (step.E_x - step.E_y)), "moves")
_down = T.have(U(k + 1) <= U(k), "down", by=Combine({"moves": 1, "step": go}))
_kept = T.induction(U(K) <= U(0), _down)

_W, _first = step.weight(2, N), 1 / (2 * N)
_part = sympy.factor(_first / _W)
_h, _other = _apart(SECOND), _apart(FIRST)
_held = _h + _other / 2, _h, _part * _other + (1 - _part) * _h
T.assume(equal(U(0), step.energy(sympy.Integer(2), N, SECOND, *_held, _W)), "at w_2")
_own = sympy.factor(2 * step.kappa(2, N, _W) - _first)
_far = sympy.factor(1 - 2 * step.kappa(2, N, _W))
_CERTIFICATE = Combine(
    {
        "at w_2": 1,
        interpolation.tangent(T, FIRST, star): 2 * _first / beta,
        interpolation.tangent(T, SECOND, FIRST): 2 * _first / beta,
        interpolation.tangent(T, SECOND, star): 2 * _own / beta,
        "∇f(w*) = 0, with ∇f(w_1)": 2 * _first / beta**2,
        "∇f(w*) = 0, with ∇f(w_2)": 2 * _own / beta**2,
    },
    squares=(
        ((_own + _first) / beta**2, f.grad(star)),
        ((_own + _far * (1 - _part)) * _first, _h - _other),
    ),
)
_start = T.have(U(0) <= 0, "start", by=_CERTIFICATE)

_W, _k = 2 * (N - 1) ** 2 / (N**2 + 2), N / (N**2 + 2)
T.assume(equal(last - 2 / (beta * N) * f.grad(last), END), "x_N")
T.assume(equal(U(K), step.energy(N, N, last, S, B, c, _W)), "at x_N")
T.assume(equal((FIRST - star) ** 2, R**2), "distance")
_own, _h = 1 - N * _k, _apart(END)
_CERTIFICATE = Combine(
    {
        interpolation.tangent(T, END, last): N * _k,
        interpolation.tangent(T, END, star): _own,
        "∇f(w*) = 0, with ∇f(w_{N+1})": _own / beta,
        "x_N, with ∇f(w_{N+1})": -N * _k,
        "at x_N": -beta / 2,
        _kept: beta / 2,
        _start: beta / 2,
        "distance": beta / (4 * N + 2),
    },
    squares=(
        (_own / (2 * beta), f.grad(star)),
        (beta * _own * _W / 2, _h - c),
        (beta * (1 / N - _k) * N * (N - 1) / 2, _h - 2 / (N * (N - 1)) * B),
        (beta * K * _k / 2, _h - _apart(last)),
        (beta / (4 * N + 2), _W * c + 2 * S + (2 * N + 1) * _own * _h),
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
