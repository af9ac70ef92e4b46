"""One row of a ledger as a numbered statement and its proof."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from reports.documents.blocks import (
    Block,
    Blocks,
    Code,
    Display,
    Figure,
    Heading,
    Items,
    Math,
    Paragraph,
    Strong,
    Table,
    Words,
    prose,
)
from reports.documents.proof import proof
from reports.documents.witnesses import witness
from reports.documents.wording import Hypothesis, Labels, grouped, in_words, numbered, sentence
from reports.formulas.names import GREEK
from reports.formulas.words import human
from reports.ledger import ORIGINS, Row, hypothesis_text, survivor_count, verdict_text

ABBREVIATION: Final = (
    "In a proof [k] stands for the right side of line k less its left side; multipliers of "
    "inequalities are nonnegative. `staleproof show ID` prints a claim whole, and "
    "`staleproof verify ID --no-cache` proves or refutes it again."
)
KINDS: Final = {
    "false": "False",
    "invalid-step": "A step of the printed proof fails",
    "missing-condition": "A condition is missing",
    "loose": "Not sharp",
    "superfluous-condition": "A condition is not needed",
    "not-reproducible": "Not reproducible",
    "typo": "Misprint",
}


def claim_blocks(
    row: Row,
    labels: Labels | None = None,
    level: int = 3,
    *,
    elsewhere: Words = (),
    figures: Mapping[str, str] = MappingProxyType({}),
) -> Blocks:
    """A row at full length: statement, assumptions, proof or counterexample, findings, pictures.

    The lines of its proof may be `elsewhere`; of `figures`, files without suffix with their
    captions, it shows its own.
    """
    labels = labels or Labels()
    where = "" if row["where"] == "ours" else f" {row['where']}"
    title = (Code(row["id"]), f"{where}: ", Strong(row["verdict"]))
    return (
        Heading(level, title, row["id"]),
        *_statement(row),
        *_assumptions(row, labels),
        *_cases(row),
        *proof(row, labels, elsewhere),
        *_counterexample(row),
        *_findings(row),
        *(Figure(file, says) for file, says in figures.items() if _is_of(row, file)),
    )


def _is_of(row: Row, file: str) -> bool:
    return bool(re.fullmatch(rf"figures/{re.escape(row['id'])}-[a-z]+(-\d+)?", file))


def _statement(row: Row) -> Iterator[Block]:
    words = set(re.findall(r"[A-Za-z]{3,}", row["statement"])) - set(GREEK)
    if words or not row.get("goal"):  # else it is the formula once more
        yield Paragraph(prose(row["statement"]))
    if row.get("goal"):
        yield Display(str(row["goal"]))
    origin = ORIGINS.get(row.get("origin", ""), "")
    printed = {"none": "", "gap": "; the printed proof has a gap"}.get(
        row["printed_proof"], f"; the printed proof is {row['printed_proof']}"
    )
    controls = row["controls"]
    tried = f"; {controls['killed']} of {controls['tried']} false variants rejected"
    survivors = survivor_count(controls)
    loud: Words = (Strong(f" {survivors} PASSED AS TRUE."),) if survivors else ()
    said = f"{verdict_text(row)}; {origin}{printed}"
    yield Paragraph((f"{said}{tried if controls['tried'] else ''}.", *loud))
    if isinstance(controls["survivors"], list) and controls["survivors"]:
        yield Items(tuple((Strong("SURVIVOR:"), f" {one}") for one in controls["survivors"]))


def _assumptions(row: Row, labels: Labels) -> Iterator[Block]:
    hypotheses = list(row.get("hypotheses", ()))
    called = [label for one in hypotheses if (label := labels.of(one))]
    own = [one for one in hypotheses if not labels.of(one)]
    if called:
        words = tuple(dict.fromkeys(called))
        yield Paragraph((Strong("Assumptions"), " ", ", ".join(words)))
    if own:
        yield Paragraph((Strong("Assuming also" if called else "Assuming"),))
        yield Items(tuple(assumption(one, f"H{n}") for n, one in numbered(hypotheses, labels)))
    if row.get("quantifiers"):
        yield Paragraph(
            (Strong("Holds"), " ", human("; ".join(row["quantifiers"]).replace('"', "")), ".")
        )
    names = [one for one in row.get("symbols", ()) if one["says"] and not labels.known]
    if names:
        yield Paragraph((Strong("Names"),))
        yield Items(tuple(meaning(one) for one in names))


def meaning(symbol: Mapping[str, Any]) -> Words:
    """What a name stands for."""
    name: Words = (Math(f'"{symbol["name"]}"'),)
    domain = f" ({symbol['domain']})" if symbol["domain"] else ""
    return (*name, f"{domain}: {human(grouped(symbol['says']))}")


def assumption(hypothesis: Hypothesis, label: str) -> Words:
    """A hypothesis: its label, its words, and the formula that was used."""
    text = hypothesis_text(hypothesis)  # type: ignore[arg-type]
    case = f" ({hypothesis['case']})" if "case" in hypothesis else ""
    formula: Words = (Math(text),) if hypothesis["formula"] is not None else (human(text),)
    says = hypothesis["says"] if in_words(hypothesis["says"]) else ""
    named = hypothesis["name"] if in_words(hypothesis["name"]) else ""
    start: Words = (Strong(f"({label})"), f" {named}{case}: " if named or case else " ")
    return (*start, *formula, " — ", *prose(says)) if says and says != text else (*start, *formula)


def _cases(row: Row) -> Iterator[Block]:
    if row["cases"]:
        rows = tuple(
            (
                prose(case["when"]),
                (Strong(case["verdict"]),),
                prose(case.get("says", "")),
            )
            for case in row["cases"]
        )
        yield Table(("Case", "Verdict", "What holds"), rows, (0.4, 0.16, 0.4))


def _counterexample(row: Row) -> Iterator[Block]:
    if row["counterexample"]:
        yield Paragraph((Strong("Counterexample."),))
        yield from witness(row["counterexample"])


def _findings(row: Row) -> Iterator[Block]:
    for finding in row["findings"]:
        start = Strong(f"{KINDS.get(finding['kind'], finding['kind'])}.")
        said = f"{sentence(finding['says'])} ({finding['where']})"
        yield Paragraph((start, " ", *prose(said)))
        if finding["witness"] and finding["witness"] != row["counterexample"]:
            yield from witness(finding["witness"])
        if finding["repaired"]:
            repaired = finding["repaired"]
            words = prose(f"{repaired['statement']} ({repaired['verdict']})")
            yield Paragraph((Strong("Instead:"), " ", *words))
