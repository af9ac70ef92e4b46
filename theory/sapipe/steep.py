"""An objective whose curvature exceeds its Δ: −ln cos x, continued so that it ends as a line.

With u = tan x the slope is u and the curvature 1 + u², so that f″ − f′² = 1 up to u = v. From there
on the curvature falls at a constant rate until it is 0, and the slope stays at or below 1: Δ = 1 on
the whole line, and the least L is 1 + v².
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final


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


STEEP: Final = Steep(Fraction(9, 10), Fraction(20))
"""L = 1.81, Δ = 1 and V₂ < 1."""
