"""The first page of a report: all papers, their verdicts, and where their documents are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

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
from reports.ledger import LINKS, VERDICTS, Ledger, Row, as_printed, count_verdicts, survivor_count

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
    yield from _second_checkers(rows)
    for paper in papers:
        failing = [row for row in rows if row["paper"] == paper and row["verdict"] == "REFUTED"]
        if failing:
            yield Heading(2, (f"Does not hold: {titles(ledger, paper)[0]}",))
            yield Items(
                tuple((f"{row['id']} ({row['where']}): {row['statement']}",) for row in failing)
            )


SECOND: Final = {
    ("rocq",): "Rocq",
    ("cvc5",): "cvc5",
    ("cvc5", "rocq"): "both",
    (): "none",
}
"""Who accepted every step of a row."""


def _second_checkers(rows: Sequence[Row]) -> Iterator[Block]:
    """Who else accepted rows whole, by what they rest on."""
    if not any(row.get("checked_by") for row in rows):
        return
    kinds: dict[str, Counter[tuple[str, ...]]] = {}
    for row in rows:
        rests_on = " + ".join(link for link in LINKS if link in row.get("rests_on", ()))
        by = tuple(sorted(row.get("checked_by", ())))
        kinds.setdefault(rests_on or "nothing", Counter())[by] += 1
    ordered = sorted(kinds.items(), key=lambda one: (-one[1].total(), one[0]))
    cells = (
        ((name,), *((str(counts[by]),) for by in SECOND), (str(counts.total()),))
        for name, counts in ordered
    )
    yield Heading(2, ("Second checkers",))
    asked = [one["data"] for row in rows for one in row["evidence"] if "questions" in one["data"]]
    whole = {by: sum(one.get(by) == one["questions"] for one in asked) for by in ("rocq", "cvc5")}
    said = (
        "Rows of which another checker accepted every step, and all that they rest on. Of "
        f"{len(asked)} rows whose questions to z3 were put to others, Rocq proves all of "
        f"{whole['rocq']}, and cvc5 confirms all of {whole['cvc5']}, whatever else they rest on."
    )
    yield Paragraph((said,))
    yield Table(("Rests on", *SECOND.values(), "rows"), tuple(cells), (0.4, *[0.12] * 5))


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
