"""`staleproof check`: messages, queues, buffers, requirements."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).resolve().parents[1] / "data" / "schedules"
MISSING = "0F0,0F1,0B0,0B1\n1F0,1B0,1F1\n"
MESSAGES = "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"
CROSSED = (
    "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
    "1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n"
)
DROPPED = MESSAGES.replace(",1SEND_B0", "")
MESSAGES_SWAPPED = (
    "0F0,0F1,0SEND_F1,0SEND_F0,0RECV_B0,0B0,0RECV_B1,0B1\n"
    "1RECV_F0,1RECV_F1,1F0,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n"
)
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


def test_messages_are_decided(run: Run, result: Result, write: Write) -> None:
    path = write(MESSAGES)
    code, found = result("check", path, "--require", "match,deadlock-free,stash")
    assert (code, found["ok"], found["violations"]) == (0, True, [])
    assert found["has_messages"]
    assert found["facts"]["deadlock"] == {"rank": 0, "peer": 0, "direction": 0}
    assert "match, deadlock-free; one queue a rank, buffer 0" in run("check", path).stdout


def test_circle_of_sends(run: Run, result: Result, write: Write) -> None:
    """Each rank sends before it receives: it needs a buffer, or queues for each direction."""
    path = write(CROSSED)
    code, found = result("check", path)
    [violation] = found["violations"]
    assert (code, violation["invariant"]) == (1, "deadlock-free")
    assert violation["place"].startswith(f"{path}:row ")
    assert violation["witness"]["kind"] == "cycle"
    assert {(link["action"], link["waits_for"]) for link in violation["witness"]["cycle"]} == {
        ("0SEND_F1", "1RECV_F1"),
        ("1SEND_B0", "0RECV_B0"),
    }
    assert found["facts"]["deadlock"] == {"rank": 1, "peer": 1, "direction": 0}
    assert result("check", path, "--queues", "peer")[0] == 1
    assert result("check", path, "--queues", "direction")[0] == 0
    assert result("check", path, "--buffer", 1)[0] == 0
    text = run("check", path).stdout
    assert "broken: deadlock-free; holds: complete" in text
    assert re.search(r"waits for\S* rank 1 1RECV_F1", text)
    assert ">1SEND_B0<" in text
    assert "step by step:\n      1. rank 0 runs 0F0" in text


def test_small_messages_pass_and_large_ones_hang(run: Run, result: Result, write: Write) -> None:
    path = write(CROSSED)
    code, found = result("check", path, "--buffer", "inf")
    assert (code, found["violations"], found["model"]["buffer"]) == (0, [], None)
    [finding] = found["findings"]
    assert finding.startswith("small tests pass, large messages hang: with one queue a rank")
    done = run("check", path, "--buffer", "inf")
    assert done.returncode == 0
    assert f"  finding: {finding}\n" in done.stdout
    assert not result("check", path, "--buffer", "inf", "--queues", "direction")[1]["findings"]


def test_schedule_that_no_buffer_helps(run: Run, result: Result, write: Write) -> None:
    path = write(DROPPED)
    code, found = result("check", path, "--buffer", "inf")
    assert code == 1
    assert {entry["invariant"] for entry in found["violations"]} >= {"match", "deadlock-free"}
    assert found["facts"]["deadlock"] == {"rank": None, "peer": None, "direction": None}
    assert found["findings"] == []
    assert "rank never completes" in run("check", path).stdout


def test_swapped_messages(result: Result, write: Write) -> None:
    path = write(MESSAGES_SWAPPED)
    code, found = result("check", path)
    assert code == 1
    assert {entry["invariant"] for entry in found["violations"]} == {"match"}
    place = found["violations"][0]["place"]
    assert place.startswith(f"{path}:row ")


@pytest.mark.parametrize(
    "arguments",
    [
        [DATA / "deepspeed0.19.8_train_p4_m8.json"],
        [DATA / "torch2.13_1F1B_p4_m8.comms.csv"],
        ["blog-naive", "-p", 3, "-m", 1],
        ["blog-gpipe", "-p", 3],
        ["blog-1f1b", "-p", 3],
    ],
)
def test_files_and_families_with_messages(result: Result, arguments: list[object]) -> None:
    code, found = result("check", *arguments)
    assert (code, found["violations"]) == (0, [])
    assert {"match", "deadlock-free"} <= set(found["decided"])
    assert set(found["facts"]["deadlock"]) == {"rank", "peer", "direction"}


def test_lowering_first(result: Result, problem: Problem, write: Write) -> None:
    bare = result("check", "1f1b", "-p", 4)[1]
    code, lowered = result("check", "1f1b", "-p", 4, "--lower", "as-soon-as-possible")
    assert (code, bare["actions"]) == (0, 128)
    assert lowered["actions"] == 128 + 2 * 2 * 3 * 16
    code, hangs = result("check", "1f1b", "-p", 4, "--lower", "just-in-time")
    assert (code, hangs["facts"]["deadlock"]["direction"]) == (1, 0)
    assert [entry["invariant"] for entry in hangs["violations"]] == ["deadlock-free"]
    error = problem("check", write(MESSAGES), "--lower", "just-in-time")
    assert (error["where"], error["fix"][:7]) == ("--lower", "drop it")
    assert "1f1b" not in str(problem("check", "gpipe", "-p", 2, "--lower", "now"))


def test_lowering_what_is_wrong_says_what_is_wrong(result: Result, write: Write) -> None:
    code, found = result("check", write(MISSING), "--lower", "just-in-time")
    assert code == 1
    assert {entry["invariant"] for entry in found["violations"]} == {"complete"}
    assert found["actions"] == 7


def test_requirements(run: Run, result: Result) -> None:
    arguments = ["check", "pipedream", "-p", 3]
    code, found = result(*arguments, "--require", "stash, staleness<=2", "--require", "skew<=2")
    assert code == 0
    assert found["required"] == ["stash", "staleness<=2", "skew<=2"]
    assert set(found["required"]) - set(found["decided"]) == {"staleness<=2", "skew<=2"}
    code, found = result(*arguments, "--require", "stash,staleness<=1")
    assert (code, found["ok"]) == (1, False)
    assert {entry["invariant"] for entry in found["violations"]} == {"staleness"}
    text = run(*arguments, "--require", "stash,staleness<=1").stdout
    assert "broken: staleness<=1; holds: " in text
    assert text.count("    slot  ") == 1, "one timeline an invariant"


def test_parameters_of_a_family(result: Result) -> None:
    found = [
        result("check", "pipedream", "-p", 4, "--set", f"noam={noam}")[1]["facts"]["in_flight"]
        for noam in (2, 4)
    ]
    assert (found[0][0], found[1][0]) == (2, 4)


def test_undecided_is_no_pass(run: Run, result: Result) -> None:
    code, found = result("check", "pipedream", "-p", 3, "--require", "memory<=60GiB")
    assert (code, found["ok"], found["violations"]) == (1, False, [])
    [undecided] = found["undecided"]
    assert undecided["invariant"] == "memory"
    assert "--sizes" in undecided["why"] or "sizes" in undecided["why"]
    done = run("check", "pipedream", "-p", 3, "--require", "memory<=60GiB")
    assert done.stdout.startswith("not ok: ")
    assert "undecided: memory<=60GiB; holds: " in done.stdout


def test_sizes(result: Result, problem: Problem, tmp_path: Path) -> None:
    sizes = tmp_path / "sizes.toml"
    sizes.write_text("[default]\nweights = 100\nactivations = 8\n", encoding="utf-8")
    family = ["check", "pipedream", "-p", 2, "-m", 8, "--sizes", sizes]
    # Two versions of 100 bytes and two microbatches of 8; see docs/reference/sizes.md.
    assert result(*family, "--require", "memory<=216B")[0] == 0
    code, found = result(*family, "--require", "memory<=215B")
    assert (code, found["violations"][0]["invariant"]) == (1, "memory")
    sizes.write_text("[stage.0]\nweights = 100\nactivations = 8\n", encoding="utf-8")
    for require in ([], ["--require", "memory<=1GiB"]):
        error = problem(*family, *require)
        assert error["where"] == str(sizes)
        assert "stage 1 of 2 has none" in error["what"]
    wrong = tmp_path / "wrong.csv"
    wrong.write_text(MISSING, encoding="utf-8")
    assert problem("check", wrong, "--sizes", sizes)["where"] == str(sizes)
