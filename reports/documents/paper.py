"""The document of a paper: what holds of it, what fails, and the proofs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from shlex import quote
from typing import Any, Final

from reports.cells import Table as Cells
from reports.cells import table_of
from reports.documents.appendix import every_cell, every_row, in_full, lines_of, long_proofs
from reports.documents.blocks import (
    Block,
    Document,
    Figure,
    Heading,
    Items,
    Link,
    Paragraph,
    Strong,
    Table,
    Words,
    prose,
)
from reports.documents.claim import claim_blocks
from reports.documents.experiments import Results, experiment_blocks
from reports.documents.proof import steps_of
from reports.documents.setting import setting, setting_labels
from reports.documents.summary import counted, summary
from reports.documents.wording import Labels
from reports.documents.works import cited_works
from reports.ledger import AS_PRINTED, Ledger, Row

GRAPH: Final = "depends"
OURS: Final = "Lemmas, and what is implied or sharper"
MOST_LINES: Final = 160
"""Lines of proofs in a document without an appendix for them; with one it keeps half as many."""


def file_name(paper: str) -> str:
    """The name of a paper's files: letters, digits and hyphens.

    Examples
    --------
    >>> file_name("My paper (2026)")
    'My-paper-2026'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", paper).strip("-") or "claims"


def titles(ledger: Ledger, paper: str) -> tuple[str, str]:
    """The title of a paper and where it was published, as far as the ledger says it."""
    entry = _entry(ledger, paper)
    return entry.get("title", paper), entry.get("reference", "")


def folder_of(ledger: Ledger, paper: str) -> str:
    """Where commands look for claims of a user's own: the name of their folder; else nothing.

    Examples
    --------
    >>> folder_of({"papers": {"mine": {"folder": "my notes"}}}, "mine")
    "'my notes'"
    """
    found = _entry(ledger, paper).get("folder")
    return quote(found) if found else ""


def _entry(ledger: Ledger, paper: str) -> Mapping[str, str]:
    """What the ledger says of a paper itself."""
    known: Mapping[str, Any] = dict(ledger).get("papers", {})  # type: ignore[assignment]
    found: Mapping[str, str] = known.get(paper, {})
    return found


def paper_document(
    ledger: Ledger, paper: str, figures: Mapping[str, str], experiments: Results = ()
) -> Document:
    """Arrange the rows of one paper.

    Parameters
    ----------
    ledger : Ledger
    paper : str
        Its name in the ledger.
    figures : mapping of str to str
        Files of figures without suffix, each with its caption.
    experiments : sequence of mapping, optional
        Results of reruns, of any paper.
    """
    rows = [row for row in ledger["claims"] if row["paper"] == paper]
    table = table_of(rows)
    inside = table.ids if table else frozenset()
    alone = [row for row in rows if row["id"] not in inside]
    cells = [row for row in rows if row["id"] in inside and row["verdict"] != "REFUTED"]
    stated = [row for row in alone if not _aside(row)]
    ours = [row for row in alone if _aside(row)]
    labels = setting_labels([*stated, *ours])
    whole = _line_count(alone) <= MOST_LINES
    long = [] if whole else _too_long(stated)
    title, reference = titles(ledger, paper)
    source = () if reference == "staleproof's own" else (f"{title}{reference and '. '}{reference}",)
    cited = tuple((f"{work}.",) for work in cited_works(rows))
    blocks: list[Block] = [
        *summary(rows, alone),
        *setting(alone if whole else stated, labels, _entry(ledger, paper).get("setting", "")),
        *_stated(stated, {row["id"] for row in long}, labels, figures),
        *(_whole(ours, labels, figures) if whole else _listed(ours)),
        *(_grid(paper, table, labels, figures) if table else ()),
        *_open_questions(alone),
        *_graph(paper, figures),
        *experiment_blocks(experiments, rows),
        Heading(2, ("References",)),
        Items((*((source,) if source else ()), *cited, (_ABOUT,))),
        *long_proofs(long, labels),
        *(() if whole else in_full(ours, stated, labels, figures)),
        *every_cell(cells, labels),
        *every_row(rows),
    ]
    subtitle = f"Checked line by line by staleproof {ledger['version']}: {counted(rows)}"
    return Document(file_name(paper), title, subtitle, tuple(blocks))


_ABOUT: Final = (
    "staleproof, a proof kernel and schedule checker: verdicts, rules and what is believed without "
    "proof are explained in its docs/explanation/trust.md."
)


def _line_count(rows: Sequence[Row]) -> int:
    return sum(len(steps_of(row)) for row in rows)


def _too_long(rows: Sequence[Row]) -> list[Row]:
    """The longest proofs, without which the others have the lines that a document may have."""
    by_length = sorted(rows, key=lambda row: len(steps_of(row)))
    while _line_count(by_length) > MOST_LINES / 2:
        by_length.pop()
    return [row for row in rows if row not in by_length]


def _aside(row: Row) -> bool:
    """Whether a row is no statement of the source, nor a question about one that has its answer."""
    return row.get("origin", "printed") not in AS_PRINTED and row["verdict"] == "PROVED"


def _stated(
    rows: Sequence[Row], long: Set[str], labels: Labels, figures: Mapping[str, str]
) -> Iterator[Block]:
    """What the source says, and our questions about it; long proofs are in the appendix."""
    if rows:
        yield Heading(2, ("Statements and proofs",))
    for row in rows:
        listed = ("listed in ", Link(lines_of(row), "the appendix")) if row["id"] in long else ()
        yield from claim_blocks(row, labels, elsewhere=listed, figures=figures)


def _whole(rows: Sequence[Row], labels: Labels, figures: Mapping[str, str]) -> Iterator[Block]:
    if rows:
        yield Heading(2, (OURS,))
    for row in rows:
        yield from claim_blocks(row, labels, figures=figures)


def _listed(rows: Sequence[Row]) -> Iterator[Block]:
    if rows:
        yield Heading(2, (OURS,))
        yield Paragraph(("All are PROVED; assumptions and proofs are in the appendix.",))
        yield Items(tuple((Link(row["id"]), ": ", *prose(row["statement"])) for row in rows))


def _grid(paper: str, table: Cells, labels: Labels, figures: Mapping[str, str]) -> Iterator[Block]:
    """Rows that form a table: a picture, the domains, every verdict, and what fails."""
    yield Heading(2, ("Table of verdicts",))
    name = f"figures/{file_name(paper)}-verdicts"
    if name in figures:
        yield Figure(name, figures[name])
    width = 0.8 / len(table.columns)
    cells = tuple(
        ((line,), *((table.verdict(line, column),) for column in table.columns))
        for line in table.rows
    )
    yield Table(("", *table.columns), cells, (0.2, *[width] * len(table.columns)))
    yield Paragraph((Strong("What each is about"),))
    notes: dict[str, list[str]] = {}
    for line in table.rows:
        for domain, columns in table.domains(line).items():
            notes.setdefault(domain, []).append(f"{line} ({', '.join(columns)})")
    yield Items(tuple((f"{'; '.join(lines)}: {domain}",) for domain, lines in notes.items()))
    failing = [cell.claim for cell in table.cells.values() if cell.verdict == "REFUTED"]
    for row in failing:
        yield from claim_blocks(row, labels)  # type: ignore[arg-type]


def _open_questions(rows: Sequence[Row]) -> Iterator[Block]:
    found: list[Words] = [
        (Link(row["id"]), f": {case['when']}", f" — {says}" if (says := case.get("says")) else "")
        for row in rows
        for case in row["cases"]
        if case["verdict"] == "UNKNOWN"
    ]
    found += [(Link(r["id"]), f": {r['statement']}") for r in rows if r["verdict"] == "UNKNOWN"]
    if found:
        yield Heading(2, ("Open questions",))
        yield Items(tuple(found))


def _graph(paper: str, figures: Mapping[str, str]) -> Iterator[Block]:
    name = f"figures/{file_name(paper)}-{GRAPH}"
    if name in figures:
        yield Heading(2, ("What rests on what",))
        yield Figure(name, figures[name])
