"""RPD without delays on separable parabolas, by recursions on E x_j and E x_j².

Nothing is enumerated, so that runs may be long and blocks many. Coordinate j is updated with
probability 1/p: x_j ← x_j − γ(a_mj x_j + b_mj), m uniform. The largest block gradient of any
sampling is exact too: an affine map takes the ends of the reachable interval to its new ends.
"""

from collections.abc import Sequence
from fractions import Fraction

from theory.falsifier.errors import RejectedInstanceError
from theory.falsifier.problem import Problem
from theory.falsifier.scalars import Scalar
from theory.papers.rpd.runs.chain import Course, Method

Affine = tuple[Fraction, Fraction]
"""A derivative a·x + b, as (a, b)."""


def follow_moments(problem: Problem, method: Method, values: bool = False) -> Course:
    """The course of a run without delays.

    Raises
    ------
    RejectedInstanceError
        The functions are not separable parabolas, a block has several coordinates, or blocks are
        delayed or extrapolated.

    Examples
    --------
    >>> from theory.papers.rpd.runs.chain import follow
    >>> from theory.papers.rpd.runs.delays import rule
    >>> from theory.falsifier.scalars import quadratic
    >>> noisy = tuple((quadratic(1, tilt=b), quadratic(2, tilt=b)) for b in (-1, 2))
    >>> problem = Problem("noisy", noisy, (Fraction(1), Fraction(0)), (0, 1))
    >>> method = Method(3, 0, Fraction(1, 2), Fraction(0), rule("zero", problem, 0))
    >>> follow_moments(problem, method) == follow(problem, method)
    True
    """
    if method.tau or method.beta or problem.coupling or len(problem.start) != problem.p:
        raise RejectedInstanceError(
            "moment recursions need τ = β = 0 and separate coordinates, one a block",
            "falsifier",
            "take the engine `tree`",
        )
    known: dict[tuple[tuple[Affine, ...], Fraction], Course] = {}
    columns = []
    for column, start in zip(zip(*problem.components, strict=True), problem.start, strict=True):
        key = tuple(affine(part) for part in column), start
        if key not in known:
            known[key] = _coordinate(*key, method, problem.p)
        columns.append(known[key])
    constant = sum((part.value(Fraction(0)) for part in problem.mean), Fraction(0))
    worth = [constant + sum(entry) for entry in zip(*(c.values for c in columns), strict=True)]
    zeros = (Fraction(0),) * method.K
    return Course(
        tuple(sum(entry) for entry in zip(*(c.gradients for c in columns), strict=True)),
        zeros,
        zeros,
        tuple(worth if values else worth[:1]),
        max(c.block for c in columns),
    )


def affine(part: Scalar, around: Fraction = Fraction(0)) -> Affine:
    """The derivative of a parabola.

    Raises
    ------
    RejectedInstanceError
        The function is not one.
    """
    bend = getattr(part, "left", None)
    if bend is None or part.lipschitz() != abs(bend) or bend != getattr(part, "right", None):
        raise RejectedInstanceError("not a parabola", "falsifier", "take the engine `tree`")
    return bend, part.derivative(around) - bend * around


def _coordinate(slopes: Sequence[Affine], start: Fraction, method: Method, p: int) -> Course:
    count, gamma = len(slopes), method.gamma
    products = [(m, c, m * m, m * c, c * c) for m, c in slopes]
    a, b, aa, ab, bb = (sum(column, Fraction(0)) / count for column in zip(*products, strict=True))
    first, second, low, high, block = start, start * start, start, start, Fraction(0)
    gradients, values = [], [a * second / 2 + b * first]
    for _ in range(method.K):
        gradients.append(a * a * second + 2 * a * b * first + b * b)
        ends = [m * x + c for m, c in slopes for x in (low, high)]
        block = max(block, *(end * end for end in ends))
        moved = [x - gamma * (m * x + c) for m, c in slopes for x in (low, high)]
        low, high = min(moved), max(moved)
        pushed = gamma * gamma * (aa * second + 2 * ab * first + bb)
        second += (pushed - 2 * gamma * (a * second + b * first)) / p
        first -= gamma * (a * first + b) / p
        values.append(a * second / 2 + b * first)
    return Course(tuple(gradients), (), (), tuple(values), block)
