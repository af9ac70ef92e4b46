"""The lines that ``verify`` prints where a table would not be read."""

from __future__ import annotations

from typing import Any

import pytest

from staleproof.rows import MOST_IN_A_TABLE, NARROWEST_TABLE, details, lines, put_rows


def row(name: str, verdict: str = "PROVED", **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "paper": name.split(".")[0],
        "verdict": verdict,
        "printed_proof": "none",
        "statement": "It holds.",
        "goal": None,
        "hypotheses": [],
        "quantifiers": [],
        "rests_on": [],
        "origin": "printed",
        "findings": [],
        "evidence": [],
        "steps": [],
        **more,
    }


LONG = {"kind": "false", "says": "so " * 99}


def test_a_line_a_row_under_its_paper() -> None:
    rows = [row("a.one"), row("a.three", "CONDITIONAL", findings=[LONG]), row("b.two", "REFUTED")]
    found = list(lines(rows, 40))
    head, more, tail = found[:3], found[3:-2], found[-2:]
    assert head[:2] == ["a", "  a.one    PROVED"]
    assert head[2].startswith("  a.three  CONDITIONAL  false: so")
    assert tail == ["b", "  b.two    REFUTED"]
    assert all(line.startswith(" " * 6) for line in more)
    assert max(map(len, found)) <= 40
    for width in (40, 10):  # the whole reason, however narrow
        assert " ".join(lines(rows, width)).split().count("so") == 99


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


def test_one_row_shows_what_was_checked_and_the_words_beside_it() -> None:
    convex = {"name": "small", "says": "f is convex", "formula": "L*gamma <= 2", "latex": ""}
    smooth = {
        **convex,
        "formula": None,
        "smooth": {"constant": "L", "function": "f"},
        "case": "L > 1",
    }
    more: dict[str, Any] = {
        "goal": "a <= b",
        "hypotheses": [convex, smooth],
        "rests_on": ["solver", "grid"],
    }
    assert list(details(row("a.one", **more, quantifiers=["for every L: positive"]))) == [
        "a.one: PROVED · solver + grid",
        "  grid: a finite grid of sizes was tried, and nothing beyond them",
        "  formula: a <= b",
        "  if L*gamma <= 2    [small: f is convex]",
        "  if (L > 1) the gradient of f is Lipschitz with constant L    [small: f is convex]",
        "  for every L: positive",
    ]


def test_what_a_file_says_itself_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [row("a.one", supplied=["statement"]), row("a.two", supplied=["statement"])]
    put_rows([*rows, row("b.three", supplied=["statement"])], own={"a.one", "a.two"})
    words = "a.one, a.two: the file's own words, which nothing checks: statement"
    assert words in capsys.readouterr().out.splitlines()


def test_rows_of_ours_are_counted_apart(capsys: pytest.CaptureFixture[str]) -> None:
    own = [row(f"a.r{k}", "REFUTED", origin=word) for k, word in enumerate(("implied", "ours"))]
    put_rows([row("a.one"), row("a.two", origin="reconstructed"), *own])
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "as printed: 2 PROVED",
        "implied or ours: 2 REFUTED",
        "4 claims: 2 PROVED, 2 REFUTED",
    ]
