"""The command line with ranks that die, and Ctrl-C: a valid log is left, and no process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu_validation.event_log import is_partial
from gpu_validation.models import ModelSpec
from schedules import Kind
from schedules.formats.trace_reader import read_trace
from tests.failing_ranks import LONG, bombs, counts, heard, obeying_ctrl_c, wait_for

__all__ = ["bombs", "heard", "obeying_ctrl_c"]


def started(model: ModelSpec, transport: str, log: Path) -> subprocess.Popen[str]:
    """The command line in the midst of a long run."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "gpu_validation", "pipedream", "-p", "3", "-m", "400"),
            *("--transport", transport, "--jitter", "0.5", "-o", str(log)),
            *("--module", model.name, "--width", "4"),
        ],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    wait_for(log.with_name("running"))
    return process


@pytest.mark.slow
@pytest.mark.usefixtures("obeying_ctrl_c")
@pytest.mark.parametrize("transport", ["gloo", "torch"])
def test_ctrl_c_leaves_a_valid_log_and_no_process(
    bombs: Callable[[str], ModelSpec], tmp_path: Path, transport: str
) -> None:
    log = tmp_path / "run.jsonl"
    process = started(bombs("telling"), transport, log)
    # A terminal sends it to all processes of its foreground group.
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=LONG)
    assert process.returncode == 130, said
    assert is_partial(read_trace(log))
    assert left_after(process.pid) == []


@pytest.mark.slow
def test_no_rank_outlives_the_process_that_started_it(
    bombs: Callable[[str], ModelSpec], tmp_path: Path
) -> None:
    process = started(bombs("telling"), "gloo", tmp_path / "run.jsonl")
    assert len(members(process.pid)) >= 4
    process.kill()
    process.communicate()
    assert left_after(process.pid) == []


def left_after(group: int) -> list[int]:
    """Processes of a group that do not end; the server of forks is the last."""
    until = time.monotonic() + LONG
    while members(group) and time.monotonic() < until:
        time.sleep(0.1)
    return members(group)


def members(group: int) -> list[int]:
    """Processes of a process group."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != group:
            try:
                fields = (entry / "stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(int(entry.name))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exiting", "killed"])
def test_under_torchrun_a_death_leaves_a_valid_log(
    bombs: Callable[[str], ModelSpec], heard: Path, tmp_path: Path, name: str
) -> None:
    log = tmp_path / "run.jsonl"
    # Rank 0 keeps what it did itself, so nobody has to hear of rank 1.
    heard.touch()
    done = torchrun(
        "pipedream", "-p", "3", "-m", "9", "--transport", "gloo", "--module", bombs(name).name,
        "--width", "4", "-o", str(log),
    )  # fmt: skip
    assert done.returncode != 0
    trace = read_trace(log)
    assert is_partial(trace)
    assert counts(trace, Kind.F)[0] >= 4
    assert "rank 1 does 1F4" in json.dumps(done.stderr) or "interrupted" in done.stderr


@pytest.mark.slow
def test_under_torchrun_a_wrong_number_of_ranks_is_refused() -> None:
    done = torchrun("pipedream", "-p", "4", "--transport", "gloo")
    assert done.returncode != 0
    assert "torchrun has started 3" in done.stderr


def torchrun(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in three processes that torchrun starts."""
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "3"]
    meeting = ["--rdzv-backend", "c10d", "--rdzv-endpoint", "127.0.0.1:0"]
    return subprocess.run(
        [*launcher, *meeting, "-m", "gpu_validation", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
