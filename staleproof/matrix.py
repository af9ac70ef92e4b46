"""Rows of a ledger that form a table, as lines of text: a line a family, a column a property."""

from collections.abc import Iterator
from textwrap import wrap
from typing import Final

from reports.cells import Cell, Table
from reports.documents.as_text import inline_text
from reports.documents.blocks import joined
from reports.documents.witnesses import facts
from staleproof.output import one_line

GAP: Final = 2
"""Spaces between two columns."""

MARKS: Final = {
    "PROVED": "P",
    "CONDITIONAL": "p",
    "CHECKED": "C",
    "UNKNOWN": "?",
    "REFUTED": "✗",
    "": "",
}
"""What stands for a verdict where there is no room for words."""

FINE: Final = ("PROVED", "CHECKED")
"""Verdicts of which the table says enough."""


def table_lines(table: Table, columns: int) -> Iterator[str]:
    """The table, with marks for words where it would be wider than so many columns.

    Under it stand the rows that are neither proved nor checked, with their witnesses.
    """
    words = [[table.verdict(row, column) for column in table.columns] for row in table.rows]
    first = max(map(len, table.rows))
    head = table.columns
    if _width(first, head, words) > columns:
        words = [[MARKS[word] for word in line] for line in words]
        head = tuple(f"({number})" for number in range(1, len(table.columns) + 1))
        meant = [f"{mark} {word}" for word, mark in MARKS.items() if word]
        meant += [f"{mark} {name}" for mark, name in zip(head, table.columns, strict=True)]
        yield from wrap(
            ", ".join(meant),
            columns,
            initial_indent="  ",
            subsequent_indent="  ",
            break_on_hyphens=False,
        )
    widths = [max(map(len, column)) for column in zip(head, *words, strict=True)]
    for name, line in zip(("", *table.rows), (head, *words), strict=True):
        cells = (f"{word:<{width}}" for word, width in zip(line, widths, strict=True))
        yield f"  {name:<{first}}{' ' * GAP}{(' ' * GAP).join(cells)}".rstrip()
    for cell in table.cells.values():
        if cell.verdict not in FINE:
            yield from _exception(cell)


def _width(first: int, head: tuple[str, ...], words: list[list[str]]) -> int:
    widths = [max(map(len, column)) for column in zip(head, *words, strict=True)]
    return 2 + first + sum(GAP + width for width in widths)


def _exception(cell: Cell) -> Iterator[str]:
    """A row, why it is so, what shows it, and what holds instead."""
    claim = cell.claim
    says = [finding["says"] for finding in claim["findings"]]
    says += [item["says"] for item in claim["evidence"] if item["says"].startswith("not decided")]
    says += [f"{step['rule']}" for step in claim["steps"] if step["verdict"] == "UNKNOWN"]
    yield f"  {claim['id']}  {cell.verdict}  {one_line(says[0]) if says else ''}".rstrip()
    if claim["counterexample"]:
        yield f"    witness: {inline_text(joined(facts(claim['counterexample'])))}"
    for finding in claim["findings"]:
        if finding["repaired"] is not None:
            repaired = finding["repaired"]
            yield f"    {repaired['verdict']}: {one_line(repaired['statement'])}"
