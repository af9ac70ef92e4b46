"""Ranks that die, hang, raise or are interrupted: who is named, what is kept, who is left."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gpu_validation.errors import (
    InterruptedRunError,
    MeasureError,
    RankError,
    RankFailedError,
    RankHangError,
)
from gpu_validation.faults import Fault
from gpu_validation.models import ModelSpec
from gpu_validation.recorder import is_partial
from gpu_validation.run import RunSpec, run
from gpu_validation.transports.gloo import connect as connect_gloo
from gpu_validation.transports.launch import Connect, ForkedGroup, processes
from gpu_validation.transports.torch_runtime.program import connect as connect_torch
from schedules import Kind, build
from schedules.formats.trace import Trace
from schedules.formats.trace_reader import read_trace

LAYERS = '''
import os, signal, threading, time
from torch import nn

class Bomb(nn.Module):
    """A linear layer that ends its process at its fifth call, where it runs as a rank."""

    def __init__(self, how):
        super().__init__()
        self.linear, self.how, self.calls = nn.Linear(4, 4), how, 0

    def forward(self, x):
        if threading.current_thread().name == "program":
            self.calls += 1
            if self.calls == 5:
                # The watcher is to have heard of the calls before.
                time.sleep(0.6)
                HOW[self.how]()
        return self.linear(x)

def stop():
    os.kill(os.getpid(), signal.SIGSTOP)

HOW = {"exit": lambda: os._exit(7), "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
       "stop": stop, "leave": lambda: exit("enough")}

def model(how):
    return lambda: nn.Sequential(nn.Linear(4, 4), Bomb(how), nn.Linear(4, 4))

exiting, killed, stopped, leaving = (model(how) for how in HOW)
'''

CONNECT: dict[str, Connect] = {"gloo": connect_gloo, "torch": connect_torch}
BOTH = pytest.mark.parametrize("transport", list(CONNECT))


@pytest.fixture
def bombs(tmp_path: Path) -> Callable[[str], ModelSpec]:
    """Models whose second stage of three does something bad."""
    path = tmp_path / "bombs.py"
    path.write_text(LAYERS, encoding="utf-8")
    return lambda name: ModelSpec(f"{path}:{name}", width=4, batch=2)


@contextmanager
def three_ranks(transport: str) -> Iterator[ForkedGroup]:
    """Three processes; afterwards none of them is there."""
    with processes(CONNECT[transport], 3) as group:
        assert isinstance(group, ForkedGroup)
        run(RunSpec(build("gpipe", 3, 1), transport), group=group)
        pids = group.pids
        assert all(map(alive, pids))
        assert len(pids) == 3
        yield group
    assert [pid for pid in pids if alive(pid)] == []


def alive(pid: int) -> bool:
    """Whether a process is there and is no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def failing(spec: RunSpec, log: Path | None = None) -> RankError:
    """The error of a run, after which no rank is left."""
    with three_ranks(spec.transport) as group, pytest.raises(RankError) as caught:
        run(spec, log, group)
    return caught.value


def spec_of(transport: str, **changes: object) -> RunSpec:
    base = RunSpec(build("pipedream", 3, 9), transport, timeout=3.0)
    return dataclasses.replace(base, **changes)  # type: ignore[arg-type]


def counts(log: Trace, kind: Kind) -> list[int]:
    schedule = log.schedule
    return [
        sum(action.kind is kind for action in schedule.rank(rank)) for rank in range(schedule.ranks)
    ]


@BOTH
@pytest.mark.parametrize(("name", "how"), [("exiting", "exit code 7"), ("killed", "SIGKILL")])
def test_a_rank_that_dies_is_named(
    bombs: Callable[[str], ModelSpec], tmp_path: Path, transport: str, name: str, how: str
) -> None:
    log = tmp_path / "run.jsonl"
    began = time.monotonic()
    error = failing(spec_of(transport, model=bombs(name), timeout=30.0), log)
    assert time.monotonic() - began < 30
    assert isinstance(error, RankFailedError)
    assert error.rank == 1
    assert how in str(error)
    assert "does 1F4" in str(error)
    assert "last event: 1" in str(error)
    trace = read_trace(log)
    assert is_partial(trace)
    # Also what the dead rank did is there: all four forwards before the last one.
    assert counts(trace, Kind.F)[1] == 4


@BOTH
def test_a_process_that_is_stopped_is_a_hang(
    bombs: Callable[[str], ModelSpec], transport: str
) -> None:
    error = failing(spec_of(transport, model=bombs("stopped"), timeout=2.0))
    assert isinstance(error, RankHangError)
    assert error.rank == 1
    assert "does 1F4" in str(error)
    assert error.partial is not None
    assert counts(error.partial.trace, Kind.F)[1] == 4


@BOTH
def test_a_rank_that_hangs_is_named(transport: str) -> None:
    began = time.monotonic()
    error = failing(spec_of(transport, fault=Fault("hang", 2, 3), timeout=1.5))
    assert time.monotonic() - began < 25
    assert isinstance(error, RankHangError)
    assert (error.rank, error.where) == (2, "rank 2")
    assert "does 2F3 (last event: 2U2)" in str(error)
    assert error.partial is not None
    assert is_partial(error.partial.trace)


@BOTH
def test_a_rank_that_raises_is_named_and_the_others_hand_over(transport: str) -> None:
    error = failing(spec_of(transport, fault=Fault("error", 0, 4), timeout=30.0))
    assert isinstance(error, RankFailedError)
    assert error.rank == 0
    assert "told to fail here" in str(error)
    assert "last event: 0" in str(error)
    assert error.partial is not None
    assert min(counts(error.partial.trace, Kind.F)) >= 2


def test_an_exit_is_a_failure(bombs: Callable[[str], ModelSpec]) -> None:
    error = failing(spec_of("gloo", model=bombs("leaving")))
    assert isinstance(error, RankFailedError)
    assert (error.rank, "asked to exit with 'enough'" in str(error)) == (1, True)


def test_ranks_start_anew_after_a_failure() -> None:
    with three_ranks("gloo") as group:
        with pytest.raises(RankError):
            run(spec_of("gloo", fault=Fault("error", 1, 1)), group=group)
        assert group.pids == ()
        assert not is_partial(run(spec_of("gloo"), group=group).trace)


def cannot_join(store: object, rank: int, ranks: int) -> Callable[..., object]:
    raise OSError(f"no network for rank {rank}")


def test_a_rank_that_cannot_join_says_why() -> None:
    with processes(cannot_join, 2) as group:  # type: ignore[arg-type]
        launched = group.run(spec_of("gloo", schedule=build("gpipe", 2, 2)))
    assert isinstance(launched.failure, RankFailedError)
    assert "raises OSError: no network for rank" in str(launched.failure)


def test_interruption_keeps_what_was_recorded() -> None:
    spec = spec_of("gloo", fault=Fault("hang", 1, 4), timeout=60.0)
    with three_ranks("gloo") as group:
        threading.Timer(2.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        launched = group.run(spec)
    assert isinstance(launched.failure, InterruptedRunError)
    assert "rank 1 does 1F4" in str(launched.failure)
    assert sum(event.op is Kind.F for event in launched.outcomes[1].events) == 4


COMMAND = (sys.executable, "-m", "gpu_validation", "pipedream", "-p", "3", "-m", "60")


@pytest.mark.slow
@pytest.mark.parametrize("transport", list(CONNECT))
def test_ctrl_c_leaves_a_valid_log_and_no_process(tmp_path: Path, transport: str) -> None:
    log = tmp_path / "run.jsonl"
    process = subprocess.Popen(
        [*COMMAND, "--transport", transport, "--jitter", "0.5", "-o", str(log)],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    time.sleep(20)
    # A terminal sends it to all processes of its foreground group.
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert is_partial(read_trace(log))
    assert left_after(process.pid, 10.0) == []


@pytest.mark.slow
def test_no_rank_outlives_the_process_that_started_it() -> None:
    process = subprocess.Popen(
        [*COMMAND, "--transport", "gloo", "--jitter", "0.5"],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(15)
    assert len(members(process.pid)) >= 4
    process.kill()
    process.wait()
    assert left_after(process.pid, 10.0) == []


def left_after(group: int, seconds: float) -> list[int]:
    """Processes of a group that do not end within some seconds; the server of forks is the last."""
    until = time.monotonic() + seconds
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
    bombs: Callable[[str], ModelSpec], tmp_path: Path, name: str
) -> None:
    log = tmp_path / "run.jsonl"
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


def test_torch_refuses_what_it_cannot_drive() -> None:
    for schedule in (build("localsgd", 2, 8), build("chimera", 2, 4)):
        with pytest.raises(MeasureError, match="PyTorch's runtime"):
            run(RunSpec(schedule, "torch"))
