"""What the templates show of one row: texts, figures, and what stands beside its statement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from reports.cells import CELL
from reports.figures import Picture, read_figure
from reports.ledger import (
    ORIGINS,
    Controls,
    Row,
    hypothesis_text,
    slack_of,
    survivor_count,
    verdict_text,
)

_LONGEST_VALUE = 600
_LONGEST_FORMULA = 240
_LONGEST_SYMBOL = 2


@dataclass(frozen=True)
class Shown:
    """One evidence entry: a one-line text of its data, or a figure (its file without suffix)."""

    points: str
    says: str
    data: str
    kind: str
    figure: str
    caption: str
    picture: Picture | None


@dataclass(frozen=True)
class Entry:
    """One row with what is derived from it; `facts` are labelled lines of text."""

    row: Row
    verdict: str
    formula: str
    brief: str
    math: str
    facts: tuple[tuple[str, str, str], ...]
    goals: tuple[str, ...]
    counterexample: str
    witnesses: tuple[str, ...]
    controls: tuple[str, str]
    survivors: tuple[str, ...]
    evidence: tuple[Shown, ...]


def make_entry(row: Row) -> Entry:
    """Arrange one row."""
    survivors = row["controls"]["survivors"]
    formula = row.get("goal") or ""
    return Entry(
        row=row,
        verdict=verdict_text(row),
        formula=formula,
        brief=brief(formula),
        math=row.get("goal_latex", ""),
        facts=tuple(_facts(row)),
        goals=tuple(brief(step.get("goal") or "") for step in row["steps"]),
        counterexample=_values(row["counterexample"]),
        witnesses=tuple(_values(finding["witness"]) for finding in row["findings"]),
        controls=_controls(row["controls"]),
        survivors=tuple(survivors) if isinstance(survivors, list) else (),
        evidence=tuple(_evidence(row)),
    )


def _facts(row: Row) -> Iterator[tuple[str, str, str]]:
    """What stands beside the statement: a label, checked text, and words that nobody checked."""
    for one in row.get("hypotheses", ()):
        case = f" ({one['case']})" if "case" in one else ""
        yield f"If{case}", hypothesis_text(one), f"{one['name']}: {one['says']}"
    said = {f"{one['name']}: {one['says']}" for one in row.get("hypotheses", ())}
    if slack_of(row):
        yield "Slack", slack_of(row), "by which the certificate shows more than is stated"
    if row.get("quantifiers"):
        yield "Holds", "", "; ".join(row["quantifiers"])
    symbols = [one for one in row.get("symbols", ()) if one["says"]]
    if symbols:
        yield "Names", "", "; ".join(f"{x['name']} ({x['domain']}): {x['says']}" for x in symbols)
    for fact in row["assumes"]:
        if fact not in said:
            yield "Assumes", "", fact
    for argument in row.get("arguments", ()):
        yield "Argument in words", "", argument
    if "origin" in row:
        yield "Origin", "", ORIGINS[row["origin"]]


def brief(text: str) -> str:
    """The beginning of a formula, for tables."""
    return text if len(text) <= _LONGEST_FORMULA else f"{text[:_LONGEST_FORMULA].rstrip()} …"


def _evidence(row: Row) -> Iterator[Shown]:
    """Give each figure of a row a file of its own: the second growth is ``…-growth-2``."""
    seen: Counter[str] = Counter()
    for item in row["evidence"]:
        data = item["data"]
        if isinstance(data, dict) and CELL in data:
            continue
        if not (isinstance(data, dict) and "figure" in data):
            shown = "" if data is None or data in ({}, []) else values_text(data)
            yield Shown(item["points"], item["says"], shown, "", "", "", None)
            continue
        kind = data["figure"]
        seen[kind] += 1
        suffix = f"-{seen[kind]}" if seen[kind] > 1 else ""
        picture = read_figure(data, row["id"])
        file = PurePosixPath("figures", f"{row['id']}-{kind}{suffix}")
        yield Shown(item["points"], item["says"], "", kind, str(file), picture.caption(), picture)


def _controls(controls: Controls) -> tuple[str, str]:
    """Say what became of the false variants: a plain sentence, and a loud one or nothing."""
    tried, killed = controls["tried"], controls["killed"]
    survived = survivor_count(controls)
    if not tried:
        return "No false variant of this claim was tried.", ""
    plain = f"{killed} of {tried} false variants of this claim were rejected."
    known = controls.get("known", tried)
    if known > tried:
        plain = f"{killed} of {tried} false variants were rejected, a sample of {known}."
    undecided = tried - killed - survived
    if undecided:
        plain += f" {undecided} stayed undecided."
    variants = "FALSE VARIANT" if survived == 1 else "FALSE VARIANTS"
    return plain, f"{survived} {variants} PASSED AS TRUE." if survived else ""


def _values(values: dict[str, Any] | None) -> str:
    return values_text(values) if values else ""


def values_text(data: object) -> str:
    """Write plain data compactly on one line.

    Examples
    --------
    >>> values_text({"rows": [[1, "1/2"], None], "p": 3, "m": 2})
    'm = 2, p = 3, rows = [[1, 1/2], null]'
    """
    shown = ", ".join(_pairs(data)) if isinstance(data, dict) else _value(data)
    if len(shown) > _LONGEST_VALUE:
        return shown[:_LONGEST_VALUE].rstrip() + " … (whole in ledger.json)"
    return shown


def _pairs(data: dict[str, object]) -> Iterator[str]:
    """Symbols before words, each in alphabetical order, so that writers' habits change nothing."""
    keys = sorted(data, key=lambda key: (len(key) > _LONGEST_SYMBOL, key))
    return (f"{key} = {_value(data[key])}" for key in keys)


def _value(data: object) -> str:
    if isinstance(data, dict):
        return "{" + ", ".join(_pairs(data)) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(map(_value, data)) + "]"
    if isinstance(data, bool):
        return "true" if data else "false"
    return "null" if data is None else str(data)
