"""Which GPU a process uses; settled before CUDA starts in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from gpu_validation.errors import CapacityError
from gpu_validation.event_log import Deferred

if TYPE_CHECKING:
    import torch

CONNECTIONS: Final = "CUDA_DEVICE_MAX_CONNECTIONS"
"""Hardware queues of a process. With fewer than streams, two of them share one, and a send that
waits holds up the receive that it waits for."""

MOST_CONNECTIONS: Final = "32"


WORKSPACE: Final = "CUBLAS_WORKSPACE_CONFIG"
"""With one of the values of `REPEATABLE`, sums of cuBLAS have one order, on several streams too."""

REPEATABLE: Final = (":4096:8", ":16:8")


def local_device(otherwise: int = 0) -> int:
    """Number of this process's GPU: as the launcher says, else as given."""
    return launched_number("LOCAL_RANK") if "LOCAL_RANK" in os.environ else otherwise


def launched_number(name: str) -> int:
    """Read a number that a launcher such as ``torchrun`` has put into the environment.

    Raises `CapacityError`: it is no whole number of 0 or more.
    """
    value = os.environ[name]
    if not re.fullmatch(r"[0-9]{1,9}", value):
        raise CapacityError(
            f"a launcher numbers its processes from 0, and {name} is {value[:40]!r}",
            f"environment variable {name}",
            "unset it, or start the processes with torchrun",
        )
    return int(value)


def prepare_cuda() -> None:
    """Ask for as many hardware queues as there can be, and for kernels that repeat their bits.

    Unless the environment says otherwise. CUDA and cuBLAS read it when they start in a process, so
    this comes before anything that asks for a GPU.
    """
    os.environ.setdefault(CONNECTIONS, MOST_CONNECTIONS)
    if os.environ.setdefault(WORKSPACE, REPEATABLE[0]) in REPEATABLE:
        import torch

        torch.use_deterministic_algorithms(True)


def claim_device() -> int:
    """Make the GPU of this process its present one; returns its number.

    It is the first thing that touches CUDA in a process.

    Raises `CapacityError`: there is no GPU, or none for this process of its node.
    """
    prepare_cuda()
    import torch

    if not torch.cuda.is_available():
        raise CapacityError(
            "device 'cuda' is an NVIDIA GPU that torch can use, found none "
            f"(torch {torch.__version__}, built for CUDA {torch.version.cuda or 'none'})",
            "device cuda",
            "use --device cpu, or install a driver and a torch that is built for it",
        )
    device, devices = local_device(), torch.cuda.device_count()
    if device >= devices:
        raise CapacityError(
            f"every process of a node has a GPU of its own, and process {device} finds {devices}",
            "device cuda",
            f"start {devices} processes a node, or take --transport threads in a single one",
        )
    torch.cuda.set_device(device)
    return device


@contextmanager
def stream_of_its_own(device: int) -> Iterator[None]:
    """Let the present thread use a stream of its own on a GPU, and wait for it in the end."""
    import torch

    # The present device belongs to a thread: a new one is at device 0.
    torch.cuda.set_device(device)
    stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    with torch.cuda.stream(stream):
        yield
    stream.synchronize()


Stamp: TypeAlias = "torch.cuda.Event | None"
"""A place in a stream; None on a CPU."""


class DeviceClock:
    """The clock of the present stream; on a CPU there is none, and nothing is noted.

    Examples
    --------
    >>> clock = DeviceClock("cpu")
    >>> clock.between(clock.stamp())
    {}
    """

    def __init__(self, device: str) -> None:
        self._on = device == "cuda"
        self._origin = self.stamp()

    def stamp(self) -> Stamp:
        """Put an event on the present stream."""
        if not self._on:
            return None
        import torch

        event = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
        event.record()
        return event

    def between(self, begun: Stamp) -> dict[str, Deferred]:
        """Nanoseconds from the first stamp to `begun`, and until now on the device."""
        origin, ended = self._origin, self.stamp()
        if begun is None or origin is None or ended is None:
            return {}

        def since(event: torch.cuda.Event) -> Deferred:
            def read() -> int:
                event.synchronize()
                return round(float(origin.elapsed_time(event)) * 1e6)

            return read

        return {"device_start": since(begun), "device_end": since(ended)}
