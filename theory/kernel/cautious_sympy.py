"""What sympy says of signs and of whole numbers, held to what is so, from the first import on.

sympy simplifies by such answers before anybody sees a formula, √z² to z where it takes z for
positive. Two of them are wrong in sympy 1.14, and here become "not known":

- 1/(m·n) − 1/2 is called positive for all positive integers m and n: of what is bounded below, a
  monomial in a denominator, the largest value is taken for the least (`_monotonic_sign`);
- 2ⁿ/6 is called an integer, and 2·6ⁿ/3 none: of a denominator only powers of two are looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sympy.core import exprtools
from sympy.core.mul import Mul

Known = Callable[[Any], Any]


def _of_polynomials(extreme: Known) -> Known:
    """The value nearest to 0, of what is no quotient: there the extreme may be the other one."""

    def nearest(form: Any) -> Any:
        return extreme(form) if form.is_polynomial() else None

    return nearest


def _of_halves(whole: Known) -> Known:
    """Whether a product is an integer, where no number in it has an odd denominator."""

    def known(product: Any) -> Any:
        if any(one.is_Rational and one.q & (one.q - 1) for one in product.args):
            return False if product._eval_is_rational() is False else None
        with suppress(AssertionError):  # sympy's own: it has learnt of a sign while it asked
            return whole(product)
        return None

    return known


def _mend() -> None:
    exprtools._monotonic_sign = _of_polynomials(exprtools._monotonic_sign)
    mended = _of_halves(Mul._eval_is_integer)
    classes = [Mul]
    for one in classes:  # each asks a table of its own
        classes += one.__subclasses__()
        if one._prop_handler.get("integer") is Mul._eval_is_integer:
            one._prop_handler["integer"] = mended
    Mul._eval_is_integer = mended


_mend()
