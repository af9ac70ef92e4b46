"""A communicator for every directed edge, streams and events; and what NCCL refuses.

Without devices the transport runs on stand-ins for streams and events, with gloo in the place of
NCCL: order, bookkeeping and communicators are real, what a device does is not.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
import torch
import torch.distributed as dist

from gpu_validation.errors import CapacityError
from gpu_validation.event_log import EventLog
from gpu_validation.measure import judge, measure, replayed
from gpu_validation.messages import Label, Message
from gpu_validation.prediction import predict
from gpu_validation.run import RunSpec, run
from gpu_validation.spec import RankOutcome
from gpu_validation.transports import gloo, nccl, open_group
from gpu_validation.transports.launch import processes
from gpu_validation.transports.member import Member, Program
from gpu_validation.transports.torch_runtime import chunks, drivers
from gpu_validation.transports.wire import edges, expected
from schedules import Kind, build
from tests.harness import failed_checks

HISTORY: list[str] = []


class Event:
    """Remembers that it was recorded."""

    def __init__(self, blocking: bool) -> None:
        self.recorded = False

    def record(self) -> None:
        self.recorded = True

    def synchronize(self) -> None:
        assert self.recorded


class Stream:
    """Remembers what it waited for."""

    def __init__(self, *_: object) -> None:
        self.waited: list[Event] = []

    def wait_event(self, event: Event) -> None:
        assert event.recorded
        self.waited.append(event)

    def synchronize(self) -> None:
        HISTORY.append(f"waited {len(self.waited)}")


MAIN = Stream()


class Cuda:
    """Stands in for ``torch.cuda``."""

    Event, Stream = Event, Stream
    main = MAIN

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *_: nullcontext()

    def current_stream(self) -> object:
        return self.main


class Torch:
    """Stands in for ``torch`` in the transport: no devices."""

    cuda = Cuda()

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)

    def empty(self, shape: tuple[int, ...], dtype: torch.dtype, device: str) -> torch.Tensor:
        assert device == "cuda"
        return torch.empty(shape, dtype=dtype)

    def zeros(self, size: int, device: str) -> torch.Tensor:
        return torch.zeros(size)


class Dist:
    """Stands in for ``torch.distributed``: gloo's groups instead of NCCL's."""

    def __getattr__(self, name: str) -> Any:
        return getattr(dist, name)

    def new_group(self, ranks: list[int], backend: str, timeout: object) -> Any:
        assert backend == "nccl"
        HISTORY.append(f"group {ranks[0]}>{ranks[1]}")
        return dist.new_group(ranks, backend="gloo")

    def all_gather_object(self, places: list[Any], place: tuple[str, str]) -> None:
        # One host, a device each.
        places[:] = [("host", str(rank)) for rank in range(len(places))]


def stand_in() -> None:
    """Put stand-ins in the place of everything that needs a device."""
    stand_ins: dict[str, Any] = {
        "torch": Torch(), "dist": Dist(), "stream_of_its_own": lambda _: nullcontext()
    }  # fmt: skip
    for name, value in stand_ins.items():
        setattr(nccl, name, value)
    setattr(drivers, "stream_of_its_own", stand_ins["stream_of_its_own"])  # noqa: B010


def connect_runtime(store: Any, rank: int, ranks: int) -> Program:
    """Join for PyTorch's runtime on GPUs; where NCCL was to carry tensors, gloo does."""

    def join_with_gloo(store: Any, rank: int, ranks: int, backend: str) -> None:
        if backend != "cpu:gloo,cuda:nccl":
            raise AssertionError(backend)
        gloo.join(store, rank, ranks)

    stand_in()
    setattr(nccl, "join", join_with_gloo)  # noqa: B010
    return drivers.connect_gpu(store, rank, ranks)


def connect(store: Any, rank: int, ranks: int) -> Program:
    """Join with stand-ins for everything that needs a device."""
    stand_in()
    used: list[object] = []
    torch.Tensor.record_stream = lambda _, stream: used.append(stream)  # type: ignore[method-assign, assignment]
    program = nccl.connect(store, rank, ranks)

    def counted(spec: RunSpec, member: Member, recorder: EventLog) -> RankOutcome:
        HISTORY.clear()
        used.clear()
        MAIN.waited.clear()
        outcome = program(spec, member, recorder)
        received = len(MAIN.waited)
        if received != sum(expected(spec.schedule, rank).values()) or len(used) != received:
            raise AssertionError(f"{received} tensors waited for, {len(used)} noted")
        made = [entry for entry in HISTORY if entry.startswith("group")]
        wanted = [f"group {a}>{b}" for a, b in edges(spec.schedule)]
        if made != (wanted if member.number == 0 else []):
            raise AssertionError(f"communicators {made}")
        return outcome

    return counted


@pytest.mark.sampled(2)
@pytest.mark.parametrize("order", ["static", "free-running"])
def test_every_tensor_is_waited_for_and_noted(order: str) -> None:
    schedule = build("pipedream", 3, 8)
    spec = RunSpec(schedule, "gloo", order=order, hashing="full")  # type: ignore[arg-type]
    with processes(connect, 3) as group:
        # The second run finds the communicators of the first.
        results = [run(spec, group=group) for _ in range(2)]
    if order == "static":
        for result in results:
            findings = judge(result, predict(schedule), replayed(spec))
            assert [found.name for found in findings if not found.holds] == []


def test_pytorchs_runtime_joins_as_on_gpus() -> None:
    spec = RunSpec(build("1f1b", 2, 4), "torch", hashing="full")
    with processes(connect_runtime, 2) as group:
        assert failed_checks(spec, group) == []


def test_everything_that_pytorchs_runtime_sends_is_where_the_stage_is() -> None:
    label = Label(Kind.SEND_F, 0, 0, 0)
    tag = chunks.Part(None, 0, 2, "meta")._tag(Message(label, 5, 0, None))  # type: ignore[arg-type]
    assert {t.device.type for t in (tag, *chunks._example((2, 3), "meta"))} == {"meta"}


def test_pytorchs_runtime_wants_a_gpu_a_rank() -> None:
    with pytest.raises(CapacityError, match="this node has 0 for 2"):
        open_group("torch", "cuda", 2)


def test_a_gpu_a_rank() -> None:
    nccl.require_devices("cuda", 2, 2)
    with pytest.raises(CapacityError, match="take --transport threads"):
        nccl.require_devices("cuda", 3, 2)
    with pytest.raises(CapacityError, match="add --device cuda"):
        nccl.require_devices("cpu", 1, 8)


def test_ranks_of_a_node_are_those_that_torchrun_put_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    assert nccl.local_ranks(8) == 8
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "4")
    assert nccl.local_ranks(8) == 4


def test_two_ranks_on_one_gpu_are_refused() -> None:
    nccl.require_distinct([("a", "0"), ("b", "0"), ("b", "1")])
    with pytest.raises(CapacityError, match="ranks 1 and 3 share GPU 0 of b"):
        nccl.require_distinct([("a", "0"), ("b", "0"), ("b", "1"), ("b", "0")])


def test_ranks_that_share_gpus_are_hosts_to_nccl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NCCL_HOSTID", "one")
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: None)
    for name in ("prepare_cuda", "join"):
        monkeypatch.setattr(nccl, name, lambda *_: None)
    nccl.require_gpus("cuda", 3, share_gpus=True)
    seen = []
    for rank in range(3):
        device = nccl.join_with_gpu(None, rank, 3, share_gpus=True)  # type: ignore[arg-type]
        seen.append((device, os.environ["NCCL_HOSTID"]))
    assert [device for device, _ in seen] == [0, 1, 0]
    assert len({host for _, host in seen}) == 3


def ranks_here() -> tuple[int, bool]:
    """As many ranks as GPUs, but three that share where there is one; and whether they do."""
    count = torch.cuda.device_count()
    return (count, False) if count > 1 else (3, True)


@pytest.mark.gpu
def test_more_ranks_than_gpus_are_refused() -> None:
    count = torch.cuda.device_count()
    with (
        pytest.raises(CapacityError, match="a GPU of its own"),
        open_group("nccl", "cuda", count + 1),
    ):
        pass


@pytest.mark.gpu
@pytest.mark.parametrize("transport", ["nccl", "torch"])
@pytest.mark.parametrize("name", ["pipedream", "1f1b"])
def test_on_gpus_a_run_agrees(name: str, transport: str) -> None:
    ranks, shared = ranks_here()
    spec = RunSpec(build(name, ranks, 4 * ranks), transport, "cuda", share_gpus=shared)
    found = measure(spec, tolerance=1e-5)
    assert found.agree
    assert all(control.caught for control in found.controls if control.applicable)


@pytest.mark.gpu
def test_on_gpus_a_free_order_does_not_stall() -> None:
    ranks, shared = ranks_here()
    schedule = build("pipedream", ranks, 32)
    spec = RunSpec(schedule, "nccl", "cuda", share_gpus=shared, order="free-running")
    assert measure(spec, repeats=2, tolerance=1e-5).agree
