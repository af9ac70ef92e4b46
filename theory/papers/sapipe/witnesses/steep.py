"""An objective whose curvature exceeds its Δ: −ln cos x, continued so that it ends as a line.

With u = tan x the slope is u and the curvature 1 + u², so that f″ − f′² = 1 up to u = v. From there
on the curvature falls at a constant rate until it is 0, and the slope stays at or below 1: Δ = 1 on
the whole line, and the least L is 1 + v².
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from theory.account import Ground
from theory.papers.sapipe.witnesses.exact_objectives import Constants, Piece, exact, shown, u


@dataclass(frozen=True)
class Steep:
    """Such an objective.

    Attributes
    ----------
    bend : Fraction
        v, the slope at which the curvature begins to fall; between 0 and 1.
    rate : Fraction
        At which it falls: as a number per unit of x, at least that of f‴ before.
    """

    bend: Fraction
    rate: Fraction

    def curvature(self, slope: Fraction) -> Fraction:
        """f″ where f′ is this, up to v."""
        return 1 + slope**2

    @property
    def smoothness(self) -> Fraction:
        """The least L, attained at slope v."""
        return self.curvature(self.bend)

    @property
    def steepest(self) -> Fraction:
        """The largest slope: v, and what is gained until the curvature is 0."""
        return self.bend + self.smoothness**2 / (2 * self.rate)

    @property
    def remainder(self) -> Fraction:
        """An M: half of the largest |f‴|."""
        return max(self.rate, 2 * self.bend * self.smoothness) / 2

    @property
    def apart(self) -> Fraction:
        """The least Δ: f″ − f′² is 1 up to v, and falls from there to −f′² of the end.

        Examples
        --------
        >>> STEEP.apart, str(STEEP.smoothness)
        (Fraction(1, 1), '181/100')
        """
        return max(Fraction(1), self.steepest**2)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Up to v by its slope, and from there on by x until its curvature is 0."""
        bend, rate, top = exact(self.bend), exact(self.rate), exact(self.smoothness)
        rising = Piece(u, 1 + u**2, Fraction(0), self.bend, speed=1 + u**2)
        slope, curvature = bend + top * u - rate * u**2 / 2, top - rate * u
        return rising, Piece(slope, curvature, Fraction(0), self.smoothness / self.rate)

    def hold(self) -> Iterator[Ground]:
        """Why L, M, Δ and the largest slope are right everywhere.

        Examples
        --------
        >>> from theory.judging.decide import proves
        >>> proves(*STEEP.hold())
        True
        """
        constants = Constants(self.smoothness, self.remainder, self.steepest, self.apart)
        return shown(self.pieces, constants)


STEEP = Steep(Fraction(9, 10), Fraction(20))
"""L = 1.81, Δ = 1 and V₂ < 1."""
