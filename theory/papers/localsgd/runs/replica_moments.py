"""LocalSGD with equal data and additive noise: long runs by geometric sums.

All replicas have the gradient a·x + b + noise, so that the mean moves by itself: with r = 1 − γa
and the noise's variance s, E(x̄^t − x*)² = r^{2t}(x⁰ − x*)² + γ²(s/N) Σ_{i<t} r^{2i}, whatever H;
and h steps after an average the replicas have the spread γ²s(1 − 1/N) Σ_{i<h} r^{2i}. Huber
functions count as parabolas where no sampling leaves their inner part, which is checked; they have
the bounded second moments that the theorem assumes.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from theory.falsifier.errors import RejectedInstanceError
from theory.falsifier.problem import Problem
from theory.falsifier.scalars import Piecewise, Scalar
from theory.papers.localsgd.runs.replicas import Local, LocalCourse, shares


@dataclass(frozen=True)
class Totals:
    """What theorems bound: (1/T) Σ_t E‖∇f(x̄^t)‖² and max_t E (1/N) Σ_n ‖x_n^t − x̄^t‖²."""

    gradient: Fraction
    drift: Fraction


@dataclass(frozen=True)
class Noisy:
    """One coordinate: slope a, start less the zero of the mean gradient, variance of the noise."""

    a: Fraction
    distance: Fraction
    variance: Fraction


def totals(course: LocalCourse) -> Totals:
    """Of a run that was followed step by step."""
    gradients = sum(course.gradients, Fraction(0))
    return Totals(gradients / len(course.gradients), max(course.drifts))


def geometric_totals(problem: Problem, method: Local) -> Totals:
    """The totals of a run in closed form.

    Raises
    ------
    RejectedInstanceError
        The replicas have different data or no common parabola, or a sampling leaves it.

    Examples
    --------
    >>> from theory.papers.localsgd.runs.replicas import follow_replicas
    >>> from theory.falsifier.scalars import huber
    >>> noisy = tuple((huber(1, 4, tilt=b),) for b in (-1, 1, -1, 1))
    >>> problem = Problem("noisy", noisy, (Fraction(1),), (0,))
    >>> method = Local(2, 3, 2, Fraction(1, 2))
    >>> geometric_totals(problem, method) == totals(follow_replicas(problem, method))
    True
    """
    N, T, gamma = method.N, method.T, method.gamma
    gradient = drift = Fraction(0)
    for one in noisy_coordinates(problem, method):
        q = (1 - gamma * one.a) ** 2
        powers = _geometric(q, T)  # Σ_{t<T} q^t
        # Σ_{t<T} Σ_{i<t} q^i
        nested = Fraction(T * (T - 1), 2) if q == 1 else (T - powers) / (1 - q)
        pushed = gamma**2 * one.variance
        gradient += one.a**2 * (powers * one.distance**2 + pushed / N * nested) / T
        drift += pushed * (1 - Fraction(1, N)) * _geometric(q, min(method.H, T) - 1)
    return Totals(gradient, drift)


def unrolled_totals(problem: Problem, method: Local) -> Totals:
    """The same by the recursion, step by step, on integers over a growing power of one number."""
    N, T, gamma = method.N, method.T, method.gamma
    gradient = drift = Fraction(0)
    for one in noisy_coordinates(problem, method):
        q, pushed = (1 - gamma * one.a) ** 2, gamma**2 * one.variance
        start = one.distance**2
        base = lcm(q.denominator, (pushed / N).denominator, start.denominator)
        keep, push = int(q * base), int(pushed / N * base)
        middle, scale, total = int(start * base), base, 0
        spread = Fraction(0)
        for t in range(T):
            total = total * base + middle
            middle, scale = keep * middle + push * scale, scale * base
            if t < min(method.H, T) - 1:
                spread = q * spread + pushed * (1 - Fraction(1, N))
        gradient += one.a**2 * Fraction(total * base, scale * T)
        drift += spread
    return Totals(gradient, drift)


def noisy_coordinates(problem: Problem, method: Local) -> list[Noisy]:
    """Every coordinate, after the checks."""
    first, *others = (problem.components[s.start : s.stop] for s in shares(problem, method.N))
    if problem.coupling or any(other != first for other in others):
        raise RejectedInstanceError(
            "geometric sums need equal data and separate coordinates",
            "falsifier",
            "take the engine `tree`",
        )
    return [
        _coordinate(column, start, method)
        for column, start in zip(zip(*first, strict=True), problem.start, strict=True)
    ]


def _coordinate(parts: tuple[Scalar, ...], start: Fraction, method: Local) -> Noisy:
    inner = [_inner(part) for part in parts]
    (a, *rest), tilts = zip(*((bend, tilt) for bend, tilt, _, _ in inner), strict=True)
    low = max((low for _, _, low, _ in inner if low is not None), default=None)
    high = min((high for _, _, _, high in inner if high is not None), default=None)
    middle = sum(tilts, Fraction(0)) / len(tilts)
    centre = -middle / a if a else start
    # With 0 ≤ r ≤ 1 a sampling stays between the start and the farthest centre of a component.
    reach = [start, *(-tilt / a for tilt in tilts)] if a else [None]
    inside = all(
        x is not None and (low is None or low <= x) and (high is None or x <= high) for x in reach
    )
    if any(bend != a for bend in rest) or not 0 < method.gamma * a <= 1 or not inside:
        raise RejectedInstanceError(
            "a sampling may leave the common parabola, or there is none",
            "falsifier",
            "take γa ≤ 1, a start and centres inside, or the engine `tree`",
        )
    variance = sum(((tilt - middle) ** 2 for tilt in tilts), Fraction(0)) / len(tilts)
    return Noisy(a, start - centre, variance)


def _inner(part: Scalar) -> tuple[Fraction, Fraction, Fraction | None, Fraction | None]:
    """Slope and tilt of the derivative on the inner interval, and its ends."""
    if isinstance(part, Piecewise) and len(part.knots) == 2:
        (low, high), (start, end) = part.knots, part.values
        bend = (end - start) / (high - low)
        return bend, start - bend * low, low, high
    if isinstance(part, Piecewise) and len(part.knots) == 1 and part.left == part.right:
        return part.left, part.values[0] - part.left * part.knots[0], None, None
    raise RejectedInstanceError("no parabola", "falsifier", "take the engine `tree`")


def _geometric(q: Fraction, terms: int) -> Fraction:
    """Σ_{i<terms} q^i."""
    return Fraction(terms) if q == 1 else (1 - q**terms) / (1 - q)
