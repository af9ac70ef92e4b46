"""The lines that ``verify`` prints where a table would not be read."""

from __future__ import annotations

from typing import Any

import pytest

from staleproof.commands.verify import MOST_IN_A_TABLE, NARROWEST_TABLE, lines, put_rows


def row(name: str, verdict: str = "PROVED", **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "paper": name.split(".")[0],
        "verdict": verdict,
        "printed_proof": "none",
        "statement": "It holds.",
        "findings": [],
        "evidence": [],
        "steps": [],
        **more,
    }


LONG = {"kind": "false", "says": "so " * 99}


def test_a_line_a_row_under_its_paper() -> None:
    rows = [row("a.one"), row("a.three", "CONDITIONAL", findings=[LONG]), row("b.two", "REFUTED")]
    found = list(lines(rows, 40))
    assert [line[:31].rstrip() for line in found] == [
        "a",
        "  a.one    PROVED",
        "  a.three  CONDITIONAL  false:",
        "b",
        "  b.two    REFUTED",
    ]
    assert len(found[2]) <= 40
    assert found[2].endswith("…")
    assert not list(lines(rows, 10))[2].endswith("…"), "no room, no remark"


@pytest.mark.parametrize(
    ("count", "columns", "table"),
    [
        (MOST_IN_A_TABLE, NARROWEST_TABLE, True),
        (MOST_IN_A_TABLE + 1, NARROWEST_TABLE, False),
        (1, NARROWEST_TABLE - 1, False),
    ],
)
def test_few_rows_are_a_table(
    count: int,
    columns: int,
    table: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    put_rows([row(f"a.r{number}") for number in range(count)])
    out = capsys.readouterr().out
    assert ("│" in out, "It holds." in out) == (table, table)
    assert all(len(line) <= columns for line in out.splitlines())
