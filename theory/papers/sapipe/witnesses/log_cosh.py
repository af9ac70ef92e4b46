"""c ln cosh x, an objective whose constants are all exact; workers that have one each; lines.

With u = tanh x in (−1, 1): f′ = cu, f″ = c(1 − u²) and f‴ = −2cu(1 − u²). So L = c, V₂ = c² as the
least upper bound, V₁ = 0 for samples that all have this loss, and f′² − f″ = (c² + c)u² − c, which
runs from −c at the minimiser up to c².
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from theory.account import Ground
from theory.papers.sapipe.witnesses.exact_objectives import Constants, Piece, exact, shown, u


@dataclass(frozen=True)
class LogCosh:
    """f = c ln cosh x.

    Attributes
    ----------
    scale : Fraction
        c > 0.
    """

    scale: Fraction

    def gradient(self, u: Fraction) -> Fraction:
        """f′ where tanh x = u."""
        return self.scale * u

    def curvature(self, u: Fraction) -> Fraction:
        """f″ where tanh x = u."""
        return self.scale * (1 - u**2)

    @property
    def smoothness(self) -> Fraction:
        """The least L, attained at 0."""
        return self.curvature(Fraction(0))

    @property
    def largest_gradient(self) -> Fraction:
        """The least V₂: the limit of f′² as u tends to 1."""
        return self.gradient(Fraction(1)) ** 2

    @property
    def remainder(self) -> Fraction:
        """An M: |f‴| ≤ c, since 4w(1 − w)² ≤ 16/27 for w = u² in [0, 1], and M is half of it."""
        return self.scale / 2

    def apart(self, weight: Fraction = Fraction(1)) -> Fraction:
        """The least bound of |weight · f′² − f″|: linear in u², so largest at one of the two ends.

        Examples
        --------
        >>> [str(LogCosh(Fraction(c)).apart()) for c in ("1/2", "1", "2")]
        ['1/2', '1', '4']
        """
        ends = (Fraction(0), Fraction(1))
        return max(abs(weight * self.gradient(u) ** 2 - self.curvature(u)) for u in ends)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The half x ≥ 0 by u = tanh x, which tends to 1."""
        c = exact(self.scale)
        return (Piece(c * u, c * (1 - u**2), Fraction(0), Fraction(1), speed=1 - u**2),)

    def hold(self, weight: Fraction = Fraction(1)) -> Iterator[Ground]:
        """Why L, M, Δ and the largest slope are right everywhere.

        Examples
        --------
        >>> from theory.judging.decide import proves
        >>> [proves(*LogCosh(Fraction(c)).hold()) for c in ("1/2", "1", "2")]
        [True, True, True]
        """
        most = self.apart(weight)
        constants = Constants(self.smoothness, self.remainder, self.scale, most, weight)
        return shown(self.pieces, constants)


@dataclass(frozen=True)
class Line:
    """f = cx, without curvature.

    Attributes
    ----------
    scale : Fraction
        c.
    """

    scale: Fraction

    def apart(self, weight: Fraction = Fraction(1)) -> Fraction:
        """|weight · f′² − f″|, the same everywhere.

        Examples
        --------
        >>> Line(Fraction(3)).apart(Fraction(1, 3))
        Fraction(3, 1)
        """
        return abs(weight * self.scale**2)


@dataclass(frozen=True)
class Workers:
    """F_i = w_i ln cosh x: every constant of Assumptions 1, 2, 3 and 6 is exact.

    Attributes
    ----------
    weights : tuple of Fraction
        w_i; their mean is not 0.
    slope : Fraction
        tanh x, which tells x.
    """

    weights: tuple[Fraction, ...]
    slope: Fraction = Fraction(1, 2)

    @property
    def gradients(self) -> tuple[Fraction, ...]:
        """∇F_i(x)."""
        return tuple(weight * self.slope for weight in self.weights)

    @property
    def mean(self) -> Fraction:
        """∇F(x)."""
        return sum(self.gradients, Fraction(0)) / len(self.weights)

    @property
    def spread(self) -> Fraction:
        """Mean of (∇F_i(x) − ∇F(x))²."""
        return sum(((g - self.mean) ** 2 for g in self.gradients), Fraction(0)) / len(self.weights)

    @property
    def rho(self) -> Fraction:
        """The least ρ of Assumption 3: the ratio is the same at every x other than 0.

        Examples
        --------
        >>> Workers((Fraction(3), Fraction(-1))).rho
        Fraction(5, 2)
        """
        total = sum(self.gradients, Fraction(0))
        return sum((g**2 for g in self.gradients), Fraction(0)) / total**2
