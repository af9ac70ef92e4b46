"""What the templates need, arranged from the rows of a ledger: counts, groups, figures, words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from reports.cells import Cell, Table, table_of
from reports.entries import Entry, make_entry
from reports.figures import FIGURES, Picture
from reports.figures.verdicts import NAME, Verdicts
from reports.ledger import (
    AS_PRINTED,
    LINKS,
    Ledger,
    Row,
    as_printed,
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
    kinds: tuple[tuple[str, dict[str, int]], ...]
    links: dict[str, int]
    trusted: dict[str, int]

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
    for row in rows:
        groups.setdefault(row["paper"], []).append(make_entry(row))
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
        kinds=tuple(_kinds(rows)),
        links={link: sum(link in row.get("rests_on", ()) for row in rows) for link in LINKS},
        trusted={
            one["module"]: one["lines"]
            for one in sorted(
                (one for row in rows for one in row.get("trusted", ())),
                key=lambda one: one["module"],
            )
        },
    )


def _kinds(rows: list[Row]) -> Iterator[tuple[str, dict[str, int]]]:
    """Rows that judge what a source says itself, and the others; no ledger mixes the two."""
    if all("origin" in row for row in rows):
        yield "As printed", count_verdicts(as_printed(rows))
        others = (row for row in rows if row["origin"] not in AS_PRINTED)
        yield "Implied or ours", count_verdicts(others)


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
