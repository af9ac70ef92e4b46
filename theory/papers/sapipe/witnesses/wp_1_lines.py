"""Lines of the proof of Theorem 4 that do not hold, each on the smallest example that shows it.

Everything is rational; means are taken by going through all outcomes.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from schedules.methods import SAPipeWP, run
from theory.papers.sapipe.witnesses.wp_1_stall import STALLED

SIGNS = (Fraction(1), Fraction(-1))
"""A fair coin."""


def mean(numbers: Iterable[Fraction]) -> Fraction:
    """Of outcomes that are equally likely, or of workers."""
    every = tuple(numbers)
    return sum(every, Fraction(0)) / len(every)


def spread(numbers: Sequence[Fraction]) -> Fraction:
    """The mean square of what numbers differ from their mean.

    Examples
    --------
    >>> spread((Fraction(3), Fraction(1)))
    Fraction(1, 1)
    """
    middle = mean(numbers)
    return mean((middle - one) ** 2 for one in numbers)


def three_squares() -> dict[str, Any] | None:
    """Line 4, an equality: F_1 = F_2 = 0 where the gradients are taken, noises ±1, independent."""
    outcomes = list(product(SIGNS, repeat=2))
    left = mean(spread(noises) for noises in outcomes)
    of_mean = mean(mean(noises) ** 2 for noises in outcomes)
    of_each = mean(mean(noise**2 for noise in noises) for noises in outcomes)
    if left == of_mean + of_each:
        return None
    return {
        "n": 2,
        "noises": "±1, independent, ∇F_1 = ∇F_2 = 0",
        "left": left,
        "three squares": of_mean + of_each,
    }


def diversity() -> dict[str, Any] | None:
    """Line 6: what Assumption 3 is said to give, at x = 1."""
    slopes = [weight * STALLED.slope(STALLED.start) for weight in STALLED.weights]
    factor = STALLED.diversity / STALLED.workers - 1
    if spread(slopes) <= factor * mean(slopes) ** 2:
        return None
    return {
        **STALLED.described(),
        "x": STALLED.start,
        "left": spread(slopes),
        "(rho/n − 1)|F'|²": factor * mean(slopes) ** 2,
    }


def different_points() -> dict[str, Any] | None:
    """Line 6 with the right factor, nρ − 1, but each gradient where the algorithm takes it.

    The right side is taken at x_1, which is also the mean of the predictions.
    """
    _, after_one = STALLED.states(1)
    assert after_one.held is not None, "gradients have been computed"
    slopes = [Fraction(one[0]) for one in after_one.held]
    model = Fraction(after_one.model[0])
    right = (STALLED.workers * STALLED.diversity - 1) * (STALLED.mean * STALLED.slope(model)) ** 2
    if spread(slopes) <= right:
        return None
    return {
        **STALLED.described(),
        "gradients at the predictions": slopes,
        "x_1": model,
        "left": spread(slopes),
        "(n rho − 1)|F'(x_1)|²": right,
    }


def fading_noise() -> dict[str, Any] | None:
    """Lines 7 and 8: ‖∇F‖² ≤ V₂ − V₁. The noise is largest where there is no slope.

    f'(x; z) = x + z(1 − |x|) for |x| ≤ 1, z = ±1, and constant beyond. Between its breaks at −1, 0
    and 1 each f' is affine, so that squares are largest there.
    """
    breaks = (Fraction(-1), Fraction(0), Fraction(1))
    slopes = {x: [x + z * (1 - abs(x)) for z in SIGNS] for x in breaks}
    second = max(slope**2 for at in slopes.values() for slope in at)
    variance = max(spread(at) for at in slopes.values())
    at_one = mean(slopes[Fraction(1)]) ** 2
    if at_one <= second - variance:
        return None
    return {
        "f'(x; z)": "x + z(1 − |x|) for |x| ≤ 1, constant beyond; z = ±1",
        "n": 1,
        "L": 2,
        "V1": variance,
        "V2": second,
        "|F'(1)|²": at_one,
        "V2 − V1": second - variance,
    }


def only_models_known() -> dict[str, Any] | None:
    """E[g_{i,t}] = ∇F_i(x̃_{i,t−1}) given the models alone: x̃_i is not fixed by them.

    Two workers with F_i = x²/2 and noise ±1, η = 1/2, x_0 = 0. Where their first noises cancel,
    x_1 = 0, and the first worker's prediction is one of two.
    """
    method = SAPipeWP(2, Fraction(1, 2), 1)
    start = np.array([Fraction(0)], dtype=object)
    slopes = []
    for first in product(SIGNS, repeat=2):
        rounds = [first, (Fraction(0), Fraction(0))]  # without noise: the mean of the next gradient
        *_, state = run(method, start, lambda x, worker, draw: x + draw, rounds)
        assert state.held is not None, "gradients have been computed"
        if state.model[0] == 0:
            slopes.append(Fraction(state.held[0][0]))
    if len(set(slopes)) == 1:
        return None
    return {
        "F_i": "x²/2, noise ±1, n = 2, η = 1/2, x_0 = 0",
        "given": "x_0 = x_1 = 0",
        "∇F_1 at the first worker's prediction": slopes,
        "mean given the models": mean(slopes),
    }
