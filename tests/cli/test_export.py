"""`staleproof export --rocq`: files that coqc accepts, and what is said without it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
Problem = Callable[..., dict[str, str]]

POWER = """
import sympy
from theory.kernel import Combine, Theorem
a, k = sympy.Symbol("a", positive=True), sympy.Symbol("k", integer=True)
CLAIM = Theorem(
    id="own.power", where="ours", statement="a power is less than itself and 1", latex="",
    symbols=(a, k), lhs=a**k, conclude=Combine(plus=(1,)), terms={"more": a**k + 1},
)
"""

needs_coqc = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")


@needs_coqc
def test_theorems_are_written_and_accepted(result: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(POWER, encoding="utf-8")
    names = ("kernel.young", "kernel.descent", str(tmp_path / "own.py"))
    code, found = result("export", "--rocq", tmp_path, "--check", *names)
    assert code == 1  # one of the three is refused
    assert found["checked"] == ["kernel.young", "kernel.descent"]
    assert found["theorems"][0] == {"id": "kernel.young", "file": str(tmp_path / "kernel_young.v")}
    assert [one["id"] for one in found["refused"]] == ["own.power"]
    source = (tmp_path / "kernel_young.v").read_text(encoding="utf-8")
    assert "Theorem holds : statement." in source


def test_without_coqc_files_are_written_all_the_same(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    done = run("export", "--rocq", tmp_path / "out", "--check", "kernel.young")
    assert done.returncode == 1
    assert "coqc is not installed, so nothing was checked; the files are written" in done.stderr
    assert (tmp_path / "out" / "kernel_young.v").is_file()
    assert (tmp_path / "out" / "Staleproof.v").is_file()
    assert run("export", "--rocq", tmp_path / "out", "kernel.young").returncode == 0


def test_a_folder_is_needed(problem: Problem) -> None:
    assert "--rocq DIR" in problem("export", "kernel.young")["fix"]
    found = problem("export", "--rocq", "out", "--ethos", "nowhere.eo", "kernel.young")
    assert "nowhere.eo" in found["what"]


def test_rows_that_rest_on_more_than_the_kernel_are_refused(
    result: Callable[..., Any], tmp_path: Path
) -> None:
    code, found = result("export", "--rocq", tmp_path, "blog.loss-scaling")
    assert (code, found["theorems"], found["checked"]) == (0, [], [])
    assert all("no theorem of the kernel" in one["why"] for one in found["refused"])


@needs_coqc
def test_what_z3_was_asked_is_written_and_accepted(
    result: Callable[..., Any], tmp_path: Path
) -> None:
    code, found = result("export", "--rocq", tmp_path, "--check", "blog.chunks")
    assert (code, found["checked"], found["refused"]) == (0, ["blog.chunks"], [])
    source = (tmp_path / "blog_chunks.v").read_text(encoding="utf-8")
    assert source.count("Lemma q_") == source.count("Qed.") - 1 == 3  # one is of all files


def test_what_rocq_has_not_accepted_falls_short(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(POWER, encoding="utf-8")
    done = run("verify", tmp_path / "own.py", "--require", "rocq:own.power")
    assert done.returncode == 1
    assert "own.power: not accepted by Rocq" in done.stderr
