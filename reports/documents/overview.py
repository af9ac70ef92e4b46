"""The first page of a report: all papers, their verdicts, and where their documents are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from reports.documents.blocks import (
    Block,
    Document,
    Heading,
    Items,
    Paragraph,
    Strong,
    Table,
)
from reports.documents.paper import file_name, titles
from reports.documents.summary import brief
from reports.ledger import LINKS, VERDICTS, Ledger, as_printed, count_verdicts, survivor_count

MEANINGS = {
    "REFUTED": "an exact witness inside the stated domain contradicts the statement",
    "UNKNOWN": "undecided; evidence may point one way, and this is never a pass",
    "CHECKED": "the domain is finite and every element of it was tried",
    "CONDITIONAL": "the source leaves something open, and the statement is proved in a named part "
    "of its domain",
    "PROVED": "a machine proof covers every value in the stated domain",
}


def overview(ledger: Ledger) -> Document:
    """Arrange counts, and for each paper what does not hold."""
    rows = ledger["claims"]
    number = f"{len(rows)} claim{'' if len(rows) == 1 else 's'}"
    subtitle = f"staleproof {ledger['version']}, from {number}"
    return Document("report", "What holds of the theory", subtitle, tuple(_blocks(ledger)))


def _blocks(ledger: Ledger) -> Iterator[Block]:
    rows = ledger["claims"]
    yield Paragraph(
        (
            "A verdict is about the statement as printed, by a proof or a witness of our own. "
            "Each paper has a document of its own beside this file, as Markdown and LaTeX, and "
            "where something fails an erratum for its authors; ledger.json has everything.",
        )
    )
    yield Items(tuple((Strong(name), f" {MEANINGS[name]}") for name in VERDICTS))
    papers = list(dict.fromkeys(row["paper"] for row in rows))
    counted = []
    for paper in papers:
        counts = count_verdicts(row for row in rows if row["paper"] == paper)
        cells = (f"{titles(ledger, paper)[0]} ({file_name(paper)}.md)",)
        counted.append((cells, *((str(counts[name]),) for name in VERDICTS)))
    counts = count_verdicts(as_printed(rows))
    counted.append((("as printed",), *((str(counts[name]),) for name in VERDICTS)))
    counts = count_verdicts(rows)
    counted.append((("all",), *((str(counts[name]),) for name in VERDICTS)))
    yield Heading(2, ("Counts",))
    yield Table(("Source", *VERDICTS), tuple(counted), (0.22, *[0.156] * 5))
    kinds = Counter(one["kind"] for row in rows for one in row["findings"])
    said = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "none"
    yield Paragraph((f"Findings: {said}.",))
    yield from _controls(ledger)
    links = {link: sum(link in row.get("rests_on", ()) for row in rows) for link in LINKS}
    yield Items(tuple((Strong(link), f" (rows: {links[link]}) {LINKS[link]}") for link in LINKS))
    for paper in papers:
        failing = [row for row in rows if row["paper"] == paper and row["verdict"] == "REFUTED"]
        if failing:
            yield Heading(2, (f"Does not hold: {titles(ledger, paper)[0]}",))
            yield Items(
                tuple(
                    (f"{row['id']} ({row['where']}): {brief(row['statement'])}",) for row in failing
                )
            )


def _controls(ledger: Ledger) -> Iterator[Block]:
    rows = ledger["claims"]
    tried = sum(row["controls"]["tried"] for row in rows)
    killed = sum(row["controls"]["killed"] for row in rows)
    yield Paragraph((f"Controls: {killed} of {tried} false variants rejected.",))
    survived = {row["id"]: survivor_count(row["controls"]) for row in rows}
    listed = ", ".join(f"{name} ({count})" for name, count in survived.items() if count)
    if listed:
        loud = (
            f"SURVIVORS: false variants passed as true in {listed}. What these rows say deserves "
            "no trust until that is explained."
        )
        yield Paragraph((Strong(loud),))
