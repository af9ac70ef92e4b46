"""The syntax tree of a formula, as it is shown: sums and products are flat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Number:
    """A number, as it is written."""

    text: str


@dataclass(frozen=True)
class Symbol:
    """A name of any letters and signs."""

    name: str


@dataclass(frozen=True)
class Call:
    """A function at its arguments."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Total:
    """Terms that are added; True marks one that is subtracted."""

    terms: tuple[tuple[bool, Node], ...]


@dataclass(frozen=True)
class Product:
    """Factors above and below a fraction bar."""

    above: tuple[Node, ...]
    below: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Power:
    """A base and its exponent."""

    base: Node
    exponent: Node


@dataclass(frozen=True)
class Relation:
    """Sides with the signs between them."""

    sides: tuple[Node, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """Things in brackets, separated by commas."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Norm:
    """The square of the length of a combination of vectors."""

    inside: Node


@dataclass(frozen=True)
class Named:
    """Formulas, each with the words that it goes by."""

    items: tuple[tuple[str, Node], ...]


Node: TypeAlias = Number | Symbol | Call | Total | Product | Power | Relation | Row | Norm | Named
