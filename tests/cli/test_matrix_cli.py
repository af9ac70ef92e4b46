"""`staleproof verify` on rows of the matrix."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
Problem = Callable[..., dict[str, str]]

COLUMNS = ["causal", "exclusive", "stash", "staleness", "in-flight", "update-once", "deadlock-free"]


@pytest.mark.slow
def test_a_family_is_selected_by_the_beginning_of_its_ids(run: Run) -> None:
    done = run("verify", "schedules.zb-h1", "--json", "--require", "PROVED:schedules.zb-h1")
    assert done.returncode == 0
    found = json.loads(done.stdout)["claims"]
    assert [row["id"] for row in found] == [f"schedules.zb-h1.{name}" for name in COLUMNS]
    assert {row["verdict"] for row in found} == {"PROVED"}
    assert all(row["controls"]["survivors"] == [] for row in found)


def test_a_requirement_of_a_family_that_is_not_selected(problem: Problem) -> None:
    error = problem("verify", "rpd.cor-c1", "--require", "PROVED:schedules.zbv")
    assert "required but not selected" in error["what"]


def test_a_beginning_that_is_none(problem: Problem) -> None:
    error = problem("verify", "schedules.dualpip")
    assert "'schedules.dualpip'" in error["what"]


@pytest.mark.slow
def test_a_family_of_which_proofs_are_required(run: Run) -> None:
    done = run("verify", "schedules.amdp.causal", "--require", "PROVED:schedules.amdp.causal")
    assert done.returncode == 1
    assert "the verdict is CHECKED, PROVED is required" in done.stderr


def test_the_whole_matrix_is_a_table(run: Run, ledger: Any) -> None:
    """Of all claims, as another test of this folder has verified them."""
    cells = [row for row in ledger["claims"] if row["id"].startswith("schedules.zbv.")]
    assert [row["id"].rpartition(".")[2] for row in cells] == COLUMNS
    done = run("verify", "schedules.zb-h1", "schedules.amdp")
    assert done.returncode == 0
    table = [line.split() for line in done.stdout.splitlines()]
    assert table[:4] == [
        ["schedules"],
        COLUMNS,
        ["zb-h1", *["PROVED"] * len(COLUMNS)],
        ["amdp", "CHECKED", "CHECKED", "REFUTED", *["CHECKED"] * (len(COLUMNS) - 3)],
    ]
    assert done.stdout.splitlines()[-1].startswith("14 claims: ")
