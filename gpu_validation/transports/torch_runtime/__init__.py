"""Ranks as processes that PyTorch's own runtime drives, `torch.distributed.pipelining`.

docs/how-to/transports.md says whose work is what. On CPUs its messages travel with gloo, on GPUs
with NCCL; they are not in the log.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from gpu_validation.transports import nccl
from gpu_validation.transports.launch import ForkedGroup, JoinedGroup, processes
from gpu_validation.transports.torch_runtime.drivers import connect, connect_gpu

__all__ = ["open_group"]


def open_group(device: str, ranks: int) -> AbstractContextManager[ForkedGroup | JoinedGroup]:
    """Give a group of processes; they start with the first run.

    Raises `CapacityError`: no GPU for every rank of this node, where the device is ``cuda``.
    """
    if device == "cpu":
        return processes(connect, ranks)
    nccl.require_gpus(device, ranks)
    return processes(connect_gpu, ranks)
