"""`staleproof check`."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedules import build
from schedules.formats import FORMATS, Document
from schedules.validate import facts

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
    assert "not matching and deadlock" in error["what"]


@pytest.mark.parametrize(
    "arguments",
    [
        [DATA / "deepspeed0.19.8_train_p4_m8.json"],
        [DATA / "torch2.13_1F1B_p4_m8.comms.csv"],
        [DATA / "torch2.13_1F1B_p4_m8.compute.csv", DATA / "torch2.13_1F1B_p4_m8.comms.csv"],
        ["blog-naive", "-p", 3, "-m", 1],
        ["blog-gpipe", "-p", 3],
        ["blog-1f1b", "-p", 3],
    ],
)
def test_files_and_families_with_messages(problem: Problem, arguments: list[object]) -> None:
    error = problem("check", *arguments)
    assert "is a message" in error["what"]
    assert "not matching and deadlock" in error["what"]


@pytest.mark.parametrize(
    ("target", "ending"),
    [
        *((name, end) for name in ("json", "trace", "megatron") for end in ("", ".json", ".csv")),
        *(("csv", end) for end in ("", ".csv", ".txt")),
        ("trace", ".jsonl"),
    ],
)
def test_every_readable_format(result: Result, tmp_path: Path, target: str, ending: str) -> None:
    """The content decides, not the name; every format says the same of one schedule."""
    path = tmp_path / f"step{ending}"
    path.write_text(FORMATS[target].write(Document(build("1f1b", 3, 6))), encoding="utf-8")
    code, found = result("check", path)
    assert code == 0
    assert found["facts"] == facts(build("1f1b", 3, 6))


def test_file_that_is_only_written(problem: Problem, tmp_path: Path) -> None:
    path = tmp_path / "step.trace.json"
    path.write_text(FORMATS["chrome"].write(Document(build("1f1b", 2, 2))), encoding="utf-8")
    assert "only written, not read" in problem("check", path)["what"]


def test_files_of_megatron_say_what_those_of_pytorch_do(result: Result) -> None:
    for ours, theirs in (("v1", "1F1B"), ("v2", "Interleaved1F1B")):
        one = result("check", DATA / f"megatron0.16.1_p4_m8_{ours}.json")
        other = result("check", DATA / f"torch2.13_{theirs}_p4_m8.compute.csv")
        assert one[0] == other[0] == 0
        assert one[1]["facts"] == other[1]["facts"]


def test_file_keeps_the_policy_it_states(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "step.json"
    path.write_text(FORMATS["json"].write(Document(build("pipedream", 3, 6))), encoding="utf-8")
    assert result("check", path)[1]["facts"]["policy"] == "stash"
    assert result("check", path, "--policy", "flush")[1]["facts"]["policy"] == "flush"


@pytest.mark.parametrize("window", [4, 5, 15, 16, 100])
def test_double_buffer_keeps_two_versions(result: Result, window: int) -> None:
    arguments = ["check", "pipedream", "-p", 4, "-m", 16, "--policy", "double-buffer"]
    code, found = result(*arguments, "--window", window)
    assert code == 0
    assert max(found["facts"]["versions_kept"]) <= 2


def test_window_is_one_update_per_batch_unless_given(result: Result, tmp_path: Path) -> None:
    family = ["check", "pipedream", "-p", 4, "-m", 16, "--policy", "double-buffer"]
    assert result(*family) == result(*family, "--window", 16)
    assert max(result(*family, "--window", 1)[1]["facts"]["versions_kept"]) > 2
    path = tmp_path / "step.json"
    path.write_text(FORMATS["json"].write(Document(build("pipedream", 4, 16))), encoding="utf-8")
    file = ["check", path, "--policy", "double-buffer"]
    for more in ([], ["--window", 5]):
        assert result(*file, *more)[1]["facts"] == result(*family, *more)[1]["facts"]


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
        (["run.jsonl", "-p", "4"], "these targets are files"),
        (["step.csv", "-m", "0"], "1 or more"),
        (["pipedream", "-p", "4", "--window", "4"], "found no --policy"),
        (["pipedream", "-p", "4", "--policy", "stash", "--window", "4"], "found --policy stash"),
        (["gpipe", "-p", "4", "--policy", "double-buffer", "--window", "0"], "1 or more"),
        (["pipedream", "-p", "9" * 18], "GiB"),
    ],
)
def test_bad_input(problem: Problem, arguments: list[str], expected: str) -> None:
    error = problem("check", *arguments)
    assert expected in f"{error['what']}; {error['fix']}"
