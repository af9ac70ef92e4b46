"""`staleproof diff`."""

import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]

OLD = {
    "schema": "staleproof-ledger/1",
    "version": "0",
    "claims": [
        {
            "id": "a.one",
            "verdict": "PROVED",
            "statement": "1 ≤ 2",
            "cases": [{"when": "p = 2", "verdict": "PROVED"}],
            "counterexample": None,
        },
        {"id": "a.two", "verdict": "REFUTED", "statement": "2 ≤ 1", "counterexample": {"p": 2}},
    ],
}


def _new(**edits: Any) -> dict[str, Any]:
    """The same rows in the second schema, the first of them edited."""
    found: dict[str, Any] = copy.deepcopy(OLD) | {"schema": "staleproof-ledger/2"}
    found["claims"][0] |= {"origin": "ours", "goal": "1 <= 2"} | edits
    return found


@pytest.fixture
def files(tmp_path: Path) -> Callable[[Any], tuple[Path, Path]]:
    """Write the old ledger as a file, and another one into a folder."""

    def files(new: Any) -> tuple[Path, Path]:
        old, folder = tmp_path / "old.json", tmp_path / "new"
        old.write_text(json.dumps(OLD), encoding="utf-8")
        folder.mkdir()
        (folder / "ledger.json").write_text(json.dumps(new), encoding="utf-8")
        return old, folder

    return files


def test_nothing_changed_between_the_schemas(result: Result, run: Run, files: Any) -> None:
    old, new = files(_new())
    assert result("diff", old, new) == (
        0,
        {"keeps_verdicts": True, "appeared": [], "vanished": [], "changed": []},
    )
    assert run("diff", old, new).stdout == "no row differs\n"


@pytest.mark.parametrize(
    ("edits", "what", "code"),
    [
        ({"verdict": "UNKNOWN"}, "verdict", 1),
        ({"cases": [{"when": "p = 2", "verdict": "UNKNOWN"}]}, "cases", 1),
        ({"cases": []}, "cases", 1),
        ({"cases": [{"when": "two ranks", "verdict": "PROVED"}]}, "cases", 0),
        ({"statement": "1 < 2"}, "statement", 0),
        ({"counterexample": {"p": 3}}, "witnesses", 0),
        ({"findings": [{"witness": {"p": 3}}]}, "witnesses", 0),
    ],
)
def test_what_changed(
    result: Result, files: Any, edits: dict[str, Any], what: str, code: int
) -> None:
    found = result("diff", *files(_new(**edits)))
    assert found[0] == code
    assert [(one["id"], one["what"]) for one in found[1]["changed"]] == [("a.one", what)]


def test_goals_and_hypotheses_of_the_second_schema(result: Result, tmp_path: Path) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(_new()), encoding="utf-8")
    edited = _new(goal="1 <= 3", hypotheses=[], origin="printed")
    new.write_text(json.dumps(edited), encoding="utf-8")
    code, found = result("diff", old, new)
    assert code == 0
    assert {one["what"] for one in found["changed"]} == {"goal", "origin"}


def test_rows_appear_and_vanish(result: Result, run: Run, files: Any) -> None:
    new = _new()
    new["claims"][1]["id"] = "a.three"
    old_file, new_file = files(new)
    code, found = result("diff", old_file, new_file)
    assert (code, found["appeared"], found["vanished"]) == (1, ["a.three"], ["a.two"])
    shown = run("diff", old_file, new_file)
    assert shown.returncode == 1
    assert "vanished" in shown.stdout


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{",
        '{"schema": "other", "claims": []}',
        '{"schema": "staleproof-ledger/2", "claims": [{"id": "a", "verdict": "TRUE"}]}',
        '{"schema": "staleproof-ledger/2", "claims": [{"id": "a", "verdict": "PROVED"}, '
        '{"id": "a", "verdict": "PROVED"}]}',
        '{"schema": "staleproof-ledger/2", "x": ' + "[" * 40 + "]" * 40 + ', "claims": []}',
    ],
)
def test_what_is_no_ledger(problem: Problem, files: Any, tmp_path: Path, content: str) -> None:
    old, _ = files(_new())
    bad = tmp_path / "bad.json"
    bad.write_text(content, encoding="utf-8")
    assert str(bad) in problem("diff", old, bad)["where"]


def test_a_folder_without_a_ledger(problem: Problem, files: Any, tmp_path: Path) -> None:
    old, _ = files(_new())
    assert "ledger.json" in problem("diff", old, tmp_path)["where"]
