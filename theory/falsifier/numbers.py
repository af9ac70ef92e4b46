"""Exact numbers of a run: fractions, square roots of fractions, and certified enclosures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, Final

import sympy

LONGEST: Final = 60
"""Letters of a number that is written exactly."""
DIGITS: Final = 15
"""Of a number that is not."""


@dataclass(frozen=True)
class Root:
    """The square root of a nonnegative fraction."""

    square: Fraction

    def __float__(self) -> float:
        """Nearest double, up to the rounding of the root."""
        return math.sqrt(self.square)


@dataclass(frozen=True)
class Enclosure:
    """A real number that certainly lies in ``[low, high]``."""

    low: Fraction
    high: Fraction

    def __float__(self) -> float:
        """The middle."""
        return float((self.low + self.high) / 2)


Number = Fraction | Root | Enclosure


def exact(number: Number) -> sympy.Expr:
    """As a sympy number; an enclosure becomes its upper end.

    Examples
    --------
    >>> exact(Fraction(1, 3)), exact(Root(Fraction(8)))
    (1/3, 2*sqrt(2))
    """
    if isinstance(number, Root):
        return sympy.sqrt(rational(number.square))
    return rational(number.high if isinstance(number, Enclosure) else number)


def rational(value: Fraction) -> sympy.Rational:
    """As a sympy rational."""
    return sympy.Rational(value.numerator, value.denominator)


def fraction(value: sympy.Rational) -> Fraction:
    """As a fraction of Python.

    Examples
    --------
    >>> fraction(sympy.Rational(2, 6))
    Fraction(1, 3)
    """
    return Fraction(int(value.p), int(value.q))


def written(number: Number) -> str:
    """In words that can be read back: ``1/3``, ``sqrt(2)``, ``[1/3, 1/2]``.

    Very long fractions become decimal ends of an interval that holds them.

    Examples
    --------
    >>> written(Root(Fraction(1, 4))), written(Root(Fraction(2, 9)))
    ('1/2', 'sqrt(2)/3')
    >>> written(Fraction(1, 3**200))
    '[3.76486194959902E-96, 3.76486194959903E-96]'
    """
    if isinstance(number, Enclosure):
        return f"[{decimal(number.low, up=False)}, {decimal(number.high, up=True)}]"
    text = _symbolic(number)
    if len(text) <= LONGEST:
        return text
    if isinstance(number, Root):
        return f"the root of {written(number.square)}"
    return f"[{decimal(number, up=False)}, {decimal(number, up=True)}]"


def _symbolic(number: Fraction | Root) -> str:
    square = number.square if isinstance(number, Root) else number
    if len(str(square)) > LONGEST:  # the root of a long fraction is not worth simplifying
        return str(square)
    return str(sympy.sstr(exact(number)))


def decimal(value: Fraction, up: bool) -> str:
    """Fifteen digits, rounded up or down.

    Examples
    --------
    >>> decimal(Fraction(2, 3), up=True), decimal(Fraction(-1, 8), up=False)
    ('0.666666666666667', '-0.125')
    """
    rounded = Context(DIGITS, ROUND_CEILING if up else ROUND_FLOOR)
    return str(rounded.divide(Decimal(value.numerator), Decimal(value.denominator)))


def in_domain(value: Any, symbol: Any) -> bool:
    """Whether a number has all that a symbol is declared to have, such as even or negative.

    Examples
    --------
    >>> n = sympy.Symbol("n", integer=True, positive=True)
    >>> in_domain(sympy.Integer(2), n), in_domain(sympy.Rational(1, 2), n)
    (True, False)
    """
    return all(getattr(value, f"is_{word}") is said for word, said in symbol.assumptions0.items())
