"""The examples of recorded training loops, as torchrun starts them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import staleproof.cli

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "own_training"
PIPEDREAM = ("pipedream-runtime", "-p", "3", "-m", "8")


def trained(script: str, ranks: int, folder: Path, *options: str) -> None:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command = [*launcher, f"--nproc-per-node={ranks}", str(EXAMPLES / script), "-o", str(folder)]
    done = subprocess.run(
        [*command, *options],
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def judged(
    capsys: pytest.CaptureFixture[str], folder: Path, *against: str
) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = staleproof.cli.main(["measure", "--check", str(folder), "--json", "--against", *against])
    return code, json.loads(capsys.readouterr().out)


def says(found: dict[str, Any]) -> dict[str, str]:
    return {entry["name"]: entry["says"] for entry in found["checks"] if entry["holds"] is False}


def test_a_hand_written_loop_agrees_messages_and_clocks_included(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trained("pipedream_gloo.py", 3, tmp_path / "log")
    code, found = judged(capsys, tmp_path / "log", *PIPEDREAM, "--require", "lamport,messages")
    assert (code, says(found)) == (0, {})
    assert all(entry["holds"] for entry in found["checks"])
    code, found = judged(capsys, tmp_path / "log", "pipedream", *PIPEDREAM[1:])
    assert code == 1
    assert says(found)["order"] == "rank 1 was to do 1F2 at position 2, and did 1B0"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bug", "expected"),
    [
        (
            "newest",
            {
                "versions": "1B1 was to use version 0 and used 1; 14 of 48 differ",
                "stash": "0B1 was to use the weights of 0F1, and their version differs: 0 then, "
                "1 now",
            },
        ),
        (
            "alias",
            {
                "versions": "1B1 was to use version 0 and used 1; 14 of 48 differ",
                "stash": "0B1 was to use the weights of 0F1, and their version differs: 0 then, "
                "1 now",
            },
        ),
        (
            "skip",
            {
                "versions": "behind 1B3 an update was to come and none came; 1 of 48 differ",
                "local-staleness": "stage 1, microbatch 4 was to be 1 updates stale and is 0; "
                "1 of 24 differ",
            },
        ),
    ],
)
def test_each_bug_is_named_with_its_first_place(
    bug: str, expected: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trained("pipedream_gloo.py", 3, tmp_path / "log", "--bug", bug)
    code, found = judged(capsys, tmp_path / "log", *PIPEDREAM)
    assert (code, says(found)) == (1, expected)


SCHEDULES = {
    "1F1B": ("1f1b",),
    "GPipe": ("gpipe",),
    "Interleaved1F1B": ("interleaved-1f1b", "--set", "chunks=2"),
    "LoopedBFS": ("looped-bfs", "--set", "chunks=2"),
    "InterleavedZeroBubble": ("interleaved-zero-bubble", "--set", "chunks=2"),
    "ZBVZeroBubble": ("zbv",),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [name if name == "1F1B" else pytest.param(name, marks=pytest.mark.slow) for name in SCHEDULES],
)
def test_schedules_of_pytorch_agree(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trained("torch_runtime.py", 2, tmp_path / "log", "--schedule", name)
    size = ("-p", "2", "-m", "4")
    code, found = judged(capsys, tmp_path / "log", *SCHEDULES[name], *size)
    assert (code, says(found)) == (0, {})
    other = "gpipe" if name == "1F1B" else "1f1b"
    if name in ("1F1B", "GPipe"):
        code, found = judged(capsys, tmp_path / "log", other, *size)
        assert code == 1
        assert says(found)["order"].startswith("step 0: rank 0 was to do 0")


@pytest.mark.slow
def test_a_trace_of_the_profiler_shows_the_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    traces = tmp_path / "traces"
    options = ("--schedule", "InterleavedZeroBubble", "--profile", str(traces))
    trained("torch_runtime.py", 2, tmp_path / "log", *options)
    size = ("-p", "2", "-m", "4", "--set", "chunks=2")
    code, found = judged(capsys, traces, "interleaved-zero-bubble", *size)
    holds = {entry["name"] for entry in found["checks"] if entry["holds"]}
    assert (code, says(found), found["agree"]) == (1, {}, False)
    assert holds == {"order", "causality"}
    code, found = judged(capsys, traces, "looped-bfs", *size)
    assert says(found) == {"order": "step 0: rank 0 was to do 0F2 at position 2, and did 2F0"}
