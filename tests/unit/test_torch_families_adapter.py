"""The adapter to PyTorch's schedule objects: what it reads, what it refuses. Needs no PyTorch."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Mapping
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from schedules import ScheduleError, WeightPolicy
from schedules.adapters.torch_schedules import (
    CLASSES,
    MODULE,
    TESTED,
    TorchError,
    UntestedTorchWarning,
    from_torch,
    torch_order,
    torch_schedule,
)
from schedules.errors import FormatError, ParameterError, SizeError, UnknownNameError


class Live(SimpleNamespace):
    """An object with a PyTorch schedule's attributes."""


def live(*rows: str, **others: Any) -> Live:
    order = {r: [cell or None for cell in row.split(" ")] for r, row in enumerate(rows)}
    return Live(pipeline_order=order, **others)


class Stated:
    """A PyTorch schedule class: one rank, as many forwards as microbatches."""

    def __init__(self, stages: Any, microbatches: int) -> None:
        if microbatches > 3:
            raise ValueError(f"too many: {microbatches}\nand a long explanation")
        first = stages[0] if isinstance(stages, list) else stages
        assert first.group_rank == 0
        self.pipeline_order = {0: [None, *(f"0F{m}" for m in range(microbatches))]}


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A tested PyTorch, as far as the adapter can see."""
    fake, module = ModuleType("torch"), ModuleType(MODULE)
    fake.__version__ = f"{TESTED[-1]}.1+cpu"  # type: ignore[attr-defined]
    for found in CLASSES.values():
        setattr(module, found.name, Stated)
    for name in ("torch", "torch.distributed", "torch.distributed.pipelining"):
        monkeypatch.setitem(sys.modules, name, fake)
    monkeypatch.setitem(sys.modules, MODULE, module)
    return module


# Reading live objects


def test_order_of_an_object() -> None:
    read = from_torch(live("0F0  0F1 0B0 0B1", " 1F0 1B0 1F1 1B1"))
    assert [str(action) for action in read.rank(0)] == "0F0 0F1 0B0 0B1".split()
    assert [str(action) for action in read.rank(1)] == "1F0 1B0 1F1 1B1".split()
    assert (read.name, read.microbatches, read.policy.name) == ("Live", 2, "flush")
    assert read.place(4) == "Live:rank 1:position 0"
    assert read.placement.ranks == ((0, 1),)


def test_ranks_are_sorted_and_may_be_idle() -> None:
    read = from_torch(Live(pipeline_order={1: [], 0: ["0F0", "0B0"], 2: [None]}))
    assert [len(list(read.rank(rank))) for rank in range(3)] == [2, 0, 0]


def test_stated_microbatches_placement_and_policy() -> None:
    order = live("0F0 1F0", " ", _n_microbatches=3, stage_index_to_group_rank={1: 1, 0: 0})
    read = from_torch(order, policy=WeightPolicy("stash"))
    assert (read.microbatches, read.policy.name) == (3, "stash")
    assert read.placement.ranks == ((0, 1),)


@pytest.mark.parametrize("stated", [{0: 0}, {0: 0, 1: 0, 2: 0}, {}, None, {"a": 1, "b": 0}])
def test_placement_of_other_stages_is_not_taken(stated: object) -> None:
    read = from_torch(live("0F0", "1F0", stage_index_to_group_rank=stated))
    assert read.placement.ranks == ((0, 1),)


def test_order_with_messages() -> None:
    rows = {0: "0UNSHARD 0F0 0SEND_F0 0RECV_B0 0B0 0REDUCE_GRAD 0RESHARD".split()}
    read = from_torch(Live(pipeline_order={}, pipeline_order_with_comms=rows), messages=True)
    assert [action.kind.name for action in read.rank(0)] == [
        "UNSHARD", "F", "SEND_F", "RECV_B", "B", "REDUCE", "RESHARD"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "order", [Live(), live(), Live(pipeline_order=None), Live(pipeline_order=[["0F0"]])]
)
def test_objects_without_an_order(order: Live) -> None:
    with pytest.raises(TorchError, match="an order under 'pipeline_order' is needed") as caught:
        from_torch(order)
    assert caught.value.where == "Live"
    assert ", ".join(TESTED) in caught.value.what


@pytest.mark.parametrize("ranks", [(1,), (0, 2), ("0",), (0, None)])
def test_ranks_have_no_gaps(ranks: tuple[object, ...]) -> None:
    with pytest.raises(FormatError, match="one row for every rank from 0 on"):
        from_torch(Live(pipeline_order={rank: ["0F0"] for rank in ranks}))


@pytest.mark.parametrize("cell", ["", " ", "0F0,0F1", "0F0\n0F1", "0FOO", "0F0junk", " 0F0", 7])
def test_no_action_is_dropped_or_guessed(cell: object) -> None:
    with pytest.raises(FormatError) as caught:
        from_torch(Live(pipeline_order={0: ["0F0", cell]}))
    assert caught.value.where == "Live:rank 0:position 1"


# Building them


@pytest.mark.parametrize("name", CLASSES)
def test_built_without_a_process_group(name: str, torch: ModuleType) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch_order(name, 1, 2) == [[None, "0F0", "0F1"]]
        assert from_torch(torch_schedule(name, 1, 2)).microbatches == 2


def test_what_pytorch_refuses(torch: ModuleType) -> None:
    with pytest.raises(ParameterError) as caught:
        torch_order("zbv", 2, 4)
    assert caught.value.what == "PyTorch refuses p = 2, M = 4, chunks = 2: too many: 4"
    assert caught.value.where == f"{MODULE}.ScheduleZBVZeroBubble"


@pytest.mark.parametrize("chunks", [0, -1, 1.5, "2"])
def test_chunks_outside_the_domain(chunks: Any, torch: ModuleType) -> None:
    with pytest.raises(ParameterError, match="stages a rank, is an integer of at least 1"):
        torch_order("looped-bfs", 2, 2, chunks)


def test_single_stage_schedules_have_one_stage(torch: ModuleType) -> None:
    assert torch_order("1f1b", 1, 2, 1) == torch_order("1f1b", 1, 2)
    with pytest.raises(ParameterError, match="is 1 for PyTorch's Schedule1F1B, found 2"):
        torch_order("1f1b", 2, 2, 2)


@pytest.mark.parametrize(("p", "M"), [(0, 2), (2, 0), ("2", 2), (2, 2.5)])
def test_sizes_outside_the_domain(p: Any, M: Any) -> None:
    with pytest.raises(ParameterError, match="is an integer of at least 1"):
        torch_order("gpipe", p, M)


def test_sizes_that_do_not_fit() -> None:
    with pytest.raises(SizeError):
        torch_order("looped-bfs", 10_000, 10_000)


def test_families_that_pytorch_has_not() -> None:
    with pytest.raises(UnknownNameError, match="PyTorch has no schedule like zb-h1; it has gpipe"):
        torch_order("zb-h1", 2, 4)
    with pytest.raises(UnknownNameError, match="no schedule family is called 'zbw'"):
        torch_order("zbw", 2, 4)


# Versions


@pytest.mark.parametrize("version", ["2.5.1", "2.16.0a0+git", "3.13", "2.130.0", "weird"])
def test_other_versions_are_untested(
    version: str, torch: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["torch"], "__version__", version)
    with pytest.warns(UntestedTorchWarning, match=f"PyTorch {version[:3]}.* is untested") as found:
        assert torch_order("gpipe", 1, 1) == [[None, "0F0"]]
    with pytest.warns(UntestedTorchWarning) as read:
        from_torch(live("0F0"))
    with pytest.warns(UntestedTorchWarning) as made:
        torch_schedule("gpipe", 1, 1)
    assert read[0].filename == made[0].filename == __file__
    assert len(found) == 1


def test_absent_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(TorchError, match="have to be importable") as caught:
        torch_order("gpipe", 1, 1)
    assert caught.value.fix == "install the extra `torch`"
    assert isinstance(caught.value, ScheduleError)
    assert len(from_torch(live("0F0 0B0"))) == 2


def test_absent_class(torch: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch, "ScheduleLoopedBFS")
    with pytest.raises(TorchError, match="a class ScheduleLoopedBFS is needed"):
        torch_order("looped-bfs", 1, 1)


@pytest.mark.parametrize("error", [AttributeError("'StandIn' has no x"), TypeError("one more")])
def test_constructor_that_wants_more(
    error: Exception, torch: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(stages: object, microbatches: int) -> Mapping[int, object]:
        raise error

    monkeypatch.setattr(torch, "ScheduleLoopedBFS", refuse)
    with pytest.raises(TorchError, match="content with stand-ins") as caught:
        torch_order("looped-bfs", 1, 1)
    assert str(error) in caught.value.what


def test_importing_the_adapter_imports_no_pytorch() -> None:
    code = "import sys, schedules.adapters.torch_schedules; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
