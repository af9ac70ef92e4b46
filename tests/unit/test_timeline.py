"""Timelines: hand-made ones, the reported cycle, durations and what depends on them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from schedules import Action, Kind, Placement, Schedule, WeightPolicy, build, timeline
from schedules.errors import InvalidScheduleError, ParameterError
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
    for kind in set(Kind) - {F, B, I, W}:
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
