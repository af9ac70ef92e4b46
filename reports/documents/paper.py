"""The document of a paper: what holds of it, what fails, and the proofs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from reports.cells import Table as Cells
from reports.cells import table_of
from reports.documents.blocks import (
    Block,
    Code,
    Document,
    Figure,
    Heading,
    Items,
    Link,
    Math,
    Paragraph,
    Strong,
    Table,
    Words,
    prose,
)
from reports.documents.claim import (
    ABBREVIATION,
    Labels,
    assumption,
    claim_blocks,
    human,
    key,
)
from reports.ledger import AS_PRINTED, LINKS, Ledger, Row, count_verdicts, verdict_text

GRAPH: Final = "depends"
LONGEST_REMARK: Final = 200
"""Characters of a sentence in the summary; the statement's own place has all of it."""


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
    known: Mapping[str, Any] = dict(ledger).get("papers", {})  # type: ignore[assignment]
    entry = known.get(paper, {})
    return entry.get("title", paper), entry.get("reference", "")


def paper_document(ledger: Ledger, paper: str, figures: Mapping[str, str]) -> Document:
    """Arrange the rows of one paper.

    Parameters
    ----------
    ledger : Ledger
    paper : str
        Its name in the ledger.
    figures : mapping of str to str
        Files of figures without suffix, each with its caption.
    """
    rows = [row for row in ledger["claims"] if row["paper"] == paper]
    table = table_of(rows)
    inside = table.ids if table else frozenset()
    alone = [row for row in rows if row["id"] not in inside]
    labels = setting_labels(alone)
    stated = [row for row in alone if row.get("origin", "printed") != "ours"]
    ours = [row for row in alone if row not in stated]
    title, reference = titles(ledger, paper)
    blocks: list[Block] = [
        *_summary(rows, alone),
        *_setting(alone, labels),
        *_part("What the source states", stated, labels, figures),
        *_part("Lemmas and sharper theorems of ours", ours, labels, figures),
        *(_grid(paper, table, figures) if table else ()),
        *_open_questions(alone),
        *_graph(paper, figures),
        *_appendix(rows),
        Heading(2, ("References",)),
        Items(((title, f". {reference}" if reference else ""), (_ABOUT,))),
    ]
    subtitle = f"Checked line by line by staleproof {ledger['version']}: {_counted(rows)}"
    return Document(file_name(paper), title, subtitle, tuple(blocks))


_ABOUT: Final = (
    "staleproof, a proof kernel and schedule checker: verdicts, rules and what is believed without "
    "proof are explained in its docs/trust.md."
)


def _counted(rows: Sequence[Row]) -> str:
    counts = count_verdicts(rows)
    return ", ".join(f"{counts[name]} {name}" for name in reversed(counts) if counts[name])


def _summary(rows: Sequence[Row], alone: Sequence[Row]) -> Iterator[Block]:
    printed = [row for row in alone if row.get("origin", "printed") in AS_PRINTED]
    yield Heading(2, ("Summary",))
    counts = _counted(printed) or "none"
    yield Paragraph(
        (
            f"Statements as printed: {counts}. A verdict is about the statement, "
            "by a proof or a counterexample of our own; whether the printed proof is sound is "
            "said beside it. PROVED covers every value of the stated domain, REFUTED has an exact "
            "witness inside it, CONDITIONAL holds in a named part, CHECKED exhausted a finite "
            "domain, and UNKNOWN is never a pass.",
        )
    )
    failing = [row for row in alone if row["verdict"] == "REFUTED"]
    partly = [row for row in alone if row["verdict"] in ("CONDITIONAL", "UNKNOWN")]
    yield from _listed("Does not hold", failing, _what_fails)
    yield from _listed("Holds in part", partly, _what_fails)
    for title, kind in (
        ("Can be sharpened", "loose"),
        ("Conditions that are not needed", "superfluous-condition"),
    ):
        some = [row for row in alone if any(f["kind"] == kind for f in row["findings"])]
        yield from _listed(title, some, lambda row, kind=kind: _said(row, kind))
    holding = [row for row in printed if row["verdict"] in ("PROVED", "CHECKED")]
    if holding:
        yield Paragraph((Strong("Holds as printed"),))
        words: list[Any] = []
        for row in holding:
            words += ["; " if words else "", row["where"], " ", Link(row["id"])]
        yield Paragraph((*words, "."))
    kinds = Counter(one["kind"] for row in rows for one in row["findings"])
    steps, typos = kinds["invalid-step"], kinds["typo"]
    if steps or typos:
        yield Paragraph((f"Steps of printed proofs that fail: {steps}; misprints: {typos}.",))


def _listed(title: str, rows: Sequence[Row], said: Any) -> Iterator[Block]:
    if rows:
        yield Paragraph((Strong(title),))
        yield Items(
            tuple((Link(row["id"]), f" ({row['where']}): ", *prose(said(row))) for row in rows)
        )


def brief(text: str) -> str:
    """A sentence, cut at a word if it is very long.

    Examples
    --------
    >>> brief("short"), len(brief("word " * 99)) <= LONGEST_REMARK + 2
    ('short', True)
    """
    if len(text) <= LONGEST_REMARK:
        return text
    return f"{text[:LONGEST_REMARK].rsplit(' ', 1)[0]} …"


def _what_fails(row: Row) -> str:
    order = ("false", "missing-condition", "invalid-step")
    found = [one for kind in order for one in row["findings"] if one["kind"] == kind]
    said = f" — {brief(found[0]['says'])}" if found else ""
    return f"{brief(row['statement'])}{said}"


def _said(row: Row, kind: str) -> str:
    one = next(finding for finding in row["findings"] if finding["kind"] == kind)
    repaired = one["repaired"]
    return brief(repaired["statement"]) if repaired else brief(one["says"])


def setting_labels(rows: Sequence[Row]) -> Labels:
    """Names for the hypotheses that several statements share, in the order of their first use."""
    found = [key(one) for row in rows for one in _once(row)]
    counts = Counter(found)
    shared = [one for one in dict.fromkeys(found) if counts[one] > 1]
    return Labels({one: f"A{number}" for number, one in enumerate(shared, 1)})


def _once(row: Row) -> list[Any]:
    return list({key(one): one for one in row.get("hypotheses", ()) if "case" not in one}.values())


def _setting(rows: Sequence[Row], labels: Labels) -> Iterator[Block]:
    symbols = _symbols(rows)
    if not symbols and not labels.known:
        return
    yield Heading(2, ("Setting",))
    if symbols:
        cells = tuple(
            ((Math(f'"{name}"'),), (domain,), (human(says),)) for name, domain, says in symbols
        )
        yield Table(("Symbol", "Domain", "Meaning"), cells, (0.16, 0.24, 0.58))
    if labels.known:
        yield Paragraph(
            (
                Strong("Assumptions"),
                " that several statements share; each names its own.",
            )
        )
        first = {key(one): one for row in reversed(rows) for one in _once(row)}
        yield Items(tuple(assumption(first[one], label) for one, label in labels.known.items()))
    yield Paragraph((ABBREVIATION,))


def _symbols(rows: Sequence[Row]) -> list[tuple[str, str, str]]:
    """Symbols with a meaning, each once, by its most frequent one."""
    found: dict[str, Counter[tuple[str, str]]] = {}
    for row in rows:
        for one in row.get("symbols", ()):
            if one["says"] and not one["name"].startswith(("∇", "f(", "F(")):
                found.setdefault(one["name"], Counter())[one["domain"], one["says"]] += 1
    return [(name, *counts.most_common(1)[0][0]) for name, counts in found.items()]


def _part(
    title: str, rows: Sequence[Row], labels: Labels, figures: Mapping[str, str]
) -> Iterator[Block]:
    if not rows:
        return
    yield Heading(2, (title,))
    for row in rows:
        yield from claim_blocks(row, labels, last_line=row.get("origin") == "ours")
        own = rf"figures/{re.escape(row['id'])}-[a-z]+(-\d+)?"
        yield from (Figure(f, said) for f, said in figures.items() if re.fullmatch(own, f))


def _grid(paper: str, table: Cells, figures: Mapping[str, str]) -> Iterator[Block]:
    """Rows that form a table: a picture, the domains, and every cell."""
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
        yield from claim_blocks(row)  # type: ignore[arg-type]


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


def _appendix(rows: Sequence[Row]) -> Iterator[Block]:
    yield Heading(2, ("Appendix: every row of the ledger",))
    meanings = "; ".join(f"{link}: {says}" for link, says in LINKS.items())
    yield Paragraph((f"What a verdict rests on stands beside it: {meanings}.",))
    cells = tuple(
        (
            (Code(row["id"]),),
            (verdict_text(row),),
            (row["printed_proof"],),
            (f"{row['controls']['killed']}/{row['controls']['tried']}",),
            (", ".join(row.get("depends", ())),),
        )
        for row in rows
    )
    head = ("Row", "Verdict", "Printed proof", "Controls", "Rests on")
    yield Table(head, cells, (0.26, 0.19, 0.09, 0.1, 0.36))
    trusted = {one["module"]: one["lines"] for row in rows for one in row.get("trusted", ())}
    if trusted:
        listed = ", ".join(f"{name} ({count})" for name, count in sorted(trusted.items()))
        total = sum(trusted.values())
        yield Paragraph((f"Python code that comparisons take on trust, {total} lines: {listed}.",))
