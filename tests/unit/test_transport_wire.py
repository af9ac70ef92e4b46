"""How messages are written and read, and how many are expected from whom."""

from __future__ import annotations

import pytest
import torch

from gpu_validation.errors import ModelError
from gpu_validation.messages import NO_VERSION, Label, Message
from gpu_validation.transports.wire import (
    DTYPES,
    HEADER,
    LARGEST_RANK,
    edges,
    expected,
    header_of,
    read_header,
)
from schedules import Kind, build


def message(tensor: object, label: Label | None = None) -> Message:
    return Message(label or Label(Kind.SEND_B, 3, 17, 1), 41, NO_VERSION, tensor)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (5,), (2, 0, 3), (1,) * LARGEST_RANK])
def test_a_header_says_what_comes(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    header = header_of(message(torch.zeros(shape, dtype=dtype)))
    assert header.shape == (HEADER,)
    found = read_header(header)
    assert found.label == Label(Kind.SEND_B, 3, 17, 1)
    assert (found.clock, found.version) == (41, NO_VERSION)
    assert (found.shape, found.dtype) == (shape, dtype)


def test_a_token_has_no_tensor() -> None:
    found = read_header(header_of(message(None, Label(Kind.REDUCE, 2, 4, 0))))
    assert (found.label, found.shape) == (Label(Kind.REDUCE, 2, 4, 0), None)


@pytest.mark.parametrize(
    "tensor", [torch.zeros((1,) * (LARGEST_RANK + 1)), torch.zeros(2, dtype=torch.int32)]
)
def test_what_cannot_be_sent_is_refused(tensor: object) -> None:
    with pytest.raises(ModelError, match="output of stage 3"):
        header_of(message(tensor))


def test_expected_messages_of_a_pipeline() -> None:
    schedule = build("1f1b", 4, 6)
    assert [expected(schedule, rank) for rank in range(4)] == [
        {1: 6}, {0: 6, 2: 6}, {1: 6, 3: 6}, {2: 6},
    ]  # fmt: skip


def test_expected_messages_of_several_stages_a_rank() -> None:
    # Stages 0 and 2 on rank 0, 1 and 3 on rank 1: three activations and three gradients each way.
    assert expected(build("interleaved-1f1b", 2, 4), 0) == {1: 4 * 3}
    # In a V, stages 1 and 2 share rank 1 and send nothing to each other.
    assert expected(build("zbv", 2, 4), 1) == {0: 4 * 2}


def test_barrier_tokens_are_expected_too() -> None:
    schedule = build("localsgd", 2, 8)
    reductions = sum(action.kind is Kind.REDUCE for action in schedule.rank(1))
    assert reductions > 0
    assert expected(schedule, 1) == {0: 8 + reductions}


def test_edges_are_directed_and_need_messages() -> None:
    assert edges(build("gpipe", 1, 3)) == []
    assert edges(build("interleaved-1f1b", 3, 3)) == [
        (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1),
    ]  # fmt: skip
