"""Lines of the proof of Theorem 5 that do not hold as printed, on exact examples.

Everything is rational; means are taken by going through all outcomes.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, TypeAlias

import numpy as np

from schedules.methods import SAPipe, SAPipeWP, State, advance
from theory.papers.sapipe.witnesses.wp_1_lines import SIGNS, mean
from theory.papers.sapipe.witnesses.wp_replays import Instance

SMALL_STEP = Fraction(1, 10)
"""A stepsize with L = 1 and 2L²η² far below 1."""

SLOW = Instance((Fraction(1),), Fraction(1), SMALL_STEP, option=2)
"""Huber's function without noise, one worker."""

REACH = Fraction(1, 2)
"""Up to which |x| the slope of the noisy example is x."""

Run: TypeAlias = tuple[Fraction, State, Fraction]
"""Its probability, its state and what the last update subtracted, divided by η."""


def first_difference() -> dict[str, Any] | None:
    """g_1 − g_2 = 0 "at the very beginning": both are gradients at x_0, of different samples."""
    found = _differences(2, (True,), _linear)[0]
    if found == 0:
        return None
    return {"f'(x; z)": "z = ±1, n = 1", "V1": mean(z**2 for z in SIGNS), "E‖g_1 − g_2‖²": found}


def every_second() -> dict[str, Any] | None:
    """The last bound, for all t: at t = 4 the recursion begins at g_1 − g_0, which is not 0."""
    _, second, third = _slopes(SLOW, 3)
    limit = _limit(SLOW)
    if (third - second) ** 2 <= limit:
        return None
    return {**SLOW.described(), "t": 4, "‖g_3 − g_2‖²": (third - second) ** 2, "bound": limit}


def partly_predicted() -> dict[str, Any] | None:
    """The recursion, if elements are fresh or predicted with probability 1/2 each.

    One element, n = 1, f'(x; z) = x + z up to |x| = 1/2 and constant beyond, z = ±1, x_0 = 0; fresh
    and predicted gradients have samples of their own. From g_2 − g_1 to g_4 − g_3, t = 5, it takes
    nothing that is open at the start.
    """
    before, _, after = _differences(4, (True, False), _bent)
    noise = mean(z**2 for z in SIGNS)
    biggest = (REACH + 1) ** 2
    limit = 2 * SMALL_STEP**2 * (before + biggest) + 2 * noise
    if after <= limit:
        return None
    return {
        "f'(x; z)": f"x + z for |x| ≤ {REACH}, constant beyond; z = ±1, n = 1, x_0 = 0",
        "samples": "fresh and predicted gradients have their own",
        "kappa": Fraction(1, 2),
        "L": 1,
        "eta": SMALL_STEP,
        "V1": noise,
        "V2": biggest,
        "t": 5,
        "E‖g_2 − g_1‖²": before,
        "E‖g_4 − g_3‖²": after,
        "2L²η²E‖g_2 − g_1‖² + 2V1 + 2L²η²V2": limit,
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


def _differences(updates: int, fates: tuple[bool, ...], gradient: Any) -> list[Fraction]:
    """E‖g_2 − g_1‖², E‖g_3 − g_2‖², … of runs in one dimension from 0.

    In every update the element has one of these fates, each as likely: it is predicted (True), or
    fresh.
    """
    inner = SAPipeWP(1, SMALL_STEP, 2)
    start = inner.start(np.array([Fraction(0)], dtype=object))
    half = Fraction(1, len(SIGNS))
    runs = [(half, advance(inner, start, gradient, (draw,)), Fraction(0)) for draw in SIGNS]
    found = []
    for _ in range(updates):
        pairs = [(run, then) for run in runs for then in _ahead(run, inner, fates, gradient)]
        found.append(sum((then[0] * (then[2] - run[2]) ** 2 for run, then in pairs), Fraction(0)))
        runs = [then for _, then in pairs]
    return found[1:]  # what comes first is g_1 − g_0


def _ahead(run: Run, inner: SAPipeWP, fates: tuple[bool, ...], gradient: Any) -> Iterator[Run]:
    """What may become of a run in one update, whose fresh gradient is not used if predicted."""
    chance, state, _ = run
    for late in fates:
        method = SAPipe(inner, (late,), reading="proofs")
        draws = tuple(product(SIGNS[:1] if late else SIGNS, SIGNS))
        for draw in draws:
            then = advance(method, state, gradient, draw)
            moved = Fraction((state.model[0] - then.model[0]) / SMALL_STEP)
            yield chance / (len(fates) * len(draws)), then, moved
