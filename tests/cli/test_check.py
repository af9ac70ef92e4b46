"""`staleproof check`: files, families, policies."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schedules import WeightPolicy, build
from schedules.formats import FORMATS, Document
from schedules.validate import facts

DATA = Path(__file__).resolve().parents[1] / "data" / "schedules"
GOOD = "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n"
MISSING = "0F0,0F1,0B0,0B1\n1F0,1B0,1F1\n"
BACKWARD_FIRST = "0B0,0F0\n"
CYCLE = "0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n"
MESSAGES = "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"
KEYS = {
    "target", "ok", "actions", "has_messages", "model", "policy", "linearization", "required",
    "decided", "undecided", "violations", "findings", "facts",
}  # fmt: skip
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
    assert set(found) == KEYS
    assert (found["ok"], found["actions"], found["violations"]) == (True, 8, [])
    assert (found["undecided"], found["findings"], found["required"]) == ([], [], [])
    assert found["decided"] == [
        "complete", "causal", "exclusive", "policy", "match", "deadlock-free"
    ]  # fmt: skip
    assert (found["model"], found["has_messages"]) == ({"queues": "rank", "buffer": 0}, False)
    assert found["target"] == str(path)
    text = run("check", path)
    assert (text.returncode, text.stderr) == (0, "")
    assert text.stdout.startswith(
        f"ok: {path}: 8 actions; holds: complete, causal, exclusive, policy; no messages in the "
        "file: match and deadlock-free hold of nothing (--lower as-soon-as-possible adds them); "
        "policy flush (assumed, the file states none)\n"
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
    assert "complete, causal, exclusive" not in text.stdout.splitlines()[0]
    assert "broken: " in text.stdout.splitlines()[0]


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
    assert "no messages in the schedule: match and deadlock-free hold of nothing" in done.stdout


def test_policy(result: Result, problem: Problem, write: Write) -> None:
    path = write(GOOD)
    assert result("check", path, "--policy", "stash")[0] == 0
    assert result("check", "pipedream", "-p", 3, "--policy", "latest")[0] == 0
    assert problem("check", path, "--policy", "stach")["fix"] == "did you mean 'stash'?"


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
    stated = facts(build("1f1b", 3, 6))
    assert stated.items() <= found["facts"].items()


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
    code, found = result(*family, "--window", 1)
    assert code == 1
    assert {entry["invariant"] for entry in found["violations"]} == {"policy"}
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


def test_policy_that_is_stated_keeps_its_interval(result: Result, tmp_path: Path) -> None:
    for name, interval in (("stash", 2), ("double-buffer", 4)):
        path = tmp_path / f"{name}.json"
        schedule = replace(build("pipedream", 2, 8), policy=WeightPolicy(name, interval))  # type: ignore[arg-type]
        path.write_text(FORMATS["json"].write(Document(schedule)), encoding="utf-8")
        assert result("check", path, "--policy", name) == result("check", path)
        assert result("check", path, "--policy", name)[1]["policy"]["interval"] == interval
    other = result("check", path, "--policy", "stash")[1]
    assert other["policy"] == {"name": "stash", "interval": 1, "horizon": 0, "assumed": False}
    assert result("check", path, "--policy", "double-buffer", "--window", 8)[1]["policy"][
        "interval"
    ] == 8  # fmt: skip


def test_policy_that_is_assumed(result: Result, write: Write, tmp_path: Path) -> None:
    assert result("check", write(GOOD))[1]["policy"]["assumed"]
    assert not result("check", write(GOOD), "--policy", "flush")[1]["policy"]["assumed"]
    assert not result("check", "gpipe", "-p", 2)[1]["policy"]["assumed"]
    path = tmp_path / "run.jsonl"
    text = FORMATS["trace"].write(Document(build("gpipe", 2, 2)))
    header, _, rest = text.partition("\n")
    for keys, assumed in ((json.loads(header), False), ({"policy": None}, True)):
        fields = json.loads(header) | keys
        if assumed:
            del fields["policy"]
        path.write_text(f"\n{json.dumps(fields)}\n{rest}".lstrip(), encoding="utf-8")
        found = result("check", path)[1]
        assert (found["policy"]["name"], found["policy"]["assumed"]) == ("flush", assumed)
