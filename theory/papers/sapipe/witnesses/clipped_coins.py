"""Theorem 2 with the samples of Algorithm 1 fails for long steps: many noisy parabolas, clipped.

h is Huber's function on R^d, f(x; z) = h(x + z), z uniform on {−1, 1}^d, one worker. Until a
gradient is clipped, each coordinate is a run of `coin_moments`, all independent of each other; for
large d clipping is rare, and the average squared gradient is as large as without. The estimates,
all per coordinate and in rationals, are in `arguments`, "noisy parabolas, clipped".
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, floor

from theory.papers.sapipe.witnesses.coin_moments import ONE, run

EPSILON = Fraction(1, 1000)
"""ε, of Young's inequality."""

ROOM = Fraction(1, 20)
"""How far ρ² is above the largest mean of a gradient's square, per coordinate."""

FINE = 10**4
"""What is shown is rounded to 1/FINE, to the safe side."""


@dataclass(frozen=True)
class Run:
    """A run from x_0 = 0 with L = n = 1 and V₁ = d.

    Attributes
    ----------
    share : Fraction
        κ.
    count : int
        T.
    dimension : int
        d.
    passes : bool
        Whether the first iteration passes; else it starts at rest.
    eta : Fraction
    """

    share: Fraction
    count: int
    dimension: int
    passes: bool = False
    eta: Fraction = ONE


@dataclass(frozen=True)
class Found:
    """What is shown of a run, all divided by d.

    Attributes
    ----------
    second : Fraction
        V₂, ρ².
    clipped : Fraction
        δ.
    average : Fraction
        A lower bound of the mean over t < T of E‖∇F(x_t)‖².
    """

    second: Fraction
    clipped: Fraction
    average: Fraction


@cache
def examine(one: Run) -> Found:
    """Bound the average of a run from below.

    Examples
    --------
    >>> found = examine(Run(Fraction(1, 4), 40, 10**7))
    >>> found.average > found.second / 4 + 1
    True
    >>> found = examine(Run(Fraction(1, 4), 40, 10))
    >>> found.average > found.second / 4 + 1
    False
    """
    d = one.dimension
    moments = run(one.share, one.count, one.passes, one.eta)
    squares = [(now[2, 0, 0], now[4, 0, 0]) for now in moments]
    gradients = [(square + 1, fourth + 6 * square + 1) for square, fourth in squares]
    second = Fraction(ceil(100 * (max(mean for mean, _ in gradients) + ROOM)), 100)
    spread = [fourth - mean**2 for mean, fourth in gradients]
    clipped = sum(
        (spread[t] / (d * (second - gradients[t][0]) ** 2) for t in range(one.count - 1)),
        Fraction(0),
    )
    total = Fraction(0)
    for (square, fourth), noise in zip(squares, spread, strict=True):
        kept = square - clipped * (square + 1) - (fourth - square**2) / (4 * d)
        total += (1 - EPSILON) * kept - noise / (4 * d * EPSILON * second)
    average = Fraction(floor(FINE * total / one.count), FINE)
    return Found(second, Fraction(ceil(FINE * clipped), FINE), average)
