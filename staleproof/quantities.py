"""Reading exact numbers, and ranges of them, from the command line."""

import re
from fractions import Fraction
from typing import Final

from staleproof.arguments import named
from staleproof.errors import UsageError
from staleproof.output import shown

MOST_DIGITS: Final = 18
MOST_EXPONENT: Final = 30
"""A number that is not 0 lies between 10^-30 and 10^30."""

_NUMBER: Final = re.compile(
    rf"-?[0-9]{{1,{MOST_DIGITS}}}(\.[0-9]{{1,{MOST_DIGITS}}})?(e[+-]?[0-9]{{1,2}})?"
    rf"|-?[0-9]{{1,{MOST_DIGITS}}}/[0-9]{{1,{MOST_DIGITS}}}",
    re.IGNORECASE,
)


def quantity(text: str, where: str) -> Fraction:
    """Read a number exactly: ``12``, ``0.05``, ``1e-3`` or ``2/3``.

    Raises
    ------
    UsageError
        Anything else, or a number too large or too small.

    Examples
    --------
    >>> quantity("0.05", "--set"), quantity("1e6", "--set")
    (Fraction(1, 20), Fraction(1000000, 1))
    """
    if not _NUMBER.fullmatch(text) or re.search("/0+$", text):
        raise UsageError(
            f"a number is needed, found {shown(text)}", where, "write it as 12, 0.05, 1e-3 or 2/3"
        )
    value = Fraction(text)
    if value and not Fraction(1, 10**MOST_EXPONENT) <= abs(value) <= 10**MOST_EXPONENT:
        raise UsageError(
            f"a number lies between 1e-{MOST_EXPONENT} and 1e{MOST_EXPONENT}, found {text}",
            where,
            "choose other units",
        )
    return value


def named_quantity(text: str, where: str) -> tuple[str, Fraction]:
    """Read ``name=number``.

    Examples
    --------
    >>> named_quantity("gamma=1/100", "--set")
    ('gamma', Fraction(1, 100))
    """
    name, number = named(text, where, "NAME=VALUE")
    return name, quantity(number, where)


def named_range(text: str, where: str) -> tuple[str, Fraction, Fraction]:
    """Read ``name=low..high``.

    Examples
    --------
    >>> named_range("p=2..64", "--over")
    ('p', Fraction(2, 1), Fraction(64, 1))
    """
    form = "NAME=LOW..HIGH"
    name, ends = named(text, where, form)
    low, dots, high = ends.partition("..")
    if not dots:
        raise UsageError(f"{form} is needed, found {shown(text)}", where, f"write {form}")
    return name, quantity(low, where), quantity(high, where)
