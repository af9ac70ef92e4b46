"""The action table: what goes in comes out, and nothing changes it."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import networkx as nx
import numpy as np
import pytest

from schedules import Action, Kind, Placement, Schedule, WeightPolicy, build, timeline
from schedules.formats.pytorch_csv import parse_csv
from schedules.schedule import Source

F, B = Kind.F, Kind.B
ORDERS = [
    [Action(F, 0, 0), Action(B, 0, 0), Action(F, 2, 0)],
    [Action(F, 1, 0), Action(B, 1, 0)],
]


def made(**options: object) -> Schedule:
    return Schedule.from_orders("made", ORDERS, 1, WeightPolicy("flush"), **options)  # type: ignore[arg-type]


def test_round_trip() -> None:
    schedule = made()
    assert [list(schedule.rank(rank)) for rank in range(2)] == ORDERS
    assert [schedule.action(index) for index in range(5)] == ORDERS[0] + ORDERS[1]
    assert (len(schedule), schedule.ranks, schedule.stages) == (5, 2, 3)
    assert schedule.rank_of_action.tolist() == [0, 0, 0, 1, 1]


def test_stages_are_placed_where_they_first_appear() -> None:
    assert made().placement == Placement.from_ranks((0, 1, 0))
    given = Placement.one_stage_a_rank(3)
    assert made(placement=given).placement is given


@pytest.mark.parametrize("column", ["kind", "stage", "microbatch", "pipeline", "offsets"])
def test_arrays_cannot_be_written(column: str) -> None:
    for schedule in (made(), build("pipedream", 2, 3), build("localsgd", 2, 3)):
        array = getattr(schedule, column)
        assert array.dtype == np.int64
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        made().microbatches = 2  # type: ignore[misc]


def test_parameters_are_copied() -> None:
    given = {"noam": 3}
    schedule = made(parameters=given)
    given["noam"] = 9
    assert schedule.parameters == {"noam": 3}


def test_place_without_a_file() -> None:
    assert [made().place(index) for index in (0, 2, 3)] == [
        "made:rank 0:position 0",
        "made:rank 0:position 2",
        "made:rank 1:position 0",
    ]


def test_place_skips_ranks_without_actions() -> None:
    orders = [[], [Action(F, 0, 0)], []]
    schedule = Schedule.from_orders("gaps", orders, 1, WeightPolicy("flush"))
    assert schedule.ranks == 3
    assert schedule.place(0) == "gaps:rank 1:position 0"


def test_place_in_a_file() -> None:
    rows, cells = np.array([1, 1, 1, 2, 2]), np.array([1, 2, 5, 1, 3])
    schedule = made(source=Source("my.csv", rows, cells))
    assert schedule.place(2) == "my.csv:row 1:cell 5"


def test_empty_schedule() -> None:
    schedule = Schedule.from_orders("empty", [], 0, WeightPolicy("flush"))
    assert (len(schedule), schedule.ranks, schedule.stages) == (0, 0, 0)
    assert not schedule.dag()


def test_receive_posted_early_closes_no_cycle() -> None:
    text = "0F0,0RECV_B0,0SEND_F0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0"
    schedule = parse_csv(text, "early.csv")
    assert nx.is_directed_acyclic_graph(schedule.dag())
    assert timeline(schedule).length == 4
