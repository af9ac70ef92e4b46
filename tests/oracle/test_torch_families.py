"""Families that PyTorch has: our orders equal PyTorch's own, cell for cell.

PyTorch is asked for its order when the test runs, without a process group. Two things differ and
are dropped from PyTorch's order: idle cells, which a `Schedule` has none of, and the `REDUCE_GRAD`
that ends every rank of a single-stage schedule.

One thing is wrong in PyTorch 2.13: `Schedule1F1B` numbers the forwards of the last rank from 1 in
the order it states. It executes another, correct one.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedules import Schedule, build
from schedules.adapters.torch_schedules import (
    CLASSES,
    MODULE,
    TorchError,
    UntestedTorchWarning,
    from_torch,
    torch_order,
    torch_schedule,
)
from schedules.errors import ParameterError
from schedules.families import get_family
from schedules.formats.megatron import read_megatron
from schedules.formats.pytorch_csv import read_csv, write_csv
from schedules.invariants import check
from schedules.validate import validate

DATA = Path(__file__).parents[1] / "data" / "schedules"

CHUNKED = [name for name in CLASSES if get_family(name).parameters]
GRID = [(p, M) for p in range(1, 7) for M in range(1, 4 * p + 1)]
FAMILY_OF_CLASS = {found.name.removeprefix("Schedule"): name for name, found in CLASSES.items()}
HAVE_IDLE_CELLS = {"interleaved-1f1b", "looped-bfs", "interleaved-zero-bubble", "zbv"}

every_family = pytest.mark.parametrize("name", CLASSES)
multi_stage = pytest.mark.parametrize(
    "name", [name for name, found in CLASSES.items() if not found.single]
)


@pytest.fixture(scope="module", autouse=True)
def _torch() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UntestedTorchWarning)
            torch_order("looped-bfs", 1, 1)
    except (TorchError, UntestedTorchWarning) as found:
        pytest.skip(f"the installed PyTorch is not one to compare with: {found}")


def sizes(name: str) -> Iterator[tuple[int, int, int]]:
    """The grid, and for families in a V also numbers of stages a rank that PyTorch refuses."""
    for (p, M), v in product(GRID, (1, 2, 3)):
        if not CLASSES[name].single or v == 1:
            yield p, M, v


def computations(rows: list[list[str | None]]) -> list[list[str]]:
    return [[cell for cell in row if cell and not cell.endswith("REDUCE_GRAD")] for row in rows]


def numbered_from_zero(rows: list[list[str]]) -> list[list[str]]:
    """The order of ``1f1b`` with the forwards of its last rank numbered from 0."""
    last = [re.sub(r"F(\d+)", lambda m: f"F{int(m[1]) - 1}", cell) for cell in rows[-1]]
    return [*rows[:-1], last]


def theirs(name: str, p: int, M: int, v: int) -> list[list[str]] | None:
    """PyTorch's computations, None if it refuses."""
    try:
        return computations(torch_order(name, p, M, v))
    except ParameterError:
        return None


def built(name: str, p: int, M: int, v: int) -> Schedule | None:
    """Our schedule, None if we refuse."""
    if name not in CHUNKED and v != CLASSES[name].chunks:
        return None
    try:
        return build(name, p, M, **({"chunks": v} if name in CHUNKED else {}))
    except ParameterError:
        return None


def cells(schedule: Schedule) -> list[list[str]]:
    return [line.split(",") for line in write_csv(schedule).splitlines()]


def assert_equal(name: str, p: int, M: int, v: int) -> bool:
    """Whether both accept these sizes; if so, their orders are equal."""
    expected, schedule = theirs(name, p, M, v), built(name, p, M, v)
    if name == "1f1b" and p > M:
        # The only family with a larger domain here: the rule itself says what M < p does.
        assert expected is None
        assert schedule is not None
        return False
    assert (expected is None) == (schedule is None), (name, p, M, v)
    if expected is None or schedule is None:
        return False
    if name == "1f1b":
        assert cells(schedule)[:-1] == expected[:-1]
        assert cells(schedule)[-1] != expected[-1]
        expected = numbered_from_zero(expected)
    assert cells(schedule) == expected, (name, p, M, v)
    return True


@every_family
def test_equal_and_equally_restricted_on_the_grid(name: str) -> None:
    compared = [assert_equal(name, *size) for size in sizes(name)]
    assert sum(compared) >= 40


@pytest.mark.sampled(3)
@every_family
@given(data=st.data())
def test_equal_at_drawn_sizes(name: str, data: st.DataObject) -> None:
    p = data.draw(st.integers(1, 10), "p")
    M = data.draw(st.integers(1, 5 * p), "M")
    v = data.draw(st.integers(1, 5), "chunks") if name in CHUNKED else CLASSES[name].chunks
    assert_equal(name, p, M, v)


def test_idle_cells_are_dropped() -> None:
    """Families whose stated order has any: there the comparison drops them."""
    found = {name for name in CLASSES if any(None in row for row in torch_order(name, 3, 6))}
    assert found == HAVE_IDLE_CELLS


def test_last_rank_of_1f1b_is_misnumbered_in_torch() -> None:
    assert computations(torch_order("1f1b", 2, 2)) == [
        ["0F0", "0F1", "0B0", "0B1"],
        ["1F1", "1B0", "1F2", "1B1"],
    ]
    read = from_torch(torch_schedule("1f1b", 2, 2))
    assert {found.invariant for found in validate(read)} == {"complete"}
    stored = read_csv(DATA / "torch2.13_1F1B_p4_m4_last-rank-bug.compute.csv")
    assert cells(stored) == computations(torch_order("1f1b", 4, 4))
    assert cells(build("1f1b", 4, 4)) == numbered_from_zero(cells(stored))


STORED = sorted(DATA.glob("torch2.13_*_p?_m?.compute.csv"))


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)
def test_equal_to_the_stored_files(path: Path) -> None:
    _, name, p, M = path.name.split(".compute")[0].rsplit("_", 3)
    schedule = build(FAMILY_OF_CLASS[name], int(p[1:]), int(M[1:]))
    assert cells(schedule) == cells(read_csv(path))


def test_every_family_has_stored_files() -> None:
    assert {path.name.split("_")[1] for path in STORED} == set(FAMILY_OF_CLASS)


@pytest.mark.parametrize(("name", "v"), [("1f1b", 1), ("interleaved-1f1b", 2)])
def test_equal_to_megatrons_orders(name: str, v: int) -> None:
    stored = read_megatron(DATA / f"megatron0.16.1_p4_m8_v{v}.json")
    assert cells(build(name, 4, 8)) == cells(stored)


# Live objects


@multi_stage
def test_live_object_becomes_our_schedule(name: str) -> None:
    ours = build(name, 3, 6)
    read = from_torch(torch_schedule(name, 3, 6))
    for column in ("kind", "stage", "microbatch", "pipeline", "offsets"):
        assert np.array_equal(getattr(read, column), getattr(ours, column))
    assert (read.placement, read.groups, read.policy) == (ours.placement, ours.groups, ours.policy)
    assert read.microbatches == 6
    assert read.name == CLASSES[name].name
    assert validate(read) == []


@multi_stage
@pytest.mark.parametrize(("p", "M"), [(2, 4), (4, 8)])
def test_live_order_with_messages_is_the_stored_one(name: str, p: int, M: int) -> None:
    read = from_torch(torch_schedule(name, p, M), messages=True)
    stored = DATA / f"torch2.13_{CLASSES[name].name.removeprefix('Schedule')}_p{p}_m{M}.comms.csv"
    assert cells(read) == cells(read_csv(stored))


@pytest.fixture
def two_ranks() -> Iterator[Any]:
    """A process group that talks to nobody: real stages need one."""
    dist = import_module("torch.distributed")
    try:
        store = import_module("torch.testing._internal.distributed.fake_pg").FakeStore()
    except (ImportError, AttributeError) as error:
        pytest.skip(f"this torch has no group to build real stages with: {error}")
    dist.init_process_group("fake", store=store, rank=1, world_size=2)
    yield dist
    dist.destroy_process_group()


@multi_stage
def test_stand_ins_state_what_real_stages_state(name: str, two_ranks: Any) -> None:
    torch = import_module("torch")
    pipelining = import_module("torch.distributed.pipelining")
    mine = [s for s, rank in enumerate(build(name, 2, 4).placement.ranks[0]) if rank == 1]
    stages = [
        pipelining.PipelineStage(torch.nn.Linear(2, 2), s, 4, torch.device("cpu")) for s in mine
    ]
    real = getattr(import_module("torch.distributed.pipelining.schedules"), CLASSES[name].name)
    for messages in (False, True):
        one = from_torch(real(stages, 4), messages=messages)
        other = from_torch(torch_schedule(name, 2, 4), messages=messages)
        assert cells(one) == cells(other)
        assert one.placement == other.placement


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("interleaved-1f1b", {"deadlock-free"}),
        ("zbv", {"match", "deadlock-free"}),
        ("dualpipev", {"match", "deadlock-free"}),
    ],
)
def test_receives_that_pytorch_defers(name: str, broken: set[str]) -> None:
    """What `docs/explanation/deadlock.md` says of the option ``defer_pp_recv``."""
    defer = getattr(import_module(MODULE), "_defer_recv_ops", None)
    if defer is None:
        pytest.skip("this PyTorch defers no receives")
    live = torch_schedule(name, 4, 8)
    rank_of = live.stage_index_to_group_rank
    live.pipeline_order_with_comms = defer(live.pipeline_order_with_comms, rank_of.__getitem__)
    report = check(from_torch(live, messages=True))
    assert {violation.invariant for violation in report.violations} == broken
    assert report.facts["deadlock"] == {"rank": 1, "peer": 1, "direction": 0}
