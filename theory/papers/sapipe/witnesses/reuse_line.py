"""One update with a sample that is used twice: the printed line of Theorem 2's proof fails.

F(x) = x²/2 with gradients x + z, z = ±1 with probability 1/2 each, one worker, L = V₁ = 1, from
x_0 = 0 at rest. All coins and elements of the first two updates are run.
"""

from fractions import Fraction
from itertools import product
from typing import Any

COINS = (1, -1)


def replay(share: Fraction, eta: Fraction) -> dict[str, Any]:
    """Both sides of the line for E F(x_2), and the mean of the stale noise times ∇F(x_1).

    Examples
    --------
    >>> found = replay(Fraction(1, 2), Fraction(1, 4))
    >>> found["E F(x_2)"] > found["printed bound of it"], found["E<∇F(x_1), z_1>"]
    (True, Fraction(-1, 8))
    """
    left, height, slope, size, correlation = (Fraction(0) for _ in range(5))
    for stale, again in product((False, True), repeat=2):
        weight = (share if stale else 1 - share) * (share if again else 1 - share) / 8
        for before, first, second in product(COINS, repeat=3):
            drawn = before if stale else first
            x = -eta * drawn
            g = first if again else x + second
            left += weight * (x - eta * g) ** 2 / 2
            height += weight * x**2 / 2
            slope += weight * x**2
            size += weight * Fraction(drawn) ** 2
            correlation += weight * x * first
    right = height - eta / 2 * slope + share * eta / 2 * eta**2 * size + eta**2 / 2
    return {
        "F": "x²/2, gradients x + z, z = ±1 with probability 1/2 each",
        "n": 1,
        "x_0": 0,
        "kappa": share,
        "eta": eta,
        "E<∇F(x_1), z_1>": correlation,
        "E F(x_2)": left,
        "printed bound of it": right,
    }
