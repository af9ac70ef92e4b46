"""What `derive` prints, read back: formulas for people as functions of the values of their names.

Written from what a reader takes such a line for, with nothing of the printer in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

Values = Mapping[str, Any]
Read = Callable[[Values], Any]

TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>\d+)|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(?P<name>[A-Za-zρ]+)|(?P<sign>.)"
)
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
WORDS = frozenset({"if", "otherwise", "and", "or", "mod", "max", "min"})
CLOSER = {"(": ")", "⌊": "⌋", "⌈": "⌉"}
ROUNDED: dict[str, Callable[[Any], Any]] = {"(": lambda n: n, "⌊": math.floor, "⌈": math.ceil}
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "≤": lambda a, b: a <= b,
    "≥": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "=": lambda a, b: a == b,
    "≠": lambda a, b: a != b,
}


def formula(text: str, names: frozenset[str] = frozenset()) -> Read:
    """A line as a function of values; `names` are those of several letters.

    Examples
    --------
    >>> formula("2p − (3 if p ≥ 4; ⌈p/2⌉ otherwise)")({"p": 3})
    Fraction(4, 1)
    """
    reader = Reader(list(tokens(text, names)))
    found = reader.cases()
    assert not reader.left, (text, reader.left)
    return found


def condition(text: str, names: frozenset[str] = frozenset()) -> Read:
    """What stands behind ``if``."""
    reader = Reader(list(tokens(text, names)))
    found = reader.either()
    assert not reader.left, (text, reader.left)
    return found


def tokens(text: str, names: frozenset[str]) -> Iterator[str]:
    """Words and signs; letters side by side are factors unless they are a name."""
    for piece in TOKEN.finditer(text):
        if piece["name"] and piece["name"] not in names | WORDS:
            yield from piece["name"]
        elif not piece["space"]:
            yield piece[0]


class Reader:
    """Recursive descent, a method for what binds alike."""

    def __init__(self, left: list[str]) -> None:
        self.left = left

    def next(self) -> str:
        return self.left[0] if self.left else ""

    def took(self, *signs: str) -> str:
        """The sign that comes next if it is one of these, or the empty string."""
        return self.left.pop(0) if self.next() in signs else ""

    def cases(self) -> Read:
        """A value, or ``value if condition; …; value otherwise``."""
        rows: list[tuple[Read, Read]] = []
        while True:
            value = self.total()
            if self.took("otherwise"):
                rows.append((value, lambda values: True))
            elif self.took("if"):
                rows.append((value, self.either()))
            else:
                assert not rows, "cases end with `otherwise`"
                return value
            if not self.took(";"):
                return lambda values: next(value(values) for value, when in rows if when(values))

    def either(self) -> Read:
        parts = [self.both()]
        while self.took("or"):
            parts.append(self.both())
        return lambda values: any(part(values) for part in parts)

    def both(self) -> Read:
        parts = [self.relation()]
        while self.took("and"):
            parts.append(self.relation())
        return lambda values: all(part(values) for part in parts)

    def relation(self) -> Read:
        """A comparison of totals, or conditions in brackets."""
        if self.next() == "(":
            before = list(self.left)
            self.left.pop(0)
            inside = self.either_or_none()
            if inside is not None and self.took(")") and self.next() not in COMPARED:
                return inside
            self.left = before
        sides, signs = [self.total()], []
        while sign := self.took(*COMPARED):
            signs.append(sign)
            sides.append(self.total())
        assert signs, self.left
        return lambda values: all(
            COMPARED[sign](left(values), right(values))
            for sign, left, right in zip(signs, sides, sides[1:], strict=False)
        )

    def either_or_none(self) -> Read | None:
        try:
            return self.either()
        except (AssertionError, IndexError):
            return None

    def total(self) -> Read:
        terms = [(self.took("−") == "−", self.term())]
        while sign := self.took("+", "−"):
            terms.append((sign == "−", self.term()))
        found: Read = lambda values: sum(  # noqa: E731
            (-1 if minus else 1) * term(values) for minus, term in terms
        )
        if self.took("mod"):
            divisor = self.term()
            return lambda values: found(values) % divisor(values)
        return found

    def term(self) -> Read:
        """Factors side by side, all of them above a fraction bar."""
        factors = [self.power()]
        while self.took("·") or self.begins():
            factors.append(self.power())
        below = self.power() if self.took("/") else None

        def value(values: Values) -> Any:
            above = reduce(lambda a, b: a * b, (factor(values) for factor in factors), Fraction(1))
            return above if below is None else above / below(values)

        return value

    def begins(self) -> bool:
        sign = self.next()
        return sign in CLOSER or (sign[:1].isalnum() and sign not in WORDS - {"max", "min"})

    def power(self) -> Read:
        base, raised = self.atom(), self.next().translate(RAISED)
        if raised == self.next() or not raised.isdigit():
            return base
        self.left.pop(0)
        return lambda values: base(values) ** int(raised)

    def atom(self) -> Read:
        sign = self.left.pop(0)
        if sign in CLOSER:
            inside = self.cases()
            assert self.took(CLOSER[sign]), self.left
            return lambda values: ROUNDED[sign](inside(values))
        if sign.isdigit():
            return lambda values: Fraction(sign)
        assert sign.isalpha(), sign
        if not self.took("("):
            return lambda values: values[sign]
        arguments = [self.cases()]
        while self.took(","):
            arguments.append(self.cases())
        assert self.took(")"), self.left
        known = {"max": max, "min": min}
        return lambda values: {**values, **known}[sign](*(one(values) for one in arguments))


def listed(lines: list[str], names: frozenset[str] = frozenset()) -> Read:
    """Indented lines, a value each with its condition behind three spaces."""
    rows: list[tuple[Read, Read]] = []
    rest: list[Read] = []
    for line in lines:
        value, _, when = line.strip().partition("   ")
        if when.startswith("if "):
            rows.append((formula(value, names), condition(when.removeprefix("if "), names)))
        else:
            assert when in ("", "otherwise"), line
            rest.append(formula(value, names))
    assert len(rest) < 2

    def chosen(values: Values) -> Any:
        found = {value(values) for value, when in rows if when(values)}
        found = found or {one(values) for one in rest}
        assert len(found) == 1, (lines, values, found)
        return found.pop()

    return chosen
