"""A run of SAPipe-WP, option 3, that circles: exact constants, and enclosures of what it does.

F(x, y) = p(x) + p(y), all workers have the same data and there is no noise. p is convex and even;
near 0 its slope is u − ku³, and from |u| = U on its curvature falls on at the rate 6kU until
it is 0. For Lη a little above what the prediction tolerates both coordinates oscillate. Started
far apart in size, the smaller one has longer to grow; meanwhile the other, already large, turns a
little slower, and when both are large one is near its peak where the other passes 0. Then ‖g‖² is
almost constant, and V₂ is hardly more than its mean: the error of Theorem 6 has nothing to spare.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

Interval = Any
"""An mpmath interval."""

BITS_PER_STEP = Fraction(3, 4)
"""Precision that an iteration costs: a width grows by less than 2^(3/4), as |A| has norm < 1.6."""
SPARE = 200
"""Bits beyond that."""


@dataclass(frozen=True)
class Circling:
    """One such run.

    Attributes
    ----------
    n : int
        Workers.
    eta, weight : Fraction
        Learning rate and λ.
    bend, reach : Fraction
        k and U.
    start : pair of Fraction
        x_0.
    iterations : int
        T.
    """

    n: int
    eta: Fraction
    weight: Fraction
    bend: Fraction
    reach: Fraction
    start: tuple[Fraction, Fraction]
    iterations: int

    @property
    def smoothness(self) -> Fraction:
        """L: the curvature is 1 at 0 and nowhere more, and never negative."""
        return Fraction(1)

    @property
    def curvature_at_reach(self) -> Fraction:
        """p''(U); it must not be negative."""
        return 1 - 3 * self.bend * self.reach**2

    @property
    def remainder(self) -> Fraction:
        """M: half the Lipschitz constant of p'', which is 6kU."""
        return 3 * self.bend * self.reach

    @property
    def steepest(self) -> Fraction:
        """The largest slope of p: at U, and what is gained until the curvature is 0."""
        inside = self.reach - self.bend * self.reach**3
        return inside + self.curvature_at_reach**2 / (12 * self.bend * self.reach)

    @property
    def misfit(self) -> Fraction:
        """Δ: −L ≤ ∇F∇Fᵀ − ∇²F ≤ ‖∇F‖² as F is convex."""
        return max(self.smoothness, 2 * self.steepest**2)

    @property
    def gap(self) -> Fraction:
        """R₀; F is least at 0."""
        return sum((u**2 / 2 - self.bend * u**4 / 4 for u in self.start), Fraction(0))


@dataclass(frozen=True)
class Seen:
    """What a run did, each side rounded towards safety.

    Attributes
    ----------
    mean_at_least : Fraction
        (1/T) Σ ‖∇F(x_{t−1})‖².
    largest_at_most : Fraction
        The largest ‖g_{i,t}‖², all workers' being equal: V₂.
    furthest_at_most : Fraction
        The largest coordinate of x_t and x̃_t.
    """

    mean_at_least: Fraction
    largest_at_most: Fraction
    furthest_at_most: Fraction


RUN = Circling(
    n=100,
    eta=Fraction(16, 25),
    weight=Fraction(1, 2),
    bend=Fraction(100),
    reach=Fraction(1, 50),
    start=(Fraction(1, 100), Fraction(1, 10**10)),
    iterations=2700,
)
"""The mean is about 1.08 times the printed bound; after 16,000 iterations it is 1.27 times."""


@cache
def enclosed(run: Circling) -> Seen:
    """Run it in interval arithmetic.

    At t = 1 option 3 asks for g_0 and x_{−1}, which there are not: g_0 = 0 and x_{−1} = x_0.

    Examples
    --------
    >>> from dataclasses import replace
    >>> float(enclosed(replace(RUN, iterations=1)).largest_at_most)  # ‖∇F(x_0)‖²
    9.801e-05
    """
    from mpmath import iv

    before = iv.prec
    iv.prec = int(BITS_PER_STEP * run.iterations) + SPARE
    try:
        return _enclosed(run, iv)
    finally:
        iv.prec = before


def _enclosed(run: Circling, iv: Any) -> Seen:
    def exact(number: Fraction | int) -> Interval:
        return iv.mpf(Fraction(number).numerator) / Fraction(number).denominator

    eta, weight, bend = exact(run.eta), exact(run.weight), exact(run.bend)
    own, others = exact(Fraction(1, run.n)), exact(Fraction(run.n - 1, run.n))

    def slope(point: Sequence[Interval]) -> list[Interval]:
        return [u - bend * u * u * u for u in point]

    now = [exact(u) for u in run.start]
    before, predicted, last = now, now, [exact(0), exact(0)]
    total, largest, furthest = exact(0), exact(0), exact(0)
    for _ in range(run.iterations):
        here, drawn = slope(now), slope(predicted)
        total += _squared(here)
        largest = _above(largest, _squared(drawn))
        for u in (*now, *predicted):
            furthest = _above(furthest, abs(u))
        stale = [others * g for g in last]
        turned = weight * sum((s * (u - v) for s, u, v in zip(stale, now, before, strict=True)))
        predicted = [
            u - eta * (s + turned * s + own * g) for u, s, g in zip(now, stale, drawn, strict=True)
        ]
        before, now = now, [u - eta * g for u, g in zip(now, drawn, strict=True)]
        last = drawn
    return Seen(_low(total / run.iterations), _high(largest), _high(furthest))


def _squared(vector: Sequence[Interval]) -> Interval:
    return vector[0] * vector[0] + vector[1] * vector[1]


def _above(one: Interval, other: Interval) -> Interval:
    """The one that may be larger: only upper ends are looked at."""
    return other if other.b > one.b else one


def _low(interval: Interval) -> Fraction:
    return _fraction(interval.a)


def _high(interval: Interval) -> Fraction:
    return _fraction(interval.b)


def _fraction(end: Any) -> Fraction:
    """A binary number exactly, from mpmath's sign, mantissa and exponent."""
    sign, mantissa, exponent, _ = end._mpi_[0]
    return Fraction((-1) ** sign * int(mantissa)) * Fraction(2) ** int(exponent)
