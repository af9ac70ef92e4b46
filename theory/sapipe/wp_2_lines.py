"""Lines of the proof of Theorem 5 that do not hold as printed, on exact examples.

Everything is rational; means are taken by going through all outcomes.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from typing import Any, Final, TypeAlias

import numpy as np

from schedules.methods import SAPipe, SAPipeWP, advance
from theory.sapipe.wp_1_lines import SIGNS, mean
from theory.sapipe.wp_replays import Instance

SMALL_STEP: Final = Fraction(1, 10)
"""A stepsize with L = 1 and 2L²η² far below 1."""

SLOW: Final = Instance((Fraction(1),), Fraction(1), SMALL_STEP, option=2)
"""Huber's function without noise, one worker."""

Draws: TypeAlias = tuple[Fraction, ...]

REACH: Final = Fraction(1, 2)
"""Up to which |x| the slope of the noisy example is x."""


def first_difference() -> dict[str, Any] | None:
    """g_1 − g_2 = 0 "at the very beginning": both are gradients at x_0, of different samples."""
    both = (True, True)
    runs = [_updates(both, (*draws, *SIGNS), _linear) for draws in product(SIGNS, repeat=2)]
    found = mean((second - first) ** 2 for first, second in runs)
    if found == 0:
        return None
    return {
        "f'(x; z)": "z = ±1, n = 1",
        "V1": mean(z**2 for z in SIGNS),
        "E‖g_1 − g_2‖²": found,
    }


def first_of_all() -> dict[str, Any] | None:
    """The last bound, for all t: with g_0 = 0 the first difference is g_1 itself."""
    first, *_ = _slopes(SLOW, 1)
    limit = _limit(SLOW)
    if first**2 <= limit:
        return None
    return {**SLOW.described(), "‖g_1 − g_0‖² with g_0 = 0": first**2, "bound": limit}


def partly_predicted() -> dict[str, Any] | None:
    """The recursion, if elements are fresh or predicted with probability 1/2 each.

    One element, n = 1, f'(x; z) = x + z up to |x| = 1/2 and constant beyond, z = ±1, x_0 = 0; fresh
    and predicted gradients have samples of their own. Only g_2 − g_1 is looked at: before it the
    difference is g_1 − g_0, g_0 = 0, and the recursion is asked from g_0 − g_{−1} = 0 on.
    """
    found = [
        (second - first) ** 2
        for stale in product((True, False), repeat=2)
        for draws in product(SIGNS, repeat=4)
        for first, second in [_updates(stale, draws, _bent)]
    ]
    biggest = (REACH + 1) ** 2
    ratio = 2 * SMALL_STEP**2
    limit = 2 * mean(z**2 for z in SIGNS) + ratio * biggest
    if mean(found) <= limit:
        return None
    return {
        "f'(x; z)": f"x + z for |x| ≤ {REACH}, constant beyond; z = ±1, n = 1, x_0 = 0",
        "kappa": Fraction(1, 2),
        "L": 1,
        "eta": SMALL_STEP,
        "V1": 1,
        "V2": biggest,
        "E‖g_2 − g_1‖²": mean(found),
        "2L²η²E‖g_0 − g_{−1}‖² + 2V1 + 2L²η²V2": limit,
    }


def _limit(instance: Instance) -> Fraction:
    """(2V₁ + 2L²η²V₂)/(1 − 2L²η²), for L = 1 and without noise."""
    ratio = 2 * instance.learning_rate**2
    return ratio * instance.width**2 / (1 - ratio)


def _slopes(instance: Instance, updates: int) -> list[Fraction]:
    """g_1, g_2, … from the models."""
    models = instance.models(updates)
    return [(one - other) / instance.learning_rate for one, other in pairwise(models)]


def _linear(x: Any, worker: int, draw: Fraction) -> Any:
    """f(x; z) = zx."""
    return np.array([draw], dtype=object)


def _bent(x: Any, worker: int, draw: Fraction) -> Any:
    """X + z, with x cut off at ±`REACH`."""
    return np.array([max(-REACH, min(REACH, x[0])) + draw], dtype=object)


def _updates(stale: tuple[bool, ...], draws: Draws, gradient: Any) -> tuple[Fraction, Fraction]:
    """g_1 and g_2 of a run in one dimension from 0, each predicted (stale) or fresh.

    The draws are those of the two predicted gradients and of the two fresh ones.
    """
    predicted, fresh = draws[:2], draws[2:]
    inner = SAPipeWP(1, SMALL_STEP, 2)
    state = inner.start(np.array([Fraction(0)], dtype=object))
    state = advance(inner, state, gradient, predicted[:1])
    moves = []
    for late, own, ahead in zip(stale, fresh, (predicted[1], predicted[0]), strict=True):
        method = SAPipe(inner, (late,), reading="proofs")
        then = advance(method, state, gradient, (own, ahead))
        moves.append(Fraction((state.model[0] - then.model[0]) / SMALL_STEP))
        state = then
    return moves[0], moves[1]
