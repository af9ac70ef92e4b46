"""LocalSGD exactly: the joint distribution of all replicas, step by step.

N replicas take T local steps x_n ← x_n − γ∇F_n(x_n; ξ_n), each with its own uniform draw ξ_n among
the components of its share of the problem; after every H steps all become their mean. Replica n
owns the n-th of N equal runs of components, so that equal data are repeated components.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from theory.falsifier.problem import Problem, Vector, square
from theory.falsifier.scalars import average, greatest_square


@dataclass(frozen=True)
class Local:
    """Parameters of LocalSGD: replicas, local steps in all, period, stepsize."""

    N: int
    T: int
    H: int
    gamma: Fraction


@dataclass(frozen=True)
class LocalCourse:
    """Exact expectations of a run.

    Attributes
    ----------
    gradients : tuple, length T
        E‖∇f(x̄^t)‖².
    drifts : tuple, length T
        E (1/N) Σ_n ‖x_n^t − x̄^t‖².
    """

    gradients: tuple[Any, ...]
    drifts: tuple[Any, ...]


def follow_replicas(problem: Problem, method: Local) -> LocalCourse:
    """Follow all samplings of a run.

    Examples
    --------
    Two replicas on opposite slopes drift apart until they are averaged:

    >>> from theory.falsifier.scalars import linear
    >>> apart = Problem("apart", ((linear(1),), (linear(-1),)), (Fraction(0),), (0,))
    >>> follow_replicas(apart, Local(2, 4, 3, Fraction(1))).drifts == (0, 1, 4, 0)
    True
    """
    states: dict[tuple[Vector, ...], Fraction] = {(problem.start,) * method.N: Fraction(1)}
    gradients, drifts = [], []
    for t in range(method.T):
        gradient = drift = Fraction(0)
        following: dict[tuple[Vector, ...], Fraction] = {}
        for points, weight in states.items():
            middle = mean_point(points)
            gradient += weight * square(problem.gradient(middle))
            away = sum(square(a - b for a, b in zip(x, middle, strict=True)) for x in points)
            drift += weight * away / method.N
            outcomes = list(_outcomes(problem, method, points))
            for moved in outcomes:
                after = (mean_point(moved),) * method.N if (t + 1) % method.H == 0 else moved
                following[after] = following.get(after, Fraction(0)) + weight / len(outcomes)
        gradients.append(gradient)
        drifts.append(drift)
        states = following
    return LocalCourse(tuple(gradients), tuple(drifts))


def shares(problem: Problem, N: int) -> list[range]:
    """The components of each replica."""
    each = len(problem.components) // N
    return [range(n * each, (n + 1) * each) for n in range(N)]


def noise(problem: Problem, N: int) -> tuple[Fraction | None, Fraction | None]:
    """The least valid σ² and G̃²: suprema over all points, of the worst replica.

    None where a supremum is infinite. Coordinates are separate, so suprema add up.
    """
    variances: list[Fraction | None] = []
    moments: list[Fraction | None] = []
    for share in shares(problem, N):
        columns = list(zip(*(problem.components[m] for m in share), strict=True))
        variances.append(_total([greatest_square(part, average(part)) for part in columns]))
        moments.append(_total([greatest_square(part) for part in columns]))
    return _greatest(variances), None if problem.coupling else _greatest(moments)


def mean_point(points: tuple[Vector, ...]) -> Vector:
    """x̄."""
    return tuple(sum(column) / len(points) for column in zip(*points, strict=True))


def _outcomes(
    problem: Problem, method: Local, points: tuple[Vector, ...]
) -> Iterator[tuple[Vector, ...]]:
    steps = [
        [_step(problem, method.gamma, m, x) for m in share]
        for share, x in zip(shares(problem, method.N), points, strict=True)
    ]
    return product(*steps)


def _step(problem: Problem, gamma: Fraction, m: int, x: Vector) -> Vector:
    slopes = problem.component_gradient(m, x)
    return tuple(entry - gamma * slope for entry, slope in zip(x, slopes, strict=True))


def _total(parts: list[Fraction | None]) -> Fraction | None:
    known = [part for part in parts if part is not None]
    return sum(known, Fraction(0)) if len(known) == len(parts) else None


def _greatest(parts: list[Fraction | None]) -> Fraction | None:
    known = [part for part in parts if part is not None]
    return max(known) if len(known) == len(parts) else None
