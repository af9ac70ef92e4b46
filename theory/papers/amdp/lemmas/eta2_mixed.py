"""Asynchronous SGD whose vectors are off by at most Λ times the last step.

The backward of a minibatch may use other weights than its forward, and then what it gives is no
gradient of f at any point. Let v be its mean. If ‖v − ∇f(x)‖ ≤ Λ‖x − x⁻‖, the average of
synchronous SGD grows by Λ²η²σ² and nothing else. For one mixed derivative M(x⁻, x), with
M(x, x) = ∇f(x), this asks that M is Λ-Lipschitz in what the forward read.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Descent,
    Expect,
    Hypothesis,
    Step,
    Telescope,
    Theorem,
    Total,
    descent,
    le,
    square,
    vector,
)
from theory.papers.amdp.convergence import (
    AT_REST,
    AVERAGE,
    DRAWN,
    E_T,
    F_STAR,
    FOLLOWING,
    LAST,
    LOWER,
    MOVED,
    NEXT,
    SMOOTH,
    START,
    THIS,
    Delta,
    F,
    L,
    R,
    S,
    T,
    U,
    X,
    eta,
    mean_of,
    noise,
    sequences,
    sigma,
    t,
)

Lambda: Final = sympy.Symbol("Lambda", positive=True)
"""How far v is from the gradient at the newest weights, for each unit of the last step."""

MEAN: Final = vector("v")
"""The mean of g."""

_AHEAD = E_T.of(NEXT.value)
_HALF = eta / 2
_MIXED = Hypothesis(
    "one step",
    "v differs from ∇f(x_t) by at most Λ‖x_t − x_{t−1}‖",
    le(square(X.gradient - MEAN), Lambda**2 * MOVED),
)
_STEPSIZE = Hypothesis("stepsize", "Lη + Λ²η² ≤ 1", le(L * eta + Lambda**2 * eta**2, 1))
_ONE = L * eta**2 * sigma**2 / 2
_POTENTIAL = _HALF * Lambda**2 * eta**2
_DROP = _ONE + _POTENTIAL * sigma**2

THEOREM: Final = Theorem(
    id="amdp.eta2-mixed",
    where="ours",
    statement=(
        "If the mean v of the applied vector has ‖v − ∇f(x_t)‖ ≤ Λ‖x_t − x_{t−1}‖ and "
        "Lη + Λ²η² ≤ 1, then the mean over t < T of E‖∇f(x_t)‖² is at most "
        "2Δ/(ηT) + Lησ² + Λ²η²σ² for every T ≥ 1."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla f(x_t)\|^2 \le \tfrac{2\Delta}{\eta T} + "
        r"L\eta\sigma^2 + \Lambda^2\eta^2\sigma^2"
    ),
    symbols=(T, eta, L, Lambda, sigma, Delta, F_STAR),
    vectors=(DRAWN, MEAN),
    points=(X, NEXT, LAST, THIS),
    sequences=sequences(MEAN),
    following=FOLLOWING,
    hypotheses=(
        SMOOTH,
        mean_of(MEAN, X.gradient, "unbiased"),
        mean_of(MEAN, MEAN, "unbiased, with v"),
        noise(MEAN),
        _MIXED,
        AT_REST,
        START,
        LOWER,
        _STEPSIZE,
    ),
    steps=(
        Step("descent", descent(L, X, NEXT), Descent("smooth", X, NEXT)),
        Step("mean", le(_AHEAD, E_T.of(descent(L, X, NEXT).rhs)), Expect("descent", E_T)),
        Step(
            "size",
            le(E_T.of(square(DRAWN)), square(MEAN) + sigma**2),
            Combine({"variance": 1, "unbiased, with v": 2}),
            "the second moment is the square of the mean plus the variance",
        ),
        Step(
            "one update",
            le(
                _AHEAD,
                X.value
                - _HALF * square(X.gradient)
                - _HALF * (1 - L * eta) * square(MEAN)
                + _POTENTIAL * square(LAST.position)
                + _ONE,
            ),
            Combine({"mean": 1, "unbiased": -eta, "size": L * eta**2 / 2, "one step": _HALF}),
        ),
        Step(
            "one update, total",
            le(
                F(t + 1),
                F(t) - _HALF * S(t) - _HALF * (1 - L * eta) * R(t) + _POTENTIAL * U(t) + _ONE,
            ),
            Total("one update", t),
        ),
        Step(
            "size, total",
            le(U(t + 1), R(t) + sigma**2),
            Total("size", t),
            "the next step back is as long as this update",
        ),
        Step(
            "potential",
            le(
                F(t + 1) + _POTENTIAL * U(t + 1),
                F(t) + _POTENTIAL * U(t) - _HALF * S(t) + _DROP,
            ),
            Combine({"one update, total": 1, "size, total": _POTENTIAL, "stepsize": _HALF * R(t)}),
        ),
        Step(
            "sum",
            le(
                F(T) + _POTENTIAL * U(T),
                F(0) + _POTENTIAL * U(0) - _HALF * sympy.Sum(S(t), (t, 0, T - 1)) + T * _DROP,
            ),
            Telescope("potential", t, T),
        ),
    ),
    lhs=AVERAGE,
    terms={
        "optimization": 2 * Delta / (eta * T),
        "sampling": L * eta * sigma**2,
        "mismatch": Lambda**2 * eta**2 * sigma**2,
    },
    conclude=Combine(
        {
            **dict.fromkeys(("sum", "lower bound", "start"), 2 / (eta * T)),
            "at rest": 2 / (eta * T) * _POTENTIAL,
        },
        plus=(2 / (eta * T) * _POTENTIAL * U(T),),
    ),
)

CLAIM: Final = as_claim(THEOREM)
