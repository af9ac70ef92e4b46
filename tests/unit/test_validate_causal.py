"""The validator: what stands before something it needs, and who waits in a circle."""

import numpy as np
import pytest

from schedules import Action, Kind, Placement, Schedule, WeightPolicy, timeline
from schedules.cycles import Wait, find_cycles
from schedules.errors import InvalidScheduleError
from schedules.formats.pytorch_csv import parse_csv
from schedules.timeline import run_to_end
from schedules.validate import Violation, validate
from schedules.validation.causal import causal
from schedules.validation.complete import complete
from schedules.validation.exclusive import exclusive
from schedules.validation.violation import Arrow, Marks

FLUSH = WeightPolicy("flush")


def found(text: str, microbatches: int | None = None) -> list[tuple[str, str]]:
    violations = validate(parse_csv(text, "a.csv", microbatches))
    return [(each.invariant, each.place.removeprefix("a.csv:")) for each in violations]


def only(text: str, microbatches: int | None = None) -> Violation:
    [violation] = validate(parse_csv(text, "a.csv", microbatches))
    return violation


@pytest.mark.parametrize(
    ("text", "action", "needs", "what"),
    [
        ("0B0,0F0", "0B0", "0F0", "forward"),
        ("0I0,0F0,0W0", "0I0", "0F0", "forward"),
        ("0F0,0W0,0I0", "0W0", "0I0", "input gradient"),
        ("1F0,0F0,1B0,0B0", "1F0", "0F0", "activation"),
        ("0F0,1F0,0B0,1B0", "0B0", "1B0", "gradient"),
        ("0F0,1F0,0I0,0W0,1B0", "0I0", "1B0", "gradient"),
        ("(0B0;0F0)OVERLAP_F_B", "0B0", "0F0", "forward"),
    ],
)
def test_wrong_order_on_one_rank(text: str, action: str, needs: str, what: str) -> None:
    violation = only(text)
    assert violation.invariant == "causal"
    assert violation.witness["action"] == action
    assert violation.witness["needs"] == needs
    assert f"whose {what} it needs; move {action} behind {needs}" in violation.message


def test_overlap_parts_count_in_written_order() -> None:
    assert found("0F0,(0F1;0B0)OVERLAP_F_B,0B1") == []
    assert found("(0F0;0B0)OVERLAP_F_B") == []


def test_wrong_order_is_reported_for_each_pair_and_hides_no_circle() -> None:
    text = "0B0,0F0,0B1,0F1\n1F1,1F0,1B1,1B0\n2F0,2F1,2B0,2B1"
    kinds = [violation.invariant for violation in validate(parse_csv(text, "a.csv"))]
    assert kinds == ["causal"] * 3
    first, second, circle = validate(parse_csv(text, "a.csv"))
    assert (first.place, second.place) == ("a.csv:row 1:cell 1", "a.csv:row 1:cell 3")
    assert "cycle" in circle.witness


def test_circle_of_waits() -> None:
    violation = only("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1")
    assert violation.invariant == "causal"
    assert violation.place == "a.csv:row 1:cell 2"
    assert violation.witness["cycle"] == [
        {
            "action": "0B0",
            "place": "a.csv:row 1:cell 2",
            "waits_for": "1B0",
            "waits_for_place": "a.csv:row 2:cell 3",
        },
        {
            "action": "1F1",
            "place": "a.csv:row 2:cell 2",
            "waits_for": "0F1",
            "waits_for_place": "a.csv:row 1:cell 3",
        },
    ]
    assert violation.message == (
        "a.csv:row 1:cell 2: ranks must not wait for each other in a circle, but 0B0 "
        "(a.csv:row 1:cell 2) waits for 1B0 (a.csv:row 2:cell 3), which stands behind 1F1; 1F1 "
        "(a.csv:row 2:cell 2) waits for 0F1 (a.csv:row 1:cell 3), which stands behind 0B0; reorder "
        "the actions of one of these ranks"
    )


def test_timeline_names_the_same_circle() -> None:
    with pytest.raises(InvalidScheduleError, match=r"0B0 .* waits for 1B0 .*; 1F1 .* waits"):
        timeline(parse_csv("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1", "a.csv"))


def test_circles_that_share_no_rank_are_all_reported() -> None:
    circle = "{a}F0,{a}B0,{a}F1,{a}B1\n{b}F0,{b}F1,{b}B0,{b}B1"
    text = circle.format(a=0, b=1) + "\n" + circle.format(a=2, b=3)
    assert found(text) == [("causal", "row 1:cell 2"), ("causal", "row 3:cell 2")]


def test_circle_starts_at_its_lowest_rank() -> None:
    text = "0F0,0F1,0B0,0B1\n2F1,2F0,2B0,2B1\n1F0,1B0,1F1,1B1"
    assert found(text) == [("causal", "row 2:cell 1")]


def test_what_has_run_is_no_link_of_a_circle() -> None:
    schedule = parse_csv("0B0,0F0,0F1\n1B0,1F1", "a.csv")
    _, stuck = run_to_end(schedule, np.ones(len(schedule), dtype=np.int64))
    assert stuck == {0: 0, 1: 4}
    assert find_cycles(schedule, stuck) == [[Wait(action=0, awaited=1)]]


def test_long_circle_is_shortened_in_words_only() -> None:
    last = 21
    rows = [f"0F0,0B0,{last}F0,{last}B0", *(f"{stage}F0,{stage}B0" for stage in range(1, last))]
    violation = only("\n".join(rows))
    cycle = violation.witness["cycle"]
    assert isinstance(cycle, list)
    assert len(cycle) == 21
    assert "0B0 (a.csv:row 1:cell 2) waits for 1B0; 1B0" in violation.message
    assert "… and 13 more waits" in violation.message


@pytest.mark.parametrize(
    "text",
    [
        "0F0,0F1,0B0,0B1\n1B0,1F1,1B1",
        "0F0,0F0,0F1,0B1\n1F0,1B0,1F1,1B1",
        "0B0,0F0,0F0,0F1,0B1\n1F0,1B0,1F1,1B1",
        "0F0,0F1,0W0,0I0,0I0,0B1\n1F0,1B0,1F1,1B1",
    ],
    ids=["missing", "missing and duplicate", "early but duplicate", "duplicate I"],
)
def test_no_order_is_concluded_from_what_is_missing_or_ambiguous(text: str) -> None:
    assert {invariant for invariant, _ in found(text)} == {"complete"}


def test_microbatch_in_two_pipelines() -> None:
    placement = Placement(ranks=((0,), (0,)), copies=((0,), (1,)))
    order = [[Action(Kind.F, 0, 0), Action(Kind.B, 0, 0, 1)]]
    schedule = Schedule.from_orders("made", order, 1, FLUSH, placement=placement)
    [violation] = validate(schedule)
    assert violation.invariant == "causal"
    assert violation.witness == {"microbatch": 0, "pipelines": [0, 1]}
    assert violation.marks == Marks((1, 0))


SENT = "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0"


def missing(text: str) -> list[tuple[str, object]]:
    """What is never received: the place of the computation, and the receive that is missing."""
    return [
        (each.place.removeprefix("a.csv:"), each.witness["missing"])
        for each in causal(parse_csv(text, "a.csv"))
    ]


def test_everything_is_received() -> None:
    assert causal(parse_csv(SENT, "a.csv")) == []
    # Without any message, and between stages of one rank, nothing has to be.
    assert causal(parse_csv("0F0,0B0\n1F0,1B0", "a.csv")) == []
    turn = "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,2F0,2B0,1B0,1SEND_B0"
    assert causal(parse_csv(turn, "a.csv")) == []


def test_an_input_that_is_never_received() -> None:
    [violation] = causal(parse_csv(SENT.replace("1RECV_F0,", ""), "a.csv"))
    assert violation.witness == {
        "action": "1F0",
        "place": "a.csv:row 2:cell 1",
        "needs": "0F0",
        "needs_place": "a.csv:row 1:cell 1",
        "missing": "1RECV_F0",
    }
    assert violation.message == (
        "a.csv:row 2:cell 1: what a computation needs from another rank is received before it, but "
        "1F0 needs the activation of 0F0 (a.csv:row 1:cell 1) and rank 1 has no 1RECV_F0 before "
        "it; add 1RECV_F0 before 1F0, and the send that belongs to it if that is missing"
    )
    assert violation.marks == Marks((4, 0), (Arrow(0, 4, "does not reach"),))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("0RECV_B0,", "", ("row 1:cell 3", "0RECV_B0")),
        ("0SEND_F0,0RECV_B0", "0SEND_F0,0RECV_B1", ("row 1:cell 4", "0RECV_B0")),
        ("0B0\n", "0I0,0W0\n", None),
        ("0RECV_B0,0B0", "0I0,0W0", ("row 1:cell 3", "0RECV_B0")),
        ("1RECV_F0,1F0,1B0", "1F0,1I0,1W0", ("row 2:cell 1", "1RECV_F0")),
    ],
)
def test_what_counts_as_received(old: str, new: str, expected: tuple[str, str] | None) -> None:
    assert old in SENT
    found = missing(SENT.replace(old, new))
    assert found == ([] if expected is None else [expected])


def test_a_receive_on_another_rank_or_of_another_pipeline_is_none() -> None:
    elsewhere = "0F0,0SEND_F0,1RECV_F0,0RECV_B0,0B0\n1F0,1B0,1SEND_B0"
    assert missing(elsewhere) == [("row 2:cell 1", "1RECV_F0")]
    placement = Placement.one_stage_a_rank(2, pipelines=2)
    orders = [
        [Action(Kind.F, 0, 0), Action(Kind.SEND_F, 0, 0, 1)],
        [Action(Kind.RECV_F, 1, 0, 1), Action(Kind.F, 1, 0)],
    ]
    schedule = Schedule.from_orders("made", orders, 1, FLUSH, placement=placement)
    assert [each.witness["missing"] for each in causal(schedule)] == ["1RECV_F0"]


@pytest.mark.parametrize(("old", "new"), [("1RECV_F0,1F0", "1F0,1F0"), ("0F0", "0F0,0F0")])
def test_nothing_is_missed_by_what_is_there_twice(old: str, new: str) -> None:
    text = SENT.replace("1RECV_F0,", "") if old == "0F0" else SENT
    assert missing(text.replace(old, new, 1)) == []


def test_a_receive_behind_its_computation_is_told_once() -> None:
    [violation] = causal(parse_csv(SENT.replace("1RECV_F0,1F0", "1F0,1RECV_F0"), "a.csv"))
    assert (violation.witness["action"], violation.witness["needs"]) == ("1F0", "1RECV_F0")
    early = "0SEND_F0,0F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0"
    [violation] = causal(parse_csv(early, "a.csv"))
    assert (violation.witness["action"], violation.witness["needs"]) == ("0SEND_F0", "0F0")


def test_marks_point_at_what_is_wrong() -> None:
    [wrong] = causal(parse_csv("0B0,0F0", "a.csv"))
    assert wrong.marks == Marks((0, 1), (Arrow(0, 1, "needs"),))
    [circle] = causal(parse_csv("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1", "a.csv"))
    assert circle.marks == Marks((1, 5), (Arrow(1, 6, "waits for"), Arrow(5, 2, "waits for")))
    [twice] = complete(parse_csv("0F0,0F0,0B0", "a.csv"))
    assert (twice.place, twice.marks) == ("a.csv:row 1:cell 2", Marks((1, 0, 2)))
    [beyond] = complete(parse_csv("0F0,0B0,0F7", "a.csv", 1))
    assert beyond.marks == Marks((2,))
    [torn] = exclusive(parse_csv("0F0,1F0,1B0\n0B0", "a.csv"))
    assert torn.marks == Marks((3, 0))
    placement = Placement.from_ranks((1,))
    order = [[Action(Kind.F, 0, 0), Action(Kind.B, 0, 0)], []]
    elsewhere = Schedule.from_orders("made", order, 1, FLUSH, placement=placement)
    assert [each.marks for each in exclusive(elsewhere)] == [Marks((0,))]
    unplaced = Schedule.from_orders("made", [[Action(Kind.F, 0, 0, 2)]], 1, FLUSH)
    assert [each.marks for each in exclusive(unplaced)] == [Marks((0,))]


def test_of_two_candidates_the_last_is_looked_at_first() -> None:
    [twice] = complete(parse_csv("0F0,0F0,0F0,0B0", "a.csv"))
    assert (twice.place, twice.marks) == ("a.csv:row 1:cell 3", Marks((2, 0, 1, 3)))
