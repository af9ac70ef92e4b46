"""What a document keeps for the end: long proofs, lemmas of ours, and the whole ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from reports.documents.blocks import (
    Block,
    Code,
    Heading,
    Link,
    Paragraph,
    Passage,
    Table,
    Words,
    prose,
)
from reports.documents.claim import claim_blocks
from reports.documents.proof import proof_lines
from reports.documents.setting import shared_assumptions
from reports.documents.wording import Labels
from reports.ledger import LINKS, Row, verdict_text


def lines_of(row: Row) -> str:
    """Where the lines of a row's proof are."""
    return f"{row['id']}.lines"


def long_proofs(rows: Sequence[Row], labels: Labels) -> Iterator[Block]:
    """All lines of the longest proofs, which would not fit beside their statements."""
    if rows:
        yield Heading(2, ("Appendix: long proofs, line by line",))
    printed: dict[tuple[str, ...], Row] = {}
    for row in rows:
        lines = proof_lines(row, labels)
        first = printed.setdefault(tuple(map(str, lines)), row)
        yield Heading(3, (Code(row["id"]), f" {row['where']}"), lines_of(row))
        if first is row:
            yield from lines
        else:
            yield Paragraph(("The lines of ", Link(lines_of(first), first["id"]), "."))


def in_full(
    rows: Sequence[Row], others: Sequence[Row], labels: Labels, figures: Mapping[str, str]
) -> Iterator[Block]:
    """Lemmas of ours with their assumptions and proofs, line by line."""
    if rows:
        yield Heading(2, ("Appendix: lemmas, and what is implied or sharper",))
        yield from shared_assumptions(rows, labels, " beside those of the setting.", others)
    for row in rows:
        yield from claim_blocks(row, labels, figures=figures)


def every_cell(rows: Sequence[Row], labels: Labels) -> Iterator[Block]:
    """The proofs of what a table has, but for what fails; what is said in words stands first."""
    words = dict.fromkeys(text for row in rows for text in row.get("arguments", ()))
    number = {text: f"W{place}" for place, text in enumerate(words, 1)}
    if rows:
        yield Heading(2, ("Appendix: proofs of the table, cell by cell",))
    if words:
        yield Paragraph(("Arguments in words, which cells call by their numbers:",))
    yield from (Passage(f"({name}) {text}") for text, name in number.items())
    for row in rows:
        used = ", ".join(number[text] for text in row.get("arguments", ()))
        assumed = "; ".join(row["assumes"])
        says = f". {verdict_text(row)}{used and f'; with {used}'}{assumed and f'; if {assumed}'}."
        yield Paragraph((Code(row["id"]), ": ", *prose(row["statement"].rstrip(".")), *prose(says)))
        yield from proof_lines(row, labels)


def every_row(rows: Sequence[Row]) -> Iterator[Block]:
    """The ledger as a table."""
    yield Heading(2, ("Appendix: every row of the ledger",))
    meanings = "; ".join(f"{link}: {says}" for link, says in LINKS.items())
    yield Paragraph((f"What a verdict rests on stands beside it: {meanings}.",))
    columns: list[tuple[str, float, Callable[[Row], Words]]] = [
        ("Row", 0.26, lambda row: (Code(row["id"]),)),
        ("Verdict", 0.22, lambda row: (verdict_text(row),)),
        ("Printed proof", 0.09, lambda row: (row["printed_proof"],)),
        ("Controls", 0.09, lambda row: (_tried(row),)),
        ("Rests on", 0.34, lambda row: (", ".join(row.get("depends", ())),)),
    ]
    if all(row["printed_proof"] == "none" for row in rows):
        columns = [one for one in columns if one[0] != "Printed proof"]
    if not any(row.get("depends") for row in rows):
        columns = [one for one in columns if one[0] != "Rests on"]
    cells = tuple(tuple(cell(row) for _, _, cell in columns) for row in rows)
    yield Table(
        tuple(name for name, _, _ in columns), cells, tuple(width for _, width, _ in columns)
    )
    trusted = {one["module"]: one["lines"] for row in rows for one in row.get("trusted", ())}
    if trusted:
        listed = ", ".join(f"{name} ({count})" for name, count in sorted(trusted.items()))
        total = sum(trusted.values())
        yield Paragraph((f"Python code that comparisons take on trust, {total} lines: {listed}.",))


def _tried(row: Row) -> str:
    return f"{row['controls']['killed']}/{row['controls']['tried']}"
