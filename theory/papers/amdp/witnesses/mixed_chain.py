"""A chain of two stages whose backward uses newer weights than its forward, run exactly.

Stage 0 maps its weight w to h(w) with h′(w) = 1 + A(w − 1)², stage 1 turns a into f(h⁻¹(a))
with f(w) = w²/2: as a function of w the loss is f, 1-smooth, with minimum 0, without noise. The
backward gets w_F/h′(w_F) at the weight that the forward read and multiplies it by h′ at the
newest. The third weight is a polynomial of degree one in A, so that A can be taken so large
that the average of ∇f² over T ≥ 3 updates is above any bound made of L, Δ, σ, η and T.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from schedules.families import amdp
from schedules.versions import versions

Number = Any
"""A fraction or a sympy expression."""

SMOOTHNESS: Final = Fraction(1)
"""L."""
START: Final = Fraction(1)
"""The first weight."""
GAP: Final = Fraction(1, 2)
"""Δ: the loss there, its minimum being 0."""
FEWEST: Final = 3
"""Minibatches of the shortest run that shows it."""


def mixed(forward: Number, backward: Number, steepness: Number) -> Number:
    """What the backward gives for w_F, w_B and A.

    Examples
    --------
    >>> mixed(Fraction(1), Fraction(1), Fraction(9)), mixed(Fraction(1), Fraction(2), Fraction(9))
    (Fraction(1, 1), Fraction(10, 1))
    """
    signal = forward / _slope(forward, steepness)
    return signal * _slope(backward, steepness)


def _slope(weight: Number, steepness: Number) -> Number:
    """h′."""
    return 1 + steepness * (weight - 1) ** 2


def weights(count: int, stepsize: Number, steepness: Number) -> list[Number]:
    """The weights of stage 0 that AMDP's minibatches 0, …, count − 1 find when they are updated.

    One pipeline of two stages with an update after every backward; which weights a forward and a
    backward use is read off the schedule.

    Examples
    --------
    >>> [str(weight) for weight in weights(3, Fraction(1, 2), Fraction(0))]
    ['1', '1/2', '0']
    """
    schedule = amdp.build(2, count, admission=2, pipelines=1)
    found = versions(schedule)
    known: list[Number] = [START]
    for read, used in zip(found.read[0].tolist(), found.used[0].tolist(), strict=True):
        known.append(known[-1] - stepsize * mixed(known[read], known[used], steepness))
    return known[:count]


def average(count: int, stepsize: Fraction, steepness: Fraction) -> Fraction:
    """Mean of ∇f(x_t)² over the first `count` updates, ∇f(w) being w.

    Examples
    --------
    >>> average(3, Fraction(1, 2), Fraction(0))
    Fraction(5, 12)
    """
    run = weights(count, stepsize, steepness)
    return sum((weight**2 for weight in run), Fraction(0)) / count


def steep_enough(count: int, stepsize: Number, bound: Number) -> Number:
    """An A at which the average over that many updates is above a bound.

    Examples
    --------
    >>> average(3, Fraction(1, 2), steep_enough(3, Fraction(1, 2), Fraction(1000))) > 1000
    True
    """
    return (2 + count * bound) / stepsize**3
