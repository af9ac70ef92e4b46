"""Exact numbers as text and as floats, and enclosures: intervals that contain the true value."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any, Final

import sympy
from mpmath.ctx_iv import MPIntervalContext

from theory.errors import UnsupportedFormError

PRECISION: Final = 256
"""Bits of the ends of an enclosure."""

MOST_POWER: Final = 64
"""Largest exponent that is multiplied out in a text."""

_IV: Final = MPIntervalContext()
_IV.prec = PRECISION


@dataclass(frozen=True)
class Interval:
    """All numbers from `low` to `high`.

    Examples
    --------
    >>> Interval(Fraction(1, 3), Fraction(1, 3)).exact
    True
    """

    low: Fraction
    high: Fraction

    @property
    def exact(self) -> bool:
        """Whether it is one number."""
        return self.low == self.high

    def __float__(self) -> float:
        return float((self.low + self.high) / 2)


@dataclass(frozen=True)
class Number:
    """A number as text and where it lies.

    Attributes
    ----------
    text : str
        Exact, in sympy's notation.
    interval : Interval
    """

    text: str
    interval: Interval

    def __float__(self) -> float:
        return float(self.interval)

    def to_json(self) -> dict[str, Any]:
        """``exact`` as text and ``float``."""
        return {"exact": self.text, "float": float(self)}


Values = Mapping[sympy.Symbol, sympy.Expr | Interval]


def enclose(form: sympy.Expr, values: Values | None = None) -> Interval:
    """An interval that contains the value of a formula, about 2^-250 wide for its size.

    Raises
    ------
    UnsupportedFormError
        The formula has something else than sums, products, powers, minima and numbers.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> float(enclose(sympy.sqrt(x), {x: sympy.Integer(2)}))
    1.4142135623730951
    """
    found = _enclose(form, values or {})
    return Interval(*(_fraction(end) for end in found._mpi_))


def _enclose(form: sympy.Expr, values: Values) -> Any:
    if form.is_Rational:
        return _IV.mpf(int(form.p)) / int(form.q)
    if form.is_Symbol:
        value = values[form]
        if isinstance(value, Interval):
            return _IV.mpf([_end(value.low).a, _end(value.high).b])
        return _enclose(value, values)
    if form.is_Pow:
        exponent = form.exp.subs({s: values[s] for s in form.exp.free_symbols})
        return _power(_enclose(form.base, values), exponent)
    parts = [_enclose(part, values) for part in form.args]
    if form.is_Add:
        return reduce(add, parts)
    if form.is_Mul:
        return reduce(mul, parts)
    if isinstance(form, sympy.Min):
        return _IV.mpf([min(part.a for part in parts), min(part.b for part in parts)])
    raise UnsupportedFormError(
        f"an enclosure is computed for sums, products, powers and minima, not for {form.func}",
        sympy.sstr(form),
        "write it with these",
    )


def _power(base: Any, exponent: sympy.Expr) -> Any:
    if exponent.is_Integer:
        return base ** int(exponent)
    if exponent.is_Rational and exponent.q == 2:
        return _IV.sqrt(base) ** int(exponent.p)
    raise UnsupportedFormError(
        "an exponent is a multiple of 1/2", sympy.sstr(exponent), "write it with square roots"
    )


def _end(value: Fraction) -> Any:
    return _IV.mpf(value.numerator) / value.denominator


def _fraction(end: tuple[int, int, int, int]) -> Fraction:
    sign, mantissa, exponent, _ = end
    value = Fraction(int(mantissa)) * Fraction(2) ** exponent
    return -value if sign else value


def number(form: sympy.Expr, values: Mapping[sympy.Symbol, sympy.Expr]) -> Number:
    """A formula at exact numbers; large powers stay powers in its text.

    Examples
    --------
    >>> x, n = sympy.Symbol("x"), sympy.Symbol("n", integer=True)
    >>> found = number(3 * (1 - x) ** n, {x: sympy.Rational(1, 8), n: sympy.Integer(10**6)})
    >>> found.text, number(3 * x**2, {x: sympy.Rational(1, 8)}).to_json()
    ('3*(7/8)**1000000', {'exact': '3/64', 'float': 0.046875})
    """
    exact = _substituted(form, values)
    return Number(sympy.sstr(exact), _exactly(exact) or enclose(form, dict(values)))


def number_text(form: sympy.Expr, values: Mapping[sympy.Symbol, sympy.Expr]) -> str:
    """The text of a formula at exact numbers; symbols without one stay."""
    return str(sympy.sstr(_substituted(form, values)))


def _substituted(form: sympy.Expr, values: Mapping[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
    """A formula at numbers; large powers become symbols with the power as their name."""
    names = {
        power: sympy.Symbol(f"({power.base.subs(values)})**{values[power.exp]}")
        for power in form.atoms(sympy.Pow)
        if power.exp in values and values[power.exp] > MOST_POWER
    }
    return form.xreplace(names).subs(values)


def _exactly(value: sympy.Expr) -> Interval | None:
    """A rational number as an interval of one point."""
    if not value.is_Rational:
        return None
    exact = Fraction(int(value.p), int(value.q))
    return Interval(exact, exact)
