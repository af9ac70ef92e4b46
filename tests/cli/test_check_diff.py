"""`staleproof check --diff OLD NEW`."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import xmlschema

from schedules import build
from schedules.formats import FORMATS, Document
from schedules.lowering import lower

SCHEMA = xmlschema.XMLSchema(Path(__file__).resolve().parents[1] / "data" / "junit.xsd")
DATA = Path(__file__).resolve().parents[1] / "data" / "schedules"
GOOD = "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"
CROSSED = (
    "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
    "1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n"
)
SWAPPED = (
    "0F0,0F1,0SEND_F1,0SEND_F0,0RECV_B0,0B0,0RECV_B1,0B1\n"
    "1RECV_F0,1RECV_F1,1F0,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n"
)
Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    found = {}
    for name, content in (("good", GOOD), ("crossed", CROSSED), ("swapped", SWAPPED)):
        found[name] = tmp_path / f"{name}.csv"
        found[name].write_text(content, encoding="utf-8")
    return found


def test_a_file_without_numbers_is_named_once(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "half.csv"
    file.write_text("0F0\n")
    done = run("check", "--diff", file, file)
    assert done.returncode == 1
    assert done.stdout.count("not compared: ") == 1


def test_difference(run: Run, result: Result) -> None:
    arguments = ["check", "--diff", "gpipe", "1f1b", "-p", 4, "-m", 8]
    code, found = result(*arguments)
    assert code == 0
    assert set(found) == {"ok", "old", "new", "lost", "gained", "changes", "unchanged"}
    assert (found["old"]["target"], found["new"]["target"]) == ("gpipe", "1f1b")
    assert {"length", "idle_fraction", "local_staleness_whole_run"} <= set(found["unchanged"])
    kept = [change for change in found["changes"] if change["quantity"] == "activations"]
    assert [(change["at"], change["old"], change["new"]) for change in kept] == [
        (f"stage {stage}", 8, 4 - stage) for stage in range(4)
    ]
    lines = run(*arguments).stdout.splitlines()
    assert lines[0] == "from gpipe to 1f1b:"
    assert any(line.startswith("  activations: stage 0 8 -> 4 (-4), stage 1") for line in lines)
    assert lines[-1].startswith("ok: 1f1b: 64 actions; ")


def test_difference_in_staleness(result: Result) -> None:
    found = result("check", "--diff", "1f1b", "pipedream", "-p", 4, "-m", 16)[1]
    changed = {(each["quantity"], each["at"]): each["new"] for each in found["changes"]}
    assert changed["local_staleness_whole_run", "stage 0"] == 3
    assert changed["versions_kept", "stage 0"] == 4


def test_difference_with_sizes(result: Result, tmp_path: Path) -> None:
    sizes = tmp_path / "sizes.toml"
    sizes.write_text("[default]\nweights = 100\nactivations = 8\n", encoding="utf-8")
    arguments = ["check", "--diff", "gpipe", "1f1b", "-p", 2, "-m", 8, "--sizes", sizes]
    changed = {
        (each["quantity"], each["at"]): (each["old"], each["new"])
        for each in result(*arguments)[1]["changes"]
    }
    assert changed["memory", "stage 0"] == (100 + 8 * 8, 100 + 2 * 8)
    assert changed["rank_memory", "rank 1"] == (100 + 8 * 8, 100 + 1 * 8)


def test_new_schedule_decides(run: Run, result: Result, files: dict[str, Path]) -> None:
    good, bad = files["good"], files["swapped"]
    code, found = result("check", "--diff", good, bad)
    assert (code, found["ok"], found["lost"], found["gained"]) == (1, False, ["match"], [])
    code, found = result("check", "--diff", bad, good)
    assert (code, found["ok"], found["lost"], found["gained"]) == (0, True, [], ["match"])
    text = run("check", "--diff", good, bad)
    assert text.returncode == 1
    assert "  holds no more: match\n" in text.stdout
    assert f"not compared: {bad} has no numbers as long as match does not hold" in text.stdout
    assert f"not ok: {bad}: " in text.stdout
    github = run("check", "--diff", good, bad, "--format", "github").stdout.splitlines()
    assert github[-1].startswith("::notice title=what changed::from ")
    assert any(line.startswith(f"::error file={bad},line=") for line in github)


def test_difference_in_deadlock(result: Result, tmp_path: Path) -> None:
    paths = []
    for placement in ("as-soon-as-possible", "just-in-time"):
        paths.append(tmp_path / f"{placement}.csv")
        lowered = lower(build("1f1b", 4, 8), placement)
        paths[-1].write_text(FORMATS["csv"].write(Document(lowered)), encoding="utf-8")
    code, found = result("check", "--diff", *paths, "--buffer", "inf")
    changed = {(each["quantity"], each["at"]): each["new"] for each in found["changes"]}
    assert code == 0
    assert changed["deadlock", "rank"] == 1
    assert ("deadlock", "direction") not in changed


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--diff", "gpipe"], "expected 2 arguments"),
        (["a.csv", "--diff", "gpipe", "1f1b", "-p", "2"], "found 1 more"),
        (["--diff", "a.csv", "b.csv", "-p", "2"], "these targets are files"),
        (["--diff", "missing.csv", "1f1b", "-p", "2"], "must be readable"),
    ],
)
def test_comparisons_that_are_none(problem: Problem, arguments: list[str], expected: str) -> None:
    error = problem("check", *arguments)
    assert expected in f"{error['what']}; {error['fix']}"


def test_difference_in_a_junit_report_is_that_of_new(run: Run) -> None:
    done = run("check", "--diff", "gpipe", "1f1b", "-p", 2, "--format", "junit")
    assert (done.returncode, done.stderr) == (0, "")
    SCHEMA.validate(done.stdout)
    [suite] = ET.fromstring(done.stdout)
    assert suite.get("name") == "1f1b"
    assert (suite.findtext("system-out") or "").startswith("from gpipe to 1f1b:\n")
    lost = run("check", "--diff", "1f1b", "gpipe", "-p", 2, "--format", "junit", "--require",
               "in-flight<=2")  # fmt: skip
    assert lost.returncode == 1
    assert 'failures="1"' in lost.stdout


def test_difference_to_what_has_no_messages(
    run: Run, result: Result, files: dict[str, Path], tmp_path: Path
) -> None:
    bare = tmp_path / "bare.csv"
    bare.write_text("0F0,0B0\n1F0,1B0\n", encoding="utf-8")
    code, found = result("check", "--diff", files["good"], bare)
    assert (code, found["lost"]) == (0, ["match", "deadlock-free"])
    assert "no messages any more: match" in run("check", "--diff", files["good"], bare).stdout
    code, found = result("check", "--diff", files["good"], bare, "--require", "match")
    assert (code, found["lost"]) == (1, ["match", "deadlock-free"])
