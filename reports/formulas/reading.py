"""Reading the text of a formula, as ledgers and sympy print it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from reports.formulas.squares import gathered
from reports.formulas.tree import (
    Call,
    Named,
    Node,
    Norm,
    Number,
    Power,
    Product,
    Relation,
    Row,
    Symbol,
    Total,
)

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<quoted>"[^"]*"|'[^']*')
    |(?P<sign>\*\*|<=|>=|==|!=|[-−+*/()\[\],<>=;&|~])|(?P<name>[^\W\d][^\s\-−+*/()\[\],<>=;!"']*))""",
    re.VERBOSE,
)
_RELATIONS: Final = frozenset("<= >= == != < > =".split())
_LOGIC: Final = {"&": "And", "|": "Or"}
_SWAPPED: Final = {"And": "Or", "Or": "And"}
_CONTRARY: Final = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
DEEPEST: Final = 60
"""Nested brackets that are read."""


class NotAFormulaError(ValueError):
    """The text is no formula; it has to be shown as it is."""


@lru_cache(maxsize=4096)
def read(text: str) -> Node:
    """Read a formula; squares of differences that were multiplied out are put together again.

    Raises
    ------
    NotAFormulaError
        Anything but numbers, names, calls, ``+ - * / **``, relations, and ``& | ~`` of relations.

    Examples
    --------
    >>> read("a <= 2*b").signs
    ('<=',)
    """
    parts = [part.rpartition(" = ") for part in text.split("; ")]
    if all(label and formula for label, _, formula in parts):
        return Named(tuple((label, read(formula)) for label, _, formula in parts))
    reader = _Reader(list(_tokens(text)))
    found = reader.condition(0)
    if reader.place != len(reader.tokens):
        raise NotAFormulaError(text)
    return found


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place, text = 0, text.strip()
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None or found.lastgroup is None:
            raise NotAFormulaError(text)
        kind, place = found.lastgroup, found.end()
        token = found[kind]
        yield (kind, token[1:-1] if kind == "quoted" else token.replace("−", "-"))


class _Reader:
    """Recursive descent; a method a level of binding."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens, self.place = tokens, 0

    def sign(self) -> str:
        """The sign that comes next, or the empty string."""
        kind, text = self.tokens[self.place] if self.place < len(self.tokens) else ("", "")
        return text if kind == "sign" else ""

    def take(self, expected: str) -> None:
        if self.sign() != expected:
            raise NotAFormulaError(expected)
        self.place += 1

    def condition(self, depth: int) -> Node:
        """A relation, or several as sympy joins them: ``(a < b) & (c < d) | ~(e < f)``."""
        return self.joined("|", lambda: self.joined("&", lambda: self.turned(depth)))

    def joined(self, sign: str, part: Callable[[], Node]) -> Node:
        """Parts with a sign of logic between them; one alone stays as it is."""
        parts = [part()]
        while self.sign() == sign:
            self.place += 1
            parts.append(part())
        if len(parts) == 1:
            return parts[0]
        if not all(map(_is_condition, parts)):
            raise NotAFormulaError(f"{sign} joins relations")
        return Call(_LOGIC[sign], tuple(parts))

    def turned(self, depth: int) -> Node:
        """A relation, or the opposite of what stands behind ``~``."""
        if self.sign() != "~":
            return self.relation(depth)
        self.place += 1
        return _opposite(self.atom(depth))

    def relation(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise NotAFormulaError("too deep")
        sides, signs = [self.total(depth)], []
        while self.sign() in _RELATIONS:
            signs.append(self.sign())
            self.place += 1
            sides.append(self.total(depth))
        return Relation(tuple(sides), tuple(signs)) if signs else sides[0]

    def total(self, depth: int) -> Node:
        terms: list[tuple[bool, Node]] = []
        while not terms or self.sign() in ("+", "-"):
            minus = False
            while self.sign() in ("+", "-"):
                minus ^= self.sign() == "-"
                self.place += 1
            terms += _turned(minus, self.product(depth))
        return gathered(Total(tuple(terms))) if len(terms) > 1 or terms[0][0] else terms[0][1]

    def product(self, depth: int) -> Node:
        above: list[Node] = [self.power(depth)]
        below: list[Node] = []
        while self.sign() in ("*", "/"):
            into = above if self.sign() == "*" else below
            self.place += 1
            into.append(self.power(depth))
        if len(above) > 1 and above[0] == Number("1"):
            del above[0]
        if len(above) == 1 and not below:
            return above[0]
        flat = (item for one in below for item in _factors(one))
        minus = isinstance(above[0], Total) and _is_negative(above[0])
        if isinstance(above[0], Total) and minus:
            above[0] = above[0].terms[0][1]
        if len(above) > 1 and above[0] == Number("1"):
            del above[0]
        found = Product(tuple(item for one in above for item in _factors(one)), tuple(flat))
        return Total(((True, found),)) if minus else found

    def power(self, depth: int) -> Node:
        base = self.atom(depth)
        if self.sign() != "**":
            return base
        self.place += 1
        minus = self.sign() == "-"
        self.place += minus
        exponent = self.power(depth)
        return Power(base, Total(((True, exponent),)) if minus else exponent)

    def atom(self, depth: int) -> Node:
        kind, text = self.tokens[self.place] if self.place < len(self.tokens) else ("", "")
        if text in ("(", "[") and kind == "sign":
            items = self.items(")" if text == "(" else "]", depth)
            return items[0] if len(items) == 1 and text == "(" else Row(items)
        self.place += 1
        if kind == "number":
            return Number(text)
        if kind not in ("name", "quoted"):
            raise NotAFormulaError(text)
        return _called(text, self.items(")", depth)) if self.sign() == "(" else Symbol(text)

    def items(self, closer: str, depth: int) -> tuple[Node, ...]:
        self.place += 1
        found = []
        while self.sign() != closer:
            found.append(self.condition(depth + 1))
            if self.sign() != closer:
                self.take(",")
        self.place += 1
        return tuple(found)


def _is_condition(node: Node) -> bool:
    """Whether this is true or false, and no number."""
    return isinstance(node, Relation) or (isinstance(node, Call) and node.name in _SWAPPED)


def _opposite(node: Node) -> Node:
    """What holds where a condition does not, without a word for ``not``."""
    if isinstance(node, Relation) and len(node.signs) == 1 and node.signs[0] in _CONTRARY:
        return Relation(node.sides, (_CONTRARY[node.signs[0]],))
    if isinstance(node, Call) and node.name in _SWAPPED:
        return Call(_SWAPPED[node.name], tuple(map(_opposite, node.arguments)))
    raise NotAFormulaError("~ turns relations into their opposites")


def _is_negative(node: Node) -> bool:
    """Whether this is one term that is subtracted."""
    return isinstance(node, Total) and len(node.terms) == 1 and node.terms[0][0]


def _turned(minus: bool, node: Node) -> list[tuple[bool, Node]]:
    if isinstance(node, Total) and _is_negative(node):
        return [(not minus, node.terms[0][1])]
    return [(minus, node)]


def _factors(node: Node) -> tuple[Node, ...]:
    return node.above if isinstance(node, Product) and not node.below else (node,)


def _called(name: str, arguments: tuple[Node, ...]) -> Node:
    """A call; sympy's words for relations become these."""
    if name in _SYMPY and len(arguments) == 2:
        return Relation(arguments, (_SYMPY[name],))
    if name == "norm2" and len(arguments) == 1:
        return Norm(arguments[0])
    if name == "dot" and len(arguments) == 2 and arguments[0] == arguments[1]:
        return gathered(Total(((False, Call(name, arguments)),)))
    return Call(name, arguments)


_SYMPY: Final = {"Eq": "==", "Ne": "!=", "Le": "<=", "Lt": "<", "Ge": ">=", "Gt": ">"}
