"""A bound at many values of one symbol, as floats for a picture or a table."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

import sympy

from theory.bounds.errors import BoundParameterError, OutsideDomainError
from theory.bounds.evaluation import evaluate
from theory.bounds.model import AtMost, Bound, Values
from theory.bounds.tuning import tune

POINTS: Final = 48
"""Values of a symbol at which a bound is computed, unless fewer whole numbers lie in the range."""


def points(symbol: sympy.Symbol, low: Fraction, high: Fraction) -> tuple[sympy.Rational, ...]:
    """Values from `low` to `high`, each about the same factor above the one before.

    Raises
    ------
    BoundParameterError
        The range is empty, or its ends are none of the symbol's numbers.

    Examples
    --------
    >>> from theory.bounds.model import p
    >>> points(p, Fraction(2), Fraction(5))
    (2, 3, 4, 5)
    """
    if not 0 < low < high or (symbol.is_integer and not low.denominator == high.denominator == 1):
        kind = "whole numbers" if symbol.is_integer else "numbers"
        raise BoundParameterError(
            f"a range of {symbol} is two {kind} above 0, the smaller first, found {low}..{high}",
            "--over",
            f"write {symbol}=LOW..HIGH",
        )
    if symbol.is_integer and high - low < POINTS:
        return tuple(sympy.Integer(n) for n in range(int(low), int(high) + 1))
    factor = float(high / low) ** (1 / (POINTS - 1))
    between = [low * Fraction(factor**k) for k in range(1, POINTS - 1)]
    if symbol.is_integer:
        between = [Fraction(round(value)) for value in between]
    values = sorted({low, high, *between})
    return tuple(sympy.Rational(value.numerator, value.denominator) for value in values)


def series(
    bound: Bound,
    symbol: sympy.Symbol,
    values: Sequence[sympy.Rational],
    given: Values,
    *,
    tuned: bool = False,
) -> list[float | None]:
    """A bound at each value; None where it does not hold.

    Divisibility is left aside: what has to be divided is read as a real number.

    Raises
    ------
    BoundParameterError
        Another symbol has no value, or one that it cannot have.
    """
    read = replace(bound, conditions=tuple(c for c in bound.conditions if isinstance(c, AtMost)))
    found: list[float | None] = []
    for value in values:
        there = {**given, symbol: value}
        try:
            done = tune(read, there) if tuned else evaluate(read, there)
        except OutsideDomainError:
            found.append(None)
        else:
            found.append(float(done.total))
    return found
