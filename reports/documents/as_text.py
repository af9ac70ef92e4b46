"""Documents on a terminal, at any width."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import wrap
from typing import Final

from reports.documents.blocks import (
    Block,
    Blocks,
    Code,
    Contents,
    Display,
    Figure,
    Heading,
    Inline,
    Items,
    Link,
    Math,
    Paragraph,
    Passage,
    Strong,
    Table,
    Words,
)
from reports.formulas import as_text

NARROWEST: Final = 20
Style = Callable[[str], str]


def text_lines(blocks: Blocks, columns: int, strong: Style = str) -> Iterator[str]:
    r"""Lines of at most this many columns, where words allow it; nothing is cut.

    Examples
    --------
    >>> print(*text_lines((Paragraph(("To be",)), Display("a <= b**2", "1")), 40), sep="\n")
    To be
        a ≤ b²    (1)
    """
    for block in blocks:
        yield from _lines(block, max(columns, NARROWEST), strong)


def _lines(block: Block, columns: int, strong: Style) -> Iterator[str]:
    match block:
        case Heading(_, words, _):
            yield from ("", *_wrapped(inline_text(words, strong), columns))
        case Paragraph(words):
            # A line of one strong word begins a part.
            start = [""] if words and isinstance(words[0], Strong) else []
            yield from (*start, *_wrapped(inline_text(words, strong), columns))
        case Display(text, number):
            label = f"    ({number})" if number else ""
            yield from _wrapped(as_text(text) + label, columns, "    ", "      ")
        case Items(items, _, _):
            for words in items:
                yield from _wrapped(inline_text(words, strong), columns, "  - ", "    ")
        case Table(head, rows, _):
            for row in rows:
                for name, words in zip(head, row, strict=True):
                    cell = inline_text(words, strong)
                    if cell:
                        lead = "  - " if name == head[0] else "    "
                        yield from _wrapped(f"{name}: {cell}", columns, lead, "    ")
        case Passage(text):
            for line in text.split("\n"):
                yield from _wrapped(line, columns, "  ", "  ")
        case Figure(_, caption):
            yield from _wrapped(caption, columns)
        case Contents():
            yield ""


def _wrapped(text: str, columns: int, first: str = "", rest: str = "") -> list[str]:
    lines = wrap(
        text, columns, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )
    return lines or [""]


def inline_text(words: Words, strong: Style = str) -> str:
    """Words in a line."""
    return "".join(_word(one, strong) for one in words)


def _word(one: Inline, strong: Style) -> str:
    match one:
        case Math(text):
            return as_text(text)
        case Strong(text):
            return strong(text)
        case Code(text):
            return text
        case Link(name, says):
            return says or name
        case _:
            return str(one)
