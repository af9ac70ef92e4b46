"""Twice differentiable functions of one variable with bounded gradients, exact in fractions.

Assumption 4 of SAPipe bounds the remainder of Taylor's formula and ‖∇f∇fᵀ − ∇²f‖ over all of space,
which no parabola satisfies. A `Shape` does; a `Lifted` is a multiple of one and a line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Protocol

from theory.falsifier.scalars import Exact, Piecewise, average


class Part(Protocol):
    """What a data set's function is made of, coordinate by coordinate."""

    def derivative(self, x: Any) -> Any:
        """The derivative at x."""

    def value(self, x: Any) -> Any:
        """The function at x."""

    def lipschitz(self) -> Fraction:
        """The least Lipschitz constant of the derivative."""

    def minimum(self) -> Fraction | None:
        """The least value, or None if there is none or it is not known."""


@dataclass(frozen=True)
class Shape:
    """An even function with its minimum, 0, at 0.

    Attributes
    ----------
    kind : str
        ``rounded``: curvature 1 up to `width` from 0, then falling linearly to 0 over `fall`.
        ``bell``: x²/(1+x²), not convex.
    width, fall : Fraction
        Of a rounded one.
    """

    kind: Literal["rounded", "bell"]
    width: Fraction = Fraction(0)
    fall: Fraction = Fraction(1)

    def derivative(self, x: Fraction) -> Fraction:
        """The derivative at x.

        Examples
        --------
        >>> rounded = Shape("rounded", Fraction(1), Fraction(2))
        >>> [str(rounded.derivative(Fraction(x))) for x in (-1, 2, 3, 9)]
        ['-1', '7/4', '2', '2']
        """
        if self.kind == "bell":
            return 2 * x / (1 + x * x) ** 2
        size = abs(x)
        if size <= self.width:
            return x
        beyond = min(size - self.width, self.fall)
        slope = self.width + beyond - beyond * beyond / (2 * self.fall)
        return slope if x > 0 else -slope

    def value(self, x: Fraction) -> Fraction:
        """The function at x."""
        if self.kind == "bell":
            return x * x / (1 + x * x)
        size = abs(x)
        inner = min(size, self.width)
        beyond = min(size - inner, self.fall)
        falling = beyond * beyond / 2 - beyond**3 / (6 * self.fall)
        flat = size - inner - beyond
        steep = self.width + self.fall / 2
        return inner * inner / 2 + self.width * beyond + falling + steep * flat

    @property
    def curvatures(self) -> tuple[Fraction, Fraction]:
        """The least and the greatest second derivative."""
        return (Fraction(-1, 2), Fraction(2)) if self.kind == "bell" else (Fraction(0), Fraction(1))

    @property
    def remainder(self) -> Fraction:
        """A bound on half of the third derivative; of a rounded function the least one."""
        return Fraction(47, 20) if self.kind == "bell" else 1 / (2 * self.fall)

    @property
    def steepest(self) -> Fraction:
        """A bound on the derivative; of a rounded function the least one."""
        return Fraction(13, 20) if self.kind == "bell" else self.width + self.fall / 2


@dataclass(frozen=True)
class Lifted:
    """``factor · shape(x − centre) + tilt · x``."""

    shape: Shape
    factor: Fraction = Fraction(1)
    tilt: Fraction = Fraction(0)
    centre: Fraction = Fraction(0)

    def derivative(self, x: Fraction) -> Fraction:
        """The derivative at x."""
        return self.factor * self.shape.derivative(x - self.centre) + self.tilt

    def value(self, x: Fraction) -> Fraction:
        """The function at x."""
        return self.factor * self.shape.value(x - self.centre) + self.tilt * x

    def lipschitz(self) -> Fraction:
        """The least Lipschitz constant of the derivative."""
        return max(abs(bend) for bend in self.curvatures)

    def minimum(self) -> Fraction | None:
        """0 without a tilt, if the factor is not negative; else it is not known."""
        return None if self.tilt or self.factor < 0 else Fraction(0)

    @property
    def curvatures(self) -> tuple[Fraction, Fraction]:
        """The least and the greatest second derivative."""
        low, high = sorted(self.factor * bend for bend in self.shape.curvatures)
        return low, high

    @property
    def remainder(self) -> Fraction:
        """A bound on half of the third derivative."""
        return abs(self.factor) * self.shape.remainder

    @property
    def steepest(self) -> Fraction:
        """A bound on the derivative."""
        return abs(self.factor) * self.shape.steepest + abs(self.tilt)


def rounded(
    width: Exact, fall: Exact, factor: Exact = 1, tilt: Exact = 0, centre: Exact = 0
) -> Lifted:
    """A parabola up to `width` from its centre that goes over into lines within `fall`."""
    shape = Shape("rounded", Fraction(width), Fraction(fall))
    return Lifted(shape, Fraction(factor), Fraction(tilt), Fraction(centre))


def bell(factor: Exact = 1, tilt: Exact = 0) -> Lifted:
    """``factor · x²/(1+x²) + tilt · x``.

    Examples
    --------
    >>> str(bell().derivative(Fraction(1))), bell().curvatures[1]
    ('1/2', Fraction(2, 1))
    """
    return Lifted(Shape("bell"), Fraction(factor), Fraction(tilt))


def mean_part(parts: Sequence[Part]) -> Part | None:
    """The mean of functions, or None where it has no name here.

    Examples
    --------
    >>> mean_part([rounded(1, 1, tilt=-1), rounded(1, 1, factor=2, tilt=1)]).factor
    Fraction(3, 2)
    """
    pieces = [part for part in parts if isinstance(part, Piecewise)]
    if len(pieces) == len(parts):
        return average(pieces)
    lifted = [part for part in parts if isinstance(part, Lifted)]
    first = lifted[0] if lifted else None
    same = len(lifted) == len(parts) and {(p.shape, p.centre) for p in lifted}
    if first is None or not same or len(same) > 1:
        return None
    factor = sum((part.factor for part in lifted), Fraction(0)) / len(lifted)
    tilt = sum((part.tilt for part in lifted), Fraction(0)) / len(lifted)
    return Lifted(first.shape, factor, tilt, first.centre)
