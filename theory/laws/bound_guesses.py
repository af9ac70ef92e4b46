"""Short forms of the most in flight and of the largest local staleness, guessed from numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import product
from typing import Final

import numpy as np
import sympy

from schedules.schedule import IntArray
from theory.laws.static_orders.symbols import K, M, p, s

MOST_FORMS: Final = 4
"""Of which the least is taken."""

_Guess = tuple[Callable[[], sympy.Expr], IntArray]
"""How a form is written, and its values."""


def least_form(
    wanted: IntArray, at: Mapping[str, IntArray], divisors: Sequence[int] = ()
) -> sympy.Expr | None:
    """The least of a few short forms that is what is wanted everywhere.

    Each form is at least so much everywhere, and somewhere just so much; those that are so most
    often are taken first.

    Parameters
    ----------
    wanted : array
        At least one number.
    at : mapping of str to array
        What p, M and s are there, and K where there is one.
    divisors : sequence of int
        By what forms may be divided, rounded down.

    Examples
    --------
    >>> M = np.arange(1, 9)
    >>> least_form(np.minimum(M // 2 + 1, 4), {"p": 2 + 0 * M, "M": M, "s": 0 * M}, [2])
    Min(4, floor(M/2) + 1)
    """
    every = (guess for d in (1, *divisors) for guess in _forms(at, d))
    above = [(write, values) for write, values in every if (values >= wanted).all()]
    chosen: list[sympy.Expr] = []
    open_at = np.ones(len(wanted), dtype=bool)
    while open_at.any() and above and len(chosen) < MOST_FORMS:
        write, values = max(above, key=lambda one: int(((one[1] == wanted) & open_at).sum()))
        tight = (values == wanted) & open_at
        if not tight.any():
            return None
        chosen.append(write())
        open_at &= ~tight
    return None if open_at.any() else sympy.Min(*chosen)


def _forms(at: Mapping[str, IntArray], d: int) -> Iterator[_Guess]:
    """Short forms, the shortest first, and their values; quotients by d, unless it is 1."""
    for a, b, c, e in _coefficients(d):
        affine = partial(_affine, a, b, c, e)
        values = a * at["p"] + b * at["s"] + c * at["M"] + e
        yield from _from_least(partial(_quotient, affine, d), values // d, only=not (a or b or c))
        if d > 1 and not c:
            yield from _from_least(partial(_affine, d * a, d * b, c, e), d * (values - e) + e)
        if d == 1 and "K" in at and (a or b) and not c:
            yield partial(_above, affine), -(-values // at["K"])
    for f, e, g in product(range(2, d), range(d), range(-d, d + 1)):
        yield partial(_steps, f, e, d, g), f * ((at["M"] + e) // d) + g
    if d == 1 and "K" in at:
        for e in (0, -1):
            yield partial(_windows, e), at["M"] // at["K"] + e


def _from_least(
    write: Callable[[], sympy.Expr], values: IntArray, *, only: bool = False
) -> Iterator[_Guess]:
    """A form, and what it is where it is at least 0 or 1."""
    yield write, values
    for least in () if only else (0, 1):
        yield partial(_at_least, least, write), np.maximum(least, values)


def _affine(a: int, b: int, c: int, e: int) -> sympy.Expr:
    return a * p + b * s + c * M + e


def _quotient(affine: Callable[[], sympy.Expr], d: int) -> sympy.Expr:
    return sympy.floor(affine() / d)


def _above(affine: Callable[[], sympy.Expr]) -> sympy.Expr:
    return sympy.ceiling(affine() / K)


def _windows(e: int) -> sympy.Expr:
    return sympy.floor(M / K) + e


def _steps(f: int, e: int, d: int, g: int) -> sympy.Expr:
    return f * sympy.floor((M + e) / d) + g


def _at_least(least: int, write: Callable[[], sympy.Expr]) -> sympy.Expr:
    return sympy.Max(least, write())


@cache
def _coefficients(d: int) -> tuple[tuple[int, int, int, int], ...]:
    every = product((0, 1, 2), (-2, -1, 0, 1, 2), range(d + 1), range(-3 - d, 4 + d))
    return tuple(sorted(every, key=lambda one: (sum(map(abs, one)), one)))
