"""Ranks as processes that PyTorch's own runtime drives, `torch.distributed.pipelining`.

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

from gpu_validation.errors import CapacityError
from gpu_validation.transports.launch import ForkedGroup, JoinedGroup, processes
from gpu_validation.transports.torch_runtime.drivers import connect

__all__ = ["open_group"]


def open_group(device: str, ranks: int) -> AbstractContextManager[ForkedGroup | JoinedGroup]:
    """Give a group of processes; they start with the first run.

    Raises
    ------
    CapacityError
        Another device than the CPU.
    """
    if device != "cpu":
        raise CapacityError(
            f"PyTorch's runtime is driven on CPUs here, found the device {device}",
            "--device",
            "take --device cpu, or --transport nccl",
        )
    return processes(connect, ranks)
