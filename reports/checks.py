"""Small validators, combined like the data that they describe.

A checker takes a value and the place where it was found, returns nothing, and raises `LedgerError`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from reports.errors import LedgerError

Checker = Callable[[object, str], None]

_RATIONAL = re.compile(r"[+-]?\d{1,30}(/\d{1,30}|\.\d{1,30})?", re.ASCII)
_DEEPEST = 32
_LARGEST = 10**30


def text(value: object, place: str) -> None:
    """Any text."""
    if not isinstance(value, str):
        raise LedgerError("must be text", value, place, "write it as a JSON string")


def integer(least: int) -> Checker:
    """Build the checker of whole numbers from `least` up to what a picture can show."""

    def check(value: object, place: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < _LARGEST:
            rule = f"must be a whole number, at least {least} and below 10^30"
            raise LedgerError(rule, value, place, "correct the number")

    return check


def number(value: object, place: str) -> None:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise LedgerError("must be a finite number", value, place, "correct the number")


def one_of(*words: str, remedy: str = "use one of these") -> Checker:
    """Build the checker of a closed vocabulary."""

    def check(value: object, place: str) -> None:
        if value not in words:
            raise LedgerError(f"must be one of {', '.join(words)}", value, place, remedy)

    return check


def list_of(item: Checker) -> Checker:
    """Build the checker of lists from the checker of their items."""

    def check(value: object, place: str) -> None:
        if not isinstance(value, list):
            raise LedgerError("must be a list", value, place, "write it in [ ]")
        for index, element in enumerate(value):
            item(element, f"{place}[{index}]")

    return check


def maybe(inner: Checker) -> Checker:
    """Build the checker that also lets null pass."""

    def check(value: object, place: str) -> None:
        if value is not None:
            inner(value, place)

    return check


def record(
    required: Mapping[str, Checker], optional: Mapping[str, Checker] | None = None
) -> Checker:
    """Build the checker of objects with these keys; other keys may stand beside them."""

    def check(value: object, place: str) -> None:
        if not isinstance(value, dict):
            raise LedgerError("must be an object", value, place, "write it in { }")
        for key in required:
            if key not in value:
                found = ", ".join(sorted(map(str, value))) or "no key at all"
                raise LedgerError(f"needs the key {key!r}", found, place, f"add {key!r}")
        for key, inner in {**required, **(optional or {})}.items():
            if key in value:
                inner(value[key], f"{place}.{key}" if place else key)

    return check


def plain(value: object, place: str, depth: int = 0) -> None:
    """Plain JSON data, at most 32 levels deep."""
    if depth > _DEEPEST:
        raise LedgerError("must be at most 32 levels deep", "more", place, "flatten it")
    if value is None or isinstance(value, (str, bool, int)):
        return
    if isinstance(value, float) and math.isfinite(value):
        return
    if isinstance(value, list):
        for index, element in enumerate(value):
            plain(element, f"{place}[{index}]", depth + 1)
    elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
        for key, element in value.items():
            plain(element, f"{place}.{key}", depth + 1)
    else:
        raise LedgerError(
            "must be plain JSON data with finite numbers", value, place, "convert it to plain data"
        )


def plain_object(value: object, place: str) -> None:
    """A JSON object of plain data."""
    record({})(value, place)
    plain(value, place)


def rational(value: object, place: str) -> Fraction:
    """Read an exact number: an integer, a finite float, or text such as ``15/2`` or ``7.5``.

    Examples
    --------
    >>> rational("15/2", "mean[0]")
    Fraction(15, 2)
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if math.isfinite(value) and abs(value) < _LARGEST:
            return Fraction(value)
    elif isinstance(value, str) and _RATIONAL.fullmatch(value):
        numerator, _, denominator = value.partition("/")
        if not denominator or int(denominator):
            return Fraction(numerator) / int(denominator or 1)
    raise LedgerError(
        "must be a number or a fraction such as '15/2', below 10^30", value, place, "correct it"
    )


def rationals(values: list[object], place: str) -> tuple[Fraction, ...]:
    """Read a list of exact numbers."""
    return tuple(rational(value, f"{place}[{k}]") for k, value in enumerate(values))
