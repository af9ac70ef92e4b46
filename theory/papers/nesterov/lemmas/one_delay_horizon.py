"""A delay of one: the worst case of a run that ends at a known iteration.

Problem    f is convex and β-smooth with a minimiser w*; M = K + 3.
Method     (14) with (29), τ = 1 and η ≤ 1/(4β). U(k) is the energy after iteration min(k, K) of
           those that `nesterov.one-delay-horizon-step` is about; `go` is 1 while k < K, with i = k
           and m = K − 1 − k, and 0 from there on. x_s = w_s + d_s.
Guarantee  f(w_t) − f* ≤ R²/(4η(t − 1) + 2/β) for t = K + 4, R = ‖w_1 − w*‖, which Huber's
           function attains (`huber_line`).
Source     ours. x_s weighs sκ_s, of which w* gives what x_{s−1} does not.
"""

from typing import Any

import sympy

from theory.kernel import Combine
from theory.notation import equal, index, named, nonnegative, theorem, vectors
from theory.papers.nesterov.lemmas import interpolation
from theory.papers.nesterov.lemmas import one_delay_horizon_step as step
from theory.papers.nesterov.symbols import R, beta, eta

f, a, star, i, m, e = step.f, step.a, step.star, step.i, step.m, step.e
(k, K), (S, B, u), (go,) = index("k K"), vectors("S_M B_M h_M"), nonnegative("go,")
U: Any = sympy.Function("U", real=True)
M = K + 3
FIRST = named("w_1", star + (2 * M * e + 1) * a)
SECOND = named("w_2", FIRST - eta * f.grad(FIRST))
_h_1, _h_2 = step.apart(FIRST), step.apart(SECOND)
LAST = named("x_{M−1}", step.place(M - 1, M, S, B))
_S, _B = S + u + step.apart(LAST), B + (M - 2) * u + (M - 1) * step.apart(LAST)
END = named("w_t", star + (e * M + 1) * a - 2 * e * _S + 2 * e / M * _B)

T = theorem("nesterov.one-delay-horizon")
T.along(k)
T.constant(a, star, S, B, u)
T.varying(go, i, m, step.k_0, step.k_1, step.s_0, step.b_0, step.E_x, step.E_y)
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.cite(step.THEOREM, name="step")
T.assume(equal(U(k + 1) - U(k), go * (step.E_x - step.E_y)), "moves")
_down = T.have(U(k + 1) <= U(k), "down", by=Combine({"moves": 1, "step": go}))
_kept = T.induction(U(K) <= U(0), _down)

_first, _second = (3 * M - 2) / (2 * M**2), 2 * step.kappa(2, M)
_own, (_s, _b) = sympy.factor(_second - _first), step.held(3, M)
_turn = sympy.factor(_first + 3 * _s / 4 + _b - 3 * _second / 4)
_rest_1 = sympy.factor(2 * _first - 9 * _s / 8 - _b / 2 - _second / 2 - _turn)
_rest_2 = sympy.factor(_second / 2 - _s / 2 - 2 * _b - _turn)
_at_2 = step.energy(2, M, SECOND, _h_1 / 2, 0 * a, _h_1, _second / 2, _s, _b)
T.assume(equal(U(0), _at_2), "at x_2")
_CERTIFICATE = Combine(
    {
        "at x_2": 1,
        interpolation.tangent(T, FIRST, star): 2 * _first / beta,
        interpolation.tangent(T, SECOND, FIRST): 2 * _first / beta,
        interpolation.tangent(T, SECOND, star): 2 * _own / beta,
        "∇f(w*) = 0, with ∇f(w_1)": 2 * _first / beta**2,
        "∇f(w*) = 0, with ∇f(w_2)": 2 * _own / beta**2,
    },
    squares=(
        (_second / beta**2, f.grad(star)),
        (4 * e * _turn, _h_2 - _h_1),
        (4 * e * _rest_1, _h_1),
        (4 * e * _rest_2, _h_2),
        ((1 - 4 * e) * _first, _h_1),
        ((1 - 4 * e) * _own, _h_2),
        ((1 - 4 * e) * _first, _h_2 - _h_1),
    ),
    domain=("stepsize",),
)
_start = T.have(U(0) <= 0, "start", by=_CERTIFICATE)

_k, (_s, _b) = step.kappa(M - 1, M), step.held(M, M)
_share, _own, _below = (M - 1) * _k, sympy.factor(1 - (M - 1) * _k), sympy.factor(_k - 1 / M)
_rest = sympy.factor(_own + _k / 2 - _own**2 / (2 * _s) - _below**2 / (2 * _b))
T.assume(equal(U(K), step.energy(M - 1, M, LAST, S, B, u, _k, _s, _b)), "at x_{M−1}")
T.assume(equal((FIRST - star) ** 2, R**2), "distance")
_h, _h_last = step.apart(END), step.apart(LAST)
_half = beta / 2
_CERTIFICATE = Combine(
    {
        interpolation.tangent(T, END, LAST): _share,
        interpolation.tangent(T, END, star): _own,
        "∇f(w*) = 0, with ∇f(w_t)": _own / beta,
        "at x_{M−1}": -_half,
        _kept: _half,
        _start: _half,
        "distance": _half / (2 * e * M + 1),
    },
    squares=(
        (_own / (2 * beta), f.grad(star)),
        (beta * e * _s, _S + _own / _s * _h),
        (beta * e * _b, _B + _below / _b * _h),
        (2 * beta * e * _k, _h_last - u - _h / 2),
        (2 * beta * e * _k, _h - _h_last - _h / 2),
        (2 * beta * e * (M - 2) * _k, _h - _h_last),
        (2 * beta * e * _rest, _h),
        (_half * (1 - 4 * e) * _own, _h),
        (_half * (1 - 4 * e) * _share, _h - _h_last),
    ),
    domain=("stepsize",),
)
CLAIM = THEOREM = T.shows(
    f(END) - f(star) <= R**2 / (4 * eta * M + 2 / beta),
    {"distance": R**2 / (4 * eta * M + 2 / beta)},
    by=_CERTIFICATE,
    says=(
        "With τ = 1, η ≤ 1/(4β) and γ_t = (t − 2)/t, from rest, f(w_t) − f* ≤ "
        "‖w_1 − w*‖²/(4η(t − 1) + 2/β) for every convex β-smooth f with a minimiser w* and every "
        "t = K + 4 ≥ 4."
    ),
    latex=r"f(w_t) - f^* \le \tfrac{1}{4\eta(t-1) + 2/\beta}\|w_1 - w^*\|^2, \quad t = K + 4",
)
