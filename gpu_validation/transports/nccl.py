"""Ranks as processes with a GPU each, on one node or several; see docs/how-to/transports.md.

Headers travel with gloo, on the host. A tensor travels with NCCL on a communicator that belongs to
its directed edge alone, between side streams. Nothing synchronises inside the loop.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist
from torch import Tensor

from gpu_validation.devices import local_device, prepare_cuda, stream_of_its_own
from gpu_validation.errors import CapacityError
from gpu_validation.event_log import EventLog
from gpu_validation.executor import run_rank
from gpu_validation.messages import Label, Message
from gpu_validation.spec import RankOutcome, RunSpec
from gpu_validation.transports.gloo import PATIENCE, GlooEndpoint, join
from gpu_validation.transports.launch import ForkedGroup, JoinedGroup, processes, under_torchrun
from gpu_validation.transports.member import Member, Program
from gpu_validation.transports.wire import Header, edges, expected

if TYPE_CHECKING:
    from torch.distributed.distributed_c10d import Store

Edge = tuple[int, int]
"""Sender and receiver."""


def open_group(
    device: str, ranks: int, share_gpus: bool = False
) -> AbstractContextManager[ForkedGroup | JoinedGroup]:
    """Give a group of processes; they start with the first run.

    Raises `CapacityError`: no GPU for every rank of this node, or another device than ``cuda``.
    """
    require_gpus(device, ranks, share_gpus)
    return processes(partial(connect, share_gpus=share_gpus), ranks)


def require_gpus(device: str, ranks: int, share_gpus: bool = False) -> None:
    """Refuse ranks for which this node has no GPUs; nothing has touched CUDA before."""
    prepare_cuda()
    devices = torch.cuda.device_count()
    require_devices(device, 1 if share_gpus else local_ranks(ranks), devices)


def local_ranks(ranks: int) -> int:
    """How many ranks this node has."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", ranks)) if under_torchrun() else ranks


def require_devices(device: str, ranks: int, devices: int) -> None:
    """Refuse what NCCL refuses, with what to do instead."""
    if device != "cuda":
        raise CapacityError(
            f"NCCL sends between GPUs, found the device {device}",
            "--device",
            "add --device cuda, or take --transport gloo",
        )
    if ranks > devices:
        raise CapacityError(
            f"NCCL wants a GPU of its own for every rank, and this node has {devices} for "
            f"{ranks} ranks",
            "--transport",
            "take --transport threads, which puts several stages on one GPU, --share-gpus, which "
            "puts several processes there, or more nodes",
        )


def connect(store: Store, rank: int, ranks: int, share_gpus: bool = False) -> Program:
    """Join the others; returns what a rank does in a run."""
    device = join_with_gpu(store, rank, ranks, share_gpus=share_gpus)
    groups: dict[Edge, dist.ProcessGroup] = {}

    def run(spec: RunSpec, member: Member, recorder: EventLog) -> RankOutcome:
        with stream_of_its_own(device):
            recorder.doing = "makes communicators"
            _make_communicators(groups, edges(spec.schedule), rank, device)
            incoming = expected(spec.schedule, rank)
            waits = spec.order == "free-running"
            endpoint = NcclEndpoint(member, incoming, groups, device, waits)
            outcome = run_rank(spec, endpoint, recorder)
            endpoint.close()
        return outcome

    return run


def join_with_gpu(
    store: Store, rank: int, ranks: int, backend: str = "gloo", share_gpus: bool = False
) -> int:
    """Take the GPU of a rank and join the others; returns its number.

    Raises `CapacityError`: two ranks have been given the same GPU, and may not share it.
    """
    prepare_cuda()
    device = local_device(rank)
    if share_gpus:
        device %= torch.cuda.device_count()
        # NCCL refuses two ranks of one host on one GPU; between hosts it does not ask.
        os.environ["NCCL_HOSTID"] = f"{socket.gethostname()}-{rank}"
    torch.cuda.set_device(device)
    join(store, rank, ranks, backend)
    if share_gpus:
        return device
    identity = str(getattr(torch.cuda.get_device_properties(device), "uuid", device))
    places: list[tuple[str, str] | None] = [None] * ranks
    dist.all_gather_object(places, (socket.gethostname(), identity))
    require_distinct([place for place in places if place is not None])
    return device


def require_distinct(places: list[tuple[str, str]]) -> None:
    """Refuse two ranks on one GPU.

    - `places`: host and identity of the GPU, of every rank.
    """
    for rank, place in enumerate(places):
        first = places.index(place)
        if first < rank:
            raise CapacityError(
                f"NCCL refuses two ranks on one GPU, and ranks {first} and {rank} share GPU "
                f"{place[1]} of {place[0]}",
                "--transport",
                "add --share-gpus, take --transport threads, or start one process for every GPU",
            )


def _make_communicators(
    groups: dict[Edge, dist.ProcessGroup], wanted: list[Edge], rank: int, device: int
) -> None:
    """Make the communicators that are missing and use each of them once.

    NCCL connects two ranks when they first exchange something, and both wait for each other on
    the host then. Here all ranks do that in one order, so that no circle of them can wait.
    """
    missing = [edge for edge in wanted if edge not in groups]
    for edge in missing:
        # Every rank takes part in making every group, also of those that it is not in.
        group = dist.new_group(list(edge), backend="nccl", timeout=PATIENCE)
        assert isinstance(group, dist.ProcessGroup) or rank not in edge
        groups[edge] = group
    for edge in missing:
        if rank in edge:
            token = torch.zeros(1, device=f"cuda:{device}")
            exchange, peer = (dist.send, edge[1]) if rank == edge[0] else (dist.recv, edge[0])
            exchange(token, peer, group=groups[edge])
            torch.cuda.synchronize(device)


class NcclEndpoint(GlooEndpoint):
    """A rank's end; see `gpu_validation.messages.Endpoint`.

    - `incoming`: how many messages come from which rank.
    - `groups`: the communicator of every directed edge.
    - `waits`: whether a message counts as arrived when its tensor is there, which a free order
      decides by. Else when it is under way: what uses it waits on the device.
    """

    def __init__(
        self,
        member: Member,
        incoming: dict[int, int],
        groups: Mapping[Edge, dist.ProcessGroup],
        device: int,
        waits: bool,
    ) -> None:
        self._groups, self._index, self._waits = groups, device, waits
        self._streams = {
            edge: torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
            for edge in groups
            if member.rank in edge
        }
        self._arrivals: dict[Label, torch.cuda.Event] = {}
        # Receiving starts here, so everything it needs is there by now.
        super().__init__(member, incoming)

    def take(self, label: Label) -> Message:
        """Wait for a message; on the device, the present stream waits for its tensor."""
        message = super().take(label)
        if message.tensor is not None:
            stream = torch.cuda.current_stream()
            stream.wait_event(self._arrivals.pop(label))
            # It was allocated for the side stream; its memory is not to be reused before this
            # stream is through with it either.
            message.tensor.record_stream(stream)
        return message

    def _send_tensor(self, tensor: Tensor, peer: int) -> None:
        edge = (self.rank, peer)
        stream, made = self._streams[edge], _event()
        made.record()
        stream.wait_event(made)
        with torch.cuda.stream(stream):
            work = dist.isend(tensor, peer, group=self._groups[edge])
            sent = _behind(work)
        self._sent.put((sent.synchronize, tensor))

    def _receive_tensor(self, header: Header, peer: int) -> Tensor:
        assert header.shape is not None
        # This runs in a thread of its own, and the present device belongs to a thread.
        torch.cuda.set_device(self._index)
        edge = (peer, self.rank)
        with torch.cuda.stream(self._streams[edge]):
            tensor = torch.empty(header.shape, dtype=header.dtype, device="cuda")
            arrived = _behind(dist.irecv(tensor, peer, group=self._groups[edge]))
        if self._waits:
            arrived.synchronize()
        self._arrivals[header.label] = arrived
        return tensor


def _behind(work: dist.Work | None) -> torch.cuda.Event:
    """An event on the present stream, behind a transfer; the host does not wait."""
    assert work is not None
    work.wait()
    event = _event()
    event.record()
    return event


def _event() -> torch.cuda.Event:
    # A thread that waits for it sleeps instead of asking again and again.
    event: torch.cuda.Event = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
    return event
