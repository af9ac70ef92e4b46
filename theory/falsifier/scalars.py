"""Functions of one real variable with exactly known constants: the bricks of the zoo.

A `Piecewise` has a continuous, piecewise linear derivative, so that rational points have rational
gradients: lines, parabolas, Huber's function and its kin, and nonconvex waves. A `Smooth` is
log-cosh or √(1+x²), evaluated in intervals.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from mpmath import iv


@dataclass(frozen=True)
class Piecewise:
    """A scalar function, by its derivative.

    Attributes
    ----------
    knots : tuple of Fraction
        Where the derivative bends; rising, at least one.
    values : tuple of Fraction
        The derivative there.
    left, right : Fraction
        Its slopes before the first and after the last knot.
    """

    knots: tuple[Fraction, ...]
    values: tuple[Fraction, ...]
    left: Fraction = Fraction(0)
    right: Fraction = Fraction(0)

    def derivative(self, x: Fraction) -> Fraction:
        """The derivative at x.

        Examples
        --------
        >>> huber(1, 2).derivative(Fraction(1)), huber(1, 2).derivative(Fraction(-5))
        (Fraction(1, 1), Fraction(-2, 1))
        """
        knots, values = self.knots, self.values
        place = bisect_left(knots, x)
        if place == 0:
            return values[0] + self.left * (x - knots[0]) if self.left else values[0]
        if place == len(knots):
            return values[-1] + self.right * (x - knots[-1]) if self.right else values[-1]
        return values[place] + self._slope(place) * (x - knots[place])

    def value(self, x: Fraction) -> Fraction:
        """The function at x; it is zero at the first knot."""
        place = bisect_left(self.knots, x)
        if place == 0:
            return _area(self.values[0], self.left, x - self.knots[0])
        whole = sum((self._trapezium(k) for k in range(1, place)), Fraction(0))
        if place == len(self.knots):
            return whole + _area(self.values[-1], self.right, x - self.knots[-1])
        start = self.knots[place - 1]
        return whole + _area(self.values[place - 1], self._slope(place), x - start)

    def lipschitz(self) -> Fraction:
        """The least Lipschitz constant of the derivative."""
        return max(abs(slope) for slope in self.slopes())

    def minimum(self) -> Fraction | None:
        """The least value, or None if there is none.

        Examples
        --------
        >>> quadratic(2, centre=1).minimum(), linear(1).minimum()
        (Fraction(0, 1), None)
        """
        falls_left = self.left < 0 or (self.left == 0 and self.values[0] > 0)
        falls_right = self.right < 0 or (self.right == 0 and self.values[-1] < 0)
        if falls_left or falls_right:
            return None
        return min(self.value(x) for x in (*self.knots, *self.zeros()))

    def pl(self) -> Fraction:
        """The greatest μ with f'(x)² ≥ 2μ(f(x) − f*) for all x; 0 if there is none.

        On a piece f'² / 2(f − f*) is monotone in f'², so that its ends decide; on one with the
        minimum it is the slope.

        Examples
        --------
        >>> quadratic(3).pl(), huber(1, 1).pl(), bent(1, 3, 1).pl()
        (Fraction(3, 1), Fraction(0, 1), Fraction(1, 1))
        """
        least = self.minimum()
        if least is None:
            return Fraction(0)
        found = [slope for slope in (self.left, self.right) if slope]
        if len(found) < 2:
            return Fraction(0)
        for x, g in zip(self.knots, self.values, strict=True):
            gap = self.value(x) - least
            if gap > 0:
                found.append(g * g / (2 * gap))
        if any(self.value(x) > least for x in self.zeros()):
            return Fraction(0)
        return min(found)

    def _slope(self, place: int) -> Fraction:
        rise = self.values[place] - self.values[place - 1]
        return rise / (self.knots[place] - self.knots[place - 1])

    def slopes(self) -> tuple[Fraction, ...]:
        """Of the derivative, from left to right."""
        inner = (self._slope(place) for place in range(1, len(self.knots)))
        return (self.left, *inner, self.right)

    def _trapezium(self, place: int) -> Fraction:
        width = self.knots[place] - self.knots[place - 1]
        return width * (self.values[place] + self.values[place - 1]) / 2

    def zeros(self) -> Iterator[Fraction]:
        """Zeros of the derivative, on pieces where it is not constant."""
        ends = [None, *self.knots, None]
        for place, slope in enumerate(self.slopes()):
            if not slope:
                continue
            anchor = max(place - 1, 0)
            x = self.knots[anchor] - self.values[anchor] / slope
            low, high = ends[place], ends[place + 1]
            if (low is None or low <= x) and (high is None or x <= high):
                yield x


def _area(value: Fraction, slope: Fraction, width: Fraction) -> Fraction:
    return value * width + slope * width * width / 2


@dataclass(frozen=True)
class Smooth:
    """``log cosh x`` or ``√(1+x²)``, plus a line; evaluated in intervals, L = 1.

    Attributes
    ----------
    kind : str
    tilt : Fraction
        Slope of the line.
    """

    kind: Literal["log-cosh", "root"]
    tilt: Fraction = Fraction(0)

    def derivative(self, x: Any) -> Any:
        """The derivative over the interval x."""
        return self._bend(x) + interval(self.tilt)

    def value(self, x: Any) -> Any:
        """The function over the interval x, without its least value where the tilt is 0."""
        if self.kind == "log-cosh":
            return iv.log((iv.exp(x) + iv.exp(-x)) / 2) + interval(self.tilt) * x
        return iv.sqrt(1 + x * x) - 1 + interval(self.tilt) * x

    def lipschitz(self) -> Fraction:
        """The least Lipschitz constant of the derivative."""
        return Fraction(1)

    def minimum(self) -> Fraction | None:
        """0 without a tilt; unknown with one."""
        return None if self.tilt else Fraction(0)

    def pl(self) -> Fraction:
        """0: the gradient is bounded while the function is not."""
        return Fraction(0)

    def _bend(self, x: Any) -> Any:
        if self.kind == "root":
            return x / iv.sqrt(1 + x * x)
        # tanh rises, so that its ends enclose it: 1 − 2/(1 + e^{2x})
        return 1 - 2 / (1 + iv.exp(2 * x))


Scalar = Piecewise | Smooth


def interval(value: Fraction) -> Any:
    """The interval that holds a fraction."""
    return iv.mpf(value.numerator) / iv.mpf(value.denominator)


def average(parts: Sequence[Scalar]) -> Scalar:
    """The mean of functions of one kind.

    Examples
    --------
    >>> average([linear(1), linear(3)]) == linear(2)
    True
    """
    first = parts[0]
    if isinstance(first, Smooth):
        smooth = [part for part in parts if isinstance(part, Smooth) and part.kind == first.kind]
        assert len(smooth) == len(parts), "the zoo does not mix kinds"
        return Smooth(first.kind, _mean([part.tilt for part in smooth]))
    pieces = [part for part in parts if isinstance(part, Piecewise)]
    assert len(pieces) == len(parts), "the zoo does not mix kinds"
    knots = tuple(sorted({knot for part in pieces for knot in part.knots}))
    return Piecewise(
        knots,
        tuple(_mean([part.derivative(x) for part in pieces]) for x in knots),
        _mean([part.left for part in pieces]),
        _mean([part.right for part in pieces]),
    )


def greatest_square(parts: Sequence[Scalar], about: Scalar | None = None) -> Fraction | None:
    """The supremum over x of the mean of (f_m'(x) − about'(x))²; None if it is infinite.

    Between two knots it is a convex parabola, so that the knots decide.

    Examples
    --------
    >>> greatest_square([huber(1, 2)]), greatest_square([quadratic(1)])
    (Fraction(4, 1), None)
    >>> pair = [quadratic(1, tilt=b) for b in (-3, 3)]
    >>> greatest_square(pair, average(pair))
    Fraction(9, 1)
    """
    centre = linear(0) if about is None else about
    pieces = [part for part in (*parts, centre) if isinstance(part, Piecewise)]
    if len(pieces) <= len(parts):
        return None
    *of, middle = pieces
    if any(part.left != middle.left or part.right != middle.right for part in of):
        return None
    knots = {knot for part in pieces for knot in part.knots}
    return max(_mean([(f.derivative(x) - middle.derivative(x)) ** 2 for f in of]) for x in knots)


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


Exact = int | Fraction


def linear(slope: Exact) -> Piecewise:
    """``slope · x``."""
    return Piecewise((Fraction(0),), (Fraction(slope),))


def quadratic(curvature: Exact, centre: Exact = 0, tilt: Exact = 0) -> Piecewise:
    """``½ curvature (x − centre)² + tilt · x``."""
    bend = Fraction(curvature)
    return Piecewise((Fraction(centre),), (Fraction(tilt),), bend, bend)


def huber(curvature: Exact, width: Exact, centre: Exact = 0, tilt: Exact = 0) -> Piecewise:
    """Huber's function: a parabola up to `width` from the centre, lines beyond."""
    return asymmetric_huber(curvature, width, width, centre, tilt)


def asymmetric_huber(
    curvature: Exact, below: Exact, above: Exact, centre: Exact = 0, tilt: Exact = 0
) -> Piecewise:
    """Huber's function with different widths on its two sides."""
    L, c, b = Fraction(curvature), Fraction(centre), Fraction(tilt)
    return Piecewise((c - below, c + above), (b - L * below, b + L * above))


def bent(inner: Exact, outer: Exact, width: Exact) -> Piecewise:
    """A parabola of one curvature up to `width` from 0 and of another beyond."""
    a, w = Fraction(inner), Fraction(width)
    return Piecewise((-w, w), (-a * w, a * w), Fraction(outer), Fraction(outer))


def wave(curvature: Exact, period: Exact, teeth: int) -> Piecewise:
    """A nonconvex wave: the derivative is a triangle wave inside a box, and rises outside.

    Examples
    --------
    >>> wave(1, 4, 1).minimum(), wave(1, 4, 1).lipschitz()
    (Fraction(0, 1), Fraction(1, 1))
    """
    L, quarter = Fraction(curvature), Fraction(period) / 4
    count = 4 * teeth
    knots = tuple(quarter * (k - count // 2) for k in range(count + 1))
    heights = (0, 1, 0, -1)
    values = tuple(L * quarter * heights[k % 4] for k in range(count + 1))
    return Piecewise(knots, values, L, L)
