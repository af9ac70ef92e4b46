"""Waits for sends and reductions: what they hold up, how long buffers live, what is no wait."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from schedules import Action, Kind, Schedule, build, timeline
from schedules.analysis import byte_peaks, parse_sizes
from schedules.analysis.lifetimes import send_lifetimes
from schedules.formats import read_document
from schedules.formats.pytorch_csv import parse_csv, write_csv
from schedules.formats.schedule_json import parse_json, write_json
from schedules.invariants import Report, check, parse_requirements
from schedules.lowering import erase_messages, gather_parameters, lower, reduce_gradients
from schedules.messages.model import QueueModel
from schedules.validation.causal import causal
from tests.rows import rows

DATA = Path(__file__).parents[1] / "data" / "schedules"
SAMPLES = sorted(DATA.glob("torch2.15_*.comms.csv"))
WAITING = [path for path in SAMPLES if "WAIT_SEND" in path.read_text(encoding="utf-8")]

SENT = "0F0 0SEND_F0 {} 0RECV_B0 0B0\n1RECV_F0 1F0 1B0 1SEND_B0 {}"


def checked(schedule: Schedule, require: str = "", model: QueueModel | None = None) -> Report:
    return check(schedule, parse_requirements(require) if require else (), model)


def with_order(schedule: Schedule, rank: int, order: list[Action]) -> Schedule:
    orders = [list(schedule.rank(r)) for r in range(schedule.ranks)]
    orders[rank] = order
    return Schedule.from_orders(
        "changed", orders, schedule.microbatches, schedule.policy, placement=schedule.placement
    )


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_torch_2_15_is_read_written_and_holds(path: Path) -> None:
    schedule = read_document(path).schedule
    assert write_csv(schedule) == path.read_text(encoding="utf-8")
    again = parse_json(write_json(schedule), "a.json")
    assert [str(a) for a in again.rank(0)] == [str(a) for a in schedule.rank(0)]
    report = checked(schedule, "update-once")
    assert report.ok
    assert set(report.facts["deadlock"].values()) == {0}  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_lowering_adds_the_waits_that_torch_2_15_has(path: Path) -> None:
    schedule = read_document(path).schedule
    placement = "with-waits" if path in WAITING else "as-soon-as-possible"
    assert len(WAITING) == 5
    assert write_csv(lower(erase_messages(schedule), placement)) == write_csv(schedule)


def test_passes_make_the_whole_order_of_torch_2_15() -> None:
    name = "torch2.15_ScheduleInterleavedZeroBubble_p2_m4.comms.csv"
    order = build("interleaved-zero-bubble", 2, 4)
    lowered = lower(reduce_gradients(gather_parameters(order), waits=True), "with-waits")
    wanted = read_document(DATA / name).schedule
    # Parameters are released behind the reduction there, so releases are left out of both.
    assert rows_of(lowered) == rows_of(wanted)


def rows_of(schedule: Schedule) -> list[list[str]]:
    return [[str(a) for a in schedule.rank(r) if a.kind in WAITS] for r in range(schedule.ranks)]


WAITS = (Kind.WAIT_SEND_F, Kind.WAIT_SEND_B, Kind.F, Kind.I, Kind.W, Kind.REDUCE, Kind.WAIT_REDUCE)


@pytest.mark.parametrize(
    ("first", "last", "holds"),
    [("0WAIT_SEND_F0", "1WAIT_SEND_B0", True), ("0WAIT_SEND_F0", "", True), ("", "", True)],
)
def test_waits_behind_their_sends_hold(first: str, last: str, holds: bool) -> None:
    assert checked(rows(SENT.format(first, last))).ok == holds


def test_where_a_wait_stands_decides_what_hangs() -> None:
    """Both ranks send to each other before they receive."""
    text = (
        "0F0 0F1 0SEND_F0 0SEND_F1 {}0RECV_B0 0B0 0RECV_B1 0B1\n"
        "1RECV_F0 1F0 1B0 {}1RECV_F1 1F1 1B1 1SEND_B1"
    )
    direction = QueueModel("direction", 0)
    free = rows(text.format("", "1SEND_B0 "))
    held = rows(text.format("", "1SEND_B0 1WAIT_SEND_B0 "))
    both = rows(text.format("0WAIT_SEND_F1 ", "1SEND_B0 1WAIT_SEND_B0 "))
    assert checked(free, model=direction).ok
    assert checked(held, model=direction).ok
    report = checked(both, model=direction)
    assert {violation.invariant for violation in report.violations} == {"deadlock-free"}
    [violation] = report.violations
    assert "waits until a send is complete, of 0SEND_F1" in violation.message
    assert checked(both, model=QueueModel("direction", 1)).ok
    assert report.facts["deadlock"] == {"rank": 1, "peer": 1, "direction": 1}


@pytest.mark.parametrize(
    ("first", "missing"),
    [
        ("0F0 0WAIT_SEND_F0 0SEND_F0 0RECV_B0 0B0", "0SEND_F0"),
        ("0F0 0SEND_F0 0WAIT_SEND_F0 0WAIT_SEND_F0 0RECV_B0 0B0", "0SEND_F0"),
        ("0F0 0SEND_F0 0WAIT_SEND_B0 0RECV_B0 0B0", "0SEND_B0"),
        ("0F0 0SEND_F0 0RECV_B0 0B0 0WAIT_REDUCE", "0REDUCE"),
        ("0F0 0SEND_F0 0RECV_B0 0B0 0WAIT_REDUCE 0REDUCE", "0REDUCE"),
        ("0F0 0SEND_F0 0RECV_B0 0B0 0REDUCE 0WAIT_REDUCE 0WAIT_REDUCE", "0REDUCE"),
    ],
)
def test_a_wait_for_nothing_is_no_wait(first: str, missing: str) -> None:
    found = causal(rows(f"{first}\n1RECV_F0 1F0 1B0 1SEND_B0"))
    assert [violation.witness["missing"] for violation in found] == [missing]


@pytest.mark.parametrize("path", WAITING, ids=lambda path: path.name)
def test_every_wait_that_moves_before_its_send_is_caught(path: Path) -> None:
    schedule = replace(read_document(path).schedule, groups=())
    waits = 0
    for rank in range(schedule.ranks):
        order = list(schedule.rank(rank))
        for at, action in enumerate(order):
            if action.kind.name.startswith("WAIT_"):
                moved = [action, *order[:at], *order[at + 1 :]]
                assert causal(with_order(schedule, rank, moved))
                waits += 1
    assert waits > 8


def test_a_buffer_lives_from_its_computation_to_its_wait() -> None:
    schedule = rows(
        "0F0 0SEND_F0 0F1 0SEND_F1 0WAIT_SEND_F0 0RECV_B0 0B0 0RECV_B1 0B1\n"
        "1RECV_F0 1F0 1B0 1SEND_B0 1WAIT_SEND_B0 1RECV_F1 1F1 1B1 1SEND_B1 1WAIT_SEND_B1"
    )
    kept = send_lifetimes(timeline(schedule))
    of_first = kept.rank == 0
    assert kept.birth[of_first].tolist() == [0, 1]
    assert kept.death[of_first].tolist() == [2, timeline(schedule).length]
    direction = QueueModel("direction")
    report = checked(schedule, "send-buffers<=1", direction)
    assert report.facts["send_buffers"] == [2, 1]
    assert [violation.witness["rank"] for violation in report.violations] == [0]
    assert checked(schedule, "send-buffers<=2", direction).ok


def test_a_wait_lasts_until_the_message_has_arrived() -> None:
    schedule = rows(SENT.format("0WAIT_SEND_F0", ""))
    assert timeline(schedule).length == timeline(rows(SENT.format("", ""))).length == 4
    late = timeline(schedule, message_time=5)
    assert late.start.tolist()[:3] == [0, 1, 6]


def test_buffers_are_weighed_where_something_says_when_they_are_free() -> None:
    sizes = parse_sizes("[default]\nweights = 1000\nactivations = 100\noutput = 7", "sizes.toml")
    order = build("gpipe", 2, 3)
    waiting, silent = (timeline(lower(order, way)) for way in ("with-waits", "as-soon-as-possible"))
    assert byte_peaks(silent, sizes).total == (1300, 1300)
    # Stage 0 keeps all three outputs; stage 1 one gradient beside three activations.
    assert byte_peaks(waiting, sizes).total == (1321, 1307)


def test_send_buffers_are_undecided_without_waits() -> None:
    report = checked(lower(build("gpipe", 2, 3)), "send-buffers<=9")
    assert [name for name, _ in report.undecided] == ["send-buffers"]
    assert "send_buffers" not in report.facts


def test_a_gradient_is_reduced_when_its_reduction_is_waited_for() -> None:
    good = "0F0 0F1 0B0 0B1 0REDUCE 0WAIT_REDUCE 0U"
    early = "0F0 0F1 0B0 0B1 0REDUCE 0U 0WAIT_REDUCE"
    between = "0F0 0F1 0B0 0REDUCE 0B1 0WAIT_REDUCE 0U"
    again = "0F0 0F1 0B0 0B1 0REDUCE 0WAIT_REDUCE 0REDUCE 0U"  # scales the same gradients again
    assert checked(rows(good), "update-once").ok
    for text in (early, between, again):
        found = checked(rows(text), "update-once").violations
        assert {violation.invariant for violation in found} == {"update-once"}


def test_a_csv_has_the_names_of_torch() -> None:
    text = "0F0,0SEND_F0,0WAIT_SEND_F0,0RECV_B0,0B0,0REDUCE_GRAD,0WAIT_REDUCE_GRAD\n1RECV_F0,1F0\n"
    schedule = parse_csv(text, "a.csv")
    assert [a.kind for a in schedule.rank(0)][-1] is Kind.WAIT_REDUCE
    assert write_csv(schedule) == text
