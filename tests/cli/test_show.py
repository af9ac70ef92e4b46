"""``staleproof show`` and ``list``, as a reader uses them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from staleproof.rows import lines
from tests import published

Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]

MINE = '''"""A square is no less than its tangent."""
from theory.notation import real, theorem

a, b = real("a b")
T = theorem("mine.tangent", "mine")
CLAIM = T.shows(2 * a * b <= a**2 + b**2)
'''


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_proof_is_shown_whole_at_any_width(
    run: Run, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setattr("staleproof.commands.show.width", lambda: columns)
    done = run("show", "kernel.young")
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= columns
    text = " ".join(done.stdout.split())
    for part in ("PROVED", "⟨u, v⟩ ≤ a‖u‖²/2 + ‖v‖²/(2a)", "Proof.", "verify kernel.young"):
        assert part in text
    assert "…" not in text, "nothing is cut"


def test_a_counterexample_is_shown_and_as_json_with_its_schema(run: Run, result: Result) -> None:
    text = run("show", "schedules.pipemare.stash").stdout
    assert "REFUTED" in text.splitlines()[0]
    assert "Counterexample." in text
    code, found = result("show", "schedules.pipemare.stash")
    assert code == 0
    assert found["schema"] == "staleproof-ledger/2"
    assert [row["id"] for row in found["claims"]] == ["schedules.pipemare.stash"]


def test_progress_is_silent_when_asked(run: Run) -> None:
    assert "[1/1]" in run("show", "kernel.young").stderr
    assert run("show", "kernel.young", "-q").stderr == ""


def test_a_list_can_be_narrowed(run: Run) -> None:
    lines = run("list", "kernel").stdout.splitlines()
    assert lines[-1] == "5 PROVED"
    assert any(line.split()[:2] == ["kernel.young", "PROVED"] for line in lines)
    assert "kernel.young" not in run("list", "kernel", "--verdict", "REFUTED").stdout


@pytest.mark.parametrize(
    ("arguments", "fix"),
    [
        (("show", "kernel.yung"), "did you mean 'kernel.young'?"),
        (("show", "kernel"), "see `staleproof list kernel`"),
        (("list", "kernel", "--verdict", "PROVEN"), "did you mean 'PROVED'?"),
        (("list", "kernel", "--finding", "flase"), "did you mean 'false'?"),
    ],
)
def test_wrong_names(problem: Problem, arguments: tuple[str, ...], fix: str) -> None:
    assert problem(*arguments)["fix"] == fix


def test_a_claim_of_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    done = run("show", "mine.tangent", file)
    assert done.returncode == 0, done.stderr
    assert "2ab ≤ a² + b²" in done.stdout


def test_of_a_folder_only_what_is_asked_for_is_proved(run: Run, tmp_path: Path) -> None:
    other = MINE.replace("mine.tangent", "mine.other").replace("2 * a * b", "3 * a * b")
    (tmp_path / "one.py").write_text(MINE, encoding="utf-8")
    (tmp_path / "two.py").write_text(other, encoding="utf-8")
    done = run("show", "mine.tangent", str(tmp_path))
    told = [line for line in done.stderr.splitlines() if "mine." in line]
    assert told
    assert all(line.startswith("[1/1] mine.tangent") for line in told)
    assert f"verify {tmp_path} --no-cache" in " ".join(done.stdout.split())


def test_reasons_are_whole_at_80_columns() -> None:
    rows = [row for row in published.rows().values() if row["paper"] == "blog"]
    shown = list(lines(rows, 80))
    assert max(map(len, shown)) <= 80
    text = " ".join(" ".join(shown).split())
    assert [row["id"] for row in rows if not {row["id"]} <= set(text.split())] == []
    assert all(row["findings"][0]["says"] in text for row in rows if row["findings"])
