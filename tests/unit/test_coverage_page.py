"""docs/reference/coverage.md: which row answers which sentence; this file writes it anew."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import theory.papers
from tests import published
from theory.judging.catalogue import CLAIMS, claims_of

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference" / "coverage.md"
LIST: Final = Path(theory.papers.__path__[0]) / "sentences.toml"
WHY: Final = frozenset(
    "definition assumption opinion measured cited figure future unanswered".split()
)
BEGINNING: Final = """# Coverage: which row answers which sentence

For a referee with a source at hand: every numbered statement, equation, algorithm and quantitative
sentence of the five sources, in our words, and the rows that answer it. A row without a verdict
beside it is PROVED; `staleproof show ID` shows it. `python tests/unit/test_coverage_page.py` writes
this page from [`sentences.toml`](../../theory/papers/sentences.toml).
"""


def sources() -> dict[str, Any]:
    """The list, by the number of the source."""
    found: dict[str, Any] = tomllib.loads(LIST.read_text(encoding="utf-8"))
    return found


def rows(entry: dict[str, str]) -> list[str]:
    """Ids of the rows that answer an entry."""
    return entry.get("rows", "").split()


def faults(source: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the entries of one source."""
    named: Counter[str] = Counter()
    for entry in source["sentences"]:
        place = entry.get("at", "?")
        if not entry.get("at") or not entry.get("says") or ("rows" in entry) is ("why" in entry):
            yield f"{place}: an entry has at and says, and either rows or why"
        if "why" in entry and entry["why"] not in WHY:
            yield f"{place}: {entry['why']} is no reason"
        unknown = [id for id in rows(entry) if id not in CLAIMS]
        if unknown or len(set(rows(entry))) < len(rows(entry)):
            yield f"{place}: no row {unknown}, or one twice"
        named.update(rows(entry))
    for paper in source["papers"]:
        for claim in claims_of(paper):
            if claim.origin != "ours" and claim.id not in named:
                yield f"{claim.id} is {claim.origin}, and no entry names it"


def page() -> str:
    """The page."""
    parts = [BEGINNING, "\n".join(_summary())]
    for number, source in sources().items():
        entries = source["sentences"]
        lines = [f"- {e['at']}: {e['says']}. {_answer(e)}" for e in entries if rows(e)]
        parts.append(f"## {number}: {source['title']}\n\n" + "\n".join(lines) + "\n")
        parts.append(f"Nothing to check. {_left_out(entries)}\n")
    return "\n".join(parts)


def _left_out(entries: list[dict[str, str]]) -> str:
    """Where entries without a row stand, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for entry in entries:
        if "why" in entry:
            by_reason.setdefault(entry["why"], []).append(entry["at"])
    return " ".join(
        f"*{why.capitalize()}*: {'; '.join(found)}." for why, found in by_reason.items()
    )


def _summary() -> Iterator[str]:
    entries = [entry for source in sources().values() for entry in source["sentences"]]
    answered = sum("rows" in entry for entry in entries)
    left = sum(entry.get("why") == "unanswered" for entry in entries)
    yield f"Of {len(entries)} entries {answered} are answered by rows, {left} are unanswered."
    yield ""


def _answer(entry: dict[str, str]) -> str:
    known = published.rows()
    verdicts = {id: known[id]["verdict"] if id in known else "*new*" for id in rows(entry)}
    return ", ".join(f"`{id}`" + f" {v}" * (v != "PROVED") for id, v in verdicts.items())


@pytest.mark.parametrize("number", sorted(sources()))
def test_every_entry_is_answered_by_rows_that_exist(number: str) -> None:
    assert list(faults(sources()[number])) == []


def test_every_paper_with_a_source_is_listed() -> None:
    listed = {paper for source in sources().values() for paper in source["papers"]}
    assert listed == {claim.paper for claim in CLAIMS.values() if claim.origin != "ours"}


def test_the_page_is_current() -> None:
    remedy = "run `python tests/unit/test_coverage_page.py`"
    assert PAGE.read_text(encoding="utf-8") == page(), remedy


def test_an_id_that_no_row_has_and_a_row_that_nobody_names_are_found() -> None:
    source = sources()["004"]
    entries = source["sentences"]
    spoiled = [{**entries[0], "rows": "amdp.none"}, *entries[1:], {"at": "x", "says": "y"}]
    found = list(faults({**source, "sentences": spoiled}))
    assert any("no row ['amdp.none']" in one for one in found)
    assert any("either rows or why" in one for one in found)
    fewer = [entry for entry in entries if "amdp.saturation" not in rows(entry)]
    assert "amdp.saturation is printed, and no entry names it" in faults(
        {**source, "sentences": fewer}
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
