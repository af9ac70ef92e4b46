"""Rows that form a table, as ``verify`` prints them."""

from __future__ import annotations

from typing import Any

import pytest

from reports.cells import table_of
from staleproof.matrix import MARKS, table_lines
from staleproof.rows import MOST_IN_A_TABLE, lines, put_rows

COLUMNS = ("causal", "stash", "deadlock-free")
FAMILIES = ("naive", "1f1b", "interleaved-zero-bubble", "amdp", "zbv")


def row(name: str, verdict: str = "PROVED", **more: Any) -> dict[str, Any]:
    return {
        "id": f"schedules.{name}",
        "paper": "schedules",
        "verdict": verdict,
        "printed_proof": "none",
        "statement": "It holds.",
        "goal": None,
        "rests_on": [],
        "origin": "printed",
        "findings": [],
        "evidence": [],
        "steps": [],
        "counterexample": None,
        **more,
    }


def cell(family: str, column: str, verdict: str = "CHECKED", **more: Any) -> dict[str, Any]:
    place = {"row": family, "column": column, "bound": "", "domain": "for every p"}
    evidence = {"points": "neither", "says": "a cell", "data": {"cell": place}}
    return row(f"{family}.{column}", verdict, **{"evidence": [evidence], **more})


FINDING = {
    "kind": "false",
    "says": "by design: no stash",
    "repaired": {"statement": "With a stash it holds.", "verdict": "CHECKED"},
}


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    found = [cell(family, column) for family in FAMILIES for column in COLUMNS]
    found[10] = cell(
        "amdp", "stash", "REFUTED", counterexample={"p": 2, "M": 2}, findings=[FINDING]
    )
    return [row("first"), *found]


def test_a_line_a_family_under_the_other_rows(rows: list[dict[str, Any]]) -> None:
    found = list(lines(rows, 120))
    assert found == [
        "schedules",
        "  schedules.first  PROVED",
        "                           causal   stash    deadlock-free",
        "  naive                    CHECKED  CHECKED  CHECKED",
        "  1f1b                     CHECKED  CHECKED  CHECKED",
        "  interleaved-zero-bubble  CHECKED  CHECKED  CHECKED",
        "  amdp                     CHECKED  REFUTED  CHECKED",
        "  zbv                      CHECKED  CHECKED  CHECKED",
        "  schedules.amdp.stash  REFUTED  by design: no stash",
        "    witness: M = 2, p = 2",
        "    CHECKED: With a stash it holds.",
    ]


def test_marks_where_words_do_not_fit(rows: list[dict[str, Any]]) -> None:
    table = table_of(rows)
    assert table is not None
    found = list(table_lines(table, 50))
    legend = " ".join(" ".join(found[:3]).split()).split(", ")
    assert legend == [
        "P PROVED",
        "p CONDITIONAL",
        "C CHECKED",
        "? UNKNOWN",
        "✗ REFUTED",
        "(1) causal",
        "(2) stash",
        "(3) deadlock-free",
    ]
    assert found[3].split() == ["(1)", "(2)", "(3)"]
    assert found[7].split() == ["amdp", "C", "✗", "C"]
    assert max(map(len, found[:9])) <= 50
    widest = max(map(len, list(table_lines(table, 120))[:6]))
    words = list(table_lines(table, widest))
    assert words[1].split() == ["naive", "CHECKED", "CHECKED", "CHECKED"]
    assert next(table_lines(table, widest - 1)).startswith("  P PROVED")


def test_every_verdict_has_a_mark_of_its_own() -> None:
    from theory.verdicts import Verdict

    assert set(MARKS) == {verdict.name for verdict in Verdict} | {""}
    assert len(set(MARKS.values())) == len(MARKS)


def test_what_is_undecided_says_why(rows: list[dict[str, Any]]) -> None:
    why = {"points": "neither", "says": "not decided: a replay speaks against it", "data": {}}
    place = rows[2]["evidence"][0]
    rows[2] = cell("naive", "stash", "UNKNOWN", evidence=[place, why])
    rows[3] = cell(
        "naive", "deadlock-free", "UNKNOWN", steps=[{"verdict": "UNKNOWN", "rule": "z3 gave up"}]
    )
    found = list(lines(rows, 120))
    assert found[3].split() == ["naive", "CHECKED", "UNKNOWN", "UNKNOWN"]
    assert "  schedules.naive.stash  UNKNOWN  not decided: a replay speaks against it" in found
    assert "  schedules.naive.deadlock-free  UNKNOWN  z3 gave up" in found


def test_a_cell_that_is_missing_is_blank(rows: list[dict[str, Any]]) -> None:
    del rows[5]
    found = list(lines(rows, 120))
    assert found[4] == "  1f1b                     CHECKED           CHECKED"


def test_few_cells_come_with_their_statements(
    rows: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    put_rows(rows[1:4])
    out = capsys.readouterr().out
    assert "It holds." in out
    assert len(rows) > MOST_IN_A_TABLE
    put_rows(rows)
    out = capsys.readouterr().out
    assert "It holds." not in out
    assert out.splitlines()[-1] == "16 claims: 14 CHECKED, 1 PROVED, 1 REFUTED"


def test_cells_of_one_line_or_column_are_rows() -> None:
    one = [cell("naive", column) for column in COLUMNS]
    assert table_of(one) is None
    assert [line.split()[0] for line in lines(one, 120)] == [
        "schedules",
        *(f"schedules.naive.{column}" for column in COLUMNS),
    ]
