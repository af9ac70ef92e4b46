"""`staleproof verify`."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CHEAP = "rpd.lemma-c1-window"
BELOW = "sapipe.assumption-3"
Run = Callable[..., subprocess.CompletedProcess[str]]
Problem = Callable[..., dict[str, str]]


def test_table(run: Run) -> None:
    done = run("verify", CHEAP)
    assert done.returncode == 0
    assert all(word in done.stdout for word in (CHEAP, "PROVED", "printed proof"))
    assert done.stdout.splitlines()[-1] == "1 claim: 1 PROVED"
    assert "[1/1]" not in done.stdout


def test_requirement_that_holds(run: Run) -> None:
    required = ["--require", f"PROVED:{CHEAP}", "--require", "REFUTED"]
    assert run("verify", CHEAP, BELOW, *required).returncode == 0


def test_requirement_that_falls_short(run: Run) -> None:
    done = run("verify", BELOW, "--require", "UNKNOWN", "--json")
    assert done.returncode == 1
    assert f"staleproof: {BELOW}: the verdict is REFUTED, UNKNOWN is required" in done.stderr
    assert [row["id"] for row in json.loads(done.stdout)["claims"]] == [BELOW]


def test_expected_exactly(run: Run) -> None:
    assert run("verify", BELOW, "--expect", f"REFUTED:{BELOW}").returncode == 0
    done = run("verify", BELOW, "--expect", f"UNKNOWN:{BELOW}")
    assert done.returncode == 1
    assert f"staleproof: {BELOW}: the verdict is REFUTED, UNKNOWN is expected" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--expect", "REFUTED:rpd.cor-c2"], "'rpd.cor-c1'"),
        (["--expect", "refuted"], "did you mean 'REFUTED'?"),
        (["localsgd", "--expect", "REFUTED:rpd.cor-c1"], "not selected"),
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


@pytest.mark.sampled(2)
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_it_quietly(jobs: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "staleproof", "verify", "amdp", "--json", "-j", jobs],
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
