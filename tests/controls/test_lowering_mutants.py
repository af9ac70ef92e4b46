"""Broken messages, placements and turn rules must not pass for correct ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from schedules import Action, Kind, Schedule, build, timeline
from schedules.dependencies import EdgeKind, Edges, edges
from schedules.errors import InvalidScheduleError
from schedules.families import chimera
from schedules.formats.pytorch_csv import read_csv, write_csv
from schedules.lowering import check_messages, erase_messages, lower, passes, rounds
from schedules.schedule import IntArray
from schedules.timeline import play, unit_durations

DATA = Path(__file__).parents[1] / "data" / "schedules"
STORED = sorted(DATA.glob("torch2.13*.comms.csv"))
SENDS, RECEIVES = (Kind.SEND_F, Kind.SEND_B), (Kind.RECV_F, Kind.RECV_B)

Orders = list[list[Action]]
SWAPPED = {
    Kind.SEND_F: Kind.SEND_B,
    Kind.SEND_B: Kind.SEND_F,
    Kind.RECV_F: Kind.RECV_B,
    Kind.RECV_B: Kind.RECV_F,
}
TURNED = {
    Kind.SEND_F: Kind.RECV_F,
    Kind.RECV_F: Kind.SEND_F,
    Kind.SEND_B: Kind.RECV_B,
    Kind.RECV_B: Kind.SEND_B,
}
COMPUTED = {
    Kind.SEND_F: (Kind.F,),
    Kind.RECV_F: (Kind.F,),
    Kind.SEND_B: (Kind.B, Kind.I),
    Kind.RECV_B: (Kind.B, Kind.I),
}


def drop(order: list[Action], at: int) -> list[Action]:
    return order[:at] + order[at + 1 :]


def again(order: list[Action], at: int) -> list[Action]:
    return [*order, order[at]]


def relabelled(**change: int) -> Callable[[list[Action], int], list[Action]]:
    def apply(order: list[Action], at: int) -> list[Action]:
        new = {name: getattr(order[at], name) + step for name, step in change.items()}
        return [*order[:at], replace(order[at], **new), *order[at + 1 :]]

    return apply


def rekinded(kinds: dict[Kind, Kind]) -> Callable[[list[Action], int], list[Action]]:
    def apply(order: list[Action], at: int) -> list[Action]:
        return [*order[:at], replace(order[at], kind=kinds[order[at].kind]), *order[at + 1 :]]

    return apply


def past_its_computation(order: list[Action], at: int) -> list[Action]:
    """A send directly before what it sends, a receive directly behind what needs it."""
    message = order[at]
    rest = drop(order, at)
    place = next(
        place
        for place, action in enumerate(rest)
        if action.kind in COMPUTED[message.kind]
        and (action.stage, action.microbatch) == (message.stage, message.microbatch)
    )
    place += message.kind in RECEIVES
    return [*rest[:place], message, *rest[place:]]


OPERATORS: dict[str, Callable[[list[Action], int], list[Action]]] = {
    "drop": drop,
    "again": again,
    "next microbatch": relabelled(microbatch=1),
    "previous microbatch": relabelled(microbatch=-1),
    "next stage": relabelled(stage=1),
    "previous stage": relabelled(stage=-1),
    "other pipeline": relabelled(pipeline=1),
    "activation for gradient": rekinded(SWAPPED),
    "send for receive": rekinded(TURNED),
    "past its computation": past_its_computation,
}
SUBJECTS = {
    "gpipe": lambda: lower(build("gpipe", 3, 2)),
    "late": lambda: lower(build("pipedream", 3, 3), "just-in-time"),
    "chimera": lambda: lower(chimera.build(4, 4)),
    "v": lambda: read_csv(DATA / "torch2.13_ZBVZeroBubble_p2_m4.comms.csv"),
    "loop": lambda: read_csv(DATA / "torch2.13_Interleaved1F1B_p2_m4.comms.csv"),
}


def orders_of(schedule: Schedule) -> Orders:
    return [list(schedule.rank(rank)) for rank in range(schedule.ranks)]


def rebuilt(schedule: Schedule, orders: Orders) -> Schedule:
    return Schedule.from_orders(
        "mutant", orders, schedule.microbatches, schedule.policy, placement=schedule.placement
    )


def mutants(schedule: Schedule, operator: str) -> Iterator[Schedule]:
    orders = orders_of(schedule)
    for rank, order in enumerate(orders):
        for at, action in enumerate(order):
            if action.kind in SENDS + RECEIVES:
                changed = OPERATORS[operator](order, at)
                yield rebuilt(schedule, [*orders[:rank], changed, *orders[rank + 1 :]])


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_message_counts(subject: str, operator: str) -> None:
    schedule = SUBJECTS[subject]()
    check_messages(rebuilt(schedule, orders_of(schedule)))
    tried = 0
    for mutant in mutants(schedule, operator):
        tried += 1
        with pytest.raises(InvalidScheduleError):
            check_messages(mutant)
    assert tried == np.isin(schedule.kind, SENDS + RECEIVES).sum() > 0


@pytest.mark.parametrize("subject", SUBJECTS)
def test_messages_on_another_rank(subject: str) -> None:
    schedule = SUBJECTS[subject]()
    orders = orders_of(schedule)
    for rank, order in enumerate(orders):
        for at, action in enumerate(order):
            if action.kind in SENDS + RECEIVES:
                moved = [list(row) for row in orders]
                other = moved[(rank + 1) % len(moved)]
                other.insert(0 if action.kind in RECEIVES else len(other), moved[rank].pop(at))
                with pytest.raises(InvalidScheduleError):
                    check_messages(rebuilt(schedule, moved))


# The pass looks at what it returns


def behind_everything(orders: passes.Orders) -> IntArray:
    count, messages = len(orders.schedule), len(orders.source)
    rank = orders.schedule.rank_of_action
    ends = np.concatenate([np.arange(count), orders.source, orders.target])
    late = np.repeat([0, 0, 1], [count, messages, messages])
    return np.lexsort((ends, late, rank[ends]))


def computations_reversed(orders: passes.Orders) -> IntArray:
    """One microbatch's W after another's: no message notices."""
    order = passes.just_in_time(orders)
    places = np.flatnonzero(order < len(orders.schedule))
    kind = orders.schedule.kind[order[places]]
    first, second = places[kind == Kind.W][:2]
    order[[first, second]] = order[[second, first]]
    return order


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (behind_everything, "a receive stands before the computation"),
        (computations_reversed, "changes nothing else"),
    ],
)
def test_a_broken_placement_is_caught(
    monkeypatch: pytest.MonkeyPatch, broken: Callable[[passes.Orders], IntArray], message: str
) -> None:
    schedule = erase_messages(SUBJECTS["v"]())
    monkeypatch.setattr(passes, "PLACEMENTS", MappingProxyType({"broken": broken}))
    with pytest.raises(InvalidScheduleError, match=message):
        lower(schedule, "broken")


# The stored files tell the turn rule from its neighbours


def lowers_to(path: Path) -> bool:
    """Whether the stored order comes out; an order that the pass itself refuses does not."""
    try:
        return write_csv(lower(erase_messages(read_csv(path)))) == path.read_text(encoding="utf-8")
    except InvalidScheduleError:
        return False


@pytest.mark.parametrize(
    "lags",
    [
        lambda lag: np.zeros_like(lag),
        lambda lag: np.full_like(lag, -1),
        lambda lag: -1 - lag,
        lambda lag: lag + 1,
    ],
    ids=["always next round", "always the same round", "ranks descending", "a round later"],
)
def test_other_turn_rules_differ_from_pytorch(
    monkeypatch: pytest.MonkeyPatch, lags: Callable[[IntArray], IntArray]
) -> None:
    def other(
        offsets: IntArray, taken: IntArray, found: Edges, lag: IntArray
    ) -> tuple[IntArray, dict[int, int]]:
        return play(offsets, taken, found, lags(lag))

    assert all(lowers_to(path) for path in STORED)
    monkeypatch.setattr(rounds, "play", other)
    assert not all(lowers_to(path) for path in STORED)


def test_rounds_matter() -> None:
    """Receives just in time are not where PyTorch has them, in any file with a choice."""
    for path in STORED:
        if "GPipe" not in path.name:
            late = lower(erase_messages(read_csv(path)), "just-in-time")
            assert write_csv(late) != path.read_text(encoding="utf-8")


# A rank that stops at receives takes longer


def test_stopping_at_receives_would_be_noticed() -> None:
    """The law "explicit messages take the time of implicit ones" fails if receives block."""
    slower = 0
    for path in STORED:
        schedule = read_csv(path)
        durations = unit_durations(schedule)
        taken = np.array([durations[Kind(kind)] for kind in schedule.kind.tolist()])
        found = edges(schedule)
        lag = np.where(found.kind == EdgeKind.MESSAGE, 3, 0)
        start, stuck = play(schedule.offsets, taken, found, lag)
        assert not stuck
        slower += (start + taken).max() > timeline(schedule, message_time=3).length
    assert slower >= len(STORED) // 2
