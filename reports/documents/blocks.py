"""What documents are made of, before any notation is chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from reports.formulas.words import human


@dataclass(frozen=True)
class Code:
    """Text to be typed as it stands."""

    text: str


@dataclass(frozen=True)
class Math:
    """A formula inside a line, as a ledger prints it; shown as code if it is none."""

    text: str


@dataclass(frozen=True)
class Strong:
    """Words that stand out."""

    text: str


@dataclass(frozen=True)
class Link:
    """A place in these documents: the id of a claim, and words for it if not its id."""

    id: str
    says: str = ""


Inline: TypeAlias = str | Code | Math | Strong | Link
Words: TypeAlias = tuple[Inline, ...]


@dataclass(frozen=True)
class Heading:
    """A title; level 1 is the document's."""

    level: int
    words: Words
    anchor: str = ""


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    words: Words


@dataclass(frozen=True)
class Display:
    """A formula on a line of its own, with the number by which it is called, or none."""

    text: str
    number: str = ""


@dataclass(frozen=True)
class Items:
    """A list; each item is words. Long lists may be small, and stand in columns."""

    items: tuple[Words, ...]
    columns: int = 1
    small: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of cells below a head; widths are shares of the line."""

    head: tuple[str, ...]
    rows: tuple[tuple[Words, ...], ...]
    widths: tuple[float, ...]


@dataclass(frozen=True)
class Figure:
    """A picture, by its file without suffix."""

    file: str
    caption: str


@dataclass(frozen=True)
class Passage:
    """An argument in words, with its line breaks."""

    text: str


@dataclass(frozen=True)
class Contents:
    """A table of contents, where the notation makes one."""


Block: TypeAlias = Heading | Paragraph | Display | Items | Table | Figure | Passage | Contents
Blocks: TypeAlias = tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A document, by the name of its file without suffix."""

    name: str
    title: str
    subtitle: str
    blocks: Blocks
    contents: bool = True
    """Whether it has a table of contents."""


_INDEX = r"(?:[_^](?:\{[^{}]*\}|[^\W\d_][\u0300-\u036f]?(?![A-Za-z]{2})|\d{1,2}))"
_SCRIPTED = re.compile(
    rf"(?:(?<![\w`.])[A-Za-z]|(?![A-Za-z0-9])[^\W_])[\u0300-\u036f]?{_INDEX}+[⁺⁻]?"
)


def prose(text: str) -> Words:
    """Words with the signs that people write; letters that carry an index are mathematics.

    Examples
    --------
    >>> prose("at w_{t+1} of update_interval")
    ('at ', Math(text='"w_{t+1}"'), ' of update_interval')
    """
    text = human(text)
    found: list[Inline] = []
    place = 0
    for match in _SCRIPTED.finditer(text):
        found += [text[place : match.start()], Math(f'"{match[0]}"')]
        place = match.end()
    return tuple(one for one in (*found, text[place:]) if one)


def joined(parts: Iterable[Words], between: str = ", ") -> Words:
    """Put words one after another.

    Examples
    --------
    >>> joined([("a",), (Code("b"),)])
    ('a', ', ', Code(text='b'))
    """
    found: list[Inline] = []
    for part in parts:
        found += [between, *part] if found else part
    return tuple(found)
