"""Crossovers: from which value of a symbol on one bound is below another."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import sympy

from theory.bounds.differences import Difference, at_best_stepsizes, at_stepsize
from theory.bounds.errors import NotComparableError, OutsideDomainError
from theory.bounds.evaluation import require, settled
from theory.bounds.isolation import roots_above_zero
from theory.bounds.model import AtMost, Bound, Divides, Values, gamma, p
from theory.bounds.numbers import Interval, Number
from theory.bounds.stretches import EQUAL, Stretch, real_stretches, whole_stretches

_PLAIN: Final = (
    "all real roots of the difference's numerator and denominator, isolated exactly; the sign "
    "between neighbours at a rational point"
)
_TUNED: Final = (
    "all real roots of the resultants of the two tuned values, isolated exactly; the sign between "
    "neighbours from enclosures of both values; a point where the bounds only touch is not found"
)


@dataclass(frozen=True)
class Crossover:
    """Which of two bounds is smaller, over all values of one symbol.

    Attributes
    ----------
    symbol : sympy symbol
    first, second : Bound
    tuned : bool
        Whether each bound is at its own best stepsize.
    stretches : tuple of Stretch
        The whole domain, in rising order.
    touches : tuple of Number
        Where the bounds are equal and none overtakes the other; not sought when tuned.
    symbolic : tuple of str
        Closed forms of where they are equal, in all symbols that have no number of their own
        fixed by the method; empty where there is none of degree 2 or less.
    how : str
        How it was found.
    notes : tuple of str
    """

    symbol: sympy.Symbol
    first: Bound
    second: Bound
    tuned: bool
    stretches: tuple[Stretch, ...]
    touches: tuple[Number, ...]
    symbolic: tuple[str, ...]
    how: str
    notes: tuple[str, ...]

    @property
    def points(self) -> tuple[Number, ...]:
        """Where the smaller bound changes; for a whole number, the first value with a new one."""
        return tuple(stretch.start for stretch in self.stretches[1:] if stretch.start is not None)


def crossover(
    first: Bound, second: Bound, symbol: sympy.Symbol, given: Values, *, tuned: bool = False
) -> Crossover:
    """Find where one bound overtakes the other.

    Parameters
    ----------
    first, second : Bound
    symbol : sympy symbol
        Its number in `given` is ignored.
    given : mapping of symbol to exact number
        All others; γ too, unless `tuned`.
    tuned : bool
        Compare each bound at its own best stepsize instead of at one γ.

    Raises
    ------
    NotComparableError
        The bounds are on different quantities, or the symbol is in neither.
    BoundParameterError
        A symbol has no value, or one that it cannot have.

    Examples
    --------
    >>> K = sympy.Symbol("K", integer=True, positive=True)
    >>> one = Bound("one", "printed", "", "error", "", ({"start": 100 / (gamma * K)},))
    >>> two = Bound("two", "printed", "", "error", "", ({"noise": gamma},))
    >>> found = crossover(one, two, K, {gamma: sympy.Rational(1, 7)})
    >>> [stretch.better for stretch in found.stretches], found.points[0].text
    (['two', 'equal', 'one'], '4900')
    """
    _require_comparable(first, second, symbol)
    sides = tuple(_side(bound, symbol, given, tuned) for bound in (first, second))
    gaps = [gap for side in sides for gap in side.gaps]
    differences = [
        _difference(sides, residue, symbol, gaps, tuned)
        for residue in range(max(len(side.totals) for side in sides))
    ]
    names = {-1: first.method, 0: EQUAL, 1: second.method}

    def better(value: Fraction, residue: int) -> str | None:
        number = sympy.Rational(value.numerator, value.denominator)
        if any(gap.subs(symbol, number) < 0 for gap in gaps):
            return None
        return names[differences[residue].sign(value)]

    zeros = [_zeros(difference) for difference in differences]
    touches: tuple[Number, ...] = ()
    if symbol.is_integer:
        stretches = whole_stretches(symbol, zeros, better)
    else:
        stretches, touches = real_stretches(zeros[0], lambda value: better(value, 0))
    if not stretches:
        raise OutsideDomainError(
            f"no {symbol} meets the conditions of both bounds", "bounds", "change a parameter"
        )
    return Crossover(
        symbol,
        first,
        second,
        tuned,
        stretches,
        () if tuned else touches,
        () if tuned else _symbolic(first, second, symbol, given),
        _TUNED if tuned else _PLAIN,
        tuple(note for side in sides for note in side.notes),
    )


@dataclass(frozen=True)
class _Side:
    """A bound with numbers for all but the symbol (and γ): one total for each residue of p."""

    totals: tuple[sympy.Expr, ...]
    limit: sympy.Expr | None
    gaps: tuple[sympy.Expr, ...]
    notes: tuple[str, ...]


def _side(bound: Bound, symbol: sympy.Symbol, given: Values, tuned: bool) -> _Side:
    step = bound.stepsize
    free = (symbol, step) if tuned else (symbol,)
    values = settled(bound, given, free)
    asked = [c for c in bound.conditions if not (tuned and step in c.symbols)]
    inequalities = [c for c in asked if isinstance(c, AtMost)]
    undecided = [c for c in asked if _left(c, values)]
    require(tuple(c for c in asked if c not in undecided), values)
    residues = range(bound.period) if symbol == p else [int(values.get(p, 0))]
    limit = bound.largest_stepsize(values) if tuned else None
    # Tuned bounds are taken apart by powers of γ, whatever the paper's letter is.
    letter = {step: gamma} if tuned else {}
    return _Side(
        tuple(bound.total(residue).subs(values | letter) for residue in residues),
        limit,
        tuple(c.gap.subs(values) for c in inequalities if c in undecided),
        tuple(
            f"{bound.method}: {c} is left aside, so read {c.number} as a real number"
            for c in undecided
            if isinstance(c, Divides)
        ),
    )


def _left(condition: AtMost | Divides, values: Values) -> bool:
    """Whether a condition still has a symbol in it once the numbers are in."""
    sides = (
        (condition.left, condition.right)
        if isinstance(condition, AtMost)
        else (condition.divisor, condition.number)
    )
    return any(side.subs(values).free_symbols for side in sides)


def _require_comparable(first: Bound, second: Bound, symbol: sympy.Symbol) -> None:
    if first.quantity != second.quantity:
        raise NotComparableError(
            f"{first.method} bounds the {first.quantity}, {second.method} the {second.quantity}",
            "bounds",
            "compare methods that bound one quantity",
        )
    if symbol not in first.symbols | second.symbols:
        raise NotComparableError(
            f"neither {first.method} nor {second.method} depends on {symbol}",
            "bounds",
            "name a symbol that one of them has",
        )


def _difference(
    sides: tuple[_Side, ...],
    residue: int,
    symbol: sympy.Symbol,
    gaps: list[sympy.Expr],
    tuned: bool,
) -> Difference:
    one, two = (side.totals[residue % len(side.totals)] for side in sides)
    if tuned and (sympy.expand(one - two) != 0 or sides[0].limit != sides[1].limit):
        return at_best_stepsizes(one, two, (sides[0].limit, sides[1].limit), symbol, gaps)
    return at_stepsize(one, two, symbol, gaps)


def _zeros(difference: Difference) -> list[Number]:
    found = roots_above_zero(difference.zeros)
    if not difference.squared:
        return found
    return [
        Number(f"({root.text})**2", Interval(root.interval.low**2, root.interval.high**2))
        for root in found
    ]


FEW: Final = 8
"""Symbols of an equation of which a root is factored."""


def _symbolic(first: Bound, second: Bound, symbol: sympy.Symbol, given: Values) -> tuple[str, ...]:
    """Where the two are equal, in symbols: from an equation of degree 1 or 2."""
    residue = 0 if symbol == p else int(given.get(p, 0))
    gap = sympy.Integer(0)
    for bound, sign in ((first, 1), (second, -1)):
        defaults = {s: d.value for s, d in bound.defaults.items() if s not in given and s != symbol}
        gap += sign * bound.total(residue).subs(defaults)
    numerator = sympy.numer(sympy.together(gap))
    if not numerator.is_polynomial(symbol):
        return ()
    poly = sympy.Poly(numerator, symbol)
    while poly.degree() > 0 and poly.nth(0) == 0:
        poly = poly.exquo(sympy.Poly(symbol, symbol))
    if not 1 <= poly.degree() <= 2 or (symbol == p and max(first.period, second.period) > 1):
        return ()
    # Factoring what has many symbols takes minutes for some of the numbers that sympy draws for it.
    tidied = sympy.factor if len(numerator.free_symbols) <= FEW else sympy.cancel
    if poly.degree() == 1:
        roots = [tidied(-poly.nth(0) / poly.nth(1))]
    elif poly.nth(1) == 0:
        roots = [sympy.sqrt(tidied(-poly.nth(0) / poly.nth(2)))]
    else:
        c, b, a = (poly.nth(power) for power in range(3))
        roots = [(-b + sign * sympy.sqrt(b**2 - 4 * a * c)) / (2 * a) for sign in (1, -1)]
    return tuple(f"{symbol} = {sympy.sstr(root)}" for root in roots)
