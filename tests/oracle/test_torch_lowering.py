"""The installed PyTorch's own passes add the same messages and collectives, cell for cell.

Orders come from PyTorch's schedule classes, from its stored files, from our families and from
Hypothesis. PyTorch's runtime drops idle cells before it adds messages, and so do we.
"""

from __future__ import annotations

from importlib import import_module
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from schedules import FAMILIES, Schedule, WeightPolicy, build
from schedules.actions import COMPUTE
from schedules.errors import ScheduleError
from schedules.formats.pytorch_csv import parse_csv, read_csv, write_csv
from schedules.lowering import (
    PLACEMENTS,
    erase_messages,
    gather_parameters,
    lower,
    reduce_gradients,
)
from tests.strategies import any_schedules

DATA = Path(__file__).parents[1] / "data" / "schedules"
STORED = sorted(DATA.glob("torch2.13*.comms.csv"))
PRIVATE = "_Action _add_send_recv _add_unshard_reshard _add_reduce_grad _simulate_comms_compute"
CLASSES = {
    "ScheduleInterleaved1F1B": ((2, 4, 2), (4, 8, 2), (3, 6, 3), (2, 6, 4), (5, 10, 2), (3, 2, 2)),
    "ScheduleLoopedBFS": ((2, 3, 2), (4, 4, 3), (3, 5, 4), (5, 2, 5)),
    "ScheduleInterleavedZeroBubble": ((2, 4, 2), (4, 8, 2), (3, 6, 3), (2, 6, 5)),
    "ScheduleZBVZeroBubble": ((1, 3, 2), (2, 4, 2), (3, 7, 2), (4, 9, 2), (6, 12, 2)),
    "ScheduleDualPipeV": ((2, 4, 2), (3, 8, 2), (4, 9, 2), (6, 12, 2)),
}
"""Ranks, microbatches and stages a rank that each class is asked for."""

Rows = list[str]


@pytest.fixture(scope="module")
def torch_passes() -> Any:
    name = "torch.distributed.pipelining.schedules"
    pytest.importorskip("torch", reason="torch is not installed")
    try:
        module = import_module(name)
    except ImportError as error:
        pytest.skip(f"this torch has no {name}: {error}")
    absent = [name for name in PRIVATE.split() if not hasattr(module, name)]
    if absent:
        pytest.skip(f"this torch has no private {', '.join(absent)} to compare with")
    return module


def as_torch(module: Any, schedule: Schedule) -> dict[int, list[Any]]:
    """Our schedule as torch's actions; ranks without any are left out, as torch wants it."""
    rows = enumerate(write_csv(schedule).splitlines())
    cells = {rank: [cell for cell in row.split(",") if cell] for rank, row in rows}
    return {
        rank: [module._Action.from_str(cell) for cell in row] for rank, row in cells.items() if row
    }


def as_rows(order: dict[int, list[Any]], ranks: int) -> Rows:
    return [",".join(str(action) for action in order.get(rank, [])) for rank in range(ranks)]


def our_rows(schedule: Schedule) -> Rows:
    return ["" if row == "," else row for row in write_csv(schedule).splitlines()]


def sent_by_torch(module: Any, schedule: Schedule) -> dict[int, list[Any]]:
    rank_of = schedule.placement.ranks[0]
    order: dict[int, list[Any]] = module._add_send_recv(
        as_torch(module, schedule), lambda stage: rank_of[stage], schedule.stages
    )
    return order


def of_class(module: Any, name: str, ranks: int, microbatches: int, chunks: int) -> Any:
    """A schedule object without a process group: its order needs no more of its stages."""
    stage = {"num_stages": ranks * chunks, "group_size": ranks, "group_rank": 0, "submod": None}
    stages = [
        SimpleNamespace(**stage, stage_index=index * ranks, has_backward=True, group=None)
        for index in range(chunks)
    ]
    try:
        return getattr(module, name)(stages, microbatches, loss_fn=lambda *_: None)
    except AttributeError as error:
        pytest.skip(f"this torch builds {name} another way: {error}")


def plain(name: str, ranks: int, microbatches: int) -> Schedule | None:
    """A family's order without messages, if torch's cells can hold it."""
    try:
        schedule = erase_messages(build(name, ranks, microbatches))
        write_csv(schedule)
    except ScheduleError:
        return None
    return schedule


def computes_alone(schedule: object) -> bool:
    """Whether there is nothing but single computations: torch's simulator knows no others."""
    assert isinstance(schedule, Schedule)
    return not schedule.groups and bool(np.isin(schedule.kind, list(COMPUTE)).all())


SIZES = ((1, 2), (2, 1), (2, 4), (3, 6), (4, 8), (5, 3))
FAMILY_ORDERS = [
    pytest.param(schedule, id=f"{name}-{p}-{M}")
    for name, (p, M) in product(FAMILIES, SIZES)
    if (schedule := plain(name, p, M)) is not None
]
PLAYED_BY_TORCH = [order for order in FAMILY_ORDERS if computes_alone(order.values[0])]


@pytest.mark.parametrize(
    ("name", "size"), [(name, size) for name, sizes in CLASSES.items() for size in sizes]
)
def test_whole_lowering_of_torchs_classes(
    torch_passes: Any, name: str, size: tuple[int, int, int]
) -> None:
    """From the class's order to what its runtime executes: three passes, cell for cell."""
    ranks, microbatches, chunks = size
    theirs = of_class(torch_passes, name, ranks, microbatches, chunks)
    text = "\n".join(
        ",".join("" if action is None else str(action) for action in theirs.pipeline_order[rank])
        for rank in range(ranks)
    )
    ours = lower(reduce_gradients(gather_parameters(parse_csv(text, name, microbatches))))
    assert our_rows(ours) == as_rows(theirs.pipeline_order_with_comms, ranks)


@pytest.mark.parametrize("schedule", FAMILY_ORDERS)
def test_messages_of_our_families(torch_passes: Any, schedule: Schedule) -> None:
    assert our_rows(lower(schedule)) == as_rows(
        sent_by_torch(torch_passes, schedule), schedule.ranks
    )


@given(schedule=any_schedules(st.just(WeightPolicy("flush"))))
def test_messages_of_any_order_on_any_ranks(torch_passes: Any, schedule: Schedule) -> None:
    assume(not schedule.pipeline.any())
    theirs = as_rows(sent_by_torch(torch_passes, schedule), schedule.ranks)
    assert our_rows(lower(schedule)) == theirs


@pytest.mark.parametrize("active", [1, 2, 3])
@pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)
def test_collectives(torch_passes: Any, path: Path, active: int) -> None:
    schedule = read_csv(path.with_name(path.name.replace("comms", "compute")))
    theirs = {
        rank: torch_passes._add_reduce_grad(
            torch_passes._add_unshard_reshard(order, active), schedule.microbatches
        )
        for rank, order in as_torch(torch_passes, schedule).items()
    }
    ours = reduce_gradients(gather_parameters(schedule, active))
    assert our_rows(ours) == as_rows(theirs, schedule.ranks)


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)
def test_just_in_time_is_torchs_deferral_without_its_flush(torch_passes: Any, path: Path) -> None:
    """PyTorch can defer receives too; beyond that it posts some before sends to a higher rank.

    With every peer called −1 there is no higher rank, and what is left is just in time.
    """
    if not hasattr(torch_passes, "_defer_recv_ops"):
        pytest.skip("this torch cannot defer receives")
    schedule = erase_messages(read_csv(path))
    deferred = torch_passes._defer_recv_ops(sent_by_torch(torch_passes, schedule), lambda _: -1)
    assert our_rows(lower(schedule, "just-in-time")) == as_rows(deferred, schedule.ranks)


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("schedule", PLAYED_BY_TORCH)
def test_torchs_simulator_runs_to_the_end(
    torch_passes: Any, schedule: Schedule, placement: str
) -> None:
    rank_of = schedule.placement.ranks[0]
    lowered = lower(schedule, placement)
    played = torch_passes._simulate_comms_compute(
        as_torch(torch_passes, lowered), lambda stage: rank_of[stage], schedule.stages
    )
    done = sum(action is not None for row in played.values() for action in row)
    assert done == len(lowered)
