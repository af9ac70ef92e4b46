"""Short forms of the most in flight and of the largest local staleness, guessed from numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain, product
from typing import Final

import numpy as np
import sympy

from schedules.schedule import IntArray
from theory.laws.stamp_terms import LONGEST
from theory.laws.static_orders.symbols import K, M, p, s

MOST_FORMS: Final = 4
"""Of which the least is taken."""

MOST_QUOTIENTS: Final = 20_000
"""Forms with one divisor."""

_SLOPES: Final = (2, 3, 4)
"""Numbers that fractions of p and s are divided by."""

_Guess = tuple[Callable[[], sympy.Expr], IntArray]
"""How a form is written, and its values."""


def least_form(
    wanted: IntArray,
    at: Mapping[str, IntArray],
    divisors: Sequence[int] = (),
    every: int = 1,
    *,
    wider: bool = False,
) -> sympy.Expr | None:
    """The least of a few short forms that is what is wanted everywhere.

    Each form is at least so much everywhere, and somewhere just so much; those that are so most
    often are taken first.

    Parameters
    ----------
    wanted : array
    at : mapping of str to array
        What p, M and s are there, and K where there is one.
    divisors : sequence of int
        By what forms may be divided, rounded down, besides 1.
    every : int
        By what all that is divided is divided besides, but for M: that counts windows then.
    wider : bool
        Whether there may be fractions of p and s, rounded down, or K, or one of the numbers
        that are named otherwise: these are parameters.

    Examples
    --------
    >>> M = np.arange(1, 9)
    >>> least_form(np.minimum(M // 2 + 1, 4), {"p": M % 3 + 1, "M": M, "s": 0 * M}, [2])
    Min(4, floor(M/2) + 1)
    """
    if not len(wanted):
        return None
    by = (1, *divisors) if divisors and every <= LONGEST else ()
    quotients = (_quotients(wanted, at, d, every) for d in by)
    most = int(wanted.max())
    number: _Guess = partial(sympy.Integer, most), np.full_like(wanted, most)
    every_form = chain(_forms(at), [number], _wider(at) if wider else (), *quotients)
    above = [(write, values == wanted) for write, values in every_form if (values >= wanted).all()]
    chosen: list[sympy.Expr] = []
    open_at = np.ones(len(wanted), dtype=bool)
    while open_at.any() and above and len(chosen) < MOST_FORMS:
        write, tight = max(above, key=lambda one: int((one[1] & open_at).sum()))
        if not (tight & open_at).any():
            return None
        chosen.append(write())
        open_at &= ~tight
    return None if open_at.any() else sympy.Min(*chosen)


def _forms(at: Mapping[str, IntArray]) -> Iterator[_Guess]:
    """Short forms, the shortest first, and their values."""
    for a, b, c, e in _coefficients():
        affine = partial(_affine, a, b, c, e)
        values = a * at["p"] + b * at["s"] + c * at["M"] + e
        yield from _and_at_least(affine, values) if a or b or c else [(affine, values)]
        if "K" in at and (a or b) and not c:
            yield partial(_above, affine), -(-values // at["K"])
    if "K" in at:
        for e in (0, -1):
            yield partial(_windows, e), at["M"] // at["K"] + e


def _and_at_least(write: Callable[[], sympy.Expr], values: IntArray) -> Iterator[_Guess]:
    """A form, and what is 0 or 1 where it would be less."""
    yield write, values
    for least in (0, 1):
        yield partial(_at_least, least, write), np.maximum(least, values)


def _wider(at: Mapping[str, IntArray]) -> Iterator[_Guess]:
    yield from _sloped(at)
    for name in sorted(at.keys() - {"p", "M", "s"}):
        symbol = K if name == "K" else sympy.Symbol(name, integer=True)
        for a, b, c, f, e in product((0, 1), (0, -1), (0, 1), (1, 2, -1), range(-4, 5)):
            affine = partial(_with_parameter, partial(_affine, a, b, c, e), f * symbol)
            values = a * at["p"] + b * at["s"] + c * at["M"] + f * at[name] + e
            yield from _and_at_least(affine, values)
            if "K" in at and name != "K" and not c:
                yield partial(_above, affine), -(-values // at["K"])


def _with_parameter(write: Callable[[], sympy.Expr], beside: sympy.Expr) -> sympy.Expr:
    return write() + beside


def _sloped(at: Mapping[str, IntArray]) -> Iterator[_Guess]:
    """Fractions of p and s: stamps may grow by several with x, and by fewer from rank to rank."""
    for d in _SLOPES:
        for a, b, e in product(range(2 * d + 1), range(-d, d + 1), range(-d, 2 * d + 1)):
            if a % d or b % d:
                yield partial(_slope, a, b, e, d), (a * at["p"] + b * at["s"] + e) // d


def _slope(a: int, b: int, e: int, d: int) -> sympy.Expr:
    return sympy.floor((a * p + b * s + e) / d)


def _affine(a: int, b: int, c: int, e: int) -> sympy.Expr:
    return a * p + b * s + c * M + e


def _above(affine: Callable[[], sympy.Expr]) -> sympy.Expr:
    return sympy.ceiling(affine() / K)


def _windows(e: int) -> sympy.Expr:
    return sympy.floor(M / K) + e


def _at_least(least: int, write: Callable[[], sympy.Expr]) -> sympy.Expr:
    return sympy.Max(least, write())


@cache
def _coefficients() -> tuple[tuple[int, int, int, int], ...]:
    every = product((0, 1, 2), (-2, -1, 0, 1, 2), (0, 1), range(-4, 5))
    return tuple(sorted(every, key=lambda one: (sum(map(abs, one)), one)))


def _quotients(
    wanted: IntArray, at: Mapping[str, IntArray], d: int, every: int
) -> Iterator[_Guess]:
    """Forms with quotients by d·every, the shortest first, and their values.

    A form has the least number beside its quotient with which it is at least what is wanted; or
    is wanted where that is more than 0 or 1.
    """
    for from_end, (times, c, k, e, beside) in product((1, 0), _steps(d, every)):
        ranks = at["p"] - from_end * at["s"]
        values = times * ((c * at["M"] + k * ranks + e) // (d * every)) + beside * ranks
        form = partial(_quotient, from_end, times, c, k, e, d * every, beside)
        more = int((wanted - values).max())
        yield partial(form, more), values + more
        for least in (0, 1):
            above = wanted > least
            if above.any():
                more = int((wanted - values)[above].max())
                write = partial(_at_least, least, partial(form, more))
                yield write, np.maximum(least, values + more)


def _quotient(
    from_end: int, times: int, c: int, k: int, e: int, d: int, beside: int, more: int
) -> sympy.Expr:
    ranks = p - from_end * s
    return times * sympy.floor((c * M + k * ranks + e) / d) + beside * ranks + more


@cache
def _steps(d: int, every: int) -> tuple[tuple[int, ...], ...]:
    """Coefficients: slopes in M are quotients by d, whatever the window; several steps of them."""
    n, most = d * every, range(d + 1)
    one = product((1,), range(0, n + 1, every), range(n), range(n), most)
    several = product(range(2, d + 1), (0, every), (0, 1), range(n), most)
    found = sorted(chain(one, several), key=lambda one: (sum(one), one))
    return tuple(found[:MOST_QUOTIENTS])
