"""Values of a bound: quick ones to look where, certified ones to decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

import sympy
from mpmath import iv
from mpmath.libmp import to_rational

from theory.errors import UnsupportedFormError
from theory.falsifier.numbers import LONGEST, Enclosure, Number, Root, exact, written
from theory.kernel.elementary import Exp, Log

PRECISION: Final = 300
"""Bits of the certified evaluation."""


def quick(bound: sympy.Expr) -> Callable[[Mapping[str, Number]], float]:
    """The bound in doubles; NaN where it is not a finite real number.

    Examples
    --------
    >>> quick(sympy.sqrt(sympy.Symbol("K")))({"K": Fraction(4)})
    2.0
    """
    names = sorted(symbol.name for symbol in bound.free_symbols)
    symbols = [next(s for s in bound.free_symbols if s.name == name) for name in names]
    function = sympy.lambdify(symbols, bound, modules=["math", {"Min": min, "Max": max}])

    def evaluate(numbers: Mapping[str, Number]) -> float:
        try:
            value = function(*(float(numbers[name]) for name in names))
            return float(value) if not isinstance(value, complex) else float("nan")
        except (ArithmeticError, ValueError):
            return float("nan")

    return evaluate


def certified(bound: sympy.Expr, numbers: Mapping[str, Number]) -> Any:
    """An interval that certainly holds the bound's value.

    Raises
    ------
    UnsupportedFormError
        The bound is not made of sums, products, powers, minima, maxima, exponentials and
        logarithms.
    ZeroDivisionError
        It divides by zero, or takes a logarithm of what is not positive.
    """
    if isinstance(bound, sympy.Rational):
        return iv.mpf(int(bound.p)) / iv.mpf(int(bound.q))
    if isinstance(bound, sympy.Symbol):
        return enclosed(numbers[bound.name])
    parts = [certified(part, numbers) for part in bound.args]
    if isinstance(bound, sympy.Add):
        return sum(parts[1:], parts[0])
    if isinstance(bound, sympy.Mul):
        product = parts[0]
        for part in parts[1:]:
            product = product * part
        return product
    if isinstance(bound, sympy.Pow):
        return _power(bound, parts, numbers)
    if isinstance(bound, sympy.Min):
        return iv.mpf([min(part.a for part in parts), min(part.b for part in parts)])
    if isinstance(bound, sympy.Max):
        return iv.mpf([max(part.a for part in parts), max(part.b for part in parts)])
    if isinstance(bound, Exp):
        return iv.exp(parts[0])
    if isinstance(bound, Log):
        if not parts[0].a > 0:
            raise ZeroDivisionError(sympy.sstr(bound))
        return iv.log(parts[0])
    raise UnsupportedFormError(
        f"a bound is made of + · / powers, roots, exp, log, Min, Max, found {sympy.sstr(bound)}",
        "falsifier",
        "write the bound so",
    )


def _power(bound: sympy.Pow, parts: list[Any], numbers: Mapping[str, Number]) -> Any:
    base, exponent = parts
    power = bound.exp.xreplace({s: exact(numbers[s.name]) for s in bound.exp.free_symbols})
    if power.is_Integer:
        if int(power) < 0 and 0 in base:
            raise ZeroDivisionError(sympy.sstr(bound))
        return base ** int(power)
    if power == sympy.Rational(1, 2):
        return iv.sqrt(base)
    if power == -sympy.Rational(1, 2):
        return 1 / iv.sqrt(base)
    if base.a > 0:
        return iv.exp(exponent * iv.log(base))
    if base.a < 0 or power < 0:
        raise ZeroDivisionError(sympy.sstr(bound))
    highest = iv.exp(exponent * iv.log(iv.mpf(base.b))) if base.b > 0 else iv.mpf(0)
    return iv.mpf([0, highest.b])


def enclosed(number: Number) -> Any:
    """A number as an interval."""
    if isinstance(number, Root):
        return iv.sqrt(_ratio(number.square))
    if isinstance(number, Enclosure):
        return iv.mpf([_ratio(number.low).a, _ratio(number.high).b])
    return _ratio(number)


def enclosure(interval: Any) -> Enclosure:
    """An interval of mpmath with fractions as its ends."""
    low, high = interval._mpi_
    return Enclosure(Fraction(*to_rational(low)), Fraction(*to_rational(high)))


def exceeds(measured: Number, bound: sympy.Expr, numbers: Mapping[str, Number]) -> bool:
    """Whether the measured value is certainly greater than the bound.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> exceeds(Fraction(3, 2), sympy.sqrt(x), {"x": Fraction(2)})
    True
    >>> exceeds(Root(Fraction(2)), sympy.sqrt(x), {"x": Fraction(2)})
    False
    """
    before = iv.prec
    iv.prec = PRECISION
    try:
        return bool((enclosed(measured) - certified(bound, numbers)).a > 0)
    finally:
        iv.prec = before


def certain_sign(form: sympy.Expr) -> int | None:
    """The sign of a number with exponentials and logarithms, if an enclosure of it shows one.

    None where it shows none, or the number does not exist.

    Examples
    --------
    >>> from theory.kernel.elementary import Exp, Log
    >>> one = sympy.Integer(1)
    >>> certain_sign(Exp(one) - 2), certain_sign(Log(one / 2)), certain_sign(Log(-one))
    (1, -1, None)
    """
    before = iv.prec
    iv.prec = PRECISION
    try:
        held = certified(form, {})
        return 1 if held.a > 0 else -1 if held.b < 0 else None
    except (ArithmeticError, ValueError, KeyError, UnsupportedFormError):
        return None
    finally:
        iv.prec = before


def attained(measured: Number, bound: sympy.Expr, numbers: Mapping[str, Number]) -> bool:
    """Whether the measured value is exactly the bound."""
    if isinstance(measured, Enclosure):
        return False
    at = {symbol: exact(numbers[symbol.name]) for symbol in bound.free_symbols}
    return bool(sympy.expand(exact(measured) - bound.xreplace(at)) == 0)


def value_in_words(bound: sympy.Expr, numbers: Mapping[str, Number]) -> str:
    """The bound's value: exact if that is short, else certain decimals.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> value_in_words(sympy.sqrt(x) / 2, {"x": Fraction(8)})
    'sqrt(2)'
    """
    held = {symbol.name: numbers[symbol.name] for symbol in bound.free_symbols}
    if not any(isinstance(number, Enclosure) for number in held.values()):
        at = {symbol: exact(held[symbol.name]) for symbol in bound.free_symbols}
        text = sympy.sstr(sympy.expand(bound.xreplace(at)))
        if len(text) <= LONGEST:
            return str(text)
    return written(enclosure(certified(bound, numbers)))


def _ratio(value: Fraction) -> Any:
    return iv.mpf(value.numerator) / iv.mpf(value.denominator)


def number(value: Any, less: Fraction = Fraction(0)) -> Number:
    """A result of a run in the falsifier's numbers, less a fraction."""
    if isinstance(value, Fraction):
        return value - less
    held = enclosure(value)
    return Enclosure(held.low - less, held.high - less)
