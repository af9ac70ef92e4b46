"""The zoo: functions that satisfy a theorem's assumptions, with exactly known constants.

Every maker takes a number of blocks p and gives a problem with one coordinate a block, unless it
says otherwise.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from theory.falsifier.problem import Problem
from theory.falsifier.scalars import (
    Exact,
    Piecewise,
    Scalar,
    Smooth,
    asymmetric_huber,
    bent,
    huber,
    linear,
    quadratic,
    wave,
)

Maker = Callable[[int], Problem]


def alike(name: str, parts: Sequence[Scalar], start: Exact) -> Maker:
    """The same scalar function in every block; one component for each of `parts`."""

    def make(p: int) -> Problem:
        components = tuple((part,) * p for part in parts)
        return Problem(name, components, (Fraction(start),) * p, tuple(range(p)))

    return make


def coupled(name: str, coupling: Exact, tilts: Sequence[Exact], start: Exact) -> Maker:
    """½‖x‖² + ½ coupling (Σ x_j)², one component for each tilt."""

    def make(p: int) -> Problem:
        components = tuple((quadratic(1, tilt=tilt),) * p for tilt in tilts)
        at = (Fraction(start),) * p
        return Problem(name, components, at, tuple(range(p)), Fraction(coupling, p))

    return make


def uneven(p: int) -> Problem:
    """A noisy parabola whose curvature is halved from block to block."""
    components = tuple(
        tuple(quadratic(Fraction(1, 2**i), tilt=tilt) for i in range(p)) for tilt in (-1, 1)
    )
    return Problem("uneven noisy parabola", components, (Fraction(1),) * p, tuple(range(p)))


def two_by_block(p: int) -> Problem:
    """Two coordinates a block: a Huber function and a parabola, separable."""
    components = tuple(
        tuple(part for _ in range(p) for part in (huber(1, 1, tilt=tilt), quadratic(1)))
        for tilt in (-1, 1)
    )
    blocks = tuple(j // 2 for j in range(2 * p))
    return Problem("separable 2-D", components, (Fraction(0), Fraction(1)) * p, blocks)


def drawn(seed: int) -> Maker:
    """Two random nonconvex functions a block: knots, slopes and start are drawn."""

    def make(p: int) -> Problem:
        source = random.Random(1000 * seed + p)
        components = tuple(tuple(_draw(source) for _ in range(p)) for _ in range(2))
        start = tuple(Fraction(source.randint(-4, 4), 2) for _ in range(p))
        return Problem("drawn at random", components, start, tuple(range(p)), seed=seed)

    return make


def _draw(source: random.Random) -> Piecewise:
    knots = tuple(Fraction(x, 2) for x in sorted(source.sample(range(-6, 7), 3)))
    values = tuple(Fraction(source.randint(-4, 4), 2) for _ in knots)
    return Piecewise(knots, values, Fraction(1, 2), Fraction(1, 2))


LINES: Final[tuple[Maker, ...]] = (
    alike("line", [linear(1)], 0),
    alike("two lines", [linear(-1), linear(1)], 0),
)
"""Unbounded below or constant: for drift only, which they make as large as it can be."""

QUADRATICS: Final[tuple[Maker, ...]] = (
    alike("parabola", [quadratic(1)], 1),
    alike("noisy parabola", [quadratic(1, tilt=-1), quadratic(1, tilt=1)], 0),
    alike("noisy parabola off its centre", [quadratic(1, tilt=-1), quadratic(1, tilt=1)], 2),
    alike("unequal parabolas", [quadratic(1, 1), quadratic(2), quadratic(3, -1)], 1),
    coupled("coupled", 1, [-1, 1], 1),
    coupled("repelling", Fraction(-1, 2), [0], 1),
    uneven,
)

BENT: Final[tuple[Maker, ...]] = (
    alike("bent", [bent(1, Fraction(1, 2), 1)], 2),
    alike("noisy bent", [quadratic(1, tilt=-1), bent(1, 3, 1), quadratic(1, tilt=1)], 0),
)
"""Not quadratic, but with a Polyak–Łojasiewicz constant."""

BOUNDED: Final[tuple[Maker, ...]] = (
    alike("Huber", [huber(1, 1)], 3),
    alike("noisy Huber", [huber(1, 1, tilt=-1), huber(1, 1, tilt=1)], 0),
    alike("Huber functions apart", [huber(1, 1, -1), huber(1, 1, 1)], 0),
    alike("asymmetric Huber", [asymmetric_huber(1, Fraction(1, 2), 2)], -2),
    alike("wave", [wave(1, 4, 2)], Fraction(5, 2)),
)
"""With bounded gradients."""

GENERAL: Final[tuple[Maker, ...]] = (two_by_block, *(drawn(seed) for seed in range(1, 5)))

SMOOTH: Final[tuple[Maker, ...]] = (
    alike("log-cosh", [Smooth("log-cosh")], 2),
    alike("noisy log-cosh", [Smooth("log-cosh", Fraction(b)) for b in (-1, 1)], 0),
    alike("root", [Smooth("root")], 2),
    alike("noisy root", [Smooth("root", Fraction(b)) for b in (-1, 1)], 1),
)
"""Run in intervals."""

LONG: Final[tuple[Maker, ...]] = QUADRATICS[:3]
"""Separable parabolas, for long runs."""

LocalMaker = Callable[[int, int], Problem]
"""Makes the problem of N replicas and p blocks."""


def equal_data(make: Maker) -> LocalMaker:
    """All replicas draw from the same components."""
    return lambda N, p: with_replicas([make(p)] * N)


def unequal_data(name: str, part: Callable[[int], Sequence[Scalar]], start: Exact) -> LocalMaker:
    """Replica n draws from the components `part(n)`."""
    return lambda N, p: with_replicas([alike(name, part(n), start)(p) for n in range(N)])


def with_replicas(shares: Sequence[Problem]) -> Problem:
    """One problem whose replica n owns the components of the n-th share."""
    components = tuple(part for one in shares for part in one.components)
    return replace(shares[0], components=components)


def noisy_huber(width: Exact, start: Exact) -> Maker:
    """Huber's function with noise ±1: a noisy parabola inside `width`, gradients bounded."""
    parts = [huber(1, width, tilt=tilt) for tilt in (-1, 1)]
    return alike(f"noisy Huber of width {width}", parts, start)


LOCAL_LINES: Final[tuple[LocalMaker, ...]] = (
    unequal_data("opposite lines", lambda n: [linear((-1) ** n)], 0),
    unequal_data("steeper and steeper lines", lambda n: [linear(n + 1)], 0),
    equal_data(alike("two lines", [linear(-1), linear(1)], 0)),
)
"""For drift only."""

LOCAL: Final[tuple[LocalMaker, ...]] = (
    equal_data(alike("Huber", [huber(1, 1)], 3)),
    equal_data(noisy_huber(1, 0)),
    equal_data(noisy_huber(4, 2)),
    equal_data(alike("asymmetric noise", [huber(1, 2, tilt=b) for b in (-1, -1, 2)], 0)),
    unequal_data("Huber functions apart", lambda n: [huber(1, 1, 2 * n)], 0),
    unequal_data("noisy and apart", lambda n: [huber(1, 1, n, tilt=b) for b in (-1, 1)], 1),
    unequal_data("unlike curvatures", lambda n: [huber(1 + 2 * (n % 2), 2, (-1) ** n)], 0),
    unequal_data("different widths", lambda n: [asymmetric_huber(1, 1, n + 1), huber(2, 1, 1)], -1),
)
"""With bounded second moments."""

LONG_LOCAL: Final[tuple[LocalMaker, ...]] = (
    equal_data(noisy_huber(1, 0)),
    equal_data(noisy_huber(3, 2)),
)
"""Parabolas as far as their runs come, with bounded second moments."""
