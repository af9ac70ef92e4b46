"""Constants of objectives on a line that are given piece by piece: checked exactly, on every piece.

Problem: L, M, Δ and the largest slope of a witness are read off a formula; here they are shown. On
a piece slope and curvature are polynomials in a coordinate, which is x itself or, where that is
simpler, the slope or tanh x. Pieces have to fit together, so that the whole is twice
differentiable. The objective is even, and goes on as a line where its last piece ends.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import sympy

from theory.account import Compared, Ground
from theory.kernel import le
from theory.kernel.signs import nonnegative
from theory.kernel.vectors import Scalar
from theory.smt.solver import Outcome

u = sympy.Symbol("u", nonnegative=True)
"""The coordinate of a piece."""


@dataclass(frozen=True)
class Piece:
    """A stretch of an objective.

    Attributes
    ----------
    slope, curvature : sympy expression
        f′ and f″, as polynomials in `u`.
    first, last : Fraction
        Between which `u` lies.
    speed : sympy expression
        By how much `u` changes with x; 1 if it is x but for a shift.
    """

    slope: Scalar
    curvature: Scalar
    first: Fraction
    last: Fraction
    speed: Scalar = sympy.S.One

    def along(self, form: Scalar) -> Scalar:
        """The derivative by x of a formula in `u`."""
        return sympy.expand(self.speed * sympy.diff(form, u))

    def at(self, place: Fraction) -> tuple[Scalar, Scalar]:
        """Slope and curvature there."""
        return tuple(sympy.sympify(form).subs(u, exact(place)) for form in self._both)

    @property
    def consistent(self) -> bool:
        """Whether the curvature is the derivative of the slope."""
        return bool(sympy.expand(self.along(self.slope) - self.curvature) == 0)

    def never_below(self, form: Scalar) -> Outcome:
        """Whether a formula in `u` is at least 0 on the piece."""
        inside = (le(exact(self.first), u), le(u, exact(self.last)))
        return nonnegative(sympy.sympify(form), inside)

    @property
    def _both(self) -> tuple[Scalar, Scalar]:
        return self.slope, self.curvature


@dataclass(frozen=True)
class Constants:
    """What is claimed of an objective.

    Attributes
    ----------
    smoothness : Fraction
        L, an upper bound of f″, which is at least 0.
    remainder : Fraction
        M, half an upper bound of |f‴|.
    steepest : Fraction
        An upper bound of |f′|.
    apart : Fraction, optional
        Δ, an upper bound of |weight·f′² − f″|.
    weight : Fraction
    """

    smoothness: Fraction
    remainder: Fraction
    steepest: Fraction
    apart: Fraction | None = None
    weight: Fraction = Fraction(1)

    def gaps(self, piece: Piece) -> Iterator[Scalar]:
        """What has to be at least 0 on a piece."""
        change = piece.along(piece.curvature)
        yield piece.curvature
        yield exact(self.smoothness) - piece.curvature
        yield 2 * exact(self.remainder) - change
        yield 2 * exact(self.remainder) + change
        yield exact(self.steepest) - piece.slope
        if self.apart is not None:
            misfit = exact(self.weight) * piece.slope**2 - piece.curvature
            yield exact(self.apart) - misfit
            yield exact(self.apart) + misfit


def exact(number: Fraction) -> Scalar:
    """A fraction as a number of sympy's."""
    return sympy.Rational(number.numerator, number.denominator)


def shown(pieces: Sequence[Piece], constants: Constants) -> Iterator[Ground]:
    """Why the constants hold on all of the line.

    Examples
    --------
    >>> from theory.judging.decide import proves
    >>> half = Fraction(1, 2)
    >>> cap = (
    ...     Piece(u, sympy.S.One, Fraction(0), half),
    ...     Piece(half + u - u**2, 1 - 2 * u, Fraction(0), half),
    ... )
    >>> constants = Constants(Fraction(1), Fraction(1), Fraction(3, 4))
    >>> proves(*shown(cap, constants)), proves(*shown(cap[:1], constants))
    (True, False)
    """
    held = _starts_and_ends(pieces) and all(_follows(*two) for two in pairwise(pieces))
    held = held and all(piece.consistent for piece in pieces)
    yield Compared("pieces make one function, twice differentiable", __name__, held)
    for piece in pieces:
        yield from map(piece.never_below, constants.gaps(piece))


def _starts_and_ends(pieces: Sequence[Piece]) -> bool:
    """Even and smooth at 0, where the slope is 0; a line from the last place on."""
    slope, _ = pieces[0].at(pieces[0].first)
    _, curvature = pieces[-1].at(pieces[-1].last)
    return bool(slope == 0 and curvature == 0)


def _follows(one: Piece, other: Piece) -> bool:
    return one.at(one.last) == other.at(other.first)
