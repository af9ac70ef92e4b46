"""`staleproof check`."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).resolve().parents[1] / "data" / "schedules"
GOOD = "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n"
MISSING = "0F0,0F1,0B0,0B1\n1F0,1B0,1F1\n"
BACKWARD_FIRST = "0B0,0F0\n"
CYCLE = "0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n"
MESSAGES = "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"
Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(content: str, name: str = "step.csv") -> Path:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write


def test_right_file(run: Run, result: Result, write: Write) -> None:
    path = write(GOOD)
    code, found = result("check", path)
    assert code == 0
    assert set(found) == {"ok", "actions", "violations", "facts", "target"}
    assert (found["ok"], found["actions"], found["violations"]) == (True, 8, [])
    assert found["target"] == str(path)
    text = run("check", path)
    assert text.returncode == 0
    assert (
        "complete, causal, exclusive; no messages in the file, so matching and deadlock were "
        "not decided" in text.stdout
    )


@pytest.mark.parametrize("content", [MISSING, BACKWARD_FIRST, CYCLE])
def test_wrong_file(run: Run, result: Result, write: Write, content: str) -> None:
    path = write(content)
    code, found = result("check", path)
    assert code == 1
    assert not found["ok"]
    for violation in found["violations"]:
        assert set(violation) == {"invariant", "message", "place", "witness"}
        assert str(path) in violation["place"]
    text = run("check", path)
    assert text.returncode == 1
    assert text.stdout.startswith("not ok: ")
    assert "complete, causal" not in text.stdout


def test_given_number_of_microbatches(result: Result, write: Write) -> None:
    path = write(GOOD)
    assert result("check", path, "-m", 2)[0] == 0
    assert result("check", path, "-m", 3)[0] == 1


def test_several_files(run: Run, result: Result, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text(GOOD)
    bad.write_text(MISSING)
    code, found = result("check", good, bad)
    assert code == 1
    assert set(found) == {"ok", "results"}
    assert [entry["ok"] for entry in found["results"]] == [True, False]
    assert result("check", good, good)[1]["ok"]
    lines = run("check", good, bad).stdout.splitlines()
    assert [line.split(":")[0] for line in lines if line[0] != " "] == ["ok", "not ok"]


@pytest.mark.parametrize("family", ["pipedream", "localsgd", "gpipe", "naive"])
def test_every_family_is_right(run: Run, family: str) -> None:
    done = run("check", family, "-p", 3)
    assert done.returncode == 0
    assert done.stdout.startswith(f"ok: {family}: ")
    assert "no messages in the schedule" in done.stdout


def test_policy(result: Result, problem: Problem, write: Write) -> None:
    path = write(GOOD)
    assert result("check", path, "--policy", "stash")[0] == 0
    assert result("check", "pipedream", "-p", 3, "--policy", "latest")[0] == 0
    assert problem("check", path, "--policy", "stach")["fix"] == "did you mean 'stash'?"


def test_messages_are_never_a_pass(problem: Problem, write: Write) -> None:
    path = write(MESSAGES)
    error = problem("check", path)
    assert error["where"] == f"{path}:row 1:cell 2"
    assert "compute-only" in error["what"]
    assert "0SEND_F0" in error["what"]


def test_files_of_pytorch(result: Result) -> None:
    paths = sorted(DATA.glob("torch*.compute.csv"))
    assert len(paths) > 10
    code, found = result("check", *paths)
    assert code == 1
    wrong = [entry["target"] for entry in found["results"] if not entry["ok"]]
    assert [Path(target).name for target in wrong] == [
        "torch2.13_1F1B_p4_m4_last-rank-bug.compute.csv"
    ]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"", ""),
        (b"\n \n", ""),
        (b"\x00\x01\xff", ":row 1"),
        (b"0F0,0B0\n1F0,1X0\n", ":row 2:cell 2"),
        (b"0F0,0B0.5\n", ":row 1:cell 2"),
        (b"0F" + b"9" * 400 + b",0B0\n", ":row 1:cell 1"),
    ],
)
def test_malformed_file(problem: Problem, tmp_path: Path, content: bytes, place: str) -> None:
    path = tmp_path / "step.csv"
    path.write_bytes(content)
    assert problem("check", path)["where"].startswith(f"{path}{place}")


def test_unreadable_files(problem: Problem, tmp_path: Path) -> None:
    assert problem("check", tmp_path)["where"] == str(tmp_path)
    assert problem("check", "missing.csv")["where"] == "missing.csv"
    assert problem("check", "./missing")["where"] == "./missing"


def test_one_bad_file_among_several_is_no_pass(problem: Problem, write: Write) -> None:
    assert problem("check", write(GOOD), "missing.csv")["where"] == "missing.csv"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["pipdream", "-p", "4"], "did you mean 'pipedream'?"),
        (["zzz"], "pipedream, localsgd, gpipe, naive"),
        (["pipedream"], "-p RANKS"),
        (["step.csv", "-p", "4"], "these targets are files"),
        (["step.csv", "--set", "noam=4"], "these targets are files"),
        (["step.csv", "-m", "0"], "1 or more"),
        (["pipedream", "-p", "9" * 18], "GiB"),
    ],
)
def test_bad_input(problem: Problem, arguments: list[str], expected: str) -> None:
    error = problem("check", *arguments)
    assert expected in f"{error['what']}; {error['fix']}"
