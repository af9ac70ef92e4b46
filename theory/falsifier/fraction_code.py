"""Expressions as functions from fractions to fractions: exact, and quick enough for many draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

import sympy
from sympy.printing.pycode import PythonCodePrinter

from theory.errors import NotExactError
from theory.kernel.vectors import Scalar

DIGITS: Final = 10**30
"""To which a root is rounded where nothing is concluded from it."""


class _Printer(PythonCodePrinter):  # type: ignore[misc]
    """Writes expressions as code on fractions; a root that is not rational has no value."""

    def _print_Rational(self, expr: Any) -> str:  # noqa: N802
        return f"Fraction({expr.p}, {expr.q})"

    _print_Integer = _print_Half = _print_Rational  # noqa: N815
    _print_One = _print_Zero = _print_NegativeOne = _print_Rational  # noqa: N815

    def _print_Max(self, expr: Any) -> str:  # noqa: N802
        return f"max({', '.join(map(self._print, expr.args))})"

    def _print_Pow(self, expr: Any, **_: Any) -> str:  # noqa: N802
        return f"power({self._print(expr.base)}, {self._print(expr.exp)})"


def power(base: Fraction, exponent: Fraction) -> Fraction:
    """A rational power that is rational.

    Raises
    ------
    NotExactError
        It is not.

    Examples
    --------
    >>> power(Fraction(4, 9), Fraction(-1, 2))
    Fraction(3, 2)
    """
    degree = exponent.denominator
    if degree == 1:
        return base**exponent.numerator
    if base < 0:
        raise NotExactError("a root of a negative number", str(base), "take another instance")
    above, below = (_whole_root(part, degree) for part in (base.numerator, base.denominator))
    return Fraction(above, below) ** exponent.numerator


def _whole_root(number: int, degree: int) -> int:
    found = math.isqrt(number) if degree == 2 else round(number ** (1 / degree))
    if found**degree != number:
        raise NotExactError("a root that is not rational", str(number), "take another instance")
    return found


def near_power(base: Fraction, exponent: Fraction) -> Fraction:
    """A rational power, or a fraction near it where it is a square root that is not rational.

    Examples
    --------
    >>> round(near_power(Fraction(2), Fraction(1, 2)), 3)
    Fraction(707, 500)
    """
    if exponent.denominator != 2 or base < 0:
        return power(base, exponent)
    whole = math.isqrt(base.numerator * base.denominator * DIGITS**2)
    return Fraction(whole, base.denominator * DIGITS) ** exponent.numerator


def compiled(
    arguments: Sequence[Scalar], forms: Sequence[Scalar], near: bool = False
) -> Callable[..., Any]:
    """A function from fractions that gives these expressions, or fractions near them."""
    names = {"Fraction": Fraction, "power": near_power if near else power, "max": max}
    printer = _Printer({"fully_qualified_modules": False})
    made: Callable[..., Any] = sympy.lambdify(
        list(arguments), list(forms), modules=[names], printer=printer, cse=True
    )
    return made
