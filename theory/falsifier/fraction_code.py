"""Expressions as functions from fractions to fractions: exact, and quick enough for many draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

import mpmath
import sympy
from sympy.printing.pycode import PythonCodePrinter

from theory.errors import NotExactError
from theory.kernel.vectors import Scalar

DIGITS: Final = 10**30
"""To which a root is rounded where nothing is concluded from it, and any exponential."""
STEEPEST: Final = 1000
"""Exponents beyond are not tried."""


class _Printer(PythonCodePrinter):  # type: ignore[misc]
    """Writes expressions as code on fractions; a root that is not rational has no value."""

    def _print_Rational(self, expr: Any) -> str:  # noqa: N802
        return f"Fraction({expr.p}, {expr.q})"

    _print_Integer = _print_Half = _print_Rational  # noqa: N815
    _print_One = _print_Zero = _print_NegativeOne = _print_Rational  # noqa: N815

    def _print_Max(self, expr: Any) -> str:  # noqa: N802
        return f"max({', '.join(map(self._print, expr.args))})"

    def _print_Exp(self, expr: Any) -> str:  # noqa: N802
        return f"near_exp({self._print(expr.args[0])})"

    def _print_Log(self, expr: Any) -> str:  # noqa: N802
        return f"near_log({self._print(expr.args[0])})"

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


def near_exp(exponent: Fraction) -> Fraction:
    """A fraction near e to a power; it is e^0 exactly.

    Examples
    --------
    >>> near_exp(Fraction(0)), round(near_exp(Fraction(1)), 3)
    (Fraction(1, 1), Fraction(1359, 500))
    """
    if abs(exponent) > STEEPEST:
        raise NotExactError("a power of e", str(exponent), "take another instance")
    return _near(mpmath.exp, exponent) if exponent else Fraction(1)


def near_log(number: Fraction) -> Fraction:
    """A fraction near the natural logarithm; it is ln 1 exactly."""
    if number <= 0:
        raise NotExactError("a logarithm", str(number), "take another instance")
    return _near(mpmath.log, number) if number != 1 else Fraction(0)


def _near(function: Callable[[Any], Any], at: Fraction) -> Fraction:
    with mpmath.workdps(2 * len(str(DIGITS))):
        value = function(mpmath.mpf(at.numerator) / at.denominator)
        return Fraction(int(mpmath.nint(value * DIGITS)), DIGITS)


def compiled(
    arguments: Sequence[Scalar], forms: Sequence[Scalar], near: bool = False
) -> Callable[..., Any]:
    """A function from fractions that gives these expressions, or fractions near them.

    Exponentials and logarithms are always near ones: who decides looks once more.
    """
    names = {"Fraction": Fraction, "power": near_power if near else power, "max": max}
    names |= {"near_exp": near_exp, "near_log": near_log}
    printer = _Printer({"fully_qualified_modules": False})
    made: Callable[..., Any] = sympy.lambdify(
        list(arguments), list(forms), modules=[names], printer=printer, cse=True
    )
    return made
