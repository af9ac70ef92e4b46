"""How a message travels: a header of whole numbers, then the tensor, if there is one.

The header is a vector of `HEADER` 64-bit integers::

    kind stage microbatch pipeline clock version dtype dimensions size₀ … size₇

Headers and tensors of an edge, sender and receiver, come in the order in which they were sent.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from gpu_validation.errors import ModelError
from gpu_validation.messages import Label, Message, incoming, sender
from schedules.actions import Kind
from schedules.schedule import Schedule

LARGEST_RANK: Final = 8
"""Most dimensions of a tensor that is sent."""

FIXED: Final = 8
HEADER: Final = FIXED + LARGEST_RANK
TOKEN: Final = -1
"""Number of dimensions of a message without a tensor."""

DTYPES: Final = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def header_of(message: Message) -> Tensor:
    """The header of a message.

    Raises `ModelError`: the tensor has more than `LARGEST_RANK` dimensions or another type than
    `DTYPES`.
    """
    label, tensor = message.label, message.tensor
    row = [label.kind, label.stage, label.microbatch, label.pipeline, message.clock]
    row += [message.version]
    if tensor is None:
        row += [0, TOKEN]
    elif tensor.ndim > LARGEST_RANK or tensor.dtype not in DTYPES:
        raise ModelError(
            f"a tensor that is sent has at most {LARGEST_RANK} dimensions and one of the types "
            f"{', '.join(map(str, DTYPES))}; found {tensor.ndim} and {tensor.dtype}",
            f"output of stage {label.stage}",
            "flatten or convert it in the last layer of the stage",
        )
    else:
        row += [DTYPES.index(tensor.dtype), tensor.ndim, *tensor.shape]
    return torch.tensor(row + [0] * (HEADER - len(row)), dtype=torch.int64)


@dataclass(frozen=True)
class Header:
    """What a header says.

    - `shape`: of the tensor that follows; None if none does.
    - `dtype`: of that tensor.
    """

    label: Label
    clock: int
    version: int
    shape: tuple[int, ...] | None
    dtype: torch.dtype


def read_header(header: Tensor) -> Header:
    """Read a header."""
    kind, stage, microbatch, pipeline, clock, version, dtype, ndim, *sizes = header.tolist()
    label = Label(Kind(kind), stage, microbatch, pipeline)
    shape = None if ndim == TOKEN else tuple(sizes[:ndim])
    return Header(label, clock, version, shape, DTYPES[dtype])


def expected(schedule: Schedule, rank: int) -> dict[int, int]:
    """How many messages a rank gets from every other one."""
    return dict(sorted(Counter(sender(schedule, m) for m in incoming(schedule, rank)).items()))


def edges(schedule: Schedule) -> list[tuple[int, int]]:
    """Every (sender, receiver) between which tensors travel, in ascending order."""
    return sorted(
        {(peer, rank) for rank in range(schedule.ranks) for peer in expected(schedule, rank)}
    )
