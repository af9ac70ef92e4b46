"""Comparisons and maps of ``staleproof bounds`` in words."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any

_GAP = "  "


def compared(found: dict[str, Any]) -> Iterator[str]:
    """Every bound in one line, the smallest ones, and when a compensation has a smaller error."""
    yield ""
    yield from _table(found["rows"])
    for kind, words in (("printed", "as printed"), ("proved", "of those that are proved")):
        yield from _smallest(found["smallest"][kind], words)
    yield from (_condition(entry) for entry in found["conditions"])
    yield "(a bound says what is guaranteed; the method with the smallest need not be the best)"


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    head = ["bound", "Err", "whole bound", "claim", "verdict"]
    lines = [
        [
            f"{row['method']}, {row['form']}",
            "" if row["error"] is None else f"{row['error']['float']:.6g}",
            f"{row['value']['float']:.6g}",
            row["claim"],
            _standing(row),
        ]
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
    for line in (head, *lines):
        cells = (f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True))
        yield _GAP.join(cells).rstrip()


def _standing(row: dict[str, Any]) -> str:
    """The verdict of a bound's claim, and what that means for the number."""
    if row["given_by"] == row["claim"]:
        return f"{row['verdict']} for {row['reading']}" if row["reading"] else str(row["verdict"])
    if row["given_by"] is None:
        return f"{row['verdict']}: not to be trusted here"
    return f"{row['verdict']}, but no smaller here than {row['given_by']}"


def _smallest(rows: list[dict[str, Any]], words: str) -> Iterator[str]:
    if not rows:
        yield f"smallest {words}: none"
        return
    names = " and ".join(f"{row['method']} ({row['claim']})" for row in rows)
    warning = " and ".join(row["claim"] for row in rows if row["given_by"] is None)
    trust = f"; {warning} is not to be trusted here" if warning else ""
    yield f"smallest {words}: {names}, {rows[0]['value']['float']:.6g}{trust}"


def _condition(entry: dict[str, Any]) -> str:
    here = {True: ": it is here", False: ": it is not here", None: ""}
    return (
        f"{entry['error']}, {entry['form']}, is at most Err_0 exactly where {entry['where']}, "
        f"for {entry['domain']} ({entry['verdict']}){here[entry['holds']]}"
    )


def mapped(found: dict[str, Any]) -> Iterator[str]:
    """How much of a map each bound has, and its region as exact inequalities."""
    across, up = found["symbols"]
    for kind, words in (("printed", "as printed"), ("proved", "of those that are proved")):
        grid = found[kind]["smallest"]
        counts = Counter(None if cell is None else cell["claim"] for row in grid for cell in row)
        cells = len(grid) * len(grid[0])
        doubtful = sum(cell is False for row in found[kind]["given"] for cell in row)
        trust = f"; {doubtful} of them are not to be trusted" if doubtful else ""
        yield f"the smallest bound over {across} and {up}, {words}, at {cells} points{trust}"
        for entry in found[kind]["regions"]:
            yield from _region(entry, counts[entry["claim"]])
        if counts[None]:
            yield f"  no bound holds: {counts[None]} points"


def _region(entry: dict[str, Any], points: int) -> Iterator[str]:
    title = f"  {entry['method']} ({entry['claim']})"
    if entry["fails"] is not None:
        yield f"{title}: left out, it needs {entry['fails']}"
    elif entry["above"] is not None:
        other = entry["above"]
        yield f"{title}: never below {other['method']} ({other['claim']})"
    else:
        yield f"{title}: {points} points; it holds where {' and '.join(entry['conditions'])}"
        for where, borders in groupby(entry["borders"], key=lambda border: border["where"]):
            names = " and ".join(f"{border['method']} ({border['claim']})" for border in borders)
            yield f"    at most {names} where {where}"
