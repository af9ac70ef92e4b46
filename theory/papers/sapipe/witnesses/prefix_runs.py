"""Exact runs of vanilla SAPipe whose first layers are stale, as the system does it."""

from collections.abc import Callable, Sequence
from fractions import Fraction

Point = tuple[Fraction, ...]
Gradient = Callable[[Point], Point]


def huber(edge: Fraction) -> Callable[[Fraction], Fraction]:
    """The derivative of Huber's function: x up to the edge, and constant beyond.

    Examples
    --------
    >>> [int(huber(Fraction(2))(Fraction(x))) for x in (-3, -1, 0, 2, 5)]
    [-2, -1, 0, 2, 2]
    """
    return lambda x: max(-edge, min(edge, x))


def run(
    gradient: Gradient, start: Point, stale: Sequence[bool], eta: Fraction, count: int
) -> list[Point]:
    """x_0, …, x_{count−1} from rest, every parameter with a fresh or with a stale gradient.

    Parameters
    ----------
    gradient : callable
        ∇F, without noise.
    start : tuple of Fraction
        x_0, and the model before it.
    stale : sequence of bool
        For every parameter, whether its gradient is one update late.
    eta : Fraction
    count : int

    Examples
    --------
    >>> runs = run(lambda x: x, (Fraction(1),), (True,), Fraction(1), 7)
    >>> [int(x) for (x,) in runs]
    [1, 0, -1, -1, 0, 1, 1]
    """
    before, points = start, [start]
    for _ in range(count - 1):
        now = points[-1]
        fresh, late = gradient(now), gradient(before)
        used = (late[j] if stale[j] else fresh[j] for j in range(len(now)))
        before = now
        points.append(tuple(x - eta * g for x, g in zip(now, used, strict=True)))
    return points


def average(gradient: Gradient, points: Sequence[Point]) -> Fraction:
    """The mean of ‖∇F‖² over points."""
    total = sum((g * g for x in points for g in gradient(x)), Fraction(0))
    return total / len(points)
