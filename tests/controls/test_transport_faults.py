"""Ranks that die, hang, raise or are interrupted: who is named, what is kept, who is left."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gpu_validation.errors import (
    InterruptedRunError,
    RankError,
    RankFailedError,
    RankHangError,
)
from gpu_validation.event_log import is_partial
from gpu_validation.faults import Fault
from gpu_validation.models import ModelSpec
from gpu_validation.run import RunSpec, run
from gpu_validation.transports.gloo import connect as connect_gloo
from gpu_validation.transports.launch import Connect, ForkedGroup, processes
from gpu_validation.transports.torch_runtime.drivers import connect as connect_torch
from schedules import Kind, build
from schedules.formats.trace_reader import read_trace
from tests.failing_ranks import LONG, bombs, counts, forwards, heard, obeying_ctrl_c, wait_for

__all__ = ["bombs", "heard", "obeying_ctrl_c"]

PATIENCE = 10
"""A rank hangs that makes no progress for so many times what a whole run takes."""

CONNECT: dict[str, Connect] = {"gloo": connect_gloo, "torch": connect_torch}
BOTH = pytest.mark.parametrize("transport", list(CONNECT))


@contextmanager
def three_ranks(transport: str) -> Iterator[ForkedGroup]:
    """Three processes that have run once; afterwards none of them is there."""
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
    """The error of a run that ends before its time-out, after which no rank is left."""
    with three_ranks(spec.transport) as group:
        began = time.monotonic()
        with pytest.raises(RankError) as caught:
            run(spec, log, group)
        assert time.monotonic() - began < spec.timeout
    return caught.value


def hanging(spec: RunSpec) -> RankError:
    """The error of a run that has to be given up, after which no rank is left."""
    with three_ranks(spec.transport) as group:
        began = time.monotonic()
        run(spec_of(spec.transport), group=group)
        # A busy machine may take long for what is no hang.
        timeout = max(1.0, PATIENCE * (time.monotonic() - began))
        began = time.monotonic()
        with pytest.raises(RankError) as caught:
            run(dataclasses.replace(spec, timeout=timeout), group=group)
        assert timeout < time.monotonic() - began < 2 * timeout + LONG
    return caught.value


def spec_of(transport: str, **changes: object) -> RunSpec:
    base = RunSpec(build("pipedream", 3, 9), transport, timeout=LONG)
    return dataclasses.replace(base, **changes)  # type: ignore[arg-type]


@pytest.mark.sampled(4)
@BOTH
@pytest.mark.parametrize(("name", "how"), [("exiting", "exit code 7"), ("killed", "SIGKILL")])
def test_a_rank_that_dies_is_named(
    bombs: Callable[[str], ModelSpec], tmp_path: Path, transport: str, name: str, how: str
) -> None:
    log = tmp_path / "run.jsonl"
    error = failing(spec_of(transport, model=bombs(name)), log)
    assert isinstance(error, RankFailedError)
    assert error.rank == 1
    assert how in str(error)
    assert "does 1F4" in str(error)
    assert "last event: 1" in str(error)
    trace = read_trace(log)
    assert is_partial(trace)
    # Also what the dead rank did is there: all four forwards before the last one.
    assert counts(trace, Kind.F)[1] == 4


@pytest.mark.slow
@BOTH
def test_a_process_that_is_stopped_is_a_hang(
    bombs: Callable[[str], ModelSpec], transport: str
) -> None:
    error = hanging(spec_of(transport, model=bombs("stopped")))
    assert isinstance(error, RankHangError)
    assert error.rank == 1
    assert "does 1F4" in str(error)
    assert error.partial is not None
    assert counts(error.partial.trace, Kind.F)[1] == 4


@pytest.mark.sampled(2)
@BOTH
def test_a_rank_that_hangs_is_named(transport: str) -> None:
    error = hanging(spec_of(transport, fault=Fault("hang", 2, 3)))
    assert isinstance(error, RankHangError)
    assert (error.rank, error.where) == (2, "rank 2")
    assert "does 2F3 (last event: 2U2)" in str(error)
    assert error.partial is not None
    assert is_partial(error.partial.trace)


@pytest.mark.sampled(2)
@BOTH
def test_a_rank_that_raises_is_named_and_the_others_hand_over(transport: str) -> None:
    error = failing(spec_of(transport, fault=Fault("error", 0, 4)))
    assert isinstance(error, RankFailedError)
    assert error.rank == 0
    assert "told to fail here" in str(error)
    assert "last event: 0" in str(error)
    assert error.partial is not None
    assert min(counts(error.partial.trace, Kind.F)) >= 2


@pytest.mark.slow
def test_an_exit_is_a_failure(bombs: Callable[[str], ModelSpec]) -> None:
    error = failing(spec_of("gloo", model=bombs("leaving")))
    assert isinstance(error, RankFailedError)
    assert (error.rank, "asked to exit with 'enough'" in str(error)) == (1, True)


@pytest.mark.slow
def test_ranks_start_anew_after_a_failure() -> None:
    with three_ranks("gloo") as group:
        with pytest.raises(RankError):
            run(spec_of("gloo", fault=Fault("error", 1, 1)), group=group)
        assert group.pids == ()
        assert not is_partial(run(spec_of("gloo"), group=group).trace)


def cannot_join(store: object, rank: int, ranks: int) -> Callable[..., object]:
    raise OSError(f"no network for rank {rank}")


@pytest.mark.slow
def test_a_rank_that_cannot_join_says_why() -> None:
    with processes(cannot_join, 2) as group:  # type: ignore[arg-type]
        launched = group.run(spec_of("gloo", schedule=build("gpipe", 2, 2)))
    assert isinstance(launched.failure, RankFailedError)
    assert "raises OSError: no network for rank" in str(launched.failure)


@pytest.mark.usefixtures("obeying_ctrl_c")
def test_interruption_keeps_what_was_recorded(heard: Path) -> None:
    def interrupt() -> None:
        wait_for(heard)
        os.kill(os.getpid(), signal.SIGINT)

    spec = spec_of("gloo", fault=Fault("hang", 1, 4))
    with three_ranks("gloo") as group:
        threading.Thread(target=interrupt, daemon=True).start()
        launched = group.run(spec)
    assert isinstance(launched.failure, InterruptedRunError)
    assert "rank 1 does 1F4" in str(launched.failure)
    assert forwards(launched.outcomes[1].events) == 4
