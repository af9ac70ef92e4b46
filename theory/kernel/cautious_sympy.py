"""What sympy says of signs and of whole numbers, held to what is so, from the first import on.

sympy simplifies by such answers before anybody sees a formula, √z² to z where it takes z for
positive. These are wrong in sympy 1.14, and here become "not known":

- 1/(m·n) − 1/2 is called positive for all positive integers m and n: of what is bounded below, a
  monomial in a denominator, the largest value is taken for the least (`_monotonic_sign`);
- 2ⁿ/6 is called an integer: of a denominator only powers of two are looked at;
- 6/(2k + 3), and (3/2)ˢ for real s > 0, are called no integers, and (√2)ⁿ irrational for n ≥ 1, so
  that none of them less 2 is ever 0; and (−b)^(j/2) imaginary for every j, 0 included.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sympy.core import exprtools
from sympy.core.mul import Mul
from sympy.core.power import Pow

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
            return None
        with suppress(AssertionError):  # sympy's own: it has learnt of a sign while it asked
            return whole(product)
        return None

    return known


def _of_numbers(known: Known) -> Known:
    """What something is; that it is something not, of numbers alone."""

    def certain(form: Any) -> Any:
        found = known(form)
        return found if found or form.is_number else None

    return certain


def _of_numbers_alone(known: Known) -> Known:
    """What a number is, and nothing of anything else."""

    def certain(form: Any) -> Any:
        return known(form) if form.is_number else None

    return certain


def _mend(kind: Any, fact: str, cautious: Callable[[Known], Known]) -> None:
    """Put another answer in the place of sympy's, in every class that asks for it."""
    name = f"_eval_is_{fact}"
    own = getattr(kind, name)
    mended, classes = cautious(own), [kind]
    for one in classes:  # each asks a table of its own
        classes += one.__subclasses__()
        if one._prop_handler.get(fact) is own:
            one._prop_handler[fact] = mended
    setattr(kind, name, mended)


exprtools._monotonic_sign = _of_polynomials(exprtools._monotonic_sign)
_mend(Mul, "integer", _of_halves)
_mend(Mul, "integer", _of_numbers)
for _fact in ("integer", "rational", "extended_real"):
    _mend(Pow, _fact, _of_numbers)
_mend(Pow, "imaginary", _of_numbers_alone)
