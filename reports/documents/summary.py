"""The first page of a paper's document: what fails, what holds in part, what is sharper."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from reports.documents.blocks import (
    Block,
    Heading,
    Items,
    Link,
    Paragraph,
    Strong,
    prose,
)
from reports.ledger import AS_PRINTED, Row, count_verdicts

LONGEST_REMARK: Final = 200
"""Characters to which clauses are chosen; the statement's own place has all of them."""
LONGEST_REASON: Final = 105
"""The same in the summary, which is one page."""
_WEIGHTY: Final = ("Theorem", "Proposition", "Corollary")


def counted(rows: Sequence[Row]) -> str:
    """Verdicts and how many rows have each."""
    counts = count_verdicts(rows)
    return ", ".join(f"{counts[name]} {name}" for name in reversed(counts) if counts[name])


def summary(rows: Sequence[Row], alone: Sequence[Row]) -> Iterator[Block]:
    """What a reader with one minute wants to know."""
    printed = [row for row in alone if row.get("origin", "printed") in AS_PRINTED]
    yield Heading(2, ("Summary",))
    stated = (
        f"Statements as printed: {counted(printed)}. A verdict is about the statement, by a proof "
        "or a counterexample of our own; whether the printed proof is sound is said beside it."
        if printed
        else f"Statements of ours: {counted(alone)}."
    )
    yield Paragraph(
        (
            f"{stated} PROVED covers every value of the stated domain, REFUTED has an exact "
            "witness inside it, CONDITIONAL holds in a named part, CHECKED exhausted a finite "
            "domain, and UNKNOWN is never a pass.",
        )
    )
    alone = sorted(alone, key=_consequence)
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
            words += ["; " if words else "", Link(row["id"])]
        yield Paragraph((*words, "."))
    kinds = Counter(one["kind"] for row in rows for one in row["findings"])
    steps, typos = kinds["invalid-step"], kinds["typo"]
    if steps or typos:
        yield Paragraph((f"Steps of printed proofs that fail: {steps}; misprints: {typos}.",))


def _consequence(row: Row) -> int:
    """Theorems first, then what else the source says, then questions of ours."""
    if row.get("origin", "printed") == "ours":
        return 2
    return 0 if row["where"].startswith(_WEIGHTY) else 1


def _listed(title: str, rows: Sequence[Row], said: Any) -> Iterator[Block]:
    if rows:
        yield Paragraph((Strong(title),))
        lines = ((Link(row["id"]), f" ({row['where']}): ", *prose(said(row))) for row in rows)
        yield Items(tuple(lines), small=True)


def brief(text: str, longest: int = LONGEST_REMARK) -> str:
    """The first whole clauses of a reason, as many as there is room for, and at least one.

    Nothing is cut inside a clause, nor inside brackets or a formula. It is not for statements,
    whose conditions may come last.

    Examples
    --------
    >>> brief("This much is enough; what follows is detail.", 30)
    'This much is enough.'
    >>> brief("Yu et al. 2019 say more (much; too much) than fits", 20)
    'Yu et al. 2019 say more (much; too much) than fits'
    """
    if len(text) <= longest:
        return text
    ends = [end.start() for end in _CLAUSE_END.finditer(text) if _is_whole(text[: end.start()])]
    if not ends:
        return text
    return f"{text[: max((end for end in ends if end < longest), default=ends[0])]}."


_CLAUSE_END: Final = re.compile(r"(?<!\bal)(?<!\bFig)(?<!\beq)(?<!\be\.g)(?<!\bi\.e)(?:\.|;) ")


def _is_whole(clause: str) -> bool:
    """Whether what is opened in a clause is closed in it."""
    pairs = (("(", ")"), ("[", "]"), ("{", "}"), ("⟨", "⟩"), ("⌊", "⌋"), ("⌈", "⌉"))
    return clause.count("$") % 2 == 0 and all(
        clause.count(left) == clause.count(right) for left, right in pairs
    )


def _what_fails(row: Row) -> str:
    order = ("false", "missing-condition", "invalid-step")
    found = [one["says"] for kind in order for one in row["findings"] if one["kind"] == kind]
    return brief(found[0], LONGEST_REASON) if found else row["statement"]


def _said(row: Row, kind: str) -> str:
    """What holds instead if that is short, or what was found; a statement is never cut."""
    one = next(finding for finding in row["findings"] if finding["kind"] == kind)
    instead = one["repaired"]["statement"] if one["repaired"] else ""
    return instead if 0 < len(instead) <= LONGEST_REASON else brief(one["says"], LONGEST_REASON)
