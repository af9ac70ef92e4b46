"""The validator: sends that meet another tensor's receive, and what is left over."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from schedules import Action, Kind, Placement, Schedule, WeightPolicy, build
from schedules.formats.pytorch_csv import parse_csv
from schedules.lowering import lower
from schedules.messages.channels import NONE, Links, channels
from schedules.validation.match import match
from schedules.validation.violation import Arrow, Violation


def found(text: str) -> list[Violation]:
    schedule = parse_csv(text, "a.csv")
    return match(schedule, channels(schedule))


def test_what_fits() -> None:
    assert found("0F0,0SEND_F0,0F1,0SEND_F1\n1RECV_F0,1F0,1RECV_F1,1F1") == []
    schedule = lower(build("zbv", 3, 6))
    assert match(schedule, channels(schedule)) == []


def test_swapped_sends() -> None:
    first, second = found("0F0,0F1,0SEND_F1,0SEND_F0\n1RECV_F0,1F0,1RECV_F1,1F1")
    assert first.invariant == second.invariant == "match"
    assert first.place == "a.csv:row 1:cell 3"
    assert first.witness == {
        "source": 0,
        "destination": 1,
        "channel": 0,
        "ordinal": 0,
        "send": "0SEND_F1",
        "send_place": "a.csv:row 1:cell 3",
        "receive": "1RECV_F0",
        "receive_place": "a.csv:row 2:cell 1",
    }
    assert first.marks.actions == (2, 4)
    assert first.marks.arrows == (Arrow(2, 4, "meets"),)
    assert "send 2 from rank 0 to rank 1, 0SEND_F0, meets 1RECV_F1" in second.message


def test_a_gradient_that_meets_an_activation() -> None:
    text = "3B0,3SEND_B0,0F0,0SEND_F0\n1RECV_F0,1F0,2RECV_B0,2B0"
    schedule = parse_csv(text, "a.csv")
    assert [each.witness["receive"] for each in match(schedule, channels(schedule))] == [
        "1RECV_F0",
        "2RECV_B0",
    ]


def test_an_activation_is_no_gradient_of_the_same_stage() -> None:
    # Stage 1 gets activations and gradients from rank 0, which has stages 0 and 2.
    [violation] = found("0F0,2F0,0SEND_F0\n1RECV_B0,1F0")
    assert (violation.witness["send"], violation.witness["receive"]) == ("0SEND_F0", "1RECV_B0")


def test_a_tensor_that_is_sent_and_received_twice() -> None:
    """PyTorch's runtime stops at the second receive; without that, each half finds another."""
    text = "0F0,0SEND_F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1RECV_F0,1F0,1B0,1SEND_B0"
    [violation] = found(text)
    assert violation.place == "a.csv:row 1:cell 3"
    assert violation.message.endswith(
        "each tensor is sent once, but send 2 from rank 0 to rank 1, 0SEND_F0, repeats that of "
        "a.csv:row 1:cell 2; drop it, and 1RECV_F0 (a.csv:row 2:cell 2)"
    )
    assert violation.marks.actions == (2, 1, 6)
    once = text.replace("0SEND_F0,0SEND_F0", "0SEND_F0").replace("1RECV_F0,1RECV_F0", "1RECV_F0")
    assert found(once) == []
    schedule = parse_csv(text, "a.csv")  # of a run, the two outputs of a stage
    assert match(schedule, channels(schedule), recorded=True) == []
    gradient = once.replace("0RECV_B0", "0RECV_B0,0RECV_B0") + ",1SEND_B0"
    assert [each.witness["send"] for each in found(gradient)] == ["1SEND_B0"]


def test_a_neighbour_stage_is_another_tensor() -> None:
    # Both stages of rank 0 send to rank 1; the labels differ in the stage alone.
    text = "0F0,2F0,2SEND_F0,0SEND_F0\n1RECV_F0,1F0,3RECV_F0,3F0"
    assert [each.witness["send"] for each in found(text)] == ["2SEND_F0", "0SEND_F0"]


def test_another_pipeline_is_another_tensor() -> None:
    placement = Placement.one_stage_a_rank(2, pipelines=2)
    orders = [[Action(Kind.SEND_F, 0, 0, 1)], [Action(Kind.RECV_F, 1, 0, 0)]]
    schedule = Schedule.from_orders("a", orders, 1, WeightPolicy("flush"), placement=placement)
    [violation] = match(schedule, channels(schedule))
    assert "meets 1RECV_F0 of pipeline 0 from pipeline 1" in violation.message


def test_leftovers() -> None:
    [send] = found("0F0,0SEND_F0,0SEND_F1\n1RECV_F0,1F0")
    assert send.place == "a.csv:row 1:cell 3"
    assert send.witness["send"] == "0SEND_F1"
    assert send.witness["receive"] is None
    assert send.marks.actions == (2,)
    assert "every send has its receive, but send 2 from rank 0 to rank 1" in send.message
    [receive] = found("0F0\n1RECV_F0,1F0")
    assert receive.witness["receive_place"] == "a.csv:row 2:cell 1"
    assert receive.witness["source"] == 0
    assert receive.message.endswith("add 0SEND_F0 on rank 0, or drop 1RECV_F0")


def test_leftovers_of_two_communicators_name_each_other() -> None:
    schedule = parse_csv("0F0,0SEND_F0\n1RECV_F0,1F0", "a.csv")
    columns = {"peer": [NONE, 1, 0, NONE], "communicator": [NONE, 0, 1, NONE]}
    links = Links(**{name: np.array(values) for name, values in columns.items()})
    send, receive = match(schedule, channels(schedule, links))
    assert "none over its communicator: 1RECV_F0 (a.csv:row 2:cell 1) is over another" in (
        send.message
    )
    assert "none over its communicator: 0SEND_F0 (a.csv:row 1:cell 2)" in receive.message
    assert send.message.endswith("or add 1RECV_F0 on rank 1, or drop 0SEND_F0")
    [alone, *_] = found("0F0,0SEND_F0,0RECV_B0\n1F0")
    assert "communicator" not in alone.message


REAL = Path(__file__).parents[1] / "data/schedules/torch2.13_Interleaved1F1B_p4_m8.comms.csv"


@pytest.mark.parametrize(
    ("dropped", "left", "remedy"),
    [
        ("0SEND_F3", "1RECV_F3", "add 0SEND_F3 on rank 0, or drop 1RECV_F3"),
        ("1RECV_F3", "0SEND_F3", "add 1RECV_F3 on rank 1, or drop 0SEND_F3"),
        ("5SEND_B0", "4RECV_B0", "add 5SEND_B0 on rank 1, or drop 4RECV_B0"),
    ],
)
def test_a_message_that_is_not_there_is_named_and_nothing_else(
    dropped: str, left: str, remedy: str
) -> None:
    """All that come behind it meet the wrong ones: one mistake, said once, where it is."""
    text = REAL.read_text(encoding="utf-8")
    schedule = parse_csv(text.replace(f",{dropped},", ",", 1), "a.csv")
    [found] = match(schedule, channels(schedule))
    assert schedule.place(cells(schedule).index(left)) == found.place
    assert found.message.endswith(remedy)


def test_what_is_swapped_besides_is_said_too() -> None:
    rows = "0F0,0F1,0F2,0SEND_F1,0SEND_F0,0SEND_F2\n1RECV_F0,1RECV_F1,1F0,1F1"
    schedule = parse_csv(rows, "a.csv")
    lonely, *swapped = match(schedule, channels(schedule))
    assert "0SEND_F2, has none; add 1RECV_F2 on rank 1" in lonely.message
    assert [found.place for found in swapped] == ["a.csv:row 1:cell 4", "a.csv:row 1:cell 5"]


def test_another_label_is_a_send_that_meets_the_wrong_receive() -> None:
    text = REAL.read_text(encoding="utf-8")
    schedule = parse_csv(text.replace(",0SEND_F3,", ",0SEND_F2,", 1), "a.csv")
    [found] = match(schedule, channels(schedule))
    assert "0SEND_F2, meets 1RECV_F3" in found.message


def cells(schedule: Schedule) -> list[str]:
    return [str(schedule.action(index)) for index in range(len(schedule))]


def test_a_message_to_another_peer_is_named_with_it() -> None:
    schedule = parse_csv("0F0,0SEND_F0\n1RECV_F0,1F0\n2F0", "a.csv")
    peers = np.array([NONE, 2, 0, NONE, NONE])
    links = Links(peers, np.zeros(5, dtype=np.int64))
    first, second = match(schedule, channels(schedule, links))
    assert (
        "has none: 1RECV_F0 (a.csv:row 2:cell 1) comes from rank 0; correct the peer"
        in first.message
    )
    assert (
        "has none: 0SEND_F0 (a.csv:row 1:cell 2) goes to rank 2; correct the peer" in second.message
    )
