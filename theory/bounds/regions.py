"""Where which of several bounds is the smallest: exact inequalities, and a map of two symbols.

Everything is decided in rational numbers: a bound in which two symbols are left is a ratio of two
polynomials in them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import sympy

from theory.bounds.evaluation import settled
from theory.bounds.model import AtMost, Below, Bound, Condition, Values

EVERYWHERE: Final = AtMost(sympy.Integer(0), sympy.Integer(0), "the bounds are the same")


@dataclass(frozen=True)
class Border:
    """When one bound is at most another.

    Attributes
    ----------
    first, second : Bound
    where : AtMost
        On the domain of both, first ≤ second if and only if this holds.
    """

    first: Bound
    second: Bound
    where: AtMost

    @property
    def always(self) -> bool:
        """Whether it holds for all numbers: every term of the gap is at least 0."""
        return bool(self.where.left == 0)


def border(first: Bound, second: Bound, values: Values) -> Border:
    """The exact inequality for first ≤ second, with these numbers in; other symbols stay.

    Terms stand on the side where they are positive; positive common factors are left out.

    Examples
    --------
    >>> a, b = sympy.symbols("a b", positive=True)
    >>> one = Bound("one", "printed", "", "", "", ({"a": a, "b": b},))
    >>> two = Bound("two", "printed", "", "", "", ({"three": 3 * a},))
    >>> str(border(one, two, {}).where), border(one, one, {}).always
    ('b <= 2*a', True)
    """
    gap = sympy.cancel((second.total() - first.total()).subs(values))
    top, bottom = sympy.fraction(gap)
    top *= _sign(bottom, _positive(first, values) + _positive(second, values))
    left, right = _sides(top)
    why = f"where {first.method} is at most {second.method}"
    return Border(first, second, AtMost(left, right, why) if right or left else EVERYWHERE)


def _positive(bound: Bound, values: Values) -> tuple[sympy.Expr, ...]:
    """What the conditions of a bound keep above 0."""
    return tuple(c.gap.subs(values) for c in bound.conditions if isinstance(c, Below))


def _sign(bottom: sympy.Expr, positive: Sequence[sympy.Expr]) -> sympy.Expr:
    """A denominator's sign on the domain, or the denominator where that stays open."""
    rest = bottom
    for factor in positive:
        quotient = sympy.cancel(rest / factor)
        if sympy.fraction(quotient)[1].is_number:
            rest = quotient
    if rest.is_positive or rest.is_negative:
        return sympy.sign(rest)
    return rest


def _sides(top: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """``left <= right`` for ``top >= 0``, in whole numbers and without a common positive factor."""
    symbols = sorted(top.free_symbols, key=str)
    if not symbols:
        return (sympy.Integer(0), top) if top >= 0 else (-top, sympy.Integer(0))
    poly = sympy.Poly(top, *symbols).clear_denoms(convert=True)[1].primitive()[1]
    least = [
        min(powers) if symbol.is_positive else 0
        for symbol, powers in zip(symbols, zip(*poly.monoms(), strict=True), strict=True)
    ]
    sides = {True: sympy.Integer(0), False: sympy.Integer(0)}
    for powers, factor in poly.terms():
        term = abs(factor) * sympy.Mul(
            *(s ** (k - low) for s, k, low in zip(symbols, powers, least, strict=True))
        )
        sides[factor < 0] += term
    return sides[True], sides[False]


@dataclass(frozen=True)
class Region:
    """Where one of several bounds is the smallest.

    Attributes
    ----------
    bound : Bound
    conditions : tuple of Condition
        Where the bound holds, as far as the numbers leave it open.
    fails : Condition or None
        What keeps the bound from holding anywhere.
    above : Bound or None
        Another that holds wherever this one does and is no larger there.
    borders : tuple of Border
        It is the smallest where it is at most each of these others, or they do not hold.
    """

    bound: Bound
    conditions: tuple[Condition, ...]
    fails: Condition | None
    above: Bound | None
    borders: tuple[Border, ...]


def regions(
    bounds: Sequence[Bound], given: Values, free: Collection[sympy.Symbol]
) -> tuple[Region, ...]:
    """The region of each bound, exactly; one that is never the smallest borders on none.

    Of equal bounds the first one counts as the smallest.

    Parameters
    ----------
    bounds : sequence of Bound
    given : mapping of symbol to number
    free : collection of symbols
        What stays open; numbers that are given for them are ignored.

    Raises
    ------
    BoundParameterError
        Another symbol has no value, or one that it cannot have.
    """
    values = [settled(bound, given, free) for bound in bounds]
    fails = [_failing(bound, there) for bound, there in zip(bounds, values, strict=True)]
    able = [k for k, condition in enumerate(fails) if condition is None]
    pairs = {
        (one, two): border(bounds[one], bounds[two], values[one] | values[two])
        for one in able
        for two in able
        if one != two
    }
    needs = {k: set(_undecided(bounds[k], values[k])) for k in able}
    above = {two: one for two in able if (one := _no_larger(two, able, pairs, needs)) is not None}
    left = [k for k in able if k not in above]
    return tuple(
        Region(
            bound,
            tuple(_open(bound, values[k])),
            fails[k],
            bounds[above[k]] if k in above else None,
            tuple(pairs[k, other] for other in left if other != k) if k in left else (),
        )
        for k, bound in enumerate(bounds)
    )


def _no_larger(
    two: int,
    able: Sequence[int],
    pairs: Mapping[tuple[int, int], Border],
    needs: Mapping[int, Collection[Condition]],
) -> int | None:
    """Another bound that holds where this one does and is no larger; of equal ones the first."""
    for one in able:
        if one == two:
            continue
        pair, back = pairs[one, two], pairs[two, one]
        covers = all(condition in needs[two] for condition in needs[one])
        if pair.always and covers and (one < two or not back.always):
            return one
    return None


def _failing(bound: Bound, values: Values) -> Condition | None:
    """A condition that no value of the open symbols meets, as it has none of them."""
    settled_ones = (c for c in bound.conditions if c.symbols <= set(_numbers(values)))
    return next((c for c in settled_ones if not c.holds(values)), None)


def _open(bound: Bound, values: Values) -> Iterator[Condition]:
    """The conditions that the numbers leave open, with the numbers in."""
    for condition in _undecided(bound, values):
        if isinstance(condition, AtMost):
            yield replace(
                condition, left=condition.left.subs(values), right=condition.right.subs(values)
            )


def _undecided(bound: Bound, values: Values) -> Iterator[Condition]:
    """The conditions that the numbers leave open."""
    known = set(_numbers(values))
    return (condition for condition in bound.conditions if not condition.symbols <= known)


def _numbers(values: Values) -> Iterator[sympy.Symbol]:
    return (symbol for symbol, value in values.items() if value.is_number)
