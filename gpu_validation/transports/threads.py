"""Ranks as threads of one process, with mailboxes between them.

On a GPU every rank has a stream of its own. The sender puts an event on its stream behind the
tensor, the receiver lets its own stream wait for the event, and the allocator learns that the
tensor is in use there: the host never waits for the device.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Final, TypeAlias

import torch

from gpu_validation.devices import local_device, stream_of_its_own
from gpu_validation.errors import RankFailedError
from gpu_validation.event_log import EventLog, Sink, forget
from gpu_validation.executor import run_rank
from gpu_validation.messages import Label, Message
from gpu_validation.repeatable import one_torch_thread
from gpu_validation.spec import Launched, RankOutcome, RunSpec
from gpu_validation.transports.board import End, LocalBoard
from gpu_validation.transports.mailbox import BoxEndpoint, Mailbox
from gpu_validation.transports.member import Member, Run
from gpu_validation.transports.watching import Watcher

ATTEND_SECONDS: Final = 0.005

GRACE_SECONDS: Final = 3.0
"""Time that the other ranks have to stop once one has failed."""

Letter: TypeAlias = tuple[Message, "torch.cuda.Event | None"]
"""A message, and on a GPU the event behind which its tensor is ready."""


class ThreadEndpoint(BoxEndpoint[Letter]):
    """A rank's end; see `gpu_validation.messages.Endpoint`."""

    def __init__(self, member: Member, boxes: Sequence[Mailbox[Letter]]) -> None:
        super().__init__(member, boxes[member.rank])
        self._boxes = boxes

    def send(self, peer: int, message: Message) -> None:
        """Put a message into the mailbox of another rank."""
        event = None
        if message.tensor is not None and message.tensor.is_cuda:
            event = torch.cuda.Event()  # type: ignore[no-untyped-call]
            event.record()
        self._boxes[peer].put(message.label, (message, event))

    def take(self, label: Label) -> Message:
        """Wait for a message."""
        message, event = self._box.take(label)
        if event is not None and message.tensor is not None:
            stream = torch.cuda.current_stream()
            stream.wait_event(event)
            message.tensor.record_stream(stream)
        return message


class ThreadGroup:
    """Starts a thread a rank for every run; see `gpu_validation.transports.Group`."""

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks

    def run(self, spec: RunSpec, sink: Sink = forget) -> Launched:
        """Run once."""
        board = LocalBoard()
        members = [Member(rank, self._ranks, 0, board) for rank in range(self._ranks)]
        program = partial(_run, [Mailbox[Letter](member) for member in members])
        runs = [Run(program, spec, member) for member in members]
        started: list[Run] = []
        with one_torch_thread():
            attendant = threading.Thread(target=_attend, args=(runs, started, board), daemon=True)
            launched = Watcher(board, self._ranks, spec.timeout, None, sink).watch(attendant.start)
            # A rank that hangs cannot be ended; it is left behind and stops when it wakes up.
            until = time.monotonic() + GRACE_SECONDS
            for run in started:
                run.join(max(0.0, until - time.monotonic()))
        return launched


def _attend(runs: Sequence[Run], started: list[Run], board: LocalBoard) -> None:
    """Start all ranks, and report for them until they have left."""
    try:
        for run in runs:
            run.start()
            started.append(run)
    except RuntimeError as error:
        failure = RankFailedError(
            f"every rank has a thread, but {len(runs)} cannot be started: {error}",
            "transport threads",
            "take fewer ranks",
        )
        for rank in range(len(started), len(runs)):
            board.end(rank, End(RankOutcome(rank), False, failure))
    left = list(started)
    while left := [run for run in left if not run.attend(0.0)]:
        time.sleep(ATTEND_SECONDS)


@contextmanager
def open_group(device: str, ranks: int) -> Iterator[ThreadGroup]:
    """Give a group of threads; nothing is started before the first run."""
    yield ThreadGroup(ranks)


def _run(
    boxes: Sequence[Mailbox[Letter]], spec: RunSpec, member: Member, recorder: EventLog
) -> RankOutcome:
    """Run one rank: what its thread does."""
    own = nullcontext() if spec.device == "cpu" else stream_of_its_own(local_device())
    with own:
        return run_rank(spec, ThreadEndpoint(member, boxes), recorder)
