"""The model of messages against a machine that executes whatever it can, in random order.

Whichever order the machine takes, it has to end where `progress` says.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from schedules import Action, Kind, Placement, Schedule, WeightPolicy, build
from schedules.dependencies import MISSING
from schedules.lowering import lower
from schedules.messages.capacity import deadlock_facts
from schedules.messages.channels import Channels, channels
from schedules.messages.model import QUEUE_KEYS, QueueModel
from schedules.messages.progress import progress
from schedules.schedule import Group
from tests.oracle.message_machine import End, Machine
from tests.rows import rows

BUFFERS = (0, 1, 2, None)


def end_of(schedule: Schedule, plan: Channels, model: QueueModel) -> End:
    found = progress(schedule, plan, model)
    started = frozenset(i for i, time in enumerate(found.start.tolist()) if time != MISSING)
    complete = frozenset(i for i, time in enumerate(found.end.tolist()) if time != MISSING)
    assert found.finished == (len(complete) == len(schedule))
    return started, complete


def compare(schedule: Schedule, choose: random.Random, executions: int) -> None:
    plan = channels(schedule)
    for key in QUEUE_KEYS:
        for buffer in BUFFERS:
            model = QueueModel(key, buffer)
            expected = end_of(schedule, plan, model)
            for _ in range(executions):
                assert Machine(schedule, model).run(choose) == expected, model


def spoiled(schedule: Schedule, choose: random.Random) -> Schedule:
    """Drop, repeat and move a few actions of each rank; put some stretches in groups."""
    orders, groups = [], []
    for rank in range(schedule.ranks):
        order = list(schedule.rank(rank))
        for _ in range(choose.randrange(4)):
            at, to = choose.randrange(len(order)), choose.randrange(len(order))
            order[at], order[to] = order[to], order[at]
        if choose.random() < 0.2:
            order.pop(choose.randrange(len(order)))
        if choose.random() < 0.2:
            order.insert(choose.randrange(len(order)), choose.choice(order))
        orders.append(order)
        begin = 0
        while choose.random() < 0.6 and begin < len(order) - 5:
            begin += choose.randrange(4)
            count = choose.randint(1, 4)
            kind = "batch" if choose.random() < 0.7 else "overlap"
            groups.append(Group(rank, begin, min(count, len(order) - begin), kind))
            begin += count
    return Schedule.from_orders(
        "spoiled",
        orders,
        schedule.microbatches,
        schedule.policy,
        placement=schedule.placement,
        groups=groups,
    )


def to_itself() -> Schedule:
    """Messages on every boundary, also where both stages are on one rank."""
    placement = Placement.from_ranks((0, 0, 1))
    order = ["0F0 0SEND_F0 1RECV_F0 1F0 1SEND_F0 1RECV_B0 1B0 1SEND_B0 0RECV_B0 0B0"]
    order += ["2RECV_F0 2F0 2B0 2SEND_B0"]
    orders = [[read_action(text) for text in row.split()] for row in order]
    flush = WeightPolicy("flush")
    return Schedule.from_orders("to itself", orders, 1, flush, placement=placement)


def read_action(text: str) -> Action:
    return Action(Kind[text[1:-1]], int(text[0]), int(text[-1]))


def in_rounds() -> Schedule:
    """Three ranks with a barrier behind each of three microbatches, receives posted early."""
    return rows(
        "0F0 0SEND_F0 0RECV_B0 0B0 0BARRIER 0F1 0SEND_F1 0RECV_B1 0B1 0BARRIER 0F2 0SEND_F2\n"
        "1RECV_F0 1F0 1SEND_F0 1RECV_B0 1B0 1SEND_B0 1BARRIER 1RECV_F1 1F1 1SEND_F1 1RECV_B1 1B1 "
        "1SEND_B1 1RECV_F2 1BARRIER 1F2\n"
        "2RECV_F0 2F0 2B0 2SEND_B0 2RECV_F1 2BARRIER 2F1 2B1 2SEND_B1 2BARRIER"
    )


def barriers_alone() -> Schedule:
    """Computations without messages, and barriers."""
    return rows(
        "0F0 0F1 0BARRIER 0B0 0B1 0BARRIER 0F2 0B2\n1F0 1B0 1F1 1BARRIER 1B1 1BARRIER 1F2 1B2\n"
        "2F0 2B0 2F1 2BARRIER 2B1 2BARRIER 2F2 2B2"
    )


def waited_at_once() -> Schedule:
    """Two ranks of which each waits for its own sends before it goes on."""
    orders = ["0F0 0SEND_F0 0WAIT_SEND_F0 0F1 0SEND_F1 0WAIT_SEND_F1 0RECV_B0 0B0 0RECV_B1 0B1"]
    orders += ["1RECV_F0 1F0 1RECV_F1 1F1 1B0 1SEND_B0 1WAIT_SEND_B0 1B1 1SEND_B1 1WAIT_SEND_B1"]
    return rows("\n".join(orders))


SOUND: tuple[Callable[[], Schedule], ...] = (
    lambda: lower(build("1f1b", 3, 4)),
    lambda: lower(build("1f1b", 2, 3), "just-in-time"),
    lambda: lower(build("interleaved-1f1b", 3, 3)),
    lambda: lower(build("looped-bfs", 3, 3), "just-in-time"),
    lambda: lower(build("zbv", 2, 2), "just-in-time"),
    lambda: lower(build("dualpipev", 2, 4)),
    lambda: lower(build("localsgd", 2, 6, replicas=2, local_steps=1)),
    lambda: build("blog-1f1b", 3, 4),
    lambda: build("gpipe", 3, 2),
    to_itself,
    in_rounds,
    barriers_alone,
    lambda: lower(build("1f1b", 3, 3), "with-waits"),
    waited_at_once,
)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("number", range(len(SOUND)))
@pytest.mark.parametrize("seed", range(4))
def test_every_order_ends_where_progress_says(number: int, seed: int) -> None:
    choose = random.Random(1000 * number + seed)
    schedule = SOUND[number]()
    compare(schedule if seed == 0 else spoiled(schedule, choose), choose, 3)


def test_spoiled_schedules_hang_in_some_models_and_complete_in_others() -> None:
    choose = random.Random(7)
    schedules = [spoiled(make(), choose) for make in SOUND for _ in range(6)]
    least = [tuple(deadlock_facts(each, channels(each)).values()) for each in schedules]
    assert {None, 0, 1} <= {buffer for buffers in least for buffer in buffers}
    assert sum(len(set(buffers)) > 1 for buffers in least) >= 10
