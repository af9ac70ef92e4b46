"""Transports: how the ranks of a run are started and how messages travel between them.

docs/how-to/transports.md describes each. A module of this package has a function ``open_group``:
a context in which runs can be made one after the other by the same ranks.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib import import_module
from typing import Final, Protocol

from gpu_validation.event_log import Sink, forget
from gpu_validation.spec import Launched, RunSpec

_MODULES: Final = {
    "threads": "threads",
    "gloo": "gloo",
    "nccl": "nccl",
    "torch": "torch_runtime.drivers",
}


class Group(Protocol):
    """Ranks that are ready to run."""

    def run(self, spec: RunSpec, sink: Sink = forget) -> Launched:
        """Run once. A rank that fails is reported in the result, not raised.

        `sink` is told what ranks record, while they do, every 0.2 s or so.
        """
        ...


def open_group(
    transport: str, device: str, ranks: int, share_gpus: bool = False
) -> AbstractContextManager[Group]:
    """Start the ranks of a transport; they are gone when the block is left.

    Raises `CapacityError`: the machine lacks the devices that it takes.
    """
    module = import_module(f"gpu_validation.transports.{_MODULES[transport]}")
    more = {"share_gpus": True} if share_gpus else {}  # Only NCCL has a say in that.
    group: AbstractContextManager[Group] = module.open_group(device, ranks, **more)
    return group
