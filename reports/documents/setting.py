"""What the statements of a paper share: symbols, and assumptions with their labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from reports.documents.blocks import Block, Heading, Items, Math, Paragraph, Strong, Words, prose
from reports.documents.claim import ABBREVIATION, assumption
from reports.documents.summary import brief
from reports.documents.wording import Labels, grouped, key
from reports.formulas.words import human
from reports.ledger import Row

_PLAIN: Final = "quantity that may depend on the run"
LONGEST_MEANING: Final = 90


def setting_labels(rows: Sequence[Row]) -> Labels:
    """What is said once: hypotheses that several statements share, and arguments, by first use."""
    found = [key(one) for row in rows for one in _once(row)]
    counts = Counter(found)
    shared = [one for one in dict.fromkeys(found) if counts[one] > 1]
    printed = {text: row["id"] for row in reversed(rows) for text in row.get("arguments", ())}
    return Labels({one: f"A{number}" for number, one in enumerate(shared, 1)}, printed)


def _once(row: Row) -> list[Any]:
    return list({key(one): one for one in row.get("hypotheses", ()) if "case" not in one}.values())


def setting(rows: Sequence[Row], labels: Labels, words: str = "") -> Iterator[Block]:
    """The method and its letters in words; symbols and assumptions that these rows name."""
    symbols = _symbols(rows)
    if words or symbols or labels.known:
        yield Heading(2, ("Setting",))
        yield from (Paragraph(prose(says)) for says in (words,) if says)
        if symbols:
            yield Paragraph((Strong("Symbols"), " whose meaning is more than their domain."))
            yield Items(tuple(_meaning(*one) for one in symbols), columns=2)
        shared = " that several statements share; each names its own."
        yield from shared_assumptions(rows, labels, shared)
        yield Paragraph((ABBREVIATION,))


def shared_assumptions(
    rows: Sequence[Row], labels: Labels, words: str, but: Sequence[Row] = ()
) -> Iterator[Block]:
    """What the labels that these rows use stand for, but for those that others use too."""
    first = {key(one): one for row in reversed(rows) for one in _once(row)}
    known = {key(one) for row in but for one in _once(row)}
    used = [(one, name) for one, name in labels.known.items() if one in first and one not in known]
    if used:
        yield Paragraph((Strong("Assumptions"), words))
        yield Items(tuple(assumption(first[one], name) for one, name in used), small=True)


def _meaning(name: str, domain: str, says: str) -> Words:
    said = human(grouped(says.replace('"', "")))
    return (Math(f'"{name}"'), f" ({domain}): " if domain else ": ", brief(said, LONGEST_MEANING))


def _symbols(rows: Sequence[Row]) -> list[tuple[str, str, str]]:
    """Symbols with a meaning, each once, by its most frequent one."""
    found: dict[str, Counter[tuple[str, str]]] = {}
    for row in rows:
        for one in row.get("symbols", ()):
            if one["says"] not in ("", _PLAIN) and not one["name"].startswith(("∇", "f(", "F(")):
                found.setdefault(one["name"], Counter())[one["domain"], one["says"]] += 1
    return [(name, *counts.most_common(1)[0][0]) for name, counts in found.items()]
