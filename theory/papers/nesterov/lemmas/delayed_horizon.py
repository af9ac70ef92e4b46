"""A delay of two or more: the worst case of a run that ends at a known iteration.

Problem    f is convex and β-smooth with a minimiser w*; τ = g + 2 and M = K + 2 + τ.
Method     (14) with (29) and η ≤ 1/((8τ + 3)β). U(k) is the energy after iteration min(k, K) of
           those that `nesterov.delayed-horizon-step` is about; `go` is 1 while k < K, with i = k
           and m = K − 1 − k, and 0 from there on. x_s = w_s + d_s, and names are those at x_{M−τ}.
Guarantee  f(w_t) − f* ≤ R²/(4η(t − 1) + 2/β) for t = M + 1 ≥ τ + 3, R = ‖w_1 − w*‖, which Huber's
           function attains (`huber_line`).
Source     ours, as `nesterov.one-delay-horizon`. The last τ gradients weigh (s − 1)/M − λ in what
           w_t lacks of x_{M−τ}, λ = (M − τ)κ_{M−τ}: their squares come to τ(1 − λ)²/3 at most.
"""

from typing import Any

import sympy

from theory.kernel import Combine
from theory.notation import equal, index, named, nonnegative, theorem, vectors
from theory.papers.nesterov import symbols
from theory.papers.nesterov.lemmas import delayed_horizon_step as step
from theory.papers.nesterov.lemmas import gradient_window, interpolation, weighted_window
from theory.papers.nesterov.lemmas.one_delay_horizon_step import place
from theory.papers.nesterov.symbols import R, beta, eta

f, a, star, i, m, e, tau = step.f, step.a, step.star, step.i, step.m, step.e, step.tau
PACE = step.PACE
(k, K), (S, B, S_q, B_q, v) = index("k K"), vectors("S_M B_M S_q B_q h_q")
(go, rest, charged), sizes = nonnegative("go P_M W_M"), weighted_window.SIZES
U: Any = sympy.Function("U", real=True)
q = K + 2
M = q + tau
FIRST = named("w_1", star + (2 * M * e + 1) * a)
SECOND = named("w_2", FIRST - eta * f.grad(FIRST))
LAST = named("x_{M−τ}", place(q, M, S_q, B_q))
END = named("w_t", star + (e * M + 1) * a - 2 * e * S + 2 * e / M * B)
_h_1, _h_2, _h_q, _h = (step.apart(at) for at in (FIRST, SECOND, LAST, END))

T = theorem("nesterov.delayed-horizon")
T.along(k)
T.constant(a, star, S, B, S_q, B_q, v)
T.varying(go, i, m, step.k_0, step.k_1, step.s_0, step.E_x, step.E_y, step.rest)
T.varying(step.charged)
T.varying(gradient_window.SIZES, gradient_window.LONG)
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.cite(step.THEOREM, name="step")
T.assume(equal(U(k + 1) - U(k), go * (step.E_x - step.E_y)), "moves")
_down = T.have(U(k + 1) <= U(k), "down", by=Combine({"moves": 1, "step": go}))
_kept = T.induction(U(K) <= U(0), _down)

_half = sympy.Rational(1, 2)
_first = ((2 * tau + 1) * M - tau * (tau + 1)) / (2 * M**2)
_k, _s = step.kappa(2, M), step.gain(3, M)
_own = sympy.factor(2 * _k - _first)
_turn = sympy.factor(_first - 2 * (_k - _s * (tau + _half)) / PACE)
_spent = _s * (tau + _half) ** 2 / 2 + _s * tau * (tau - 1) / 4 + _k - 1 / (2 * M)
_spent += (2 * tau + 1) * (tau - 1) / (4 * M)
_rest_1 = sympy.factor(2 * _first - 4 * _spent / PACE - _turn)
_spent = _s * (tau + 1) / 2 + step.always(M) + step.charge(tau + 2, M)
_rest_2 = sympy.factor(2 * _k - 4 * _spent / PACE - _turn)
_all = (tau + _half) * _h_1 + _h_2, tau * (tau + 1) / 2 * _h_1 + (tau + 1) * _h_2
_windows = tau / 2 * _h_2**2 + tau * (tau - 1) / 4 * _h_1**2, _h_2**2 + (tau - 1) * _h_1**2
_charged = step.charge(tau + 2, M) * _h_2**2 + (tau - 1) * step.charge(0, M) * _h_1**2
_at_2 = step.energy(2, M, SECOND, _all, (_h_1 / 2, 0 * a), _h_1, _k, _s, *_windows, _charged)
T.assume(U(0) <= _at_2, "at x_2", "charges fall: τ − 1 of h_1 are `charge(0)` each at most")
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
        (2 * _k / beta**2, f.grad(star)),
        ((1 - PACE * e) * _first, _h_1),
        ((1 - PACE * e) * _first, _h_2 - _h_1),
        ((1 - PACE * e) * _own, _h_2),
        (PACE * e * _rest_1, _h_1),
        (PACE * e * _rest_2, _h_2),
        (PACE * e * _turn, _h_2 - _h_1),
    ),
    domain=("stepsize",),
)
_start = T.have(U(0) <= 0, "start", by=_CERTIFICATE)

_k, _s = step.kappa(q, M), step.gain(q + 1, M)
_share, _own, _above = q * _k, sympy.factor(1 - q * _k), sympy.factor(_k - 1 / M)
_most = 2 * step.always(M)
_squares = tau * _own**2 / 3
_spent = _own**2 / (2 * _s) + _above * q * (q - 1) / 4 + _k / 2 + _squares / (2 * _most)
_rest = sympy.factor(_own - 4 * _spent / PACE)
_at_q = step.energy(q, M, LAST, (S, B), (S_q, B_q), v, _k, _s, rest, sizes, charged)
T.assume(equal(U(K), _at_q), "at x_{M−τ}")
T.assume(equal((FIRST - star) ** 2, R**2), "distance")
_ends = {
    weighted_window.FIRST: 2 / M * B - 2 * _share * S,
    weighted_window.LAST: 2 / M * (B_q + (q - 1) * v) - 2 * _share * (S_q + v),
    weighted_window.SEEN: _h,
}
_at = {weighted_window.MOST: _most, weighted_window.SQUARES: _squares, symbols.tau: tau}
T.cite(weighted_window.THEOREM, _at, _ends, "last window")
_CERTIFICATE = Combine(
    {
        interpolation.tangent(T, END, LAST): _share,
        interpolation.tangent(T, END, star): _own,
        "∇f(w*) = 0, with ∇f(w_t)": _own / beta,
        "at x_{M−τ}": -beta / 2,
        _kept: beta / 2,
        _start: beta / 2,
        "distance": beta / (4 * e * M + 2),
        "last window": beta * e,
        "direction": -beta * e * _squares / _most,
    },
    squares=(
        (_own / (2 * beta), f.grad(star)),
        (beta * e * _s, S + _own / _s * _h),
        (beta * e * _above * q * (q - 1) / 2, _h + 2 / (q * (q - 1)) * (B_q + (q - 1) * v)),
        (beta * e * _k, _h + v),
        (beta / 2 * (1 - PACE * e) * _own, _h),
        (beta / 2 * PACE * e * _rest, _h),
        (beta / 2 * _share, _h - _h_q),
    ),
    plus=(2 * beta * e * (_s * rest + charged),),
    domain=("stepsize",),
)
CLAIM = THEOREM = T.shows(
    f(END) - f(star) <= R**2 / (4 * eta * M + 2 / beta),
    {"distance": R**2 / (4 * eta * M + 2 / beta)},
    by=_CERTIFICATE,
    says=(
        "With τ = g + 2 ≥ 2, η ≤ 1/((8τ + 3)β) and γ_t = (t − 2)/t, from rest, f(w_t) − f* ≤ "
        "‖w_1 − w*‖²/(4η(t − 1) + 2/β) for every convex β-smooth f with a minimiser w* and every "
        "t = K + τ + 3 ≥ τ + 3."
    ),
    latex=r"f(w_t) - f^* \le \tfrac{1}{4\eta(t-1) + 2/\beta}\|w_1 - w^*\|^2, \quad t \ge \tau + 3",
)
