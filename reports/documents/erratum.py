"""One or two pages for the authors of a paper: what does not hold, why, and how to see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from reports.documents.blocks import (
    Block,
    Code,
    Document,
    Heading,
    Items,
    Paragraph,
    Strong,
    Words,
    joined,
    prose,
)
from reports.documents.paper import file_name, folder_of, titles
from reports.documents.summary import brief
from reports.documents.witnesses import facts, length, parts
from reports.documents.wording import sentence
from reports.ledger import AS_PRINTED, Ledger, Row

LONGEST_REASON: Final = 240
"""Letters of a reason; of a note too, where there are few of them."""
MOST_IN_FULL: Final = 25
LONGEST_FACT: Final = 90
LONGEST_NOTE: Final = 110
MOST_NOTES: Final = 4
LONGEST_RUN: Final = 1_200
"""Letters of notes that run on."""
MOST_FACTS: Final = 8
"""Numbers of a counterexample that are printed here; the document has all of them."""


def erratum(ledger: Ledger, paper: str) -> Document | None:
    """Arrange what the authors of a paper would want to know; None if there is nothing."""
    rows = [row for row in ledger["claims"] if row["paper"] == paper]
    concerned = [row for row in rows if row.get("origin", "printed") in (*AS_PRINTED, "implied")]
    failing = [row for row in concerned if row["verdict"] == "REFUTED"]
    rest = [row for row in concerned if row["verdict"] != "REFUTED"]
    few = len(failing) + sum(len(row["findings"]) for row in concerned) <= MOST_IN_FULL
    longest = LONGEST_REASON if few else LONGEST_NOTE
    blocks = [
        *_failing(failing, folder_of(ledger, paper)),
        *_short("Holds under a further condition", rest, "missing-condition", longest),
        *_short("Steps of proofs that fail", concerned, "invalid-step", longest),
        *_short("Misprints", concerned, "typo", longest),
    ]
    if not blocks:
        return None
    title, _ = titles(ledger, paper)
    folder = folder_of(ledger, paper)
    intro = Paragraph(
        (
            "Found by checking every printed statement by machine, in exact arithmetic. Each item "
            "has the statement, why it fails, a smallest counterexample that we know, and a "
            "statement that holds instead. Where staleproof is installed, one command shows each "
            "whole and another proves or refutes it again: ",
            Code(f"staleproof show ID {folder}".rstrip()),
            " and ",
            Code(f"staleproof verify {folder or 'ID'} --no-cache"),
            ".",
        )
    )
    subtitle = f"Notes for its authors, by staleproof {ledger['version']}"
    name = f"{file_name(paper)}-erratum"
    return Document(name, title, subtitle, (intro, *blocks), contents=False)


def _failing(rows: Sequence[Row], folder: str) -> Iterator[Block]:
    if rows:
        yield Heading(3, ("Does not hold as printed",))
    for row in rows:
        where = row["where"][:1].upper() + row["where"][1:]
        yield Paragraph((Strong(f"{where}."), " ", *prose(row["statement"])))
        said = [one for one in row["findings"] if one["kind"] in ("false", "missing-condition")]
        lines: list[Words] = []
        if said:
            why = _ended(sentence(brief(said[0]["says"], LONGEST_REASON)))
            lines.append((Strong("Why not."), " ", *prose(why)))
        lines += _facts(row["counterexample"])
        repaired = [one["repaired"] for one in row["findings"] if one["repaired"]]
        if repaired:
            instead = _ended(repaired[0]["statement"])
            lines.append((Strong("Instead."), " ", *prose(instead), f" {repaired[0]['verdict']}."))
        shown = Code(f"staleproof show {row['id']} {folder}".rstrip())
        lines[-1:] = [(*lines[-1], " ", shown)] if lines else [(shown,)]
        yield Items(tuple(lines), small=True)


def _facts(data: dict[str, Any] | None) -> Iterator[Words]:
    """A counterexample in a line: of several the first."""
    for part, inside in parts(data or {}):
        short = [words for words in facts(inside) if length(words) <= LONGEST_FACT]
        if short:
            name = f" {part}: " if part else " "
            yield (Strong("Counterexample."), name, *joined(short[:MOST_FACTS], "; "), ".")
            return


def _ended(text: str) -> str:
    """A sentence with its full stop."""
    return text if text.endswith(".") else f"{text}."


def _short(title: str, rows: Sequence[Row], kind: str, longest: int) -> Iterator[Block]:
    found: list[Words] = []
    for row in rows:
        for finding in row["findings"]:
            if finding["kind"] == kind:
                repaired = finding["repaired"]
                instead = (
                    f" Instead: {_ended(repaired['statement'])}"
                    if repaired and kind != "invalid-step"
                    else ""
                )
                found.append(
                    (
                        Strong(finding["where"]),
                        *prose(f": {_ended(brief(finding['says'], longest))}{instead}"),
                    )
                )
    if found:
        yield Heading(3, (title,))
        # Many short notes run on: this is a letter, and two pages are enough for it.
        run_on = len(found) > MOST_NOTES and kind != "missing-condition"
        yield Items((_run_on(found),) if run_on else tuple(found), small=True)


def _run_on(notes: Sequence[Words]) -> Words:
    """Notes behind each other, as many as a letter has room for, and how many are left out."""
    chosen: list[Words] = []
    for note in notes:
        if sum(map(length, chosen)) + length(note) <= LONGEST_RUN:
            chosen.append(note)
    left = len(notes) - len(chosen)
    more = f" The paper's document has {left} more." if left else ""
    return (*joined(chosen, " "), more)
