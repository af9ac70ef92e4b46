"""Timelines: hand-made ones, the reported cycle, durations and what depends on them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from schedules import Action, Kind, Placement, Schedule, WeightPolicy, build, timeline
from schedules.dependencies import edges
from schedules.errors import InvalidScheduleError, ParameterError, SizeError
from schedules.timeline import unit_durations

F, B, I, W = Kind.F, Kind.B, Kind.I, Kind.W  # noqa: E741 - the field's own letter


def made(*orders: list[Action], microbatches: int = 1) -> Schedule:
    return Schedule.from_orders("made", orders, microbatches, WeightPolicy("flush"))


SPLIT = made(
    [Action(F, 0, 0), Action(I, 0, 0), Action(W, 0, 0)],
    [Action(F, 1, 0), Action(I, 1, 0), Action(W, 1, 0)],
)


def test_rows() -> None:
    line = timeline(build("pipedream", 3, 3))
    assert line.rows() == [
        "F0 F1 F2 . . B0 . B1 . B2",
        ". F0 F1 F2 B0 . B1 . B2 .",
        ". . F0 B0 F1 B1 F2 B2 . .",
    ]
    assert (line.length, line.busy, line.idle) == (10, 18, 12)
    assert line.idle_fraction == Fraction(2, 5)


def test_rows_name_the_stage_where_a_rank_holds_several() -> None:
    order = [Action(F, 0, 0), Action(F, 1, 0), Action(B, 1, 0), Action(B, 0, 0)]
    assert timeline(made(order)).rows() == ["0F0 1F0 1B0 0B0"]


def test_split_backward_sets_free_what_waits_for_the_input_gradient() -> None:
    assert timeline(SPLIT).rows() == ["F0 . . I0 W0", ". F0 I0 W0 ."]


def test_unit_durations() -> None:
    whole, split = unit_durations(build("gpipe", 2, 2)), unit_durations(SPLIT)
    assert (whole[F], whole[B]) == (1, 1)
    assert (split[F], split[I], split[W], split[B]) == (1, 1, 1, 2)
    assert whole[Kind.R] == split[Kind.R] == 1  # a forward once more
    for kind in set(Kind) - {F, B, I, W, Kind.R}:
        assert whole[kind] == split[kind] == 0


def test_given_durations_leave_the_others() -> None:
    line = timeline(build("naive", 2, 1), {B: 3})
    assert line.rows() == ["F0 . . . . B0 B0 B0", ". F0 B0 B0 B0 . . ."]


def test_zero_time_is_allowed() -> None:
    line = timeline(build("naive", 2, 2), {F: 0, B: 0})
    assert line.length == 0
    assert line.idle_fraction == 0


@pytest.mark.parametrize("value", [-1, 1.5, True, "2", None])
def test_durations_outside_the_domain(value: Any) -> None:
    with pytest.raises(ParameterError, match="a duration is a non-negative integer") as caught:
        timeline(build("naive", 2, 1), {F: value})
    assert repr(value) in caught.value.what
    assert caught.value.where == "duration of F"


def test_no_actions() -> None:
    line = timeline(made())
    assert line.length == line.idle == line.idle_fraction == 0
    assert not line.rows()


def test_cycle_is_spelled_out() -> None:
    stuck = made(
        [Action(B, 0, 0), Action(F, 0, 0)],
        [Action(F, 1, 0), Action(B, 1, 0)],
    )
    with pytest.raises(InvalidScheduleError, match="wait for each other") as caught:
        timeline(stuck)
    assert caught.value.where == "made"
    assert "0B0 (made:rank 0:position 0)" in caught.value.what
    assert "0F0" in caught.value.what


def test_cycle_of_one_rank_that_others_wait_for() -> None:
    """Rank 2 puts B1 before F1, so the others never get their gradients."""
    stuck = made(
        [Action(F, 0, m) for m in (0, 1)] + [Action(B, 0, 1), Action(B, 0, 0)],
        [Action(F, 1, m) for m in (0, 1)] + [Action(B, 1, 0), Action(B, 1, 1)],
        [Action(F, 2, 0), Action(B, 2, 0), Action(B, 2, 1), Action(F, 2, 1)],
        microbatches=2,
    )
    with pytest.raises(InvalidScheduleError, match=r"2B1 .* waits for .*2F1"):
        timeline(stuck)


def test_cycle_between_two_ranks() -> None:
    stuck = Schedule.from_orders(
        "crossed",
        [
            [Action(F, 0, 0), Action(F, 1, 1, 1), Action(F, 0, 1, 1)],
            [Action(F, 1, 0)],
        ],
        2,
        WeightPolicy("flush"),
        placement=Placement(ranks=((0, 1), (0, 0)), copies=((0, 0), (0, 0))),
    )
    with pytest.raises(InvalidScheduleError, match=r"1F1 .* waits for .*0F1"):
        timeline(stuck)


def test_finished_ranks_are_not_blamed() -> None:
    stuck = made(
        [Action(F, 0, 0), Action(B, 0, 0)],
        [Action(B, 1, 0), Action(F, 1, 0)],
        [Action(F, 2, 0)],
    )
    with pytest.raises(InvalidScheduleError) as caught:
        timeline(stuck)
    assert "1B0 (made:rank 1:position 0)" in caught.value.what
    assert "rank 0" not in caught.value.what


def test_barrier_holds_all_ranks_up() -> None:
    stop = Action(Kind.BARRIER, 0)
    fast = [Action(F, 0, 0), stop, Action(F, 0, 1)]
    slow = [Action(F, 1, 0), Action(Kind.BARRIER, 1), Action(F, 1, 1)]
    assert timeline(made(fast, slow, microbatches=2)).rows() == ["F0 . F1 .", ". F0 . F1"]
    # A rank that has nothing before its barrier is there from the beginning.
    assert timeline(made(fast, [stop], microbatches=2)).rows() == ["F0 F1", ". ."]
    assert timeline(made([Action(F, 0, 0), stop, stop], [stop, stop])).start.tolist() == [
        0,
        1,
        1,
        1,
        1,
    ]


def test_barrier_that_a_rank_lacks() -> None:
    stop = Action(Kind.BARRIER, 0)
    with pytest.raises(InvalidScheduleError) as caught:
        timeline(made([Action(F, 0, 0), stop, stop], [stop, Action(F, 1, 0)]))
    assert str(caught.value) == (
        "made:rank 0:position 2: a BARRIER ends when every rank has come to it, but 0BARRIER waits "
        "for rank 1, which has no BARRIER number 2; add a BARRIER to rank 1, or drop that of the "
        "others"
    )


def test_barriers_that_wait_for_each_other() -> None:
    stop = Action(Kind.BARRIER, 0)
    first, last = [stop, Action(F, 0, 0)], [Action(F, 1, 0), stop]
    with pytest.raises(InvalidScheduleError) as caught:
        timeline(made(first, last))
    assert (
        "0BARRIER (made:rank 0:position 0) waits for rank 1 to get past 1F0; 1F0 "
        "(made:rank 1:position 0) waits for 0F0 (made:rank 0:position 1), which stands behind "
        "0BARRIER" in str(caught.value)
    )


def test_barriers_of_a_graph_are_numbered() -> None:
    stop = Action(Kind.BARRIER, 0)
    other = Action(Kind.BARRIER, 1)
    graph = made([stop, Action(F, 0, 0), stop], [other, Action(F, 1, 0), other]).dag()
    assert graph.edges[Action(F, 1, 0), Action(Kind.BARRIER, 0, 1)]["kind"] == "barrier"
    assert len(graph) == 6


def test_too_many_barriers_are_refused() -> None:
    """Before anything of that size is built."""
    stop = Action(Kind.BARRIER, 0)
    with pytest.raises(SizeError, match=r"3 barriers of 2000 ranks = 11994000 pairs"):
        edges(made(*[[stop] * 3] * 2000))
