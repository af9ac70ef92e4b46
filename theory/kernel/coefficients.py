"""`no_negative_coefficient`: signs that can be read off a rational expression without a solver."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy

from theory.kernel.vectors import Scalar


@lru_cache(maxsize=2**14)
def no_negative_coefficient(expression: Scalar, strict: bool = False) -> bool:
    """Whether an expression that is defined is at least 0, or above 0 where `strict`, at a glance.

    Numerator and denominator are sums of products of nonnegative things, with plus signs only.

    Examples
    --------
    >>> x, y = sympy.Symbol("x", positive=True), sympy.Symbol("y", nonnegative=True)
    >>> no_negative_coefficient(x + y, strict=True), no_negative_coefficient(y, strict=True)
    (True, False)
    >>> no_negative_coefficient(x - y)
    False
    """
    factors = [one.as_base_exp() for one in sympy.Mul.make_args(expression)]
    if factors[0][0] != expression and all(
        power.is_Integer and no_negative_coefficient(base, strict or bool(power < 0))
        for base, power in factors
    ):
        return True
    numerator, denominator = sympy.fraction(sympy.together(sympy.expand(expression)))
    return plus_only(numerator, strict) and plus_only(denominator, strict=True)


def plus_only(part: Scalar, strict: bool) -> bool:
    """Whether an expression is a sum of products of nonnegative things, one above 0 if `strict`."""
    terms = sympy.Add.make_args(sympy.expand(part))
    if not all(_product(term) for term in terms):
        return False
    return not strict or any(_product(term, strict=True) for term in terms)


def _product(term: Scalar, strict: bool = False) -> bool:
    for factor in sympy.Mul.make_args(term):
        base, exponent = factor.as_base_exp()
        if isinstance(base, sympy.Sum):
            if strict or not no_negative_coefficient(_general_term(base)):
                return False
            continue
        if base.has(sympy.Sum):  # sympy's own signs of sums are not relied on
            return False
        even = exponent.is_Integer and exponent % 2 == 0 and base.is_real
        if strict and base.is_positive:
            continue
        if not strict and (base.is_nonnegative or even):
            continue
        return False
    return True


def _general_term(total: Any) -> Scalar:
    """The function of a sum at any of its indices; the sum is known to be defined."""
    fresh: dict[Scalar, Scalar] = {}
    for index, first, _ in total.limits[::-1]:
        fresh[index] = any_index(total, index, first.subs(fresh))
    return total.function.subs(fresh)


@lru_cache(maxsize=2**10)
def any_index(total: Scalar, index: Scalar, first: Scalar) -> Scalar:
    """Any index of a sum: it has the domain of the sum, whatever its symbol is declared to be."""
    above = True if first.is_nonnegative and not first.has(sympy.Sum) else None
    return sympy.Dummy(f"{index} of the sum", integer=True, nonnegative=above)
