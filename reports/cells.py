"""Rows of a ledger that are cells of one table: what stands in which line and column.

A row says it itself, in the data of an evidence entry with the key ``cell``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

CELL: Final = "cell"
KEYS: Final = ("row", "column", "bound", "domain")
"""What a cell says of itself: its line, its column, its formula if it has one, and its domain."""


@dataclass(frozen=True)
class Cell:
    """One row of a ledger as part of a table."""

    row: str
    column: str
    bound: str
    domain: str
    claim: Mapping[str, Any]

    @property
    def verdict(self) -> str:
        """The verdict of the row."""
        return str(self.claim["verdict"])


@dataclass(frozen=True)
class Table:
    """Cells by line and column, both in the order of the ledger."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]

    @property
    def ids(self) -> frozenset[str]:
        """Ids of the rows that are in it."""
        return frozenset(str(cell.claim["id"]) for cell in self.cells.values())

    def verdict(self, row: str, column: str) -> str:
        """The verdict of a cell; empty where there is none."""
        cell = self.cells.get((row, column))
        return "" if cell is None else cell.verdict

    def domains(self, row: str) -> dict[str, list[str]]:
        """The domains of a line, each with its columns."""
        found: dict[str, list[str]] = {}
        for column in self.columns:
            cell = self.cells.get((row, column))
            if cell is not None:
                found.setdefault(cell.domain, []).append(column)
        return found


def cell_of(claim: Mapping[str, Any]) -> Cell | None:
    """What a row says of its place in a table; None if it is a row by itself."""
    for item in claim["evidence"]:
        data = item["data"]
        if isinstance(data, dict) and CELL in data:
            return Cell(**{key: data[CELL][key] for key in KEYS}, claim=claim)
    return None


def table_of(claims: Sequence[Mapping[str, Any]]) -> Table | None:
    """The table that these rows form; None unless it has several lines and columns.

    Examples
    --------
    >>> def row(line, column):
    ...     place = {"row": line, "column": column, "bound": "", "domain": "everywhere"}
    ...     data = {"cell": place}
    ...     return {"id": f"{line}.{column}", "verdict": "PROVED", "evidence": [{"data": data}]}
    >>> table = table_of([row(line, column) for line in "ab" for column in "xy"])
    >>> table.rows, table.columns, table.verdict("a", "y")
    (('a', 'b'), ('x', 'y'), 'PROVED')
    >>> table_of([row("a", "x"), row("a", "y")]) is None
    True
    """
    found = [cell for cell in map(cell_of, claims) if cell is not None]
    rows = tuple(dict.fromkeys(cell.row for cell in found))
    columns = tuple(dict.fromkeys(cell.column for cell in found))
    if min(len(rows), len(columns)) < 2:
        return None
    return Table(rows, columns, {(cell.row, cell.column): cell for cell in found})
