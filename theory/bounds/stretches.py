"""Stretches: which of two bounds is the smaller one, from zero to zero of their difference."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any, Final

import sympy

from theory.bounds.numbers import Interval, Number

EQUAL: Final = "equal"


@dataclass(frozen=True)
class Stretch:
    """Values of a symbol over which one bound is the smaller one.

    Attributes
    ----------
    start, end : Number or None
        Both included if the symbol is a whole number. None at the end: without limit. None at
        the start: from 0, which is excluded.
    better : str
        The method with the smaller bound, ``equal``, or for each parity of p its own.
    """

    start: Number | None
    end: Number | None
    better: str

    def to_json(self) -> dict[str, Any]:
        """``from``, ``to`` and ``better``."""
        ends = {"from": self.start, "to": self.end}
        found = {name: None if end is None else end.to_json() for name, end in ends.items()}
        return {**found, "better": self.better}


def real_stretches(
    zeros: list[Number], better: Callable[[Fraction], str | None]
) -> tuple[tuple[Stretch, ...], tuple[Number, ...]]:
    """Stretches between zeros, and zeros that no stretch ends at."""
    stretches: list[Stretch] = []
    touches = []
    for start, end in pairwise([None, *zeros, None]):
        name = better(_between(start, end))
        if name is None:
            continue
        if stretches and stretches[-1].end is start and stretches[-1].better == name:
            touches += [start] if start is not None and name != EQUAL else []
            stretches[-1] = Stretch(stretches[-1].start, end, name)
        else:
            stretches.append(Stretch(start, end, name))
    return tuple(stretches), tuple(touches)


def _between(start: Number | None, end: Number | None) -> Fraction:
    low = Fraction(0) if start is None else start.interval.high
    return low + 1 if end is None else (low + end.interval.low) / 2


def whole_stretches(
    symbol: sympy.Symbol, zeros: list[list[Number]], better: Callable[[Fraction, int], str | None]
) -> tuple[Stretch, ...]:
    """Stretches of whole numbers; near every zero each number is looked at by itself."""
    least = 1 if symbol.is_positive else 0
    near = {
        number
        for found in zeros
        for zero in found
        for number in range(floor(zero.interval.low), floor(zero.interval.high) + 2)
    }
    starts = sorted({least} | {number for number in near if number > least})
    stretches: list[Stretch] = []
    for start, after in pairwise([*starts, None]):
        assert start is not None
        name = _at_whole(start, after, len(zeros), better)
        last = None if after is None else _integer(after - 1)
        if name is None:
            continue
        before = stretches[-1] if stretches else None
        if before and before.better == name and before.end == _integer(start - 1):
            stretches[-1] = Stretch(before.start, last, name)
        else:
            stretches.append(Stretch(_integer(start), last, name))
    return tuple(stretches)


def _at_whole(
    start: int, after: int | None, period: int, better: Callable[[Fraction, int], str | None]
) -> str | None:
    """Who is better on the whole numbers from `start` to before `after`."""
    stop = start + period if after is None else min(after, start + period)
    by_residue = {n % period: better(Fraction(n), n % period) for n in range(start, stop)}
    if len(set(by_residue.values())) == 1:
        return by_residue.popitem()[1]
    return ", ".join(f"{'odd' if r else 'even'} p: {by_residue[r]}" for r in sorted(by_residue))


def _integer(value: int) -> Number:
    return Number(str(value), Interval(Fraction(value), Fraction(value)))
