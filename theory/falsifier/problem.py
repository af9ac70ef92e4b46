"""Finite sums f = mean of f_m over blocks of parameters, with their exact constants.

f_m(x) = Σ_j φ_mj(x_j) + ½ coupling (Σ_j x_j)². Legend: N components m, d coordinates j, each in
one of p blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from theory.falsifier.scalars import Piecewise, Scalar, Smooth, average, interval

Vector = tuple[Any, ...]
"""d numbers: fractions, or intervals where the problem is smooth."""


@dataclass(frozen=True)
class Problem:
    """A finite sum and where a method starts on it.

    Attributes
    ----------
    name : str
    components : tuple of tuple of scalar functions, shape (N, d)
    start : tuple of Fraction, shape (d,)
        x⁰.
    blocks : tuple of int, shape (d,)
        The block of each coordinate, from 0; every block has one.
    coupling : Fraction
        Weight of the term that joins the coordinates; with it every φ must be a parabola of
        one curvature, so that the constants stay exact.
    seed : int
        Of a problem that was drawn at random; 0 otherwise.
    """

    name: str
    components: tuple[tuple[Scalar, ...], ...]
    start: tuple[Fraction, ...]
    blocks: tuple[int, ...]
    coupling: Fraction = Fraction(0)
    seed: int = 0

    @property
    def p(self) -> int:
        """Blocks."""
        return max(self.blocks) + 1

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The coordinates of each block."""
        return tuple(
            tuple(j for j, block in enumerate(self.blocks) if block == i) for i in range(self.p)
        )

    @property
    def rational(self) -> bool:
        """Whether rational points have rational gradients."""
        return not any(isinstance(part, Smooth) for part in self.components[0])

    @cached_property
    def mean(self) -> tuple[Scalar, ...]:
        """The separable part of f."""
        return tuple(average(parts) for parts in zip(*self.components, strict=True))

    def point(self, values: Sequence[Fraction]) -> Vector:
        """Values in the arithmetic of this problem."""
        return tuple(values) if self.rational else tuple(interval(value) for value in values)

    def gradient(self, x: Vector) -> Vector:
        """∇f(x)."""
        return self._gradient(self.mean, x)

    def component_gradient(self, m: int, x: Vector) -> Vector:
        """∇f_m(x)."""
        return self._gradient(self.components[m], x)

    def value(self, x: Vector) -> Any:
        """f(x)."""
        total = sum(x)
        separable = sum(part.value(entry) for part, entry in zip(self.mean, x, strict=True))
        return separable + self.coupling * total * total / 2 if self.coupling else separable

    @cached_property
    def smoothness(self) -> Fraction:
        """The least smoothness constant of f."""
        bends = [part.lipschitz() for part in self.mean]
        if not self.coupling:
            return max(bends)
        return max(abs(a) for a in self._eigenvalues())

    @cached_property
    def minimum(self) -> Fraction | None:
        """f*, or None where f has none or it is not known exactly."""
        if not self.coupling:
            lows = [part.minimum() for part in self.mean]
            return (
                None if None in lows else sum((low for low in lows if low is not None), Fraction(0))
            )
        # ½a|x|² + b·x + ½c(Σx)², up to constants: x = −(b − c s)/a with s = Σx = −Σb/(a + cd)
        if min(self._eigenvalues()) <= 0:
            return None
        a, c = self._curvature, self.coupling
        tilts = [part.derivative(Fraction(0)) for part in self.mean]
        s = -sum(tilts) / (a + c * len(tilts))
        return Fraction(self.value(tuple(-(b + c * s) / a for b in tilts)))

    @cached_property
    def mu(self) -> Fraction:
        """The greatest Polyak–Łojasiewicz constant; 0 if there is none."""
        if self.coupling:
            return max(min(self._eigenvalues()), Fraction(0))
        return min(part.pl() for part in self.mean)

    @property
    def _curvature(self) -> Fraction:
        bends = {(part.left, part.right) for part in self.mean if isinstance(part, Piecewise)}
        assert len(bends) == 1, "coupled coordinates need parabolas of one curvature"
        return bends.pop()[0]

    def _eigenvalues(self) -> tuple[Fraction, ...]:
        a, d = self._curvature, len(self.start)
        along = a + self.coupling * d
        return (along,) if d == 1 else (a, along)

    def _gradient(self, parts: tuple[Scalar, ...], x: Vector) -> Vector:
        slopes = tuple(part.derivative(entry) for part, entry in zip(parts, x, strict=True))
        if not self.coupling:
            return slopes
        joint = self.coupling * sum(x)
        return tuple(slope + joint for slope in slopes)

    def describe(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "name": self.name,
            "components": [[_described(part) for part in parts] for parts in self.components],
            "start": [str(value) for value in self.start],
            "blocks": list(self.blocks),
            "coupling": str(self.coupling),
        }


def _described(part: Scalar) -> dict[str, Any]:
    if isinstance(part, Smooth):
        return {"kind": part.kind, "tilt": str(part.tilt)}
    return {
        "derivative": [[str(x), str(g)] for x, g in zip(part.knots, part.values, strict=True)],
        "slopes outside": [str(part.left), str(part.right)],
    }


def square(entries: Iterable[Any]) -> Any:
    """Squared norm."""
    return sum(entry * entry for entry in entries)
