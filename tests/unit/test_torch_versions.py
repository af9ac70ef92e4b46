"""The orders of PyTorch 2.6 to 2.15, as `tests/data/torch_orders.py` recorded them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from schedules import Schedule, build
from schedules.adapters.torch_schedules import CLASSES, MODULE, TESTED, from_torch
from schedules.invariants import check
from schedules.lowering import erase_messages
from schedules.validate import has_messages

SAMPLES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data/torch_orders.json").read_text(encoding="utf-8")
)
RANKS, MICROBATCHES = 4, 8
ORDERS = [sample for sample in SAMPLES if "loop" not in sample]
LOOPS = {sample["family"]: sample for sample in SAMPLES if "loop" in sample}


def label(sample: dict[str, Any]) -> str:
    return f"{sample['family']}-{sample['versions'][0]}"


every_order = pytest.mark.parametrize("sample", ORDERS, ids=label)


def made(sample: dict[str, Any]) -> Any:
    """An object that holds what that version's object holds."""
    found = CLASSES[sample["family"]]
    made = type(found.name, (), {"__module__": MODULE})()
    held = {"pipeline_order": sample["compute"]}
    if not sample["passed"]:
        held["pipeline_order_with_comms"] = sample["comms"]
    for name, rows in held.items():
        if rows is not None:
            order = {
                rank: [cell or None for cell in row.split(",")] for rank, row in enumerate(rows)
            }
            setattr(made, name, order)
    made._n_microbatches, made._num_stages = MICROBATCHES, RANKS * found.chunks
    return made


def text(schedule: Schedule) -> list[str]:
    return [" ".join(map(str, schedule.rank(rank))) for rank in range(schedule.ranks)]


def grouped(schedule: Schedule) -> list[str]:
    """The ranks of a schedule, batches of messages in brackets."""
    rows = []
    for rank in range(schedule.ranks):
        cells = [str(action) for action in schedule.rank(rank)]
        cells = [f"[{cell}]" if "_" in cell and "WAIT" not in cell else cell for cell in cells]
        for group in (group for group in schedule.groups if group.rank == rank):
            last = group.first + group.count - 1
            cells[group.first] = cells[group.first][:-1]
            cells[last] = cells[last][1:]
        rows.append(" ".join(cells))
    return rows


def test_every_tested_version_has_its_samples() -> None:
    for version in TESTED:
        held = {sample["family"] for sample in ORDERS if version in sample["versions"]}
        late = {"dualpipev"} if version in ("2.6", "2.7", "2.8") else set()
        assert held == set(CLASSES) - late


@every_order
def test_computations_are_those_of_the_family(sample: dict[str, Any]) -> None:
    read = erase_messages(from_torch(made(sample)))
    expected = build(sample["family"], RANKS, MICROBATCHES)
    computed = [row.split(f" {rank}REDUCE")[0] for rank, row in enumerate(text(read))]
    if sample["family"] == "1f1b" and sample["compute"]:  # the last rank counts from 1
        assert computed[:-1] == text(expected)[:-1]
        assert computed[-1].split()[::2] == [f"3F{m}" for m in range(1, MICROBATCHES + 1)]
        assert not check(read).ok
        return
    assert computed == text(expected)
    assert check(read).ok


@every_order
def test_messages(sample: dict[str, Any]) -> None:
    read = from_torch(made(sample), messages=True)
    if not CLASSES[sample["family"]].single:
        stated = [
            " ".join(cell for cell in row.split(",")).replace("REDUCE_GRAD", "REDUCE")
            for row in sample["comms"]
        ]
        cells = [row.replace("(", "").replace(";", " ") for row in stated]
        assert text(read) == [row.replace(")OVERLAP_F_B", "") for row in cells]
    result = check(read)
    assert result.ok
    assert has_messages(read) is not None
    assert result.facts["deadlock"] == {"rank": 0, "peer": 0, "direction": 0}


@pytest.mark.parametrize("family", LOOPS)
def test_loops_of_one_stage_a_rank(family: str) -> None:
    sample = LOOPS[family]
    assert sample["versions"] == list(TESTED)
    for order in (order for order in ORDERS if order["family"] == family):
        posted = grouped(from_torch(made(order), messages=True))
        assert [row.split(f" {rank}REDUCE")[0] for rank, row in enumerate(posted)] == sample["loop"]
        stated = order["compute"] and "REDUCE_GRAD" in order["compute"][0]
        assert bool(stated) == ("REDUCE" in posted[0])


def test_a_class_derived_from_one_of_them_may_do_more() -> None:
    sample = next(order for order in ORDERS if order["family"] == "gpipe" and order["compute"])
    held = made(sample)
    held.__class__ = type("Mine", (type(held),), {})
    assert text(from_torch(held, messages=True)) != text(from_torch(made(sample), messages=True))
