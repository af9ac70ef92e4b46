"""LocalSGD as the kernel sees it: the points, vectors and assumptions that its theorems share.

One local step: every replica r moves by −γ times a stochastic gradient ∇f_r(x_r) + ξ_r of its own
model x_r = x̄ + d_r, with x̄ the mean of the models; so x̄ moves by −γ(h + ξ̄), h the mean of the
∇f_r(x_r) and ξ̄ that of the noises. Averaging the models leaves x̄ where it is. The paper takes
f_r = f for all r; nothing here needs that unless it says so.
"""

import sympy

from theory.kernel import Average, Hypothesis, Operator, Smooth, eq, le
from theory.kernel.vectors import Vector
from theory.notation import function, named, total, vectors
from theory.papers.rpd.method import F_STAR
from theory.papers.rpd.symbols import Delta, Gt, L, N, T, gamma, sigma

f, f_r = function("f"), function("f_r")
"""The objective, and that of replica r."""

x, away, h, noise, mean_noise = vectors("x̄ d_r h ξ_r ξ̄")
"""x̄^t, the mean of the replicas' models; x_r − x̄; the mean over replicas of ∇f_r(x_r); what is
random in the gradient of replica r; the mean of that over replicas."""

x_r = named("x_r", x + away)
"""The model of replica r."""

after = named("x̄⁺", x - gamma * (h + mean_noise))
"""x̄^{t+1}."""

_OF_REPLICA = ("f_r(x_r)", "∇f_r(x_r)", "f_r(x̄)", "∇f_r(x̄)", "f_r(x̄⁺)", "∇f_r(x̄⁺)")
_VARYING = ("d_r", "u_r", "ξ_r", "g_r^i", *_OF_REPLICA)
AVG = Average("avg", _VARYING, given=("h", "∇f(x̄)"), over="replica")
"""The mean over the replicas."""

E_T = Operator(
    "E_t",
    ("ξ_r", "ξ̄", "f(x̄⁺)", "∇f(x̄⁺)", "f_r(x̄⁺)", "∇f_r(x̄⁺)"),
    given=("h", "∇f(x̄)"),
    over="sample",
    law="run",
)
"""Expectation over the draws of step t, given everything before it."""

SPREAD = sympy.Symbol("V", nonnegative=True)
"""The mean over replicas of ‖x_r − x̄‖²."""

F = sympy.Function("F", real=True)
S, R, V = (sympy.Function(name, nonnegative=True) for name in ("S", "R", "V"))
"""Total expectations by step: f(x̄^t), ‖∇f(x̄^t)‖², ‖h^t‖² and the spread."""

SEQUENCES = {F: f(x), S: f.grad(x) ** 2, R: h**2, V: SPREAD}

t = sympy.Symbol("t", integer=True, nonnegative=True)
"""A local step."""

AVERAGE = total(S(t), t, T) / T
"""Mean over the local steps of E‖∇f(x̄^t)‖²."""

TURN = f.grad(x) - L * gamma * h
"""Against what the noise is looked at: fixed before the draws of step t."""

APART = f_r.grad(x) - f_r.grad(x_r)
MEAN_APART = f.grad(x) - h
"""∇f_r(x̄) − ∇f_r(x_r), and its mean over replicas."""


def unbiased(name: str, against: Vector) -> Hypothesis:
    """The noise of every replica has mean zero, as an inner product with a fixed vector."""
    says = "stochastic gradients are unbiased, given the past"
    return Hypothesis(name, says, eq(E_T.of(noise @ against), 0))


def averages(name: str, says: str, part: Vector, mean: Vector, against: Vector) -> Hypothesis:
    """A vector is the mean over replicas of others, as an inner product with a fixed vector."""
    return Hypothesis(name, says, eq(AVG.of(part @ against), mean @ against))


_NOISES = "x̄ moves by the mean of the replicas' steps"

SMOOTH = Smooth("smooth", "f, the mean of the f_r, is L-smooth", L)
EACH_SMOOTH = Smooth("each smooth", "every f_r is L-smooth", L, "f_r")
UNBIASED = unbiased("unbiased", TURN)
INDEPENDENT = Hypothesis(
    "independent",
    "the noise of a replica is uncorrelated with the sum of the others' noises, given the past "
    "(as Yu et al. 2019 assume; the paper calls replicas independent, and says no more of draws)",
    eq(E_T.of(noise @ (N * mean_noise - noise)), 0),
)
VARIANCE = Hypothesis(
    "variance",
    "stochastic gradients have variance at most σ², given the past",
    le(E_T.of(noise**2), sigma**2),
)
NOISE_TURN = averages("mean step", _NOISES, noise, mean_noise, TURN)
NOISE_ITSELF = averages("mean noise", _NOISES, noise, mean_noise, mean_noise)
OBJECTIVE = averages(
    "objective", "f is the mean of the f_r, and h that of ∇f_r(x_r)", APART, MEAN_APART, MEAN_APART
)
SPREAD_IS = Hypothesis(
    "spread", "V is the mean over replicas of ‖x_r − x̄‖²", eq(SPREAD, AVG.of(away**2))
)
STEPSIZE = Hypothesis("stepsize", "γ ≤ 1/L", le(gamma, 1 / L))
LOWER = Hypothesis("lower bound", "f is at least f* everywhere", le(F_STAR, F(T)))
START = Hypothesis("start", "Δ is f(x̄⁰) − f*", eq(F(0), F_STAR + Delta))
SECOND_MOMENT = Hypothesis(
    "second moment",
    "stochastic gradients have second moment at most G̃², given the past",
    le(E_T.of((f_r.grad(x_r) + noise) ** 2), Gt**2),
)
