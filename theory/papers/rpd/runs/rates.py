"""Long runs of RPD, and the exponents that they follow."""

import math
from fractions import Fraction

from theory.falsifier.problem import Problem
from theory.falsifier.rates import Rate
from theory.falsifier.scalars import linear, quadratic
from theory.falsifier.zoo import alike
from theory.papers.rpd.runs.stacked import follow_stacked

NOISY = [quadratic(1, tilt=-1), quadratic(1, tilt=1)]


def descent() -> Rate:
    """RPD on a noisy parabola, p = 2, with d = min(3, k) and γ = 1/√K."""
    lengths = tuple(4**power for power in range(3, 7))
    problem = alike("noisy parabola", NOISY, 2)(2)
    measured = []
    for K in lengths:
        run = follow_stacked(problem, K, 3, Fraction(1, math.isqrt(K)), "max", "double")
        measured.append(sum(run.gradients) / K)
    says = "mean of E‖∇f(x^k)‖² on a noisy parabola, p = 2, d = min(3, k), γ = 1/√K"
    return Rate(says, "K", lengths, tuple(measured))


def square_delays() -> Rate:
    """The drift of RPD on lines with τ = p² and γ = 1."""
    stages = (2, 3, 4, 5, 6, 7)
    measured = [_line_drift(p, p * p) for p in stages]
    return Rate("E‖x^k − x̂^k‖² on a line, γ = G = 1, d = τ = p²", "p", stages, tuple(measured))


def long_delays() -> Rate:
    """The drift of RPD on lines with p = 4 and growing τ."""
    delays = (1, 4, 16, 64)
    measured = [_line_drift(4, tau) for tau in delays]
    return Rate("E‖x^k − x̂^k‖² on a line, p = 4, γ = G = 1, d = τ", "tau", delays, tuple(measured))


def _line_drift(p: int, tau: int) -> float:
    line = alike("line", [linear(1)], 0)(p)
    return float(follow_stacked(line, tau + 1, tau, Fraction(1), "max", "double").drifts[-1])


def neighbourhood() -> Rate:
    """The gap at which RPD stays on a noisy parabola, by the stepsize."""
    inverses = (4, 16, 64)
    problem: Problem = alike("noisy parabola", NOISY, 0)(2)
    measured = []
    for inverse in inverses:
        run = follow_stacked(problem, 24 * inverse, 2, Fraction(1, inverse), "max", "double")
        measured.append(float(run.values[-1]))
    says = "E f(x^K) − f* on a noisy parabola, p = 2, d = min(2, k), K = 24/γ, along 1/γ"
    return Rate(says, "1/gamma", inverses, tuple(measured))
