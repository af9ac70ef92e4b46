"""Models of which a rank fails, and how a test learns how far a run is."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from gpu_validation.event_log import Event
from gpu_validation.models import ModelSpec
from gpu_validation.transports.board import Board, Report
from schedules import Kind
from schedules.formats.trace import Trace

LONG = 60.0
"""Seconds after which something that should happen at once does not happen at all."""

LAYERS = '''
import os, pathlib, signal, threading, time
from torch import nn

class Bomb(nn.Module):
    """A linear layer that does something bad at its fifth call, where it runs as a rank."""

    def __init__(self, how):
        super().__init__()
        self.linear, self.how, self.calls = nn.Linear(4, 4), how, 0

    def forward(self, x):
        if threading.current_thread() is not threading.main_thread():
            self.calls += 1
            if self.calls == 5:
                HOW[self.how]()
        return self.linear(x)

def heard():
    """Wait until the watcher knows of the calls before."""
    until = time.monotonic() + 120
    while not FOLDER.joinpath("heard").exists() and time.monotonic() < until:
        time.sleep(0.01)

def send(number):
    heard()
    os.kill(os.getpid(), number)

HOW = {"exit": lambda: (heard(), os._exit(7)), "kill": lambda: send(signal.SIGKILL),
       "stop": lambda: send(signal.SIGSTOP), "leave": lambda: exit("enough"),
       "tell": FOLDER.joinpath("running").touch}

def model(how):
    return lambda: nn.Sequential(nn.Linear(4, 4), Bomb(how), nn.Linear(4, 4))

exiting, killed, stopped, leaving, telling = (model(how) for how in HOW)
'''


def counts(log: Trace, kind: Kind) -> list[int]:
    schedule = log.schedule
    return [
        sum(action.kind is kind for action in schedule.rank(rank)) for rank in range(schedule.ranks)
    ]


@pytest.fixture
def bombs(tmp_path: Path, heard: Path) -> Callable[[str], ModelSpec]:
    """Models whose second stage of three does something bad."""
    path = tmp_path / "bombs.py"
    text = LAYERS.replace("FOLDER.", f"pathlib.Path({str(tmp_path)!r}).")
    path.write_text(text, encoding="utf-8")
    return lambda name: ModelSpec(f"{path}:{name}", width=4, batch=2)


@pytest.fixture
def heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that comes to be when the watcher knows that rank 1 has begun its fifth forward."""
    path, take, known = tmp_path / "heard", Board.take_report, list[Event]()

    def watched(board: Board, rank: int, number: int) -> Report | None:
        report = take(board, rank, number)
        if rank == 1 and report is not None:
            if number == 0:
                known.clear()
            known.extend(report.events)
            if report.state.doing == "does 1F4" and forwards(known) == 4:
                path.touch()
        return report

    monkeypatch.setattr(Board, "take_report", watched)
    return path


def forwards(events: Sequence[Event]) -> int:
    return sum(event.op is Kind.F for event in events)


def wait_for(path: Path) -> None:
    until = time.monotonic() + LONG
    while not path.exists():
        assert time.monotonic() < until, f"{path.name} does not come"
        time.sleep(0.02)


@pytest.fixture
def obeying_ctrl_c() -> Iterator[None]:
    """What a shell starts in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
