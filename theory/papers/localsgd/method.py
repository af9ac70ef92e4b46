"""LocalSGD as the kernel sees it: the points, vectors and assumptions that its theorems share.

One local step: every replica r moves by −γ times a stochastic gradient ∇f_r(x_r) + ξ_r of its own
model x_r = x̄ + d_r, with x̄ the mean of the models; so x̄ moves by −γ(h + ξ̄), h the mean of the
∇f_r(x_r) and ξ̄ that of the noises. Averaging the models leaves x̄ where it is. The paper takes
f_r = f for all r; nothing here needs that unless it says so.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.kernel import (
    Average,
    Hypothesis,
    Operator,
    Point,
    Smooth,
    dot,
    eq,
    le,
    point,
    square,
    vector,
)
from theory.kernel.vectors import Scalar, Vector
from theory.papers.rpd.symbols import Delta, Gt, L, N, T, gamma, sigma

MEAN: Final = point("x̄")
"""x̄^t, the mean of the replicas' models, and f there."""

AWAY: Final = vector("d_r")
"""x_r − x̄."""

REPLICA: Final = Point(
    MEAN.position + AWAY, sympy.Symbol("f_r(x_r)", real=True), vector("∇f_r(x_r)"), "f_r"
)
"""The model of replica r, and its f_r there."""

REPLICA_AT_MEAN: Final = Point(
    MEAN.position, sympy.Symbol("f_r(x̄)", real=True), vector("∇f_r(x̄)"), "f_r"
)
"""f_r at the mean of the models."""

SLOPE: Final = vector("h")
"""The mean over replicas of ∇f_r(x_r)."""

NOISE, MEAN_NOISE = vector("ξ_r"), vector("ξ̄")
"""What is random in the gradient of replica r; the mean of that over replicas."""

NEXT: Final = Point(
    MEAN.position - gamma * (SLOPE + MEAN_NOISE),
    sympy.Symbol("f(x̄⁺)", real=True),
    vector("∇f(x̄⁺)"),
)
"""x̄^{t+1}."""

AVG: Final = Average(
    "avg",
    ("d_r", "u_r", "ξ_r", "g_r^i", "∇f_r(x_r)", "∇f_r(x̄)", "f_r(x_r)", "f_r(x̄)"),
    given=("h", "∇f(x̄)"),
    over="replica",
)
"""The mean over the replicas."""

E_T: Final = Operator(
    "E_t",
    ("ξ_r", "ξ̄", "f(x̄⁺)", "∇f(x̄⁺)"),
    given=("h", "∇f(x̄)"),
    over="sample",
    law="run",
)
"""Expectation over the draws of step t, given everything before it."""

SPREAD: Final = sympy.Symbol("V", nonnegative=True)
"""The mean over replicas of ‖x_r − x̄‖²."""

F: Final = sympy.Function("F", real=True)
S, R, V = (sympy.Function(name, nonnegative=True) for name in ("S", "R", "V"))
"""Total expectations by step: f(x̄^t), ‖∇f(x̄^t)‖², ‖h^t‖² and the spread."""

SEQUENCES: Final = {F: MEAN.value, S: square(MEAN.gradient), R: square(SLOPE), V: SPREAD}
FOLLOWING: Final = ((MEAN, NEXT),)

t: Final = sympy.Symbol("t", integer=True, nonnegative=True)
"""A local step."""

F_STAR: Final = sympy.Symbol("f*", real=True)
"""A lower bound of f."""

AVERAGE: Final = sympy.Sum(S(t), (t, 0, T - 1)) / T
"""Mean over the local steps of E‖∇f(x̄^t)‖²."""

TURN: Final = MEAN.gradient - L * gamma * SLOPE
"""Against what the noise is looked at: fixed before the draws of step t."""

APART: Final = REPLICA_AT_MEAN.gradient - REPLICA.gradient
MEAN_APART: Final = MEAN.gradient - SLOPE
"""∇f_r(x̄) − ∇f_r(x_r), and its mean over replicas."""


def unbiased(name: str, against: Vector) -> Hypothesis:
    """The noise of every replica has mean zero, as an inner product with a fixed vector."""
    says = "stochastic gradients are unbiased, given the past"
    return Hypothesis(name, says, eq(E_T.of(dot(NOISE, against)), 0))


def averages(name: str, says: str, part: Vector, mean: Vector, against: Vector) -> Hypothesis:
    """A vector is the mean over replicas of others, as an inner product with a fixed vector."""
    return Hypothesis(name, says, eq(AVG.of(dot(part, against)), dot(mean, against)))


_NOISES: Final = "x̄ moves by the mean of the replicas' steps"

SMOOTH: Final = Smooth("smooth", "f, the mean of the f_r, is L-smooth", L)
EACH_SMOOTH: Final = Smooth("each smooth", "every f_r is L-smooth", L, "f_r")
UNBIASED: Final = unbiased("unbiased", TURN)
INDEPENDENT: Final = Hypothesis(
    "independent",
    "the noise of a replica is uncorrelated with the sum of the others' noises, given the past "
    "(Yu et al. 2019 assume that replicas draw independently; the paper does not say it)",
    eq(E_T.of(dot(NOISE, N * MEAN_NOISE - NOISE)), 0),
)
VARIANCE: Final = Hypothesis(
    "variance",
    "stochastic gradients have variance at most σ², given the past",
    le(E_T.of(square(NOISE)), sigma**2),
)
NOISE_TURN: Final = averages("mean step", _NOISES, NOISE, MEAN_NOISE, TURN)
NOISE_ITSELF: Final = averages("mean noise", _NOISES, NOISE, MEAN_NOISE, MEAN_NOISE)
OBJECTIVE: Final = averages(
    "objective", "f is the mean of the f_r, and h that of ∇f_r(x_r)", APART, MEAN_APART, MEAN_APART
)
SPREAD_IS: Final = Hypothesis(
    "spread", "V is the mean over replicas of ‖x_r − x̄‖²", eq(SPREAD, AVG.of(square(AWAY)))
)
STEPSIZE: Final = Hypothesis("stepsize", "γ ≤ 1/L", le(gamma, 1 / L))
LOWER: Final = Hypothesis("lower bound", "f is at least f* everywhere", le(F_STAR, F(T)))
START: Final = Hypothesis("start", "Δ is f(x̄⁰) − f*", eq(F(0), F_STAR + Delta))
SECOND_MOMENT: Final = Hypothesis(
    "second moment",
    "stochastic gradients have second moment at most G̃², given the past",
    le(E_T.of(square(REPLICA.gradient + NOISE)), Gt**2),
)

STEP: Final[tuple[Hypothesis | Smooth, ...]] = (
    SMOOTH,
    EACH_SMOOTH,
    UNBIASED,
    INDEPENDENT,
    VARIANCE,
    NOISE_TURN,
    NOISE_ITSELF,
    OBJECTIVE,
    SPREAD_IS,
)
"""What one step of x̄ rests on."""

VECTORS: Final = (AWAY, SLOPE, NOISE, MEAN_NOISE)
POINTS: Final = (MEAN, NEXT, REPLICA, REPLICA_AT_MEAN)


def conditional(value: Scalar) -> Scalar:
    """Expectation over the draws of step t of the mean over replicas."""
    return E_T.of(AVG.of(value))
