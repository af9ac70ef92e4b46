"""One or two pages for the authors of a paper: what does not hold, why, and how to see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from reports.documents.blocks import (
    Block,
    Code,
    Display,
    Document,
    Heading,
    Items,
    Paragraph,
    Strong,
    Words,
    joined,
    prose,
)
from reports.documents.paper import brief, file_name, titles
from reports.documents.witnesses import facts
from reports.ledger import AS_PRINTED, Ledger, Row

MOST_FACTS: Final = 8
"""Numbers of a counterexample that are printed here; the document has all of them."""


def erratum(ledger: Ledger, paper: str) -> Document | None:
    """Arrange what the authors of a paper would want to know; None if there is nothing."""
    rows = [row for row in ledger["claims"] if row["paper"] == paper]
    concerned = [row for row in rows if row.get("origin", "printed") in (*AS_PRINTED, "implied")]
    failing = [row for row in concerned if row["verdict"] == "REFUTED"]
    rest = [row for row in concerned if row["verdict"] != "REFUTED"]
    blocks = [
        *_failing(failing),
        *_short("Holds under a further condition", rest, "missing-condition"),
        *_short("Steps of proofs that fail", concerned, "invalid-step"),
        *_short("Misprints", concerned, "typo"),
    ]
    if not blocks:
        return None
    title, _ = titles(ledger, paper)
    intro = Paragraph(
        (
            "Found by checking every printed statement by machine, in exact arithmetic. Each item "
            "has the statement, why it fails, a smallest counterexample that we know, and a "
            "statement that holds instead. Each can be replayed in one command: ",
            Code("pip install staleproof && staleproof show ID"),
            ".",
        )
    )
    subtitle = f"Notes for its authors, by staleproof {ledger['version']}"
    name = f"{file_name(paper)}-erratum"
    return Document(name, title, subtitle, (intro, *blocks), contents=False)


def _failing(rows: Sequence[Row]) -> Iterator[Block]:
    if rows:
        yield Heading(2, ("Does not hold as printed",))
    for row in rows:
        yield Paragraph((Strong(row["where"]), " ", *prose(row["statement"])))
        if row.get("goal"):
            yield Display(str(row["goal"]))
        said = [one for one in row["findings"] if one["kind"] in ("false", "missing-condition")]
        why = brief(said[0]["says"]) if said else "a counterexample is known"
        yield Paragraph((Strong("Why not."), " ", *prose(why), " ", *_facts(row["counterexample"])))
        repaired = [one["repaired"] for one in row["findings"] if one["repaired"]]
        instead = (
            f"{brief(repaired[0]['statement'])} ({repaired[0]['verdict']}) " if repaired else ""
        )
        start: Words = (Strong("Instead."), " ", *prose(instead)) if repaired else ()
        yield Paragraph((*start, Code(f"staleproof show {row['id']}")))


def _facts(data: dict[str, Any] | None) -> Words:
    """A counterexample in a line."""
    items = list(facts(data or {}))
    short = [words for words in items if sum(len(getattr(w, "text", str(w))) for w in words) <= 90]
    if not short:
        return ()
    return ("Counterexample: ", *joined(short[:MOST_FACTS], "; "), ".")


def _short(title: str, rows: Sequence[Row], kind: str) -> Iterator[Block]:
    found: list[Words] = []
    for row in rows:
        for finding in row["findings"]:
            if finding["kind"] == kind:
                repaired = finding["repaired"]
                instead = (
                    f" Instead: {brief(repaired['statement'])}"
                    if repaired and kind != "invalid-step"
                    else ""
                )
                found.append(
                    (Strong(finding["where"]), ": ", *prose(f"{brief(finding['says'])}{instead}"))
                )
    if found:
        yield Heading(2, (title,))
        yield Items(tuple(found))
