"""`Stepsize`, and where a bound that is a rational function of its stepsize is smallest, exactly.

Its derivative vanishes at roots of a polynomial. All of them are isolated; the bound grows without
end towards 0, so its smallest value is at one of them or at the end of the domain.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import sympy

from theory.bounds.errors import NoStepsizeError
from theory.bounds.isolation import product_of, roots_above_zero
from theory.bounds.model import AtMost, Below, Bound, Condition, Values
from theory.bounds.numbers import Interval, Number, enclose, number


@dataclass(frozen=True)
class Stepsize:
    """A stepsize that makes a bound smallest.

    Attributes
    ----------
    number : Number
    closed : sympy expression or None
        A rational number or a square root of one; None where only the enclosure is known.
    at_limit : bool
        Whether the bound would fall further beyond the largest stepsize that it holds for.
    """

    number: Number
    closed: sympy.Expr | None
    at_limit: bool = False

    @classmethod
    def of(cls, closed: sympy.Expr, at_limit: bool = False) -> "Stepsize":
        """A stepsize that has a closed form."""
        return cls(number(closed, {}), closed, at_limit)


def smallest_at(bound: Bound, values: Values, limit: sympy.Expr) -> Stepsize:
    """Find where a bound is smallest that is a rational function of its stepsize.

    Parameters
    ----------
    bound : Bound
        Towards the end of a domain that does not include its end, it grows.
    values : mapping of symbol to number
        All but the stepsize.
    limit : sympy expression
        No condition holds beyond it.

    Raises
    ------
    NoStepsizeError
        The bound does not grow without end towards 0, or falls to an end that is not included.

    Examples
    --------
    >>> eta = sympy.Symbol("eta", positive=True)
    >>> one = Bound("one", "printed", "", "", "", ({"sum": 9 / eta + eta},), stepsize=eta)
    >>> smallest_at(one, {}, sympy.Integer(5)).number.text
    '3'
    """
    whole = sympy.cancel(sympy.Add(*bound.terms_at(values).values()).subs(values))
    letter = bound.stepsize
    if not sympy.cancel(whole * letter).subs(letter, 0) > 0:
        raise NoStepsizeError(
            "with R0 = 0 the bound does not grow as the stepsize goes to 0, and none is best",
            "bounds",
            "give an R0 above 0",
        )
    places = [
        place
        for place in _places(whole, letter, limit)
        if all(_holds(condition, values, letter, place) for condition in bound.conditions)
    ]
    if not places:
        raise NoStepsizeError(
            f"{bound.method}, {bound.form}, falls up to the end of its domain, which is not in it",
            "bounds",
            "give the stepsize",
        )
    return min(places, key=lambda place: _at(whole, letter, place).high)


def _places(whole: sympy.Expr, letter: sympy.Symbol, limit: sympy.Expr) -> Iterator[Stepsize]:
    """Where the slope vanishes, and the end of the domain."""
    slope = sympy.cancel(sympy.diff(whole, letter))
    end = enclose(limit)
    for root in roots_above_zero(product_of([slope], letter)):
        if root.interval.high < end.low:
            yield Stepsize(root, _rational(root.text))
    _, bottom = sympy.fraction(slope)
    if sympy.expand(bottom.subs(letter, limit)) != 0:
        falls = enclose(sympy.expand(slope.subs(letter, limit))).high < 0
        yield Stepsize.of(limit, falls)


def _rational(text: str) -> sympy.Rational | None:
    """A root that is written as one fraction."""
    return sympy.Rational(text) if text.replace("/", "", 1).isdigit() else None


def _holds(condition: Condition, values: Values, letter: sympy.Symbol, place: Stepsize) -> bool:
    """Whether a condition holds at a place, as far as its enclosure tells."""
    if not isinstance(condition, AtMost) or letter not in condition.symbols:
        return True
    gap = _at(condition.gap.subs(values), letter, place)
    return gap.low > 0 if isinstance(condition, Below) else gap.high >= 0


def _at(form: sympy.Expr, letter: sympy.Symbol, place: Stepsize) -> Interval:
    return enclose(form, {letter: place.number.interval})
