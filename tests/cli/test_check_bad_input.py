"""`staleproof check` on bad input: one line that says what, where and what to do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedules import build
from schedules.formats import FORMATS, Document

GOOD = "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n"
MESSAGES = "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"
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


def test_file_that_is_only_written(problem: Problem, tmp_path: Path) -> None:
    path = tmp_path / "step.trace.json"
    path.write_text(FORMATS["chrome"].write(Document(build("1f1b", 2, 2))), encoding="utf-8")
    assert "only written, not read" in problem("check", path)["what"]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"", ""),
        (b"\n \n", ""),
        (b"\x00\x01\xff", ":line 1"),
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


def test_one_bad_file_among_several_is_no_pass(result: Callable[..., Any], write: Write) -> None:
    code, found = result("check", write(GOOD), "missing.csv")
    assert (code, found["error"]["where"]) == (2, "missing.csv")


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
        (["pipedream", "-p", "4", "--window", "4"], "found no policy"),
        (["pipedream", "-p", "4", "--policy", "stash", "--window", "4"], "found the policy stash"),
        (["gpipe", "-p", "4", "--policy", "double-buffer", "--window", "0"], "1 or more"),
        (["pipedream", "-p", "9" * 18], "GiB"),
        (["step.csv", "--queues", "ranks"], "did you mean 'rank'?"),
        (["step.csv", "--queues", "none"], "rank, peer, direction"),
        (["step.csv", "--buffer", "-1"], "0 or more, or inf; found '-1'"),
        (["step.csv", "--buffer", "1.5"], "0 or more, or inf"),
        (["step.csv", "--buffer", "infinite"], "0 or more, or inf"),
        (["step.csv", "--linearization", "ascendin"], "did you mean 'ascending'?"),
        (["step.csv", "--lower", "just-in-tim"], "did you mean 'just-in-time'?"),
        (["step.csv", "--format", "xml"], "text, json, junit, github"),
        (["step.csv", "--format", "jsn"], "did you mean 'json'?"),
        (["pipedream", "-p", "4", "--sizes", "missing.toml"], "a sizes file must be readable"),
    ],
)
def test_bad_input(problem: Problem, arguments: list[str], expected: str) -> None:
    error = problem("check", *arguments)
    assert expected in f"{error['what']}; {error['fix']}"


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ("stashh", "did you mean 'stash'?"),
        ("Deadlock-free", "did you mean 'deadlock-free'?"),
        ("staleness", "takes a bound"),
        ("staleness<3", "is written staleness<=VALUE"),
        ("stash<=1", "takes no bound"),
        ("staleness<=-1", "is 0 or more"),
        ("staleness<=two", "is a whole number"),
        ("memory<=60Gib ibytes", "is a number of bytes"),
        ("staleness<=3,staleness<=2", "an invariant has one bound"),
        ("stash,,match", "a requirement is empty"),
    ],
)
def test_requirements_that_are_none(problem: Problem, terms: str, expected: str) -> None:
    error = problem("check", "pipedream", "-p", 3, "--require", terms)
    assert error["where"] == "--require"
    assert expected in f"{error['what']}; {error['fix']}"


def test_grammar_of_requirements_is_shown(problem: Problem) -> None:
    error = problem("check", "pipedream", "-p", 3, "--require", "stal")
    assert "NAME<=COUNT" in error["fix"]
    assert "memory<=SIZE" in error["fix"]


def test_bound_twice_over_two_options(problem: Problem) -> None:
    arguments = ["--require", "staleness<=3", "--require", "stash,staleness<=2"]
    assert "one bound" in problem("check", "pipedream", "-p", 3, *arguments)["what"]


def test_placement_that_does_not_fit(result: Result, problem: Problem, tmp_path: Path) -> None:
    path = tmp_path / "step.json"
    text = FORMATS["json"].write(Document(build("gpipe", 2, 2)))
    path.write_text(text.replace("[[0, 1]]", "[[0]]", 1), encoding="utf-8")
    error = problem("check", path)
    assert error["where"] == f"{path}:placement"
    assert "a number for each stage" in error["what"]
    path.write_text(text.replace("[[0, 1]]", "[[0]]").replace("[[0, 0]]", "[[0]]"))
    assert "the placement has 1 pipelines of 1 stages" in problem("check", path)["what"]
    path.write_text(text.replace("[[0, 1]]", "[[1, 0]]"), encoding="utf-8")
    code, found = result("check", path)
    assert (code, found["violations"][0]["invariant"]) == (1, "exclusive")


@pytest.mark.parametrize(
    ("content", "action"),
    [
        ("0F0,0SEND_F0,0B0\n", "0SEND_F0"),
        ("0RECV_F0,0F0,0B0\n", "0RECV_F0"),
    ],
)
def test_channel_to_a_rank_that_does_not_exist(
    problem: Problem, write: Write, content: str, action: str
) -> None:
    path = write(content)
    error = problem("check", path)
    assert action in error["what"]
    assert error["where"].startswith(f"{path}:row 1:cell ")


def test_recorded_peer_that_does_not_exist(problem: Problem, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    text = FORMATS["trace"].write(Document(build("blog-gpipe", 2, 2)))
    path.write_text(text.replace('"peer": 1', '"peer": 7', 1), encoding="utf-8")
    assert text != path.read_text(encoding="utf-8")
    error = problem("check", path)
    assert "7" in error["what"]
