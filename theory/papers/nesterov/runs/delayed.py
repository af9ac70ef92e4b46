"""Nesterov's method with a fixed delay τ, exactly: by its update, and a second time by sums.

Iteration t ≥ 1 reads ḡ_t = ∇f(y_t) at y_t = w_{t−τ} + d_{t−τ}, where d_t = γ_t(w_t − w_{t−1}) and
γ_t = (t−2)/t, and sets w_{t+1} = w_t + d_t − η(1−γ_t)ḡ_t. The start, of which the paper says
nothing, is at rest: w_k = w_1 and d_k = 0 for k ≤ 1, and γ_1 = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.falsifier.problem import Problem, Vector, square


@dataclass(frozen=True)
class Delayed:
    """Parameters of the method.

    Attributes
    ----------
    eta : Fraction
        Stepsize.
    tau : int
        Delay.
    beta : Fraction
        Smoothness constant; only Ω depends on it.
    """

    eta: Fraction
    tau: int
    beta: Fraction


@dataclass(frozen=True)
class Path:
    """A run of T iterations; entry 0 of every tuple belongs to t = 1.

    Attributes
    ----------
    points : tuple of vectors, length T + 1
        w_t.
    read : tuple of vectors, length T
        y_t.
    excess : tuple of numbers, length T
        Ω_t = t(β/2)‖Δ̄_t‖² + t(γ_t − 1)ḡ_t·Δ̄_t, where Δ̄_t = w_t + d_t − y_t.
    """

    points: tuple[Vector, ...]
    read: tuple[Vector, ...]
    excess: tuple[Any, ...]


def momentum(t: int) -> Fraction:
    """γ_t.

    Examples
    --------
    >>> [str(momentum(t)) for t in (1, 2, 3, 4)]
    ['0', '0', '1/3', '1/2']
    """
    return Fraction(max(t - 2, 0), t)


def run(problem: Problem, method: Delayed, T: int) -> Path:
    """Run T iterations by the update.

    Examples
    --------
    On a line every step is −ηG, whatever the delay:

    >>> from theory.falsifier.scalars import linear
    >>> line = Problem("line", ((linear(3),),), (Fraction(0),), (0,))
    >>> path = run(line, Delayed(Fraction(1, 2), 2, Fraction(1)), 4)
    >>> [str(w) for (w,) in path.points]
    ['0', '-3/2', '-3', '-9/2', '-6']
    """

    def number(value: Fraction) -> Any:
        return problem.point((value,))[0]

    points = [problem.point(problem.start)]
    moves = [tuple(number(Fraction(0)) for _ in problem.start)]
    read, excess = [], []
    for t in range(1, T + 1):
        gamma = momentum(t)
        w, d = points[-1], moves[-1]
        seen = max(t - method.tau, 1) - 1
        y = tuple(a + b for a, b in zip(points[seen], moves[seen], strict=True))
        slope = problem.gradient(y)
        behind = tuple(a + b - c for a, b, c in zip(w, d, y, strict=True))
        across = sum(g * b for g, b in zip(slope, behind, strict=True))
        excess.append(
            number(t * method.beta / 2) * square(behind) + number(t * (gamma - 1)) * across
        )
        step = number(-method.eta * (1 - gamma))
        after = tuple(a + b + step * g for a, b, g in zip(w, d, slope, strict=True))
        ahead = number(momentum(t + 1))
        moves.append(tuple(ahead * (b - a) for a, b in zip(w, after, strict=True)))
        points.append(after)
        read.append(y)
    return Path(tuple(points), tuple(read), tuple(excess))


def replay(problem: Problem, method: Delayed, T: int) -> Path:
    """The same without any momentum: every step is a mean of all gradients so far.

    w_2 = w_1 − ηḡ_1, and w_{t+1} − w_t = −2η/(t(t−1)) Σ_{k≤t}(k−1)ḡ_k from t = 2 on. Ω is taken
    by completing the square.

    Examples
    --------
    >>> from theory.falsifier.zoo import two_by_block
    >>> problem, method = two_by_block(2), Delayed(Fraction(1, 3), 2, Fraction(2))
    >>> replay(problem, method, 6) == run(problem, method, 6)
    True
    """
    points = [problem.point(problem.start)] * 2  # w_0 and w_1
    read, slopes, excess = [], [], []
    for t in range(1, T + 1):
        y = _ahead(problem, points, max(t - method.tau, 1))
        now = _ahead(problem, points, t)
        slopes.append(problem.gradient(y))
        read.append(y)
        excess.append(_completed(problem, method.beta, t, now, y, slopes[-1]))
        weights = (
            [Fraction(2 * (k - 1), t * (t - 1)) for k in range(1, t + 1)]
            if t > 1
            else [Fraction(1)]
        )
        step = [
            sum(
                problem.point((-method.eta * weight,))[0] * slope[j]
                for weight, slope in zip(weights, slopes, strict=True)
                if weight
            )
            for j in range(len(y))
        ]
        points.append(tuple(a + b for a, b in zip(points[-1], step, strict=True)))
    return Path(tuple(points[1:]), tuple(read), tuple(excess))


def _ahead(problem: Problem, points: list[Vector], t: int) -> Vector:
    """w_t + d_t, where entry t of the points is w_t."""
    (pull,) = problem.point((momentum(t),))
    return tuple(b + pull * (b - a) for a, b in zip(points[t - 1], points[t], strict=True))


def _completed(
    problem: Problem, beta: Fraction, t: int, now: Vector, y: Vector, slope: Vector
) -> Any:
    """Ω_t = tβ/2 · (‖Δ̄ − (1−γ)ḡ/β‖² − ‖(1−γ)ḡ/β‖²)."""
    half, share = problem.point((t * beta / 2, (1 - momentum(t)) / beta))
    pulled = [share * g for g in slope]
    moved = square(a - b - c for a, b, c in zip(now, y, pulled, strict=True))
    return half * (moved - square(pulled))
