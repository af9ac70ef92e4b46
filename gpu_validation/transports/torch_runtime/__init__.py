"""Ranks as processes that PyTorch's own runtime drives, `torch.distributed.pipelining`.

On CPUs its messages travel with gloo, on GPUs with NCCL.

Whose work is what:

- PyTorch's: which chunk call a rank makes next, all messages, their buffers and batches, when to
  wait, the split of the batch into microbatches, and autograd from one stage's output to its input.
- ours: the arithmetic inside a chunk call (`gpu_validation.stage`), so that weights have versions;
  updates, which PyTorch leaves to its caller; and the log.

A family that PyTorch has runs as PyTorch's class of it, any other order as a `CSV file`_ that its
multi-stage runtime loads. Messages are not in the log: they are PyTorch's.

.. _CSV file: the one that `schedules.formats.pytorch_csv` writes
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
