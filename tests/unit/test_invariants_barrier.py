"""Barriers and the averagings that end rounds."""

from __future__ import annotations

import pytest

from schedules import Action, Kind, Schedule, build
from schedules.formats.pytorch_csv import parse_csv
from schedules.invariants import Report, check, parse_requirements
from schedules.validation.violation import Violation
from tests.rows import rows


def required(schedule: Schedule) -> Report:
    return check(schedule, parse_requirements("barrier"))


def only(text: str) -> Violation:
    [violation] = [v for v in required(rows(text)).violations if v.invariant == "barrier"]
    return violation


def broken(text: str) -> list[str]:
    """Every invariant that is named, once."""
    return list(dict.fromkeys(violation.invariant for violation in required(rows(text)).violations))


def changed(schedule: Schedule, rank: int, edit: dict[int, list[Action]]) -> Schedule:
    """The schedule with some actions of one rank replaced, by position."""
    orders = [list(schedule.rank(r)) for r in range(schedule.ranks)]
    orders[rank] = [new for at, action in enumerate(orders[rank]) for new in edit.get(at, [action])]
    return Schedule.from_orders(
        "edited", orders, schedule.microbatches, schedule.policy, placement=schedule.placement
    )


# Without any


@pytest.mark.parametrize("text", ["0F0 0B0", "0F0 0B0 0REDUCE 0U"])
def test_nothing_to_look_at_is_undecided(text: str) -> None:
    report = required(rows(text))
    assert [name for name, _ in report.undecided] == ["barrier"]
    assert not report.ok


def test_gradient_reduction_of_files_is_no_barrier() -> None:
    report = required(parse_csv("0F0,0B0,0REDUCE_GRAD", "a.csv"))
    assert "no REDUCE that names a microbatch" in dict(report.undecided)["barrier"]


# BARRIER


def test_barrier_on_all_ranks() -> None:
    assert required(rows("0F0 0B0 0BARRIER 0F1 0B1\n1F0 1B0 1BARRIER 1F1 1B1")).ok
    assert required(rows("0F0 0BARRIER 0B0\n1F0 1B0 1BARRIER")).ok


def test_missing_barrier() -> None:
    text = "0F0 0B0 0BARRIER 0F1 0B1\n1F0 1B0 1F1 1B1"
    assert broken(text) == ["barrier", "deadlock-free"]
    assert required(rows(text)).facts["deadlock"] == {"rank": None, "peer": None, "direction": None}
    violation = only(text)
    assert violation.message == (
        "a.json:ranks[1]: all ranks have every BARRIER, but rank 1 has 0 and rank 0 has 1, the "
        "next one 0BARRIER (a.json:ranks[0][2]); add a BARRIER to rank 1, or drop that of "
        "the others"
    )
    assert violation.marks.actions == (2,)


def test_rank_with_more_barriers_than_rank_0() -> None:
    violation = only("0F0 0B0 0BARRIER\n1F0 1B0 1BARRIER 1BARRIER")
    assert violation.witness == {
        "rank": 0,
        "barriers": 1,
        "other": 1,
        "other_barriers": 2,
        "next": "a.json:ranks[1][3]",
    }


def test_dependency_across_a_barrier() -> None:
    """Rank 0 waits at the barrier for rank 1, which waits for 0F1 behind it."""
    text = "0F0 0B0 0BARRIER 0F1 0B1\n1F0 1B0 1F1 1B1 1BARRIER"
    assert broken(text) == ["causal", "barrier", "deadlock-free"]
    violation = only(text)
    assert violation.message == (
        "a.json:ranks[1][2]: nothing before a BARRIER needs what stands behind it, but 1F1 in "
        "round 0 needs 0F1 (a.json:ranks[0][3]) in round 1; move 1F1 behind the BARRIER"
    )
    assert violation.marks.actions == (7, 3)


def test_receive_may_be_posted_before_the_barrier() -> None:
    posted = "0F0 0BARRIER 0SEND_F0 0RECV_B0 0B0\n1RECV_F0 1BARRIER 1F0 1B0 1SEND_B0"
    assert required(rows(posted)).ok
    needed = "0F0 0BARRIER 0SEND_F0 0RECV_B0 0B0\n1RECV_F0 1F0 1BARRIER 1B0 1SEND_B0"
    assert only(needed).witness["needs"] == "0SEND_F0"


def test_barriers_that_name_microbatches_stand_in_one_order() -> None:
    first, second = "0F0 0B0 0BARRIER0 0F1 0B1 0BARRIER1", "1F0 1B0 1BARRIER1 1F1 1B1 1BARRIER0"
    found = required(rows(f"{first}\n{second}")).violations
    assert [violation.place for violation in found] == [
        "a.json:ranks[1][2]",
        "a.json:ranks[1][5]",
    ]
    assert found[0].witness["meets"] == "0BARRIER0"
    assert required(rows(f"{first}\n{first.replace('0F', '1F').replace('0B', '1B')}")).ok


# On a broken base


@pytest.mark.parametrize(
    "text",
    [
        "0F0 0B0 0BARRIER 0F1\n1F0 1B0 1BARRIER 1F1 1B1",
        "0F0 0B0 0BARRIER 0F1 0B1\n1F0 1B0 1F1 1BARRIER 1F1 1B1",
        "0F0 0B0 0BARRIER 0F1 0B1\n1F0 1B0 1BARRIER 1F1 1B1 0F0",
        "0F0 0B0\n1F0 1B0 1REDUCE0 1B0",
    ],
    ids=["one missing", "one twice", "one on another rank", "averaging"],
)
def test_rounds_of_incomplete_schedules_are_not_compared(text: str) -> None:
    """What looks like a torn round may only be what is wrong with the computations."""
    report = required(rows(text))
    assert not report.ok
    assert "barrier" not in report.decided
    assert dict(report.undecided)["barrier"] == (
        "rounds are compared where complete and exclusive hold"
    )


def test_barriers_of_incomplete_schedules_are_counted() -> None:
    assert broken("0F0 0BARRIER\n1F0 1B0") == ["complete", "barrier", "deadlock-free"]
    assert only("0F0 0BARRIER0\n1F0 1B0 1BARRIER1").witness["meets"] == "0BARRIER0"


def test_order_inside_a_rank_does_not_hide_a_torn_round() -> None:
    torn = "0F0 0B0 0BARRIER 0F1 0B1\n1F0 1B0 1B1 1BARRIER 1F1"
    assert broken(torn) == ["causal", "barrier"]
    assert only(torn).witness["action"] == "1B1"


# Averagings


LOCAL = build("localsgd", 2, 8, replicas=2, local_steps=2)


@pytest.mark.parametrize(("p", "M", "n", "H"), [(1, 4, 1, 2), (2, 8, 2, 2), (3, 13, 2, 3)])
def test_localsgd(p: int, M: int, n: int, H: int) -> None:
    assert required(build("localsgd", p, M, replicas=n, local_steps=H)).ok


def place_of(rank: int, kind: Kind, microbatch: int) -> int:
    return next(
        at
        for at, action in enumerate(LOCAL.rank(rank))
        if (action.kind, action.microbatch) == (kind, microbatch)
    )


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("m", [3, 7])
def test_missing_averaging(rank: int, m: int) -> None:
    found = required(changed(LOCAL, rank, {place_of(rank, Kind.REDUCE, m): []})).violations
    [violation] = found
    assert violation.place == f"edited:rank {rank}"
    assert violation.message.endswith(
        f"stage {rank} on rank {rank} has no REDUCE of microbatch {m}, which others have, such as "
        f"{1 - rank}REDUCE{m} (edited:rank {1 - rank}:position "
        f"{place_of(1 - rank, Kind.REDUCE, m)}); add {rank}REDUCE{m}"
    )


def test_averaging_twice() -> None:
    at = place_of(1, Kind.REDUCE, 3)
    action = list(LOCAL.rank(1))[at]
    [violation] = required(changed(LOCAL, 1, {at: [action, action]})).violations
    assert violation.witness["found"] == 2
    assert violation.place == f"edited:rank 1:position {at + 1}"


def test_averaging_before_the_end_of_its_round() -> None:
    violation = only("0F0 0I0 0W0 0REDUCE0\n1F0 1I0 1REDUCE0 1W0")
    assert violation.message == (
        "a.json:ranks[1][3]: a round of a stage ends with its averaging, but 1W0 stands behind "
        "1REDUCE0 (a.json:ranks[1][2]): it has 1 averagings before it, not the 0 that end below "
        "microbatch 0; move 1W0 to the other side of 1REDUCE0"
    )
    assert violation.marks.actions == (7, 6)


def test_averaging_before_what_it_waits_for_is_not_causal() -> None:
    at = place_of(1, Kind.REDUCE, 3)
    order = list(LOCAL.rank(1))
    report = required(changed(LOCAL, 1, {at - 1: [order[at], order[at - 1]], at: []}))
    assert {violation.invariant for violation in report.violations} == {
        "causal",
        "barrier",
        "deadlock-free",
    }


def test_next_round_before_the_averaging() -> None:
    at = place_of(0, Kind.REDUCE, 3)
    order = list(LOCAL.rank(0))
    assert order[at + 1].microbatch == 4
    [violation] = required(
        changed(LOCAL, 0, {at: [order[at + 1], order[at]], at + 1: []})
    ).violations
    assert violation.witness["action"] == "0F4"
    assert "0F4 stands before 0REDUCE3" in violation.message
    assert len(violation.marks.actions) == 2


def test_averaging_missing_on_one_of_two_ranks_of_a_stage() -> None:
    placement = {"ranks": [[0], [1]], "copies": [[0], [1]]}
    good = "0F0 0B0 0REDUCE0\n0F1@1 0B1@1 0REDUCE0@1"
    report = required(rows(good, placement=placement))
    assert [violation.witness["action"] for violation in report.violations] == ["0F1", "0B1"]
    ends = "0F0 0B0 0REDUCE1\n0F1@1 0B1@1 0REDUCE1@1"
    assert required(rows(ends, placement=placement)).ok
    lacking = required(rows("0F0 0B0\n0F1@1 0B1@1 0REDUCE1@1", placement=placement))
    assert [found.place for found in lacking.violations] == ["a.json:ranks[0]"]
