"""Which GPU a process uses: stand-ins for ``torch.cuda`` remember what was asked, and when."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import torch

from gpu_validation.capacity import require_capacity
from gpu_validation.devices import (
    CONNECTIONS,
    WORKSPACE,
    claim_device,
    local_device,
    stream_of_its_own,
)
from gpu_validation.environment import environment
from gpu_validation.errors import CapacityError
from gpu_validation.run import RunSpec
from gpu_validation.transports import launch, nccl, open_group
from schedules import build

FREE = {0: 1, 1: 1 << 40, 2: 1, 3: 1}
"""Free bytes of each of four devices."""


class Cuda:
    """Stands in for the calls of ``torch.cuda`` that start CUDA."""

    def __init__(self, devices: int) -> None:
        self.devices, self.present = devices, 0
        self.history: list[tuple[str, str | None]] = []

    def _note(self, name: str) -> None:
        self.history.append((name, os.environ.get(CONNECTIONS)))

    def is_available(self) -> bool:
        self._note("is_available")
        return self.devices > 0

    def device_count(self) -> int:
        self._note("device_count")
        return self.devices

    def set_device(self, device: int) -> None:
        self._note(f"set_device {device}")
        self.present = device

    def mem_get_info(self, device: int | None = None) -> tuple[int, int]:
        self._note("mem_get_info")
        return FREE[self.present if device is None else device], 1 << 41


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cuda]:
    """Four devices in the place of those of torch, and no launcher."""
    found = Cuda(4)
    for name in ("is_available", "device_count", "set_device", "mem_get_info"):
        monkeypatch.setattr(torch.cuda, name, getattr(found, name))
    for name in (
        CONNECTIONS,
        WORKSPACE,
        "RANK",
        "WORLD_SIZE",
        "LOCAL_RANK",
        "MASTER_ADDR",
        "MASTER_PORT",
    ):
        # Set and deleted, so that it is taken back also where the code sets it.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    yield found
    torch.use_deterministic_algorithms(False)


def spec_of(transport: str) -> RunSpec:
    return RunSpec(build("pipedream", 2, 4), transport, "cuda")


@pytest.mark.parametrize("transport", ["threads", "nccl"])
def test_the_variable_is_there_before_anything_touches_cuda(cuda: Cuda, transport: str) -> None:
    os.environ["LOCAL_RANK"] = "1"
    require_capacity(spec_of(transport))
    assert cuda.history[0] == ("is_available", "32")
    assert {value for _, value in cuda.history} == {"32"}


@pytest.mark.parametrize(
    ("given", "strict"), [(None, True), (":16:8", True), (":0:0", False), ("", False)]
)
def test_kernels_repeat_their_bits_unless_the_environment_says_otherwise(
    cuda: Cuda, given: str | None, strict: bool
) -> None:
    if given is not None:
        os.environ[WORKSPACE] = given
    claim_device()
    assert os.environ[WORKSPACE] == (":4096:8" if given is None else given)
    assert torch.are_deterministic_algorithms_enabled() == strict
    assert environment("cpu")["torch_settings"]["deterministic"] == strict


def test_a_cpu_is_left_as_it_is(cuda: Cuda) -> None:
    require_capacity(RunSpec(build("pipedream", 2, 4)))
    assert WORKSPACE not in os.environ
    assert not torch.are_deterministic_algorithms_enabled()


def test_a_number_that_is_set_stays(cuda: Cuda) -> None:
    os.environ[CONNECTIONS] = "8"
    claim_device()
    assert {value for _, value in cuda.history} == {"8"}


def test_opening_a_group_sets_it_as_well(cuda: Cuda) -> None:
    nccl.open_group("cuda", 2)
    assert cuda.history == [("device_count", "32")]


@pytest.mark.parametrize("rank", ["0", "1", "3"])
def test_a_process_takes_the_device_of_its_local_rank(cuda: Cuda, rank: str) -> None:
    os.environ["LOCAL_RANK"] = rank
    assert claim_device() == cuda.present == local_device() == int(rank)


def test_memory_is_asked_of_the_device_that_is_used(cuda: Cuda) -> None:
    os.environ["LOCAL_RANK"] = "1"
    require_capacity(spec_of("threads"))
    os.environ["LOCAL_RANK"] = "2"
    with pytest.raises(CapacityError, match=r"0\.0 GiB are free"):
        require_capacity(spec_of("threads"))
    names = [name for name, _ in cuda.history]
    assert names.index("set_device 1") < names.index("mem_get_info")


def test_without_a_launcher_it_is_the_first_device(cuda: Cuda) -> None:
    assert (claim_device(), cuda.present) == (0, 0)
    assert local_device(3) == 3


@pytest.mark.parametrize("text", ["", "x", "-1", "1.0", "٣", " 1", "1" * 50])
def test_a_local_rank_that_is_no_number(cuda: Cuda, text: str) -> None:
    os.environ["LOCAL_RANK"] = text
    with pytest.raises(CapacityError, match=r"LOCAL_RANK is '.{0,40}'; unset it"):
        require_capacity(spec_of("threads"))
    assert cuda.present == 0


@pytest.mark.parametrize("name", ["RANK", "WORLD_SIZE"])
def test_a_launcher_that_numbers_nothing(cuda: Cuda, name: str) -> None:
    os.environ |= {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "here", "MASTER_PORT": "1"}
    os.environ[name] = "many"
    with pytest.raises(CapacityError, match=f"{name} is 'many'"), open_group("gloo", "cpu", 2):
        pass


def test_more_ranks_than_processes_are_refused_unless_a_launcher_spreads_them(cuda: Cuda) -> None:
    most = launch.MOST_PROCESSES
    with pytest.raises(CapacityError, match=f"at most {most} ranks"):
        open_group("gloo", "cpu", most + 1).__enter__()
    with open_group("gloo", "cpu", most):
        pass
    os.environ |= {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "here", "MASTER_PORT": "1"}
    with pytest.raises(CapacityError, match="torchrun has started 2"):
        open_group("gloo", "cpu", most + 1).__enter__()


def test_a_process_without_a_device_is_told_how_many_there_are(cuda: Cuda) -> None:
    os.environ["LOCAL_RANK"] = "4"
    with pytest.raises(CapacityError, match="process 4 finds 4; start 4 processes a node"):
        claim_device()
    assert cuda.present == 0


def test_a_machine_without_devices(cuda: Cuda) -> None:
    cuda.devices = 0
    with pytest.raises(CapacityError, match="found none"):
        require_capacity(spec_of("threads"))


def test_a_rank_that_is_a_thread_streams_on_the_claimed_device(
    cuda: Cuda, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    class Stream:
        def __init__(self, device: int) -> None:
            made.append(device)

        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None: ...

        def synchronize(self) -> None: ...

    monkeypatch.setattr(torch.cuda, "Stream", Stream)
    monkeypatch.setattr(torch.cuda, "stream", lambda stream: stream)
    os.environ["LOCAL_RANK"] = "2"
    with stream_of_its_own(local_device()):
        pass
    assert (made, cuda.present) == ([2], 2)
