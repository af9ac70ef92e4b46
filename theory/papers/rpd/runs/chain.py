"""RPD and NAG-RPD exactly: the distribution of the iterates, step by step.

Update k reads x̂_i = x_i^r + β(x_i^r − x_i^{r−1}) with r = k − d_i (β = 0: RPD), draws (i, m)
uniformly from p blocks and N components, and moves block i by −γ∇_i f_m(x̂). All pN outcomes of
every step are followed; pasts that agree in all that later steps can read are merged.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mpmath import iv

from theory.falsifier.problem import Problem, Vector, square
from theory.falsifier.scalars import interval
from theory.papers.rpd.runs.delays import Rule, Window, checked


@dataclass(frozen=True)
class Method:
    """Parameters of RPD and NAG-RPD.

    Attributes
    ----------
    K, tau : int
    gamma, beta : Fraction
    reads : Rule
        The delays of each update.
    """

    K: int
    tau: int
    gamma: Fraction
    beta: Fraction
    reads: Rule


@dataclass(frozen=True)
class Course:
    """Exact expectations and maxima of a run; fractions, or intervals where f is smooth.

    Attributes
    ----------
    gradients : tuple, length K
        E‖∇f(x^k)‖².
    drifts : tuple, length K
        E‖x^k − x̂^k‖².
    farthest : tuple, length K
        The largest ‖x^k − x̂^k‖² of any sampling.
    values : tuple, length K + 1, or 1
        E f(x^k); f(x⁰) alone unless more were asked for.
    block : number
        The largest ‖∇_i f_m(x̂^k)‖² of any sampling: the least valid G².
    """

    gradients: tuple[Any, ...]
    drifts: tuple[Any, ...]
    farthest: tuple[Any, ...]
    values: tuple[Any, ...]
    block: Any


def follow(problem: Problem, method: Method, values: bool = False) -> Course:
    """Follow all samplings of a run; with `values` also E f(x^k).

    Examples
    --------
    One line, one block, two updates, the newest point read one update late:

    >>> from theory.papers.rpd.runs.delays import rule
    >>> from theory.falsifier.scalars import linear
    >>> line = Problem("line", ((linear(3),),), (Fraction(0),), (0,))
    >>> method = Method(2, 1, Fraction(1, 2), Fraction(0), rule("max", line, 1))
    >>> course = follow(line, method)
    >>> course.block, course.drifts
    (Fraction(9, 1), (Fraction(0, 1), Fraction(9, 4)))
    """
    zero = problem.point((Fraction(0),))[0]
    share = problem.point((Fraction(1, problem.p * len(problem.components)),))[0]
    states: list[tuple[Window, Any]] = [((problem.point(problem.start),), zero + 1)]
    gradients, drifts, farthest, block = [], [], [], zero
    worth = [problem.value(states[0][0][-1])]
    for k in range(method.K):
        gradient, drift, most = zero, zero, zero
        following: list[tuple[Window, Any]] = []
        for past, weight in states:
            x = past[-1]
            found = checked(method.reads(k, past), k, method.tau)
            read = extrapolated(problem, past, found, method.beta)
            away = square(a - b for a, b in zip(x, read, strict=True))
            gradient += weight * square(problem.gradient(x))
            drift += weight * away
            most = larger(most, away)
            for moved, size in moves(problem, method.gamma, x, read):
                block = larger(block, size)
                if values or k + 1 < method.K:
                    kept = shortened((*past, moved), method.tau, method.beta)
                    following.append((kept, weight * share))
        gradients.append(gradient)
        drifts.append(drift)
        farthest.append(most)
        states = _merged(following) if problem.rational else following
        if values:
            worth.append(_expected(problem, states))
    return Course(tuple(gradients), tuple(drifts), tuple(farthest), tuple(worth), block)


def _expected(problem: Problem, states: list[tuple[Window, Any]]) -> Any:
    """E f(x) at the newest iterate."""
    points: dict[Vector, Any] = {}
    for past, weight in states:
        points[past[-1]] = points.get(past[-1], 0) + weight
    return sum(weight * problem.value(x) for x, weight in points.items())


def extrapolated(problem: Problem, past: Window, found: tuple[int, ...], beta: Fraction) -> Vector:
    """x̃: block i from d_i iterates back, extrapolated by β times its increment there.

    Before x⁰ there is no increment.
    """
    ahead = beta if problem.rational or not beta else interval(beta)
    point = []
    for j, block in enumerate(problem.blocks):
        place = len(past) - 1 - found[block]
        entry = past[place][j]
        if beta and place:
            entry = entry + ahead * (entry - past[place - 1][j])
        point.append(entry)
    return tuple(point)


def moves(
    problem: Problem, gamma: Fraction, x: Vector, read: Vector
) -> Iterator[tuple[Vector, Any]]:
    """Every draw's next iterate, with the squared norm of its block gradient."""
    step = problem.point((gamma,))[0]
    for m in range(len(problem.components)):
        slopes = problem.component_gradient(m, read)
        for members in problem.members:
            moved = list(x)
            for j in members:
                moved[j] = x[j] - step * slopes[j]
            yield tuple(moved), square(slopes[j] for j in members)


def shortened(past: Window, tau: int, beta: Fraction) -> Window:
    """What later updates can still read."""
    return past[-(tau + 2 if beta else tau + 1) :]


def _merged(states: list[tuple[Window, Any]]) -> list[tuple[Window, Any]]:
    weights: dict[Window, Any] = {}
    for past, weight in states:
        weights[past] = weights.get(past, 0) + weight
    return list(weights.items())


def larger(one: Any, other: Any) -> Any:
    """The maximum; of intervals, the interval of the maximum."""
    if isinstance(one, Fraction | int):
        return max(one, other)
    return iv.mpf([max(one.a, other.a), max(one.b, other.b)])
