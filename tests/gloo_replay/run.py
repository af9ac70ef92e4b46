"""`replay`: run a lowered schedule on gloo; tell whether it completes, hangs or mixes tensors."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Final

from schedules.messages.channels import channels
from schedules.schedule import Schedule
from tests.gloo_replay.errors import NotReplayableError, WorkerError
from tests.gloo_replay.steps import Unit, label_text, units
from tests.gloo_replay.worker import Event, Place, run_rank

MOST_RANKS: Final = 8
"""Ranks of a replay; each is a process."""

START_SECONDS: Final = 60.0
"""Time in which every process has to start and find the others."""

STOP_SECONDS: Final = 5.0
"""Time that a process gets to end by itself before it is killed."""


@dataclass(frozen=True)
class Wrong:
    """A receive that a tensor with another label arrived at."""

    index: int
    expected: str
    arrived: str


@dataclass(frozen=True)
class Replay:
    """What a replay did.

    Attributes
    ----------
    schedule : Schedule
    completed : bool
        Whether every action of every rank became complete.
    ended : tuple of int
        Flat indices of the complete actions, in the order in which they were reported.
    heads : tuple of int
        Flat indices of the actions that stood at the head of a queue when nothing moved any
        more; empty if it completed.
    wrong : tuple of Wrong
        Receives at which another tensor arrived than the one they are for.
    """

    schedule: Schedule
    completed: bool
    ended: tuple[int, ...]
    heads: tuple[int, ...]
    wrong: tuple[Wrong, ...]


@dataclass
class _Log:
    """What the ranks have reported so far."""

    expected: dict[int, tuple[int, ...]]
    ready: set[int] = field(default_factory=set)
    done: set[int] = field(default_factory=set)
    alive: set[int] = field(default_factory=set)
    heads: set[int] = field(default_factory=set)
    ended: list[int] = field(default_factory=list)
    wrong: list[Wrong] = field(default_factory=list)

    def take(self, rank: int, event: Event, name: str) -> None:
        """Note one report."""
        word, index, more = event
        if word == "failed":
            raise WorkerError(
                f"every rank runs its program, but rank {rank} failed: {str(more).strip()}",
                name,
                "see whether torch with gloo works on this machine",
            )
        if word in ("ready", "done", "alive"):
            {"ready": self.ready, "done": self.done, "alive": self.alive}[word].add(rank)
        elif word == "head":
            self.heads.add(index)
        else:
            assert not isinstance(more, str)
            self.heads.discard(index)
            self.ended.append(index)
            if more and more != self.expected[index]:
                self.wrong.append(Wrong(index, label_text(self.expected[index]), label_text(more)))


def replay(schedule: Schedule, patience: float = 5.0) -> Replay:
    """Run the sends, receives and computations of a lowered schedule, each rank a process.

    Computations take no time and compute nothing: they keep the order. Tensors hold the label of
    what they stand for. Sends are rendezvous, and each rank completes its messages one by one in
    program order: the model with queues per rank and no buffer.

    Parameters
    ----------
    schedule : Schedule
        With messages, on at most `MOST_RANKS` ranks.
    patience : float
        Seconds. If nothing moves for so long, while every process answers, the ranks hang.

    Raises
    ------
    NotReplayableError
        No messages, a barrier, too many ranks.
    InvalidScheduleError
        A message to a rank that does not exist.
    WorkerError
        A process did not start, or failed.

    See Also
    --------
    schedules.messages.progress : what the model says.
    """
    if schedule.ranks > MOST_RANKS:
        raise NotReplayableError(
            f"a replay has at most {MOST_RANKS} ranks, each a process; found {schedule.ranks}",
            schedule.name,
            "replay a smaller schedule of the same kind",
        )
    programs = units(schedule, channels(schedule))
    steps = [step for program in programs for unit in program for step in unit]
    log = _Log({step.index: step.label for step in steps})
    with tempfile.TemporaryDirectory(prefix="staleproof-replay-") as folder:
        places = [
            Place(rank, schedule.ranks, str(Path(folder) / "store"), START_SECONDS + 60 * patience)
            for rank in range(schedule.ranks)
        ]
        with _processes(places, programs) as lines:
            _watch(lines, log, patience, schedule.name)
    completed = len(log.done) == schedule.ranks
    return Replay(
        schedule,
        completed,
        tuple(log.ended),
        () if completed else tuple(sorted(log.heads)),
        tuple(sorted(log.wrong, key=lambda wrong: wrong.index)),
    )


@contextmanager
def _processes(
    places: Sequence[Place], programs: Sequence[tuple[Unit, ...]]
) -> Iterator[list[Connection]]:
    """Start a process a rank; none is left when the block is."""
    context = multiprocessing.get_context("forkserver")
    # Torch is imported once, by the server; the ranks are forked from it.
    context.set_forkserver_preload(["torch.distributed", "tests.gloo_replay.worker"])
    lines: list[Connection] = []
    running: list[ForkServerProcess] = []
    try:
        for place, program in zip(places, programs, strict=True):
            mine, theirs = context.Pipe()
            process = context.Process(target=run_rank, args=(place, program, theirs), daemon=True)
            lines.append(mine)
            process.start()
            running.append(process)
            theirs.close()
        yield lines
    finally:
        _stop(running, lines)


def _stop(running: Sequence[ForkServerProcess], lines: Sequence[Connection]) -> None:
    """Hang up, which ends a process whatever it is stuck in; kill what does not notice."""
    for line in lines:
        line.close()
    until = time.monotonic() + STOP_SECONDS
    for process in running:
        process.join(max(0.0, until - time.monotonic()))
        if process.is_alive():
            process.kill()
            process.join()
        process.close()


def _watch(lines: Sequence[Connection], log: _Log, patience: float, name: str) -> None:
    """Take reports until every rank is done, or nothing moves any more."""
    fix = "see whether torch with gloo works on this machine"
    _take_all(lines, log, log.ready, name, "starts", fix)
    while len(log.done) < len(lines):
        if _take(lines, log, patience, name):
            continue
        before = len(log.ended)
        if _all_answer(lines, log, name) and len(log.ended) == before:
            return
    for line in lines:
        line.send("leave")


def _all_answer(lines: Sequence[Connection], log: _Log, name: str) -> bool:
    """Whether every process is there and not merely slow: each answers a question."""
    log.alive.clear()
    for line in lines:
        line.send("alive?")
    _take_all(lines, log, log.alive, name, "answers", "see whether the machine is overloaded")
    return True


def _take_all(
    lines: Sequence[Connection], log: _Log, told: set[int], name: str, does: str, fix: str
) -> None:
    """Take reports until every rank has told something that `told` collects."""
    until = time.monotonic() + START_SECONDS
    while len(told) < len(lines):
        if not _take(lines, log, until - time.monotonic(), name):
            missing = sorted(set(range(len(lines))) - told)
            raise WorkerError(
                f"every rank {does} within {START_SECONDS:g} s, but {missing} did not", name, fix
            )


def _take(lines: Sequence[Connection], log: _Log, seconds: float, name: str) -> bool:
    """Take what has been reported; False if there was nothing for so long."""
    ready = wait(list(lines), max(0.0, seconds))
    for line in ready:
        assert isinstance(line, Connection)
        rank = lines.index(line)
        try:
            log.take(rank, line.recv(), name)
        except EOFError:
            raise WorkerError(
                f"every rank runs to its end, but the process of rank {rank} is gone",
                name,
                "see whether it was killed, for want of memory for example",
            ) from None
    return bool(ready)
