"""Channels: peers, ordinals and partners of messages, by hand."""

import numpy as np
import pytest

from schedules import Action, Kind, Placement, Schedule, WeightPolicy
from schedules.dependencies import MISSING
from schedules.errors import InvalidScheduleError
from schedules.formats.pytorch_csv import parse_csv
from schedules.messages.channels import NONE, Channels, Links, channels, folded

FLUSH = WeightPolicy("flush")


def pairs(schedule: Schedule, plan: Channels) -> list[tuple[str, str | None]]:
    """Every send, in flat order, with what it meets."""
    return [
        (
            str(schedule.action(index)),
            None
            if plan.partner[index] == MISSING
            else str(schedule.action(int(plan.partner[index]))),
        )
        for index in np.flatnonzero(plan.sends).tolist()
    ]


def test_position_decides_not_the_label() -> None:
    schedule = parse_csv("0F0,0F1,0SEND_F0,0SEND_F1\n1RECV_F1,1RECV_F0,1F0,1F1", "a.csv")
    plan = channels(schedule)
    assert pairs(schedule, plan) == [("0SEND_F0", "1RECV_F1"), ("0SEND_F1", "1RECV_F0")]
    assert plan.ordinal.tolist() == [NONE, NONE, 0, 1, 0, 1, NONE, NONE]
    assert plan.peer.tolist() == [NONE, NONE, 1, 1, 0, 0, NONE, NONE]
    assert plan.longest == 2


def test_activations_and_gradients_that_go_the_same_way_share_a_channel() -> None:
    # Stages 0 and 3 on rank 0, 1 and 2 on rank 1: 0 → 1 carries activations and gradients.
    text = "0F0,0SEND_F0,3RECV_F0,3F0,3B0,3SEND_B0\n1RECV_F0,1F0,2F0,2SEND_F0,2RECV_B0,2B0"
    schedule = parse_csv(text, "a.csv")
    plan = channels(schedule)
    assert pairs(schedule, plan) == [
        ("0SEND_F0", "1RECV_F0"),
        ("3SEND_B0", "2RECV_B0"),
        ("2SEND_F0", "3RECV_F0"),
    ]
    assert plan.channel[[1, 5, 6, 10]].tolist() == [plan.channel[1]] * 4
    assert plan.channel[9] == plan.channel[2] != plan.channel[1]


def test_leftovers_on_either_side() -> None:
    schedule = parse_csv("0F0,0SEND_F0,0SEND_F0\n1RECV_F0,1SEND_B0\n2F0", "a.csv")
    plan = channels(schedule)
    assert pairs(schedule, plan) == [
        ("0SEND_F0", "1RECV_F0"),
        ("0SEND_F0", None),
        ("1SEND_B0", None),
    ]
    receive_only = parse_csv("0F0,0RECV_B0\n1F0", "a.csv")
    assert channels(receive_only).partner.tolist() == [MISSING] * 3
    assert channels(receive_only).longest == 0


def test_a_rank_that_sends_to_itself() -> None:
    schedule = parse_csv("0F0,0SEND_F0,1RECV_F0,1F0", "a.csv")
    plan = channels(schedule)
    assert pairs(schedule, plan) == [("0SEND_F0", "1RECV_F0")]
    assert plan.peer[1] == plan.peer[2] == 0


def test_peers_follow_the_pipeline_of_a_message() -> None:
    placement = Placement(ranks=((0, 1), (1, 0)), copies=((0, 0), (1, 1)))
    orders = [
        [Action(Kind.SEND_F, 0, 0, 0), Action(Kind.RECV_F, 1, 1, 1)],
        [Action(Kind.SEND_F, 0, 1, 1), Action(Kind.RECV_F, 1, 0, 0)],
    ]
    schedule = Schedule.from_orders("two", orders, 2, FLUSH, placement=placement)
    plan = channels(schedule)
    assert plan.peer.tolist() == [1, 1, 0, 0]
    assert plan.partner.tolist() == [3, 2, 1, 0]


def test_recorded_peers_and_communicators_overrule() -> None:
    schedule = parse_csv("0F0,0SEND_F0,0SEND_F1\n1RECV_F1,1RECV_F0\n2F0", "a.csv")
    own = np.full(len(schedule), NONE)
    communicator = own.copy()
    communicator[[1, 4]], communicator[[2, 3]] = 7, 3
    plan = channels(schedule, Links(own, communicator))
    assert pairs(schedule, plan) == [("0SEND_F0", "1RECV_F0"), ("0SEND_F1", "1RECV_F1")]
    peer = own.copy()
    peer[1], peer[3] = 2, 2
    away = channels(schedule, Links(peer, own))
    assert away.peer.tolist() == [NONE, 2, 1, 2, 0, NONE]
    assert pairs(schedule, away) == [("0SEND_F0", None), ("0SEND_F1", "1RECV_F0")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0F0,0RECV_F0\n1F0", "0RECV_F0 comes from stage -1 of pipeline 0"),
        ("0F0\n1F0,1SEND_F0", "1SEND_F0 goes to stage 2 of pipeline 0"),
        ("0F0,0SEND_B0\n1F0", "0SEND_B0 goes to stage -1 of pipeline 0"),
        ("0F0\n1F0,1RECV_B0", "1RECV_B0 comes from stage 2 of pipeline 0"),
    ],
)
def test_beyond_the_ends_of_the_pipeline(text: str, message: str) -> None:
    with pytest.raises(InvalidScheduleError, match=message) as caught:
        channels(parse_csv(text, "a.csv"))
    assert caught.value.where.startswith("a.csv:row")


def test_ranks_that_do_not_exist() -> None:
    schedule = parse_csv("0F0,0SEND_F0\n1RECV_F0,1F0", "a.csv")
    peer = np.full(len(schedule), NONE)
    peer[1] = 2
    with pytest.raises(InvalidScheduleError, match=r"one of the 2 ranks .* goes to rank 2, which"):
        channels(schedule, Links(peer, np.full(len(schedule), NONE)))
    order = [[Action(Kind.SEND_F, 0, 0)]]
    beyond = Schedule.from_orders("b", order, 1, FLUSH, placement=Placement.from_ranks((0, 5)))
    with pytest.raises(InvalidScheduleError, match="SEND_F0 goes to stage 1 of pipeline 0"):
        channels(beyond)
    other = [[Action(Kind.SEND_F, 0, 0, pipeline=3)]]
    unplaced = Schedule.from_orders("c", other, 1, FLUSH, placement=Placement.from_ranks((0, 0)))
    with pytest.raises(InvalidScheduleError, match="stage 1 of pipeline 3"):
        channels(unplaced)


def test_folding_survives_numbers_that_are_far_apart() -> None:
    wide = np.array([0, 2**61, 2**61, 5])
    other = np.array([1, 0, 2**61, 1])
    key = folded([wide, other, wide])
    assert len(set(key.tolist())) == 4
    assert np.argsort(key).tolist() == [0, 3, 1, 2]
    assert folded([wide[:0], wide[:0]]).tolist() == []
