"""What theorems about convex functions name, exactly: the nearest minimizer, the steepest slope."""

from __future__ import annotations

from fractions import Fraction

from theory.falsifier.problem import Problem
from theory.falsifier.scalars import Piecewise, Scalar


def convex(problem: Problem) -> bool:
    """Whether f is a separable convex function.

    Examples
    --------
    >>> from theory.falsifier.zoo import BOUNDED, two_by_block
    >>> convex(two_by_block(1)), convex(BOUNDED[4](1))
    (True, False)
    """
    return not problem.coupling and all(map(_rising, problem.mean))


def nearest_minimizer(problem: Problem) -> tuple[Fraction, ...] | None:
    """The minimizer of a separable convex f that is nearest to the start, or None.

    There is none also where it is not known exactly.

    Examples
    --------
    >>> from theory.falsifier.zoo import LINES, two_by_block
    >>> nearest_minimizer(two_by_block(1)), nearest_minimizer(LINES[0](1))
    ((Fraction(0, 1), Fraction(0, 1)), None)
    """
    found = [_nearest_zero(f, x) for f, x in zip(problem.mean, problem.start, strict=True)]
    known = tuple(x for x in found if x is not None)
    return known if len(known) == len(found) else None


def steepest(problem: Problem) -> Fraction | None:
    """The supremum of ‖∇f‖² of a separable convex f over all points; None if it is infinite.

    Examples
    --------
    >>> from theory.falsifier.zoo import BOUNDED, QUADRATICS
    >>> steepest(BOUNDED[0](2)), steepest(QUADRATICS[0](1))
    (Fraction(2, 1), None)
    """
    slopes = [_steepest(part) for part in problem.mean]
    known = [slope for slope in slopes if slope is not None]
    if len(known) < len(slopes):
        return None
    return sum((slope**2 for slope in known), Fraction(0))


def _rising(part: Scalar) -> bool:
    if not isinstance(part, Piecewise):
        return True
    outside = min(part.left, part.right)
    return outside >= 0 and list(part.values) == sorted(part.values)


def _nearest_zero(part: Scalar, x: Fraction) -> Fraction | None:
    if not isinstance(part, Piecewise):
        return None if part.tilt else Fraction(0)
    if part.derivative(x) == 0:
        return x
    level = [knot for knot, value in zip(part.knots, part.values, strict=True) if not value]
    return min((*level, *part.zeros()), key=lambda zero: abs(zero - x), default=None)


def _steepest(part: Scalar) -> Fraction | None:
    if not isinstance(part, Piecewise):
        return 1 + abs(part.tilt)  # the derivatives of log-cosh and of the root tend to ±1
    if part.left or part.right:
        return None
    return max(abs(value) for value in part.values)
