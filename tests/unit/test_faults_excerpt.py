"""Excerpts: the lines around a fault, worked out by hand."""

from itertools import pairwise

import numpy as np
import pytest

from reports.errors import PictureError
from reports.faults import excerpt
from reports.faults.focus import run_of
from schedules import Action, Kind, Schedule, WeightPolicy, build, timeline
from schedules.dependencies import MISSING
from schedules.formats.pytorch_csv import parse_csv
from schedules.messages.channels import channels
from schedules.messages.model import QueueModel
from schedules.messages.progress import progress
from schedules.validation.deadlock_free import deadlock_free
from schedules.validation.match import match
from schedules.validation.violation import Arrow, Marks, Violation

STUCK = "0F0,0SEND_F0,0RECV_B0,0B0\n1SEND_B0,1RECV_F0,1F0,1B0"
SWAPPED = (
    "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
    "1RECV_F1,1F1,1RECV_F0,1F0,1B0,1SEND_B0,1B1,1SEND_B1"
)


def fault(invariant: str, actions: tuple[int, ...], *arrows: Arrow) -> Violation:
    return Violation(invariant, "", "place", {}, Marks(actions, arrows))


def at(schedule: Schedule, label: str) -> int:
    return [str(schedule.action(k)) for k in range(len(schedule))].index(label)


def test_a_circle_of_waits_is_closed() -> None:
    schedule = parse_csv(STUCK, "a.csv")
    plan = channels(schedule)
    [found] = deadlock_free(schedule, plan, QueueModel())
    assert excerpt(schedule, found, progress(schedule, plan, QueueModel())) == [
        "slot     0    | never ends",
        "rank 0   0F0  | >0SEND_F0<  >0RECV_B0<  0B0",
        "                ^^^^^^^^^^  ^^^^^^^^^^",
        "rank 1   .    | >1SEND_B0<  >1RECV_F0<  1F0  1B0",
        "                ^^^^^^^^^^  ^^^^^^^^^^",
        "1. rank 0 0SEND_F0 (row 1:cell 2) --waits for--> rank 1 1RECV_F0 (row 2:cell 2)",
        "2. rank 1 1RECV_F0 (row 2:cell 2) --stands behind--> rank 1 1SEND_B0 (row 2:cell 1)",
        "3. rank 1 1SEND_B0 (row 2:cell 1) --waits for--> rank 0 0RECV_B0 (row 1:cell 3)",
        "4. rank 0 0RECV_B0 (row 1:cell 3) --stands behind--> rank 0 0SEND_F0 (row 1:cell 2)",
    ]


def test_a_swapped_message_names_the_pairs_that_should_have_met() -> None:
    schedule = parse_csv(SWAPPED, "a.csv")
    plan = channels(schedule)
    found = match(schedule, plan)[0]
    lines = excerpt(schedule, found, progress(schedule, plan, QueueModel()))
    assert [line[3:] for line in lines if line[0].isdigit()] == [
        "rank 0 0SEND_F0 (row 1:cell 2) --meets--> rank 1 1RECV_F1 (row 2:cell 1)",
        "rank 0 0SEND_F0 (row 1:cell 2) --should meet--> rank 1 1RECV_F0 (row 2:cell 3)",
        "rank 0 0SEND_F1 (row 1:cell 4) --should meet--> rank 1 1RECV_F1 (row 2:cell 1)",
    ]
    marked = {word for line in lines[:-3] for word in line.split() if word.startswith(">")}
    assert marked == {">0SEND_F0<", ">0SEND_F1<", ">1RECV_F0<", ">1RECV_F1<"}


def test_pairs_that_should_meet_are_not_added_twice() -> None:
    schedule = parse_csv(SWAPPED, "a.csv")
    send, wrong, right = (at(schedule, label) for label in ("0SEND_F0", "1RECV_F1", "1RECV_F0"))
    arrows = Arrow(send, wrong, "meets"), Arrow(send, right, "should meet")
    lines = excerpt(schedule, fault("match", (), *arrows))
    assert sum(line[0].isdigit() for line in lines) == 2


def test_a_stale_read_shows_the_versions_in_between() -> None:
    schedule = build("pipedream", 2, 4)
    forward, update, backward = (at(schedule, label) for label in ("0F2", "0B1", "0B2"))
    updates = Arrow(update, backward, "updates before")
    lines = excerpt(schedule, fault("staleness<=0", (backward, forward), updates))
    assert lines == [
        "slot     0    1    2    3    4      5      6    7      8    9",
        "rank 0   0F0  0F1  .    0B0  >0F2<  >0B1<  0F3  >0B2<  .    0B3",
        "                             ^^^^^  ^^^^^       ^^^^^",
        "stage 0  v0                  v1            v2          v3",
        "rank 1   .    1F0  1B0  1F1  1B1    1F2    1B2  1F3    1B3  .",
        "1. rank 0 0B1 (rank 0:position 4) --updates before--> rank 0 0B2 (rank 0:position 6)",
        "marked: rank 0 0F2 (rank 0:position 3)",
    ]


def test_versions_jump_where_updates_are_left_out() -> None:
    schedule = build("pipedream", 4, 12)
    forward, backward = at(schedule, "0F3"), at(schedule, "0B3")
    lines = excerpt(schedule, fault("stash", (backward, forward)), width=60)
    assert lines[1:4] == [
        "rank 0   ... 0F2  >0F3<  .    ... 0F6  >0B3<  0F7  ...",
        "                  ^^^^^                ^^^^^",
        "stage 0      v0                   v3          v4",
    ]


def test_updates_left_out_do_not_hide_behind_one_that_is_shown() -> None:
    schedule = build("pipedream", 4, 12)
    lines = excerpt(schedule, fault("stash", (at(schedule, "0F5"), at(schedule, "0F9"))), width=60)
    assert lines[1] == "rank 0   ... 0B1  >0F5<  0B2  ... 0B5  >0F9<  0B6  ..."
    assert lines[3] == "stage 0      v1   v2              v5   v6"


def test_a_row_has_no_versions_where_the_fault_is_not_about_them() -> None:
    lines = excerpt(build("pipedream", 2, 4), fault("in-flight<=1", (2,)))
    assert not any(line.startswith("stage") for line in lines)


def test_only_ranks_concerned_and_their_neighbours_are_shown() -> None:
    schedule = build("gpipe", 9, 3)
    lines = excerpt(schedule, fault("causal", (at(schedule, "4F1"),)))
    assert [line[:6] for line in lines if line.startswith("rank")] == ["rank 3", "rank 4", "rank 5"]
    apart = fault("causal", (at(schedule, "0F1"), at(schedule, "4F1"), at(schedule, "8F1")))
    shown = [line[:6] for line in excerpt(schedule, apart) if line.startswith("rank")]
    assert shown == ["rank 0", "rank 4", "rank 8"]


def test_what_is_left_out_leaves_dots() -> None:
    schedule = build("gpipe", 2, 50)
    lines = excerpt(
        schedule, fault("causal", (at(schedule, "0F1"), at(schedule, "0B40"))), width=60
    )
    row = lines[1].removeprefix("rank 0").split()
    assert row[0] == "0F0"
    assert row[-1] == "..."
    assert row.index(">0F1<") < row.index("...") < row.index(">0B40<")
    whole = excerpt(build("gpipe", 2, 2), fault("causal", (0,)))
    assert not any("..." in line for line in whole)


def test_dots_stand_only_in_rows_that_do_something_there() -> None:
    schedule = parse_csv(",".join(f"0F{m}" for m in range(50)) + "\n1F0", "a.csv")
    marks = at(schedule, "0F1"), at(schedule, "0F40"), at(schedule, "1F0")
    lines = excerpt(schedule, fault("complete", marks), width=60)
    assert lines[1].count("...") == 2
    [other] = [line for line in lines if line.startswith("rank 1")]
    assert "..." not in other


def test_a_long_computation_fills_its_time() -> None:
    schedule = parse_csv("0F0,0SEND_F0\n1RECV_F0,1F0", "a.csv")
    start, end = np.array([0, 1, 1, 1]), np.array([1, 1, 1, 4])
    line = progress_like(start, end)
    assert excerpt(schedule, fault("causal", (0,)), line)[:4] == [
        "slot     0      1",
        "rank 0   >0F0<  0SEND_F0  .",
        "         ^^^^^",
        "rank 1   .      1RECV_F0  1F0",
    ]
    late = progress_like(np.array([0, 3, 3, 1]), np.array([1, 3, 3, 3]))
    assert excerpt(schedule, fault("causal", (0,)), late)[3] == "rank 1   .      1F0  1RECV_F0"


def test_a_computation_ends_on_paper_where_the_next_action_begins() -> None:
    schedule = parse_csv("0F0,0RECV_B0\n1F0,1SEND_B0,1B0", "a.csv")
    times = progress_like(np.array([0, 1, 0, 1, 2]), np.array([3, 1, 1, 1, 3]))
    lines = excerpt(schedule, fault("causal", (0,)), times)
    assert lines[1] == "rank 0   >0F0<  0RECV_B0  ."


def test_the_hang_is_in_the_window_even_if_the_marks_are_far_behind() -> None:
    schedule = build("gpipe", 1, 60)
    ran = np.arange(len(schedule)) < 10
    times = progress_like(
        np.where(ran, np.arange(len(schedule)), MISSING),
        np.where(ran, np.arange(len(schedule)) + 1, MISSING),
    )
    row = excerpt(schedule, fault("causal", (100,)), times)[1].split()
    assert row.index("0F9") + 2 == row.index("0F10")
    assert row.index("0F10") < row.index("...", 4) < row.index(">0B40<")


def test_a_run_without_queues_stops_at_what_waits() -> None:
    schedule = parse_csv("0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0", "a.csv")
    run = run_of(schedule)
    assert run is not None
    assert run.start.tolist() == [0] + [MISSING] * 7
    assert run.end.tolist() == [1] + [MISSING] * 7


def test_wide_slots_and_long_labels_keep_their_columns() -> None:
    orders = [[Action(Kind.F, 0, 0), Action(Kind.F, 0, 10**17), Action(Kind.RECV_B, 0, 10**17)]]
    schedule = Schedule.from_orders("long", orders, 1, WeightPolicy("flush"))
    start = np.array([10**9, 10**9 + 1, 10**9 + 2])
    assert excerpt(schedule, fault("complete", (0,)), progress_like(start, start + 1))[:2] == [
        "slot     1000000000  1000000001            1000000002",
        "rank 0   >0F0<       0F100000000000000000  0RECV_B10000000000000~",
    ]


def test_a_computation_is_busy_over_several_slots() -> None:
    schedule = parse_csv("0F0\n1F0,1F1,1F2", "a.csv")
    times = progress_like(np.array([0, 0, 1, 2]), np.array([2, 1, 2, 3]))
    row = excerpt(schedule, fault("causal", (0,)), times)[1]
    assert row == "rank 0   >0F0<  =    ."


class progress_like:  # noqa: N801 - reads as the function it stands for
    """Times given by hand."""

    def __init__(self, start: np.ndarray, end: np.ndarray) -> None:
        self.start, self.end = start, end


def test_begun_and_not_begun_stand_behind_the_bar_in_program_order() -> None:
    schedule = parse_csv("0F0,0F1,0B1,0B0", "a.csv")
    times = progress_like(np.array([0, 1, MISSING, MISSING]), np.array([1] + [MISSING] * 3))
    assert excerpt(schedule, fault("causal", (3,)), times)[1] == "rank 0   0F0  | 0F1  0B1  >0B0<"


def test_where_nothing_ran_everything_stands_behind_the_bar() -> None:
    schedule = parse_csv("0F0,0B0,7F3\n1F0,1B0", "a.csv")
    never = progress_like(np.full(5, MISSING), np.full(5, MISSING))
    assert excerpt(schedule, fault("causal", (1,)), never)[1] == "rank 0   | 0F0  >0B0<  7F3"


def test_without_a_run_rows_are_the_program_order() -> None:
    orders = [[Action(Kind.F, 600_000, 0), Action(Kind.F, 0, 1)], [Action(Kind.F, 0, 0)]]
    schedule = Schedule.from_orders("sparse", orders, 2, WeightPolicy("flush"))
    assert excerpt(schedule, fault("complete", (2,))) == [
        "order",
        "rank 0        600000F0  0F1",
        "rank 1        >0F0<",
        "              ^^^^^",
        "marked: rank 1 0F0 (rank 1:position 0)",
    ]


def test_a_timeline_is_a_run() -> None:
    schedule = build("gpipe", 2, 2)
    found = fault("causal", (0,))
    assert excerpt(schedule, found, timeline(schedule)) == excerpt(schedule, found)


def test_many_marks_are_counted() -> None:
    schedule = build("gpipe", 40, 2)
    firsts = tuple(schedule.offsets[:-1].tolist())
    arrows = [Arrow(one, two, "waits for") for one, two in pairwise(firsts)]
    lines = excerpt(schedule, fault("deadlock-free", firsts, *arrows))
    assert lines[-1] == "... and 23 more arrows and 23 more actions"
    assert sum(line.startswith("rank") for line in lines) == 12


def test_nothing_marked_is_nothing_to_show() -> None:
    assert excerpt(build("gpipe", 2, 2), fault("complete", ())) == []


def test_words_become_ascii() -> None:
    schedule = build("gpipe", 1, 1)
    [*_, last] = excerpt(schedule, fault("causal", (), Arrow(0, 1, "2 × −1 → \n ü")))
    assert last.isascii()
    assert "2 x -1 -> \\xfc" in last


def test_marks_of_another_schedule_are_refused() -> None:
    schedule = build("gpipe", 1, 1)
    for marks in ((2,), (-1,)):
        with pytest.raises(PictureError, match="one of the 2 actions, found"):
            excerpt(schedule, fault("causal", marks))
    with pytest.raises(PictureError, match="one of the 2 actions, found 9"):
        excerpt(schedule, fault("causal", (), Arrow(0, 9, "meets")))


def test_a_line_needs_room() -> None:
    with pytest.raises(PictureError, match="at least 40 characters a line, found 39"):
        excerpt(build("gpipe", 1, 1), fault("causal", (0,)), width=39)
