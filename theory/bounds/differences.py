"""Where one bound can overtake another: polynomials that vanish there, and the sign elsewhere.

At a given stepsize two bounds differ by a rational function of the symbol; it changes its sign
only where its numerator or its denominator vanishes.

At its best stepsize a bound ``A/γ + Bγ + Cγ²`` has the value v for which Cγ³ + Bγ² − vγ + A has a
double root, so its discriminant vanishes; at the largest γ allowed, v is the bound there. These
are polynomials in v and the symbol. Where two bounds are equal they have v in common, so a
resultant vanishes. Those resultants, with the symbols' values at which a best stepsize reaches
its limit or a coefficient vanishes, are all the places where the sign can change.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy

from theory.bounds.errors import NotComparableError
from theory.bounds.isolation import polynomial, product_of
from theory.bounds.model import gamma
from theory.bounds.numbers import Interval, enclose
from theory.bounds.tuning import Coefficients, coefficients, smallest

_v = sympy.Symbol("v")


@dataclass(frozen=True)
class Difference:
    """First bound minus second, as a function of one symbol.

    Attributes
    ----------
    zeros : sympy polynomial
        Between two neighbouring roots of it the sign does not change.
    sign : callable
        −1, 0 or 1 at a rational number above 0.
    squared : bool
        Whether the polynomial is in the square root of the symbol.
    """

    zeros: sympy.Poly
    sign: Callable[[Fraction], int]
    squared: bool = False


def at_stepsize(
    first: sympy.Expr, second: sympy.Expr, symbol: sympy.Symbol, edges: Sequence[sympy.Expr] = ()
) -> Difference:
    """The difference of two bounds in which only `symbol` is left.

    The roots of `edges`, too, become roots of the polynomial.

    Examples
    --------
    >>> x = sympy.Symbol("x", positive=True)
    >>> found = at_stepsize(6 / x, x + 1, x)
    >>> found.zeros.as_expr(), found.sign(Fraction(1)), found.sign(Fraction(2))
    (x**3 + x**2 - 6*x, 1, 0)
    """
    gap = sympy.together(first - second)

    def sign(value: Fraction) -> int:
        return _sign(gap.subs(symbol, _rational(value)))

    x, squared = _generator(gap, symbol)
    change = {symbol: x**2} if squared else {}
    inside = gap.subs(change)
    forms = [_numerator(inside), sympy.denom(sympy.together(inside))]
    forms += [edge.subs(change) for edge in edges]
    return Difference(product_of(forms, x), sign, squared)


def at_best_stepsizes(
    first: sympy.Expr,
    second: sympy.Expr,
    limits: tuple[sympy.Expr | None, sympy.Expr | None],
    symbol: sympy.Symbol,
    edges: Sequence[sympy.Expr] = (),
) -> Difference:
    """The difference of two bounds, each at its own best stepsize; for `edges` see `at_stepsize`.

    Raises
    ------
    NotComparableError
        A resultant vanishes identically, so that the places cannot be told.
    NoStepsizeError
        On asking for a sign where a bound has no best stepsize.
    """
    parts = (coefficients(first), coefficients(second))
    x, squared = _generator(first + second, symbol)
    change = {symbol: x**2} if squared else {}
    pairs = [
        (
            Coefficients(*(getattr(each, name).subs(change) for name in _NAMES)),
            None if limit is None else limit.subs(change),
        )
        for each, limit in zip(parts, limits, strict=True)
    ]
    zeros = product_of([*_places(pairs, x), *(edge.subs(change) for edge in edges)], x)

    def sign(value: Fraction) -> int:
        one, two = (
            _best(each, limit, symbol, value) for each, limit in zip(parts, limits, strict=True)
        )
        if one.low > two.high or one.high < two.low:
            return 1 if one.low > two.high else -1
        # One formula for both: its values differ only where a limit cuts one of them off.
        if parts[0] == parts[1] or (not squared and zeros.eval(_rational(value)) == 0):
            return 0
        raise NotComparableError(
            "the two bounds differ by less than one part in 2^100",
            f"{symbol} = {value}",
            "change a parameter",
        )

    return Difference(zeros, sign, squared)


_NAMES = ("inverse", "linear", "square")


def _generator(form: sympy.Expr, symbol: sympy.Symbol) -> tuple[sympy.Symbol, bool]:
    """The symbol, or one for its square root where the formula has that."""
    halves = any(
        power.base == symbol and not power.exp.is_Integer for power in form.atoms(sympy.Pow)
    )
    return (sympy.Symbol(f"sqrt_{symbol}", positive=True), True) if halves else (symbol, False)


def _places(
    pairs: list[tuple[Coefficients, sympy.Expr | None]], x: sympy.Symbol
) -> Iterator[sympy.Expr]:
    """Formulas that vanish wherever the difference of the two best values may change its sign."""
    for parts, limit in pairs:
        yield from (parts.inverse, parts.linear, parts.square)
        if limit is not None:
            yield parts.derivative.subs(gamma, limit)
    for one, two in product(*(_values(*pair) for pair in pairs)):
        resultant = polynomial(one, _v, x).resultant(polynomial(two, _v, x))
        if one == two and pairs[0][0] == pairs[1][0]:
            continue
        if resultant.as_expr() == 0:
            raise NotComparableError(
                "two branches of the tuned bounds coincide for all values, so their crossings "
                "cannot be told apart",
                str(x),
                "change a parameter",
            )
        yield resultant.as_expr()


def _values(parts: Coefficients, limit: sympy.Expr | None) -> Iterator[sympy.Expr]:
    """Polynomials in v and the symbol, one of which vanishes at the best value v."""
    a, b, c = parts.inverse, parts.linear, parts.square
    if c != 0:
        cubic = c * gamma**3 + b * gamma**2 - _v * gamma + a
        yield _numerator(sympy.discriminant(cubic, gamma))
    elif b != 0:
        yield _numerator(_v**2 - 4 * a * b)
    if limit is not None:
        yield _numerator(_v - (a / limit + b * limit + c * limit**2))


def _numerator(form: sympy.Expr) -> sympy.Expr:
    return sympy.numer(sympy.together(form))


def _best(
    parts: Coefficients, limit: sympy.Expr | None, symbol: sympy.Symbol, value: Fraction
) -> Interval:
    """The least value at one point: it grows with each coefficient and falls with the limit."""
    there = {symbol: _rational(value)}
    a, b, c = (_at(getattr(parts, name).subs(there)) for name in _NAMES)
    most = None if limit is None else _at(limit.subs(there))
    low = smallest(a.low, b.low, c.low, None if most is None else most.high)
    high = smallest(a.high, b.high, c.high, None if most is None else most.low)
    return Interval(low.low, high.high)


def _at(form: sympy.Expr) -> Interval:
    if form.is_Rational:
        exact = Fraction(int(form.p), int(form.q))
        return Interval(exact, exact)
    return enclose(form)


def _sign(form: sympy.Expr) -> int:
    expanded = sympy.expand(form)
    if expanded.is_Rational:
        return int(sympy.sign(expanded))
    found = enclose(expanded)
    if found.low <= 0 <= found.high:
        raise NotComparableError(
            "the sign of a difference is not settled at 256 bits",
            sympy.sstr(expanded),
            "change a parameter",
        )
    return 1 if found.low > 0 else -1


def _rational(value: Fraction) -> sympy.Rational:
    return sympy.Rational(value.numerator, value.denominator)
