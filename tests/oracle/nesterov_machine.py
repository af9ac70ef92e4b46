"""Exact runs of (10) in vectors of fractions, written down anew for the tests of the theorems."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Final

Vec = tuple[Fraction, ...]
LAST: Final = 8
"""Iterations after the delay."""


def plus(one: Vec, other: Vec, factor: Fraction | int = 1) -> Vec:
    return tuple(a + factor * b for a, b in zip(one, other, strict=True))


def size(one: Vec) -> Fraction:
    """Squared norm."""
    return inner(one, one)


def inner(one: Vec, other: Vec) -> Fraction:
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


@dataclass(frozen=True)
class Convex:
    """A separable convex f with β = 1, minimal at `star`: parabolas, beyond `width` lines."""

    curvatures: Vec
    width: Fraction
    star: Vec

    def value(self, at: Vec) -> Fraction:
        return sum(map(self._part, self.curvatures, plus(at, self.star, -1)), Fraction(0))

    def _part(self, curvature: Fraction, way: Fraction) -> Fraction:
        near = min(abs(way), self.width)
        return curvature * (near**2 / 2 + self.width * (abs(way) - near))

    def gradient(self, at: Vec) -> Vec:
        ways = plus(at, self.star, -1)
        clipped = (max(-self.width, min(self.width, way)) for way in ways)
        return tuple(c * way for c, way in zip(self.curvatures, clipped, strict=True))


FUNCTIONS: Final = {
    "parabola": Convex((Fraction(1), Fraction(1, 3)), Fraction(100), (Fraction(1), Fraction(-1))),
    "huber": Convex((Fraction(1), Fraction(1, 2)), Fraction(1, 2), (Fraction(-1), Fraction(1, 4))),
}
STEPS: Final = {1: Fraction(1, 4), 2: Fraction(1, 8), 3: Fraction(1, 12)}
"""1/(4τβ) by τ, where β = 1."""
START: Final[Vec] = (Fraction(2), Fraction(3, 2))


@dataclass(frozen=True)
class Run:
    """An exact run; lists begin at t = 1, with nothing at 0.

    Attributes
    ----------
    w, ahead, late : tuple of vectors
        w_t, x_t = w_t + d_t, and ḡ_t.
    """

    f: Convex
    delay: int
    step: Fraction
    w: tuple[Vec, ...]
    ahead: tuple[Vec, ...]
    late: tuple[Vec, ...]

    def slope(self, s: int) -> Vec:
        """∇f(x_s), at w_1 before it."""
        return self.f.gradient(self.ahead[max(s, 1)])

    def turn(self, s: int) -> Vec:
        return plus(self.ahead[s], self.w[s], -1)

    def z(self, s: int) -> Vec:
        """w_s + s d_s − w*."""
        return plus(plus(self.w[s], self.turn(s), s), self.f.star, -1)


@cache
def run(name: str, delay: int, step: Fraction) -> Run:
    """(10) with γ_t = (t − 2)/t and γ_1 = 0, at rest before it begins."""
    f, none = FUNCTIONS[name], plus(START, START, -1)
    w, ahead, late = [none, START], [none, START], [none]
    for now in range(1, 2 * delay + LAST + 4):
        late.append(f.gradient(ahead[max(now - delay, 1)]))
        fresh = Fraction(1) if now == 1 else Fraction(2, now)
        w.append(plus(ahead[now], late[now], -step * fresh))
        momentum = Fraction(now - 1, now + 1)
        ahead.append(plus(w[-1], plus(w[-1], w[-2], -1), momentum))
    return Run(f, delay, step, tuple(w), tuple(ahead), tuple(late))
