"""Which of several bounds is the smallest at every point of a grid over two symbols, exactly.

With numbers for all other symbols a bound is a ratio of two polynomials with rational coefficients,
evaluated in fractions. A condition is decided once for every value of the symbols that it has.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

import sympy

from theory.bounds.errors import NotComparableError
from theory.bounds.evaluation import require_possible, settled
from theory.bounds.model import AtMost, Bound, Values, p

Pair = tuple[sympy.Symbol, sympy.Symbol]
Total = Callable[[Sequence[sympy.Rational]], Fraction | None]
"""A bound at a value of each of two symbols; None where it does not hold."""


def total_over(bound: Bound, symbols: Pair, given: Values) -> Total:
    """A bound as a function of two symbols.

    Divisibility is left aside, as in `theory.bounds.series`.

    Raises
    ------
    BoundParameterError
        Another symbol has no value, or one that it cannot have.
    NotComparableError
        The bound is no ratio of polynomials with rational coefficients.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", positive=True)
    >>> short = AtMost(x, sympy.Integer(1), "the proof needs it")
    >>> one = Bound("one", "printed", "", "", "", ({"sum": x + y},), conditions=(short,))
    >>> total = total_over(one, (x, y), {})
    >>> total((sympy.Rational(1, 2), sympy.Integer(1))), total((sympy.Integer(2), sympy.Integer(1)))
    (Fraction(3, 2), None)
    """
    values = settled(bound, given, symbols)
    parities = range(bound.period) if p in symbols else [int(values.get(p, 0))]
    ratios = [_ratio(bound, bound.total(residue), values, symbols) for residue in parities]
    conditions = [_decided(c, symbols, values) for c in bound.conditions if isinstance(c, AtMost)]

    def total(there: Sequence[sympy.Rational]) -> Fraction | None:
        if not all(holds(there) for holds in conditions):
            return None
        residue = int(there[symbols.index(p)]) if p in symbols else 0
        top, bottom = ratios[residue % len(ratios)]
        at = [Fraction(int(value.p), int(value.q)) for value in there]
        return _value(top, at) / _value(bottom, at)

    return total


def smallest_over(
    bounds: Sequence[Bound],
    symbols: Pair,
    places: tuple[Sequence[sympy.Rational], Sequence[sympy.Rational]],
    given: Values,
) -> list[list[int | None]]:
    """Which bound is the smallest: a row for each value of the second symbol.

    Of equal bounds the first one counts; None where no bound holds.

    Raises
    ------
    BoundParameterError, NotComparableError
        As in `total_over`; or a value is none that a symbol can stand for.
    """
    for symbol, values in zip(symbols, places, strict=True):
        for value in values:
            require_possible(symbol, value)
    totals = [total_over(bound, symbols, given) for bound in bounds]
    return [[_smallest(totals, (one, two)) for one in places[0]] for two in places[1]]


def _smallest(totals: Sequence[Total], there: Sequence[sympy.Rational]) -> int | None:
    found = [(value, k) for k, total in enumerate(totals) if (value := total(there)) is not None]
    return min(found)[1] if found else None


Terms = list[tuple[tuple[int, ...], Fraction]]
"""Powers of the two symbols, with what they are multiplied by."""


def _ratio(bound: Bound, total: sympy.Expr, values: Values, symbols: Pair) -> tuple[Terms, Terms]:
    """Numerator and denominator."""
    if all(power.exp.is_number for power in total.atoms(sympy.Pow)):
        parts = sympy.fraction(sympy.cancel(total.subs(values)))
        polys = [part.as_poly(*symbols, domain="QQ") for part in parts]
        if None not in polys:
            top, bottom = (
                [(powers, Fraction(int(each.p), int(each.q))) for powers, each in poly.terms()]
                for poly in polys
            )
            return top, bottom
    raise NotComparableError(
        f"a map is drawn of ratios of polynomials with rational coefficients, and {bound.method}, "
        f"{bound.form}, is none in {symbols[0]} and {symbols[1]}",
        "--over",
        "give one range, or other numbers",
    )


def _value(terms: Terms, at: Sequence[Fraction]) -> Fraction:
    return sum((factor * at[0] ** one * at[1] ** two for (one, two), factor in terms), Fraction(0))


def _decided(
    condition: AtMost, symbols: Pair, values: Values
) -> Callable[[Sequence[sympy.Rational]], bool]:
    """A condition at a value of each symbol, remembered for those that it has."""
    has = [k for k, symbol in enumerate(symbols) if symbol in condition.symbols]

    @cache
    def decide(there: tuple[sympy.Rational, ...]) -> bool:
        return condition.holds(
            {**values, **dict(zip((symbols[k] for k in has), there, strict=True))}
        )

    return lambda there: decide(tuple(there[k] for k in has))
