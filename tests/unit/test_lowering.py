"""Lowering by hand: groups, placements, pipelines, refusals; messages in a timeline."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from schedules import Action, Group, Kind, Placement, Schedule, WeightPolicy, build, timeline
from schedules.cycles import find_cycles
from schedules.dependencies import EdgeKind, edges, past_receives
from schedules.errors import InvalidScheduleError, ParameterError, UnknownNameError
from schedules.families import chimera
from schedules.formats.pytorch_csv import parse_csv, write_csv
from schedules.lowering import (
    check_messages,
    erase_messages,
    gather_parameters,
    lower,
    reduce_gradients,
)
from schedules.timeline import run_to_end
from schedules.validate import validate

F, B = Kind.F, Kind.B

PAIRED = "0F0,0F1,(0F2;0B0)OVERLAP_F_B,0B1,0B2\n1F0,1B0,1F1,1B1,1F2,1B2"


def rows(schedule: Schedule) -> list[str]:
    return [" ".join(str(action) for action in schedule.rank(r)) for r in range(schedule.ranks)]


# Lowering


def test_one_rank_sends_nothing() -> None:
    schedule = build("gpipe", 1, 3)
    assert rows(lower(schedule)) == rows(schedule)


def test_placements_differ_where_a_rank_is_busy() -> None:
    order = parse_csv("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1", "a.csv")
    assert rows(lower(order))[1].split()[:5] == "1RECV_F0 1F0 1RECV_F1 1B0 1SEND_B0".split()
    late = rows(lower(order, "just-in-time"))[1].split()
    assert late[:5] == "1RECV_F0 1F0 1B0 1SEND_B0 1RECV_F1".split()


def test_groups_stay_together() -> None:
    order = parse_csv(PAIRED, "a.csv")
    soon, late = lower(order), lower(order, "just-in-time")
    assert write_csv(soon).splitlines()[0] == (
        "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,(0F2;0B0)OVERLAP_F_B,0SEND_F2,0RECV_B1,0B1,0RECV_B2,0B2"
    )
    assert soon.groups == late.groups == (Group(0, 5, 2, "overlap"),)
    assert erase_messages(soon).groups == order.groups


def test_behind_a_group_a_send_waits_for_all_of_it() -> None:
    order = parse_csv(PAIRED, "a.csv")
    lengths = [timeline(s, message_time=1).length for s in (order, lower(order))]
    assert lengths == [10, 11]


@pytest.mark.parametrize("placement", ["as-soon-as-possible", "just-in-time"])
def test_a_group_that_waits_for_itself(placement: str) -> None:
    """0B0 needs the gradient of what 0F0 sends, so that they cannot be posted together."""
    order = parse_csv("(0F0;0B0)OVERLAP_F_B\n1F0,1B0", "a.csv")
    assert not validate(order)
    with pytest.raises(InvalidScheduleError, match="actions of a group are posted together"):
        lower(order, placement)


def test_what_a_group_does_for_itself_is_no_wait() -> None:
    """Both stages on one rank: the second action of the pair needs the first alone."""
    order = parse_csv("(0F0;1F0)OVERLAP_F_B,1B0,0B0", "a.csv")
    assert write_csv(lower(order)) == write_csv(order)


def test_loop_v_and_given_ranks() -> None:
    """Three ways to lay four stages on ranks; the turn of a V sends nothing."""
    for placement, crossing in (
        (Placement.loop(2, 2), 3),
        (Placement.v_shape(2), 2),
        (Placement.from_ranks((0, 0, 1, 1)), 1),
        (Placement.from_ranks((1, 1, 1, 1)), 0),
    ):
        orders: list[list[Action]] = [[], []]
        for kind, stages in ((F, range(4)), (B, reversed(range(4)))):
            for stage in stages:
                orders[placement.ranks[0][stage]].append(Action(kind, stage, 0))
        order = Schedule.from_orders("laid", orders, 1, WeightPolicy("flush"), placement=placement)
        assert len(lower(order)) == 8 + 4 * crossing


def test_messages_stay_in_their_pipeline() -> None:
    order = chimera.build(4, 4)
    lowered = lower(order)
    received = [a for a in lowered.rank(0) if a.kind is Kind.RECV_F]
    assert [(a.stage, a.pipeline) for a in received] == [(3, 1), (3, 1)]
    check_messages(lowered)


def test_erasing_keeps_places_and_shrinks_groups() -> None:
    sent = parse_csv("0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0", "a.csv")
    erased = erase_messages(sent)
    assert erased.place(1) == "a.csv:row 1:cell 4"
    mixed = Schedule.from_orders(
        "mixed",
        [[Action(F, 0, 0), Action(Kind.SEND_F, 0, 0), Action(F, 0, 1), Action(F, 0, 2)]],
        3,
        WeightPolicy("flush"),
        groups=[Group(0, 0, 3, "batch"), Group(0, 1, 1, "batch")],
    )
    assert erase_messages(mixed).groups == (Group(0, 0, 2, "batch"),)


# Refusals


def test_unknown_placement() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'just-in-time'"):
        lower(build("gpipe", 2, 2), "just in time")


def test_lowering_twice() -> None:
    with pytest.raises(InvalidScheduleError, match="without messages, found 0SEND_F0"):
        lower(lower(build("gpipe", 2, 2)))


@pytest.mark.parametrize("text", ["0F0,0F1,0B0", "0B0,0F0\n1F0,1B0", "0UNSHARD"])
def test_invalid_schedules(text: str) -> None:
    order = parse_csv(text, "a.csv")
    for apply in (lower, gather_parameters, reduce_gradients):
        with pytest.raises(InvalidScheduleError, match="starts from a valid schedule"):
            apply(order)


def test_collectives_are_not_added_twice() -> None:
    order = build("gpipe", 2, 2)
    with pytest.raises(InvalidScheduleError, match="found 0UNSHARD"):
        gather_parameters(gather_parameters(order))
    with pytest.raises(InvalidScheduleError, match="found 0REDUCE"):
        reduce_gradients(reduce_gradients(order))
    with pytest.raises(ParameterError, match="at least 1 stage"):
        gather_parameters(order, active=0)


def test_a_group_gathers_both_stages() -> None:
    """One stage too many is gathered for a pair: neither can be released."""
    order = parse_csv("0F0,1F0,0F1,(1F1;0B0)OVERLAP_F_B,1B0,1B1,0B1", "a.csv")
    wrong = validate(order)
    assert [found.invariant for found in wrong] == ["causal"]
    order = parse_csv("0F0,1F0,0F1,1B0,(1F1;0B0)OVERLAP_F_B,1B1,0B1", "a.csv")
    assert "0RESHARD,1UNSHARD,1B0,0UNSHARD,(1F1;0B0)OVERLAP_F_B,0RESHARD,1B1" in write_csv(
        gather_parameters(order, active=1)
    )


WRONG_MESSAGES = {
    "0F0\n1RECV_F0,1F0": "there is no 0SEND_F0; add 0SEND_F0 behind 0F0",
    "0F0,0SEND_F0\n1F0": "there is no 1RECV_F0; add 1RECV_F0 before 1F0",
    "0SEND_F0,0F0\n1RECV_F0,1F0": "0SEND_F0 does not; move it behind 0F0",
    "0F0,0SEND_F0\n1F0,1RECV_F0": "1RECV_F0 does not; move it before 1F0",
    "0F0,0SEND_F0,1RECV_F0\n1F0": "1RECV_F0 does not; move it before 1F0",
    "0F0,0SEND_F0,1RECV_F0,1F0": "no other rank needs the activation of 0SEND_F0",
    "0F0,0SEND_F0,0SEND_F0\n1RECV_F0,1F0": "found 0SEND_F0 again",
    "0RECV_F0,0F0": "0RECV_F0 has none to take it from",
    "0F0,0RECV_B0,0B0": "0RECV_B0 has none to take it from",
    "0F0,0SEND_F0": "no other rank needs the activation of 0SEND_F0",
    "0F0,1RECV_F0,1F0": "1RECV_F0 has no activation of another rank",
    "0F0,0B0,0SEND_B0": "no other rank needs the gradient of 0SEND_B0",
    "0F0,0SEND_F0,0SEND_F7\n1RECV_F0,1F0": "microbatches 0 … 0, found 0SEND_F7",
}


@pytest.mark.parametrize("text", WRONG_MESSAGES)
def test_messages_that_do_not_fit(text: str) -> None:
    schedule = parse_csv(text, "a.csv", microbatches=1)
    with pytest.raises(InvalidScheduleError) as caught:
        check_messages(schedule)
    assert WRONG_MESSAGES[text] in str(caught.value)
    assert caught.value.where.startswith("a.csv:row ")


def test_messages_of_nothing() -> None:
    check_messages(Schedule.from_orders("none", [], 1, WeightPolicy("flush")))


# Dependencies and time


def test_half_a_message_carries_nothing() -> None:
    for text in ("0F0,0SEND_F0\n1F0", "0F0\n1RECV_F0,1F0"):
        schedule = parse_csv(text, "a.csv")
        found = edges(schedule)
        direct = found.kind == EdgeKind.MESSAGE
        ends = np.concatenate([found.source[direct], found.target[direct]])
        assert [str(schedule.action(index)) for index in ends] == ["0F0", "1F0"]
        line = timeline(schedule, message_time=4)
        assert line.length == 6


def test_a_receive_posted_early_holds_nothing_up() -> None:
    """Rank 1 posts the receive of 1F1 first, whose tensor is sent last."""
    text = "0F0,0SEND_F0,0F1,0SEND_F1\n1RECV_F1,1RECV_F0,1F0,1F1"
    line = timeline(parse_csv(text, "a.csv"), message_time=5)
    times = {str(line.schedule.action(i)): int(line.start[i]) for i in range(len(line.start))}
    assert (times["1RECV_F0"], times["1F0"], times["1RECV_F1"], times["1F1"]) == (6, 6, 7, 7)


def test_a_receive_stands_where_it_is_complete() -> None:
    line = timeline(lower(build("gpipe", 2, 1)), message_time=2)
    times = {str(line.schedule.action(i)): int(line.start[i]) for i in range(len(line.start))}
    assert times == {
        "0F0": 0, "0SEND_F0": 1, "1RECV_F0": 3, "1F0": 3,
        "1B0": 4, "1SEND_B0": 5, "0RECV_B0": 7, "0B0": 7,
    }  # fmt: skip
    assert line.rows() == ["F0 . . . . . . B0", ". . . F0 B0 . . ."]


def test_a_send_takes_its_ranks_time_if_told_so() -> None:
    lowered = lower(build("gpipe", 2, 2))
    line = timeline(lowered, {Kind.SEND_F: 2}, message_time=1)
    starts = {str(lowered.action(i)): int(line.start[i]) for i in range(len(lowered))}
    assert (starts["0F1"], starts["1F0"], starts["1F1"]) == (3, 4, 7)


@pytest.mark.parametrize("value", [-1, 1.5, True, "2", None])
def test_message_times_outside_the_domain(value: Any) -> None:
    with pytest.raises(ParameterError, match="a message time is a non-negative integer") as caught:
        timeline(build("naive", 2, 1), message_time=value)
    assert caught.value.where == "message_time"


def test_a_receive_has_no_duration() -> None:
    with pytest.raises(ParameterError, match="give the time that messages take as message_time"):
        timeline(build("naive", 2, 1), {Kind.RECV_F: 1})
    assert timeline(build("naive", 2, 1), {Kind.RECV_B: 0}).length == 4


def test_a_receive_behind_its_computation_is_a_cycle() -> None:
    schedule = parse_csv("0F0,0SEND_F0\n1F0,1RECV_F0", "a.csv")
    with pytest.raises(InvalidScheduleError, match=r"1F0 .* waits for 1RECV_F0"):
        timeline(schedule)
    messages = [found.message for found in validate(schedule) if found.invariant == "causal"]
    assert any("1F0 stands before 1RECV_F0" in m and "whose activation it needs" in m
               for m in messages)  # fmt: skip


def test_cycles_run_past_receives() -> None:
    """Each rank computes what needs the other's tensor before it makes its own."""
    schedule = parse_csv(
        "0F0,0SEND_F0,2RECV_F1,2F1,0F1,0SEND_F1,2F0\n1RECV_F1,1F1,1SEND_F1,1RECV_F0,1F0",
        "a.csv",
    )
    _, stuck = run_to_end(schedule, np.ones(len(schedule), dtype=np.int64))
    (cycle,) = find_cycles(schedule, stuck)
    assert [str(schedule.action(wait.action)) for wait in cycle] == ["2F1", "1F1"]
    assert [str(schedule.action(wait.awaited)) for wait in cycle] == ["1SEND_F1", "0SEND_F1"]


def test_past_receives_leaves_other_schedules_alone() -> None:
    schedule = build("gpipe", 2, 2)
    found = edges(schedule)
    assert past_receives(schedule, found) is found
    lowered = lower(schedule)
    once = past_receives(lowered, edges(lowered))
    twice = past_receives(lowered, once)
    for name in ("source", "target", "kind"):
        assert np.array_equal(getattr(once, name), getattr(twice, name))
