"""Theorem 2 with the samples of Algorithm 1 fails for long steps: many noisy parabolas, clipped.

h is Huber's function on R^d: |y|²/2 up to |y| = ρ, and ρ|y| − ρ²/2 beyond. f(x; z) = h(x + z),
z uniform on {−1, 1}^d, one worker. Every f(·; z) is 1-smooth, as clipping to a ball does not
expand; so the variance of ∇f(x; z) is at most V₁ = d, and |∇f|² ≤ V₂ = ρ². F is even and
convex, so that its least value is at x_0 = 0 and R₀ = 0. Until a gradient is clipped, each
coordinate is a run of `theory.sapipe.coin_moments`, all independent of each other, elements being
drawn independently; so |x_t + z|² is near its mean for large d, ρ² just above that is seldom
reached, and the average squared gradient is as large as without clipping. All of this per
coordinate, in rationals:

P(a gradient is clipped by x_{T−1}) ≤ δ, the sum over t ≤ T − 2 of Var q_t/(d(ρ² − E q_t)²), with
q_t = (y_t + z)² and ρ² per coordinate (Chebyshev);
E|∇F(x_t)|² ≥ (1 − ε)(E y_t² − δ(E y_t² + 1) − Var(y_t²)/(4d)) − Var q_t/(4dερ²),
since ∇F(y) = y − e(y), |e(y)| ≤ E_z(|y + z|² − dρ²)⁺/(2√d ρ), and u⁺ ≤ 1 + u²/4 of what exceeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, floor
from typing import Final

from theory.sapipe.coin_moments import ONE, run

EPSILON: Final = Fraction(1, 1000)
"""ε, of Young's inequality."""

ROOM: Final = Fraction(1, 20)
"""How far ρ² is above the largest mean of a gradient's square, per coordinate."""


FINE: Final = 10**4
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
