"""Broken messages must not pass, and a weakened rule of the model must not go unnoticed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedules import Action, Kind, Schedule
from schedules.dependencies import MISSING, Barriers
from schedules.formats import read_document
from schedules.lowering import lower
from schedules.messages import progress as module
from schedules.messages.channels import Channels, channels
from schedules.messages.model import QUEUE_KEYS, QueueModel
from schedules.messages.progress import progress
from schedules.messages.queues import Inputs, Queues, completed_by, inputs, queues
from schedules.validation.causal import causal
from schedules.validation.deadlock_free import deadlock_free
from schedules.validation.match import match
from tests.oracle.message_machine import Machine
from tests.oracle.test_messages_random_execution import SOUND, spoiled

FOLDER = Path(__file__).parents[1] / "data" / "schedules"
REAL = ("torch2.13_1F1B_p4_m8", "torch2.13_ZBVZeroBubble_p2_m4", "torch2.13_GPipe_p2_m4")
STRICTEST = QueueModel()

Orders = list[list[Action]]


def real(name: str) -> Schedule:
    return read_document(FOLDER / f"{name}.comms.csv").schedule


def orders_of(schedule: Schedule) -> Orders:
    return [list(schedule.rank(rank)) for rank in range(schedule.ranks)]


def rebuilt(schedule: Schedule, orders: Orders) -> Schedule:
    return Schedule.from_orders(
        schedule.name,
        orders,
        schedule.microbatches,
        schedule.policy,
        placement=schedule.placement,
        groups=schedule.groups,
    )


def caught(schedule: Schedule) -> set[str]:
    """Names of the invariants about messages that do not hold in the strictest model."""
    plan = channels(schedule)
    found = [*causal(schedule), *match(schedule, plan), *deadlock_free(schedule, plan, STRICTEST)]
    return {violation.invariant for violation in found}


def positions(order: list[Action], *kinds: Kind) -> list[int]:
    return [at for at, action in enumerate(order) if action.kind in kinds]


@pytest.mark.parametrize("name", REAL)
def test_the_originals_pass(name: str) -> None:
    assert caught(real(name)) == set()


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("kind", [Kind.SEND_F, Kind.RECV_F, Kind.SEND_B, Kind.RECV_B])
def test_a_dropped_half_is_left_over_and_hangs(name: str, kind: Kind) -> None:
    schedule = real(name)
    for rank in range(schedule.ranks):
        for at in positions(orders_of(schedule)[rank], kind):
            orders = orders_of(schedule)
            orders[rank].pop(at)
            assert {"match", "deadlock-free"} <= caught(rebuilt(schedule, orders))


@pytest.mark.parametrize("name", REAL)
def test_a_dropped_message_is_never_received(name: str) -> None:
    schedule = real(name)
    plan = channels(schedule)
    for send in np.flatnonzero(plan.sends).tolist():
        dropped = {schedule.action(send), schedule.action(int(plan.partner[send]))}
        orders = [[a for a in order if a not in dropped] for order in orders_of(schedule)]
        spoilt = rebuilt(schedule, orders)
        assert caught(spoilt) == {"causal"}
        [violation] = causal(spoilt)
        assert violation.witness["missing"] in {str(action) for action in dropped}


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("kinds", [(Kind.SEND_F,), (Kind.RECV_F,), (Kind.SEND_B,), (Kind.RECV_B,)])
def test_swapped_messages_of_one_channel_do_not_match(name: str, kinds: tuple[Kind, ...]) -> None:
    schedule = real(name)
    swaps = 0
    for rank in range(schedule.ranks):
        chosen = positions(orders_of(schedule)[rank], *kinds)
        for one, other in pairwise(chosen):
            orders = orders_of(schedule)
            order = orders[rank]
            if order[one].stage == order[other].stage:
                order[one], order[other] = order[other], order[one]
                assert "match" in caught(rebuilt(schedule, orders))
                swaps += 1
    assert swaps


@pytest.mark.parametrize("name", REAL)
def test_a_relabelled_message_does_not_match(name: str) -> None:
    schedule = real(name)
    for rank in range(schedule.ranks):
        for at in positions(orders_of(schedule)[rank], Kind.SEND_F, Kind.RECV_B):
            orders = orders_of(schedule)
            action = orders[rank][at]
            microbatch = (action.microbatch + 1) % schedule.microbatches
            orders[rank][at] = Action(action.kind, action.stage, microbatch)
            assert "match" in caught(rebuilt(schedule, orders))


def test_receives_where_their_tensor_is_needed_hang_though_all_of_them_match() -> None:
    computations = read_document(FOLDER / "torch2.13_1F1B_p4_m8.compute.csv").schedule
    late = lower(computations, "just-in-time")
    assert caught(late) == {"deadlock-free"}
    assert deadlock_free(late, channels(late), QueueModel("direction")) == []
    assert deadlock_free(late, channels(late), QueueModel("rank", 1)) == []


# Each weakening leaves out or relaxes one condition of the model.
def one_slot_more(plan: Channels, buffer: int | None) -> Any:
    return completed_by(plan, None if buffer is None else buffer + 1)


def receives_need_no_send(plan: Channels, buffer: int | None) -> Any:
    result = completed_by(plan, buffer)
    receives = np.flatnonzero(~plan.sends & (plan.channel >= 0))
    result[receives] = receives
    return result


def computations_do_not_wait(schedule: Schedule, plan: Channels) -> Inputs:
    found = inputs(schedule, plan)
    return replace(found, message=found.message[:0], reader=found.reader[:0])


def waits_do_not_wait(schedule: Schedule, plan: Channels) -> Inputs:
    found = inputs(schedule, plan)
    receives = ~plan.sends[found.message]
    return replace(found, message=found.message[receives], reader=found.reader[receives])


def nothing_waits_without_messages(schedule: Schedule, plan: Channels) -> Inputs:
    found = inputs(schedule, plan)
    return replace(found, source=found.source[:0], target=found.target[:0])


def barriers_do_not_wait(schedule: Schedule, plan: Channels) -> Inputs:
    found = inputs(schedule, plan)
    waits = schedule.kind[found.target] != Kind.BARRIER
    return replace(found, source=found.source[waits], target=found.target[waits])


def barriers_need_no_counterpart(schedule: Schedule, plan: Channels) -> Inputs:
    found = inputs(schedule, plan)
    none = found.barriers.index[:0]
    return replace(found, barriers=Barriers(none, none, found.barriers.count))


def posted_at_once(schedule: Schedule, plan: Channels, key: Any) -> Queues:
    line = queues(schedule, plan, key)
    behind = np.full_like(line.posted_behind, MISSING)
    return Queues(schedule, plan, line.entry, line.offsets, line.first, behind)


def one_queue_only(schedule: Schedule, plan: Channels, key: Any) -> Queues:
    return queues(schedule, plan, "rank")


def no_batches(schedule: Schedule, plan: Channels, key: Any) -> Queues:
    return queues(replace(schedule, groups=()), plan, key)


WEAKENED: dict[str, list[Callable[..., Any]]] = {
    "completed_by": [one_slot_more, receives_need_no_send],
    "inputs": [
        computations_do_not_wait,
        waits_do_not_wait,
        nothing_waits_without_messages,
        barriers_do_not_wait,
        barriers_need_no_counterpart,
    ],
    "queues": [posted_at_once, one_queue_only, no_batches],
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "weaker"), [(name, weaker) for name, ways in WEAKENED.items() for weaker in ways]
)
def test_the_machine_notices_a_weakened_rule(
    monkeypatch: pytest.MonkeyPatch, name: str, weaker: Callable[..., Any]
) -> None:
    choose = random.Random(3)
    schedules = [make() for make in SOUND] + [
        spoiled(make(), choose) for make in SOUND for _ in range(3)
    ]
    assert not differing(schedules)
    monkeypatch.setattr(module, name, weaker)
    assert differing(schedules)


def differing(schedules: list[Schedule]) -> list[str]:
    """Schedules that the machine brings to another end than `progress`."""
    found = []
    for schedule in schedules:
        for key in QUEUE_KEYS:
            model = QueueModel(key, 1 if key == "rank" else 0)
            end = progress(schedule, channels(schedule), model).end
            _, complete = Machine(schedule, model).run(random.Random(0))
            if complete != set(np.flatnonzero(end != MISSING).tolist()):
                found.append(schedule.name)
    return found
