"""Exact moments of vanilla SAPipe on one noisy parabola, samples as in Algorithm 1.

F(y) = y²/2 with stochastic gradients y + z, z = ±1 with probability 1/2 each. With probability
1 − κ the element is fresh, y_{t+1} = (1 − η)y_t − ηz_{t+1}; else it is stale and has the sample of
the update before, y_{t+1} = y_t − η(y_{t−1} + z_t). From rest y_{−1} = y_0 = 0 with a coin z_0;
where the first iteration passes, stale elements of the first update do not move, as if z_0 were 0.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import comb

DEGREE = 4
"""Up to which moments are followed."""

ONE = Fraction(1)

Moments = Mapping[tuple[int, int, int], Fraction]
"""E y_t^i y_{t−1}^j z_t^k by (i, j, k)."""

_POWERS = tuple(p for p in product(range(DEGREE + 1), repeat=3) if sum(p) <= DEGREE)


def start(passes: bool = False) -> dict[tuple[int, int, int], Fraction]:
    """Moments at t = 0: no motion yet, and a coin, or none."""
    return {
        (i, j, k): Fraction(i == j == 0 and (k == 0 or (k % 2 == 0 and not passes)))
        for i, j, k in _POWERS
    }


def following(
    now: Moments, share: Fraction, eta: Fraction = ONE
) -> dict[tuple[int, int, int], Fraction]:
    """Moments one update later, for this κ and this η.

    Examples
    --------
    >>> after = following(following(start(), Fraction(1, 2)), Fraction(1, 2))
    >>> after[2, 0, 0], after[1, 0, 1]
    (Fraction(2, 1), Fraction(-1, 2))
    """
    return {
        (i, j, k): (1 - share) * _fresh(now, eta, i, j, k) + share * _stale(now, eta, i, j, k)
        for i, j, k in _POWERS
    }


def _fresh(now: Moments, eta: Fraction, i: int, j: int, k: int) -> Fraction:
    """E ((1 − η)y − ηz')^i y^j z'^k, z' a new coin."""
    return sum(
        (
            comb(i, noise) * (1 - eta) ** (i - noise) * (-eta) ** noise * now[i - noise + j, 0, 0]
            for noise in range(i + 1)
            if (noise + k) % 2 == 0
        ),
        Fraction(0),
    )


def _stale(now: Moments, eta: Fraction, i: int, j: int, k: int) -> Fraction:
    """E (y − ηy⁻ − ηz)^i y^j z'^k."""
    if k % 2:
        return Fraction(0)
    total = Fraction(0)
    for back, noise in product(range(i + 1), repeat=2):
        if back + noise <= i:
            ways = comb(i, back) * comb(i - back, noise) * (-eta) ** (back + noise)
            total += ways * now[i - back - noise + j, back, noise]
    return total


def run(
    share: Fraction, count: int, passes: bool = False, eta: Fraction = ONE
) -> Iterator[Moments]:
    """Moments at t = 0, …, count − 1.

    Examples
    --------
    >>> [str(now[2, 0, 0]) for now in run(Fraction(1, 4), 5)]
    ['0', '1', '13/8', '29/16', '255/128']
    """
    now: Moments = start(passes)
    for _ in range(count):
        yield now
        now = following(now, share, eta)
