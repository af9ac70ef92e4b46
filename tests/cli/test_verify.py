"""`staleproof verify`."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROW = {
    "id",
    "paper",
    "where",
    "statement",
    "latex",
    "depends",
    "verdict",
    "cases",
    "assumes",
    "printed_proof",
    "steps",
    "findings",
    "counterexample",
    "evidence",
    "controls",
    "seconds",
}
CHEAP = "rpd.lemma-c1-window"
FIRST_ROWS = {
    "rpd.prop-4.1",
    "rpd.lemma-c1-window",
    "rpd.lemma-c1-entry",
    "rpd.lemma-c1-mean",
    "rpd.cor-c1",
    "rpd.delay-whole-run",
    "rpd.local-staleness",
    "rpd.stash-invariant",
    "localsgd.schedule",
}
Run = Callable[..., subprocess.CompletedProcess[str]]
Problem = Callable[..., dict[str, str]]


@pytest.fixture(scope="module")
def verdict(ledger: Any) -> dict[str, str]:
    """Verdicts by id, the claims that take least time first."""
    rows = sorted(ledger["claims"], key=lambda row: float(row["seconds"]))
    return {row["id"]: row["verdict"] for row in rows}


def test_all_claims(verified: subprocess.CompletedProcess[str], ledger: Any) -> None:
    assert verified.returncode == 0
    assert ledger["schema"] == "staleproof-ledger/1"
    assert {row["id"] for row in ledger["claims"]} >= FIRST_ROWS
    assert all(set(row) >= ROW for row in ledger["claims"])
    assert sum(ledger["summary"].values()) == len(ledger["claims"])


def test_progress_goes_to_stderr(verified: subprocess.CompletedProcess[str], ledger: Any) -> None:
    total = len(ledger["claims"])
    begun = [line.split(" ") for line in verified.stderr.splitlines()]
    assert [number for number, _ in begun] == [f"[{k + 1}/{total}]" for k in range(total)]
    assert sorted(name for _, name in begun) == sorted(row["id"] for row in ledger["claims"])


def test_table(run: Run, verdict: dict[str, str]) -> None:
    done = run("verify", CHEAP)
    assert done.returncode == 0
    assert all(word in done.stdout for word in (CHEAP, verdict[CHEAP], "printed proof"))
    assert done.stdout.splitlines()[-1] == f"1 claim: 1 {verdict[CHEAP]}"
    assert "[1/1]" not in done.stdout


def test_requirement_that_holds(run: Run, verdict: dict[str, str]) -> None:
    below = next(name for name, reached in verdict.items() if reached == "REFUTED")
    required = ["--require", f"{verdict[CHEAP]}:{CHEAP}", "--require", "REFUTED"]
    assert run("verify", CHEAP, below, *required).returncode == 0


def test_requirement_that_falls_short(run: Run, verdict: dict[str, str]) -> None:
    below = next(name for name, reached in verdict.items() if reached == "REFUTED")
    done = run("verify", below, "--require", "UNKNOWN", "--json")
    assert done.returncode == 1
    assert f"staleproof: {below}: the verdict is REFUTED, UNKNOWN is required" in done.stderr
    assert [row["id"] for row in json.loads(done.stdout)["claims"]] == [below]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["rdp"], "'rpd'"),
        (["rpd.cor-c2"], "'rpd.cor-c1'"),
        (["--require", "PROVE"], "did you mean 'PROVED'?"),
        (["--require", "proved"], "did you mean 'PROVED'?"),
        (["--require", ""], "PROVED"),
        (["--require", "PROVED:"], "an id is needed"),
        (["--require", "PROVED:rpd.cor-c2"], "'rpd.cor-c1'"),
        (["localsgd", "--require", "PROVED:rpd.cor-c1"], "not selected"),
        (["-j", "0"], "1 or more"),
        (["-j", "-1"], "found '-1'"),
        (["-j", "two"], "found 'two'"),
        (["--report", "/dev/null"], "directory"),
        (["--report", "/dev/null/report"], "directory"),
    ],
)
def test_bad_input(problem: Problem, arguments: list[str], expected: str) -> None:
    error = problem("verify", *arguments)
    assert expected in f"{error['what']}; {error['fix']}"


def test_report_beside_json(run: Run, tmp_path: Path) -> None:
    done = run("verify", CHEAP, "--json", "--report", tmp_path / "new" / "report")
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["claims"]) == 1
    assert {"report.md", "report.tex"} <= set(os.listdir(tmp_path / "new" / "report"))


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_it_quietly(jobs: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "staleproof", "verify", "--json", "-j", jobs],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts background jobs with SIGINT ignored, and children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        start_new_session=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("[1/")
    # As from a terminal: to this program and to every process that it has started.
    os.killpg(process.pid, signal.SIGINT)
    # This waits for every process that shares stderr, so none is left behind.
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "staleproof: interrupted"
    assert "Traceback" not in err
