"""What the templates need, arranged from the rows of a ledger: counts, groups, figures, words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from reports.cells import CELL, Cell, Table, table_of
from reports.figures import FIGURES, Picture, read_figure
from reports.figures.verdicts import NAME, Verdicts
from reports.ledger import (
    Controls,
    Ledger,
    Row,
    count_verdicts,
    survivor_count,
)

FIGURE_FILE = re.compile(
    rf"[A-Za-z0-9][A-Za-z0-9._+-]*-(?:{'|'.join((*FIGURES, NAME))})(?:-[0-9]+)?\.(?:svg|pdf)"
)
"""Names of the figures that this package writes."""

MEANINGS = {
    "REFUTED": "an exact witness inside the stated domain contradicts the statement",
    "UNKNOWN": "undecided; evidence may point one way, and this is never a pass",
    "CHECKED": "the domain is finite and every element of it was tried",
    "CONDITIONAL": "the source leaves something open, and the statement is proved in a named part "
    "of its domain",
    "PROVED": "a machine proof covers every value in the stated domain",
}
PRINTED = {
    "valid": "valid: every step follows",
    "gap": "gap: a step does not follow as printed, without being false",
    "invalid": "invalid: a step is false",
    "none": "none: the source prints no proof",
}
_LONGEST_VALUE = 600
_LONGEST_SYMBOL = 2


@dataclass(frozen=True)
class Shown:
    """One evidence entry: a one-line text of its data, or a figure (its file without suffix)."""

    points: str
    says: str
    data: str
    kind: str
    figure: str
    caption: str
    picture: Picture | None


@dataclass(frozen=True)
class Entry:
    """One row with what is derived from it."""

    row: Row
    label: str
    counterexample: str
    witnesses: tuple[str, ...]
    controls: tuple[str, str]
    survivors: tuple[str, ...]
    evidence: tuple[Shown, ...]


@dataclass(frozen=True)
class Line:
    """A line of a table: an entry for each column, None where there is none."""

    name: str
    cells: tuple[Entry | None, ...]


@dataclass(frozen=True)
class Note:
    """A domain, and the columns and lines whose verdicts are about it."""

    domain: str
    columns: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """Rows that form a table, and their picture (its file without suffix)."""

    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[Note, ...]
    figure: str
    picture: Picture

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All its rows, line by line."""
        return tuple(cell for line in self.lines for cell in line.cells if cell is not None)


@dataclass(frozen=True)
class Paper:
    """The rows of one source, and their number by verdict; those of a table stand in `grid`."""

    name: str
    counts: dict[str, int]
    entries: tuple[Entry, ...]
    grid: Grid | None = None

    @property
    def total(self) -> int:
        """How many rows there are."""
        return sum(self.counts.values())


@dataclass(frozen=True)
class View:
    """A whole report."""

    version: str
    counts: dict[str, int]
    papers: tuple[Paper, ...]
    findings: dict[str, int]
    tried: int
    killed: int
    survived: dict[str, int]

    @property
    def total(self) -> int:
        """How many claims there are."""
        return sum(self.counts.values())

    def pictures(self) -> Iterator[tuple[str, Picture]]:
        """Yield every figure: its file without suffix, and how to draw it."""
        for paper in self.papers:
            if paper.grid is not None:
                yield paper.grid.figure, paper.grid.picture
            for entry in (*paper.entries, *(paper.grid.entries if paper.grid else ())):
                for shown in entry.evidence:
                    if shown.picture is not None:
                        yield shown.figure, shown.picture


def make_view(ledger: Ledger) -> View:
    """Arrange a valid ledger; rows keep their order within their paper."""
    rows = ledger["claims"]
    groups: dict[str, list[Entry]] = {}
    for index, row in enumerate(rows):
        groups.setdefault(row["paper"], []).append(_entry(row, f"claim-{index + 1}"))
    kinds = Counter(finding["kind"] for row in rows for finding in row["findings"])
    survived = {row["id"]: survivor_count(row["controls"]) for row in rows}
    return View(
        version=ledger["version"],
        counts=count_verdicts(rows),
        papers=tuple(_paper(name, entries) for name, entries in groups.items()),
        findings=dict(sorted(kinds.items())),
        tried=sum(row["controls"]["tried"] for row in rows),
        killed=sum(row["controls"]["killed"] for row in rows),
        survived={name: count for name, count in survived.items() if count},
    )


def _paper(name: str, entries: list[Entry]) -> Paper:
    rows = [entry.row for entry in entries]
    counts, table = count_verdicts(rows), table_of(rows)
    if table is None:
        return Paper(name, counts, tuple(entries))
    alone = tuple(entry for entry in entries if entry.row["id"] not in table.ids)
    return Paper(name, counts, alone, _grid(name, table, entries))


def _grid(paper: str, table: Table, entries: list[Entry]) -> Grid:
    by_id = {entry.row["id"]: entry for entry in entries}

    def entry(cell: Cell | None) -> Entry | None:
        return None if cell is None else by_id[str(cell.claim["id"])]

    lines = tuple(
        Line(
            name,
            tuple(entry(table.cells.get((name, column))) for column in table.columns),
        )
        for name in table.rows
    )
    words = tuple(
        tuple(table.verdict(name, column) for column in table.columns) for name in table.rows
    )
    picture = Verdicts(f"What is kept: {paper}", table.rows, table.columns, words)
    # Ids name files safely, which the name of a paper need not.
    safe = re.sub(r"[^A-Za-z0-9]+", "-", paper).strip("-") or "table"
    file = PurePosixPath("figures", f"{safe}-{NAME}")
    return Grid(table.columns, lines, tuple(_notes(table)), str(file), picture)


def _notes(table: Table) -> Iterator[Note]:
    names: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name in table.rows:
        for domain, columns in table.domains(name).items():
            names.setdefault((domain, tuple(columns)), []).append(name)
    for (where, concerned), found in names.items():
        yield Note(where, concerned, tuple(found))


def _entry(row: Row, label: str) -> Entry:
    survivors = row["controls"]["survivors"]
    return Entry(
        row=row,
        label=label,
        counterexample=_values(row["counterexample"]),
        witnesses=tuple(_values(finding["witness"]) for finding in row["findings"]),
        controls=_controls(row["controls"]),
        survivors=tuple(survivors) if isinstance(survivors, list) else (),
        evidence=tuple(_evidence(row)),
    )


def _evidence(row: Row) -> Iterator[Shown]:
    """Give each figure of a row a file of its own: the second growth is ``…-growth-2``."""
    seen: Counter[str] = Counter()
    for item in row["evidence"]:
        data = item["data"]
        if isinstance(data, dict) and CELL in data:
            continue
        if not (isinstance(data, dict) and "figure" in data):
            shown = "" if data is None or data in ({}, []) else values_text(data)
            yield Shown(item["points"], item["says"], shown, "", "", "", None)
            continue
        kind = data["figure"]
        seen[kind] += 1
        suffix = f"-{seen[kind]}" if seen[kind] > 1 else ""
        picture = read_figure(data, row["id"])
        file = PurePosixPath("figures", f"{row['id']}-{kind}{suffix}")
        yield Shown(item["points"], item["says"], "", kind, str(file), picture.caption(), picture)


def _controls(controls: Controls) -> tuple[str, str]:
    """Say what became of the false variants: a plain sentence, and a loud one or nothing."""
    tried, killed = controls["tried"], controls["killed"]
    survived = survivor_count(controls)
    if not tried:
        return "No false variant of this claim was tried.", ""
    plain = f"{killed} of {tried} false variants of this claim were rejected."
    known = controls.get("known", tried)
    if known > tried:
        plain = f"{killed} of {tried} false variants were rejected, a sample of {known}."
    undecided = tried - killed - survived
    if undecided:
        plain += f" {undecided} stayed undecided."
    variants = "FALSE VARIANT" if survived == 1 else "FALSE VARIANTS"
    return plain, f"{survived} {variants} PASSED AS TRUE." if survived else ""


def _values(values: dict[str, Any] | None) -> str:
    return values_text(values) if values else ""


def values_text(data: object) -> str:
    """Write plain data compactly on one line.

    Examples
    --------
    >>> values_text({"rows": [[1, "1/2"], None], "p": 3, "m": 2})
    'm = 2, p = 3, rows = [[1, 1/2], null]'
    """
    shown = ", ".join(_pairs(data)) if isinstance(data, dict) else _value(data)
    if len(shown) > _LONGEST_VALUE:
        return shown[:_LONGEST_VALUE].rstrip() + " … (whole in ledger.json)"
    return shown


def _pairs(data: dict[str, object]) -> Iterator[str]:
    """Symbols before words, each in alphabetical order, so that writers' habits change nothing."""
    keys = sorted(data, key=lambda key: (len(key) > _LONGEST_SYMBOL, key))
    return (f"{key} = {_value(data[key])}" for key in keys)


def _value(data: object) -> str:
    if isinstance(data, dict):
        return "{" + ", ".join(_pairs(data)) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(map(_value, data)) + "]"
    if isinstance(data, bool):
        return "true" if data else "false"
    return "null" if data is None else str(data)
