"""Ranks as processes on CPUs that send tensors with gloo; see docs/how-to/transports.md."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final

import torch
import torch.distributed as dist
from torch import Tensor

from gpu_validation.event_log import EventLog
from gpu_validation.executor import run_rank
from gpu_validation.messages import Label, Message
from gpu_validation.spec import RankOutcome, RunSpec
from gpu_validation.transports.launch import ForkedGroup, JoinedGroup, processes
from gpu_validation.transports.mailbox import BoxEndpoint, Mailbox
from gpu_validation.transports.member import Member, Program
from gpu_validation.transports.wire import HEADER, Header, expected, header_of, read_header

if TYPE_CHECKING:
    from torch.distributed.distributed_c10d import Store

PATIENCE: Final = timedelta(days=7)
"""Of gloo itself; how long a rank may take is watched from outside."""


def open_group(device: str, ranks: int) -> AbstractContextManager[ForkedGroup | JoinedGroup]:
    """Give a group of processes; they start with the first run."""
    return processes(connect, ranks)


def connect(store: Store, rank: int, ranks: int) -> Program:
    """Join the others; returns what a rank does in a run."""
    join(store, rank, ranks)
    return run


def join(store: Store, rank: int, ranks: int, backend: str = "gloo") -> None:
    """Join the others, with gloo unless another backend is named beside it."""
    dist.init_process_group(backend, store=store, rank=rank, world_size=ranks, timeout=PATIENCE)


def run(spec: RunSpec, member: Member, recorder: EventLog) -> RankOutcome:
    """Run the program of one rank; see `gpu_validation.executor.run_rank`."""
    endpoint = GlooEndpoint(member, expected(spec.schedule, member.rank))
    outcome = run_rank(spec, endpoint, recorder)
    endpoint.close()
    return outcome


class GlooEndpoint(BoxEndpoint[Message]):
    """A rank's end; see `gpu_validation.messages.Endpoint`.

    - `expected`: how many messages come from which rank.
    """

    def __init__(self, member: Member, expected: dict[int, int]) -> None:
        super().__init__(member, Mailbox[Message](member))
        self._sent: SimpleQueue[tuple[Callable[[], object], Tensor] | None] = SimpleQueue()
        self._reaper = threading.Thread(target=self._reap, name="sends", daemon=True)
        self._reaper.start()
        for peer, count in expected.items():
            threading.Thread(
                target=self._receive, args=(peer, count), name=f"from {peer}", daemon=True
            ).start()

    def send(self, peer: int, message: Message) -> None:
        """Send; gloo reads the tensor in the background."""
        self._start(header_of(message), peer)
        if message.tensor is not None:
            self._send_tensor(message.tensor.contiguous(), peer)

    def take(self, label: Label) -> Message:
        """Wait for a message."""
        return self._box.take(label)

    def close(self) -> None:
        """Leave, once all that was sent is through."""
        self._sent.put(None)
        self._reaper.join()

    def _start(self, tensor: Tensor, peer: int) -> None:
        work = dist.isend(tensor, peer)
        assert work is not None
        self._sent.put((work.wait, tensor))

    def _send_tensor(self, tensor: Tensor, peer: int) -> None:
        self._start(tensor, peer)

    def _receive_tensor(self, header: Header, peer: int) -> Tensor:
        """Receive the tensor that a header announces."""
        assert header.shape is not None
        tensor = torch.empty(header.shape, dtype=header.dtype)
        dist.recv(tensor, peer)
        return tensor

    def _reap(self) -> None:
        """Keep what is under way until it is through."""
        try:
            while (pair := self._sent.get()) is not None:
                wait, _tensor = pair
                wait()
        except RuntimeError as error:
            self._box.fail(error)

    def _receive(self, peer: int, count: int) -> None:
        """Put everything that comes from one rank into the mailbox."""
        try:
            for _ in range(count):
                row = torch.empty(HEADER, dtype=torch.int64)
                dist.recv(row, peer)
                header = read_header(row)
                tensor = None if header.shape is None else self._receive_tensor(header, peer)
                message = Message(header.label, header.clock, header.version, tensor)
                self._box.put(header.label, message)
        except RuntimeError as error:
            self._box.fail(error)
