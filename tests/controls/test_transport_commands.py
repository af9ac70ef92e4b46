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

LAUNCHER = [
    *(sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "3"),
    *("--rdzv-backend", "c10d", "--rdzv-endpoint", "127.0.0.1:0", "-m", "gpu_validation"),
]


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
    log = tmp_path / "run.jsonl"
    process = started(bombs("telling"), "gloo", log)
    assert len(members(process.pid)) >= 4
    wait_for_events(log)
    process.kill()
    process.communicate()
    assert left_after(process.pid) == []
    assert is_partial(read_trace(log))


def wait_for_events(log: Path) -> None:
    """Wait until events stand in the log, behind its header."""
    until = time.monotonic() + LONG
    while log.read_bytes().count(b"\n") < 2:
        assert time.monotonic() < until, "no event comes"
        time.sleep(0.02)


def test_sigterm_before_ranks_start_leaves_a_log(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "gpu_validation", "pipedream", "-p", "3", "-m", "400"),
            *("--transport", "gloo", "--jitter", "0.5", "-o", str(log)),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    # The ranks import torch for seconds now.
    wait_for(log)
    process.terminate()
    _, said = process.communicate(timeout=LONG)
    assert process.returncode == 130, said
    assert is_partial(read_trace(log))


# A slow rank finds its store gone, and would try for minutes; this one looks at a port where
# there never was one.
INTERRUPTED = """
from multiprocessing.process import BaseProcess, _children
from gpu_validation.__main__ import main

start = BaseProcess.start

def interrupted(process):
    process._args = *process._args[:-1], 1  # The port.
    start(process)
    _children.discard(process)
    raise KeyboardInterrupt

BaseProcess.start = interrupted
raise SystemExit(main(["pipedream", "-p", "2", "-m", "2", "--transport", "gloo"]))
"""


def test_a_rank_that_its_parent_does_not_know_of_ends_with_it() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stderr=subprocess.PIPE, text=True
    )
    # Until the rank has left, this end of the pipe stays open.
    _, said = process.communicate(timeout=LONG)
    assert process.returncode == 130, said


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
@pytest.mark.parametrize("victim", ["rank 0", "rank 1", "launcher"])
def test_under_torchrun_survivors_of_kill_9_end_with_130_and_a_log_is_there(
    bombs: Callable[[str], ModelSpec], tmp_path: Path, victim: str
) -> None:
    log, said = tmp_path / "run.jsonl", tmp_path / "said"
    with said.open("w") as stderr:
        launcher = subprocess.Popen(
            [
                *LAUNCHER, "pipedream", "-p", "3", "-m", "400", "--transport", "gloo", "--jitter",
                "0.1", "-o", str(log), "--module", bombs("telling").name, "--width", "4",
            ],
            stderr=stderr,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
    wait_for(tmp_path / "running")
    wait_for_events(log)
    # The launcher gives every rank a session of its own.
    found = Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text(encoding="ascii")
    groups = list(map(int, found.split()))
    ranks = {rank_of(pid): pid for pid in groups}
    os.kill(launcher.pid if victim == "launcher" else ranks[victim], signal.SIGKILL)
    assert launcher.wait(timeout=LONG) != 0
    until = time.monotonic() + LONG
    while any(Path(f"/proc/{pid}").exists() for pid in groups) and time.monotonic() < until:
        time.sleep(0.1)
    assert is_partial(read_trace(log))
    text = said.read_text(encoding="utf-8")
    survivors = [rank for rank in ranks if rank and rank != victim]
    assert [rank for rank in survivors if f"{rank} ends with exit code 130" not in text] == []
    if victim == "rank 1":
        assert "measure: run: the run was interrupted while rank " in text
    if victim == "launcher":
        assert "the store of their launcher, and it is gone" in text


def rank_of(pid: int) -> str:
    """Which rank a process is."""
    given = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return next((f"rank {int(one[5:])}" for one in given if one.startswith(b"RANK=")), "")


@pytest.mark.slow
def test_under_torchrun_a_wrong_number_of_ranks_is_refused() -> None:
    done = torchrun("pipedream", "-p", "4", "--transport", "gloo")
    assert done.returncode != 0
    assert "torchrun has started 3" in done.stderr


def torchrun(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in three processes that torchrun starts."""
    return subprocess.run(
        [*LAUNCHER, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
