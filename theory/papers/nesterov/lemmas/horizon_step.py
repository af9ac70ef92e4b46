"""One iteration without delay, weighed for a run that ends at a known iteration M.

Problem    f is convex and β-smooth with a minimiser w*; a is any vector, j = i + 3, M = j + m.
Method     (14) with (29), τ = 0, η = 1/β: from y = x_{j−1} and w_j to x = x_j. With w_1 − w* =
           (2M + 1)a and h_s = ∇f(x_s)/β − a the run is told by S = h_1/2 + h_2 + … + h_{j−1} and
           B = Σ(s − 1)h_s.
Guarantee  The energy of x is at most that of y. There c is a mean of h_1, …, h_{j−1} of weight W_0
           in all, to which h_j contributes W − W_0, and (2M + 1)jκ = W + 2j − 1. `weight` is W
           in closed form; by the recursion for κ it holds from one j to the next.
Source     ours. Inequalities are weighed as semidefinite programs say. What they leave is a sum of
           ‖h_s − h_t‖², s < t, with two weights, each a function of s times one of t; the sum over
           s of either is a square of h_t from a mean. On Huber's line every h_s is 0.
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
from theory.papers.nesterov.symbols import beta

f, (y, a, star, S, B, c) = function("f"), vectors("y a w* S B c")
(i, m), (W_0, W), (E_y, E_x) = nonnegative("i m"), positive("W_0 W"), real("E_y E_x")
j = i + 3
M = j + m


def weight(t: Scalar, last: Scalar) -> Scalar:
    """W at x_t in a run to M = `last`."""
    return (t - 1) * (last * (3 * t - 2) - t**2) / (last * (t * (2 * last - t) + 2))


def kappa(t: Scalar, last: Scalar, W: Scalar) -> Scalar:
    """Weight per iteration: x_t weighs t times as much."""
    return (W + 2 * t - 1) / (t * (2 * last + 1))


def place(t: Scalar, last: Scalar, S: Vector, B: Vector, next: Scalar = 0) -> Vector:
    """Where S and B over x_1, …, x_t lead in a run to M = `last`: w_{t+1}, or x_{t+1} by 1."""
    ahead = star + 2 * (last + 1 - t) * a - 2 * S
    found: Vector = ahead + 2 / (t + next) * B + t * (t - 1) / (t + next) * a
    return found


def energy(t: Scalar, last: Scalar, at: Vector, S: Vector, B: Vector, *mean: Any) -> Scalar:
    """The energy of x_t in a run to M = `last`, by S and B over x_1, …, x_t, and c and W there."""
    c, W = mean
    h, k = f.grad(at) / beta - a, kappa(t, last, W)
    below = 1 / last - k
    held = (W * c + 2 * S) ** 2 / (2 * last + 1) + (1 - t * k) * W * c**2
    held += 4 * below / (t * (t - 1)) * B**2 - 2 * k * h**2
    least = t * k + 4 * t - 2 - 2 * t * (t - 1) / last
    lean = a @ ((1 - t * k) * S - below * B + k * h)
    return 2 * t * k * (f(at) - f(star)) / beta - 4 * lean - least * a**2 + held


x = named("x", place(j - 1, M, S, B, 1))
_h, _h_y = f.grad(x) / beta - a, f.grad(y) / beta - a
_after = S + _h, B + (j - 1) * _h, c + (1 - W_0 / W) * (_h - c)
_k_0, _k = kappa(j - 1, M, W_0), kappa(j, M, W)
_Q_0, _Q = (j - 1) * (M + m + 1) + 2, j * (M + m) + 2
_AT = {W_0: weight(j - 1, M), W: weight(j, M)}
_RECURSION = eq(_Q * _k, _Q_0 * _k_0 + 2 * (m + 1) / M)
_WEIGHTS = {"grows": le(W_0, W), "rises": le(_k_0, _k), "below": le(_k, 1 / M)}

T = theorem("nesterov.horizon-step")
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.assume(equal(y - 2 / (beta * (j - 1)) * f.grad(y), place(j - 1, M, S, B)), "y")
T.assume(equal(E_y, energy(j - 1, M, y, S, B, c, W_0)), "energy")
T.assume(equal(E_x, energy(j, M, x, *_after, W)), "energy after")
T.assume(equal(W_0, _AT[W_0]), "weight")
T.assume(_RECURSION, "recursion")
for _name, _said in _WEIGHTS.items():
    _lean = _said.gap.diff(W) / _RECURSION.gap.diff(W)
    _by = {"recursion": _lean, "weight": (_lean * _RECURSION.gap - _said.gap).diff(W_0)}
    T.have(_said, _name, by=Combine(_by, plus=(sympy.factor(_said.gap.subs(_AT)),)))
_own, _share = (W - W_0 + 2) / (2 * M + 1), (j - 1) * _k_0
_far = m / M + j * (1 / M - _k)  # 1 − jκ
_spread = (_k - _k_0) * (j - 1) * (j - 2) + (1 / M - _k) * (j - 1) * (j - 2) * 2 / j
_CERTIFICATE = Combine(
    {
        interpolation.tangent(T, x, star): 2 * _own / beta,
        interpolation.tangent(T, x, y): 2 * _share / beta,
        "∇f(w*) = 0, with ∇f(x)": 2 * _own / beta**2,
        "y, with ∇f(x)": -2 * _share / beta,
        "energy": -1,
        "energy after": 1,
        "recursion": f.grad(x) ** 2 / beta**2 + a**2,
    },
    squares=(
        (_own / beta**2, f.grad(star)),
        (_own * W_0 + _far * (W - W_0) * W_0 / W, _h - c),
        (_spread, _h - 2 / ((j - 1) * (j - 2)) * B),
        (i * _k_0, _h - _h_y),
    ),
    domain=tuple(_WEIGHTS),
)
CLAIM = THEOREM = T.shows(
    E_x <= E_y,
    by=_CERTIFICATE,
    says="Without delay and with η = 1/β the energy of x_j is at most that of x_{j−1}, j ≥ 3.",
)
