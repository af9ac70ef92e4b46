"""All positive roots of a polynomial, each in an interval of its own; none is missed.

Collins and Akritas, 1976: Descartes' rule of signs, applied to an interval, counts its roots
exactly where it says 0 or 1; any other interval is halved. In whole numbers throughout. Sympy's
own isolation takes minutes on roots as far apart as ours are.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Final

import sympy

from theory.bounds.numbers import Interval, Number

BITS: Final = 80
"""A root is narrowed to this many bits, and to less than 1 in any case."""

MOST_EXACT: Final = 8
"""Largest degree of a polynomial whose roots are written exactly."""


def product_of(forms: Sequence[sympy.Expr], symbol: sympy.Symbol) -> sympy.Poly:
    """A polynomial that vanishes wherever one of the formulas does, each root once.

    Constants are left out, and numerators stand for fractions; where coefficients
    have square roots, the product with the conjugate is taken.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> product_of([(x - 1) / (x + 5), (x - 1) * (x - 2), sympy.Integer(7)], x).as_expr()
    x**2 - 3*x + 2
    """
    whole = sympy.Poly(1, symbol, domain="QQ")
    for form in forms:
        numerator = polynomial(sympy.numer(sympy.together(form)), symbol)
        if numerator.domain.is_Algebraic:
            numerator = numerator.norm()
        if not numerator.is_zero:
            whole = whole.lcm(numerator.sqf_part())
    return whole.monic()


def polynomial(form: sympy.Expr, *symbols: sympy.Symbol) -> sympy.Poly:
    """A polynomial with rational coefficients, or with square roots in them.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> polynomial(x**2 - sympy.sqrt(2), x).norm().as_expr()
    x**4 - 2
    """
    rooted = any(not power.exp.is_Integer for power in form.atoms(sympy.Pow))
    settings = {"extension": True} if rooted else {"domain": "QQ"}
    return sympy.Poly(form, *symbols, **settings)


def roots_above_zero(poly: sympy.Poly) -> list[Number]:
    """The positive roots of a polynomial without multiple roots, in rising order.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> [root.text for root in roots_above_zero(sympy.Poly(x**3 - 2 * x, x))]
    ['sqrt(2)']
    """
    if poly.degree() < 1:
        return []
    found = [_narrowed(poly, *ends) for ends in _isolated(poly)]
    vague = [f"a root of a polynomial of degree {poly.degree()}"] * len(found)
    texts = _texts(poly) if poly.degree() <= MOST_EXACT else vague
    return [Number(text, interval) for text, interval in zip(texts, found, strict=True)]


def _texts(poly: sympy.Poly) -> list[str]:
    """The positive roots in sympy's notation, in rising order, factor by factor."""
    found: list[tuple[Fraction, str]] = []
    for factor, _ in poly.factor_list()[1]:
        ends = [_narrowed(factor, *each) for each in _isolated(factor)]
        if ends and factor.degree() <= 2:
            roots = sorted(sympy.roots(factor, multiple=True), key=float)
            texts = [sympy.sstr(root) for root in roots[-len(ends) :]]
        else:
            below = len(_isolated(factor.compose(-sympy.Poly(factor.gen, factor.gen))))
            whole = factor.as_expr(sympy.Symbol("x"))
            texts = [f"CRootOf({whole}, {below + index})" for index in range(len(ends))]
        found += [(interval.low, text) for interval, text in zip(ends, texts, strict=True)]
    return [text for _, text in sorted(found)]


def _isolated(poly: sympy.Poly) -> list[tuple[Fraction, Fraction]]:
    """Disjoint open intervals with one positive root each, or a root twice; in rising order."""
    whole = [int(each) for each in reversed(poly.clear_denoms(convert=True)[1].all_coeffs())]
    while whole[0] == 0:
        del whole[0]
    if len(whole) == 1:
        return []
    size = _exponent_of_bound(whole)
    found = []
    waiting = [(_scaled(whole, size), Fraction(0), Fraction(2) ** size)]
    while waiting:
        inside, low, width = waiting.pop()
        count = _most_roots(inside)
        if count == 1:
            found.append((low, low + width))
        elif count > 1:
            left = _scaled(inside, -1)
            right = _shifted(left)
            if right[0] == 0:
                found.append((low + width / 2, low + width / 2))
            waiting += [(left, low, width / 2), (right, low + width / 2, width / 2)]
    return sorted(found)


def _exponent_of_bound(whole: list[int]) -> int:
    """Some k with every positive root below 2^k: twice the largest (|a_i| / |a_n|)^(1/(n−i))."""
    top, degree = abs(whole[-1]).bit_length() - 1, len(whole) - 1
    ratios = (
        -((top - abs(each).bit_length()) // (degree - power))
        for power, each in enumerate(whole[:-1])
        if each
    )
    return max(ratios, default=0) + 2


def _scaled(whole: list[int], size: int) -> list[int]:
    """The coefficients of f(2^size · x), times a power of 2 that makes them whole."""
    least = min(0, size * (len(whole) - 1))
    return [each << (size * power - least) for power, each in enumerate(whole)]


def _shifted(whole: list[int]) -> list[int]:
    """The coefficients of f(x + 1)."""
    result = list(whole)
    for start in range(len(result) - 1):
        for power in range(len(result) - 2, start - 1, -1):
            result[power] += result[power + 1]
    return result


def _most_roots(whole: list[int]) -> int:
    """Descartes' bound on the roots between 0 and 1: sign changes of (x + 1)^n f(1/(x + 1))."""
    signs = [each > 0 for each in _shifted(whole[::-1]) if each]
    return sum(one != two for one, two in pairwise(signs))


def _narrowed(poly: sympy.Poly, low: Fraction, high: Fraction) -> Interval:
    """Halve an interval with one simple root, by the sign in its middle."""
    coefficients = [_fraction(each) for each in poly.all_coeffs()]
    slopes = [_fraction(each) for each in poly.diff().all_coeffs()]
    # At a low end that is a root of its own the sign is that of the slope.
    below = _value(coefficients, low) or _value(slopes, low)
    while low != high and (high - low) * 2**BITS > min(low, 1):
        middle = (low + high) / 2
        value = _value(coefficients, middle)
        if value == 0:
            return Interval(middle, middle)
        if (value > 0) == (below > 0):
            low = middle
        else:
            high = middle
    return Interval(low, high)


def _value(coefficients: Sequence[Fraction], at: Fraction) -> Fraction:
    return reduce(lambda sofar, each: sofar * at + each, coefficients, Fraction(0))


def _fraction(value: sympy.Rational) -> Fraction:
    return Fraction(int(value.p), int(value.q))
