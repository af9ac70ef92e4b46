"""Laws of the message model: what never hurts, what the least buffer means, what a hang proves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from schedules import Action, Kind, Placement, Schedule, WeightPolicy, build, timeline
from schedules.actions import COMPUTE, MESSAGES
from schedules.dependencies import MISSING
from schedules.invariants import check
from schedules.lowering import lower
from schedules.messages.capacity import deadlock_facts
from schedules.messages.channels import NONE, channels
from schedules.messages.model import QUEUE_KEYS, QueueKey, QueueModel
from schedules.messages.progress import Progress, progress
from schedules.messages.waits import Blockage, Link, blockages
from schedules.schedule import Group
from schedules.validation.causal import causal
from schedules.validation.complete import complete
from schedules.validation.exclusive import exclusive
from schedules.validation.match import match
from tests.strategies import any_schedules

KINDS = (
    Kind.F, Kind.B, Kind.SEND_F, Kind.RECV_F, Kind.SEND_B, Kind.RECV_B, Kind.WAIT_SEND_F,
    Kind.WAIT_SEND_B,
)  # fmt: skip
BUFFERS = (0, 1, 2, 3, None)


@st.composite
def programs(draw: DrawFn) -> Schedule:
    """Anything ranks may be told to do, sensible or not, with messages on every boundary."""
    stages = draw(st.integers(2, 4))
    placement = Placement.from_ranks(
        tuple(draw(st.lists(st.integers(0, 2), min_size=stages, max_size=stages)))
    )
    orders: list[list[Action]] = [[] for _ in range(placement.rank_count)]
    for _ in range(draw(st.integers(1, 14))):
        stage, kind = draw(st.integers(0, stages - 1)), draw(st.sampled_from(KINDS))
        microbatch = draw(st.integers(0, 2))
        if kind in (Kind.SEND_F, Kind.RECV_B) and stage == stages - 1:
            kind = Kind.F
        if kind in (Kind.RECV_F, Kind.SEND_B) and stage == 0:
            kind = Kind.B
        orders[placement.ranks[0][stage]].append(Action(kind, stage, microbatch))
        # Most messages get their other half, so that something can complete.
        if kind in (Kind.SEND_F, Kind.SEND_B) and draw(st.integers(0, 3)):
            ahead = 1 if kind is Kind.SEND_F else -1
            half = Kind.RECV_F if kind is Kind.SEND_F else Kind.RECV_B
            other = orders[placement.ranks[0][stage + ahead]]
            other.insert(draw(st.integers(0, len(other))), Action(half, stage + ahead, microbatch))
    rounds, lost = draw(st.sampled_from(((0, 0), (1, 0), (2, 0), (1, 1))))
    for rank, order in enumerate(orders):
        for _ in range(rounds + draw(st.integers(0, lost))):
            stage = max((s for s, r in enumerate(placement.ranks[0]) if r == rank), default=0)
            order.insert(draw(st.integers(0, len(order))), Action(Kind.BARRIER, stage))
    groups = []
    for rank, order in enumerate(orders):
        if len(order) > 2 and draw(st.booleans()):
            first = draw(st.integers(0, len(order) - 2))
            count = draw(st.integers(2, len(order) - first))
            groups.append(Group(rank, first, count, draw(st.sampled_from(("batch", "overlap")))))
    return Schedule.from_orders(
        "drawn", orders, 3, WeightPolicy("flush"), placement=placement, groups=groups
    )


def run(schedule: Schedule, key: QueueKey, buffer: int | None) -> Progress:
    return progress(schedule, channels(schedule), QueueModel(key, buffer))


@given(programs())
def test_finer_queues_and_larger_buffers_never_hurt(schedule: Schedule) -> None:
    ends = {(key, k): run(schedule, key, k).end for key in QUEUE_KEYS for k in BUFFERS}
    for finer, key in enumerate(QUEUE_KEYS):
        for larger, buffer in enumerate(BUFFERS):
            less = ends[key, buffer]
            for better in QUEUE_KEYS[finer:]:
                for k in BUFFERS[larger:]:
                    more = ends[better, k]
                    done = less != MISSING
                    assert (more[done] != MISSING).all()
                    assert (more[done] <= less[done]).all()


@pytest.mark.slow
@given(programs())
def test_the_least_buffer_is_the_least(schedule: Schedule) -> None:
    plan = channels(schedule)
    for key, least in deadlock_facts(schedule, plan).items():
        enough = [k for k in range(plan.longest + 1) if run(schedule, key, k).finished]
        assert enough == ([] if least is None else list(range(least, plan.longest + 1)))
        assert run(schedule, key, None).finished == (least is not None)


@given(programs(), st.sampled_from(QUEUE_KEYS), st.sampled_from(BUFFERS))
def test_the_least_buffer_is_the_same_if_a_model_is_known_to_complete(
    schedule: Schedule, key: QueueKey, buffer: int | None
) -> None:
    plan, model = channels(schedule), QueueModel(key, buffer)
    if progress(schedule, plan, model).finished:
        assert deadlock_facts(schedule, plan, model) == deadlock_facts(schedule, plan)


@given(programs(), st.sampled_from(QUEUE_KEYS), st.sampled_from(BUFFERS))
def test_a_hang_is_explained_and_the_explanation_holds(
    schedule: Schedule, key: QueueKey, buffer: int | None
) -> None:
    found = run(schedule, key, buffer)
    stuck = blockages(found)
    assert bool(stuck) == (not found.finished)
    for blockage in stuck:
        require_true(found, blockage)


def require_true(found: Progress, blockage: Blockage) -> None:
    """Every link waits for something that does not happen, and leads to the next one."""
    line, plan = found.queues, found.queues.plan
    last = blockage.links[-1]
    assert (last.awaited is None) == (blockage.kind == "orphan")
    for link, following in zip(
        blockage.links, [*blockage.links[1:], blockage.links[0]], strict=True
    ):
        action, awaited = link.action, link.awaited
        assert found.end[action] == MISSING
        if awaited is None:
            assert link is last
            require_no_counterpart(found, link)
            continue
        assert found.end[awaited] == MISSING
        assert line.queue[line.entry[awaited]] == line.queue[line.entry[following.action]]
        assert line.entry[following.action] <= line.entry[awaited]
        if link.why == "input":
            assert line.schedule.kind[awaited] in (Kind.RECV_F, Kind.RECV_B)
            assert plan.channel[action] == NONE
        elif link.why == "barrier":
            require_late(line.schedule, action, awaited)
        elif link.why == "posting":
            assert found.start[action] == MISSING
            assert plan.channel[awaited] == NONE
        elif link.why in ("counterpart", "room"):
            assert found.start[action] != MISSING
            assert found.start[awaited] == MISSING
            assert plan.channel[awaited] == plan.channel[action]
            assert plan.sends[awaited] != plan.sends[action]
            assert (awaited == plan.partner[action]) == (link.why == "counterpart")


def barriers_of(schedule: Schedule, rank: int) -> list[int]:
    begin = int(schedule.offsets[rank])
    return [begin + at for at, a in enumerate(schedule.rank(rank)) if a.kind is Kind.BARRIER]


def require_no_counterpart(found: Progress, link: Link) -> None:
    """A message that has started, or a barrier that another rank has not as often."""
    plan, schedule = found.queues.plan, found.queues.schedule
    if link.why != "barrier":
        assert found.start[link.action] != MISSING
        assert plan.partner[link.action] == MISSING
        return
    assert found.start[link.action] == MISSING
    number = barriers_of(schedule, int(schedule.rank_of_action[link.action])).index(link.action)
    assert any(len(barriers_of(schedule, rank)) <= number for rank in range(schedule.ranks))


def require_late(schedule: Schedule, barrier: int, awaited: int) -> None:
    """What a barrier waits for is the last that its counterpart on another rank stands behind."""
    here, there = (int(schedule.rank_of_action[index]) for index in (barrier, awaited))
    assert here != there
    counterpart = barriers_of(schedule, there)[barriers_of(schedule, here).index(barrier)]
    assert schedule.kind[awaited] not in MESSAGES
    assert awaited < counterpart
    assert all(schedule.kind[index] in MESSAGES for index in range(awaited + 1, counterpart))


@given(programs(), st.sampled_from(QUEUE_KEYS), st.sampled_from(BUFFERS))
def test_steps_are_an_order_of_execution(
    schedule: Schedule, key: QueueKey, buffer: int | None
) -> None:
    found = run(schedule, key, buffer)
    time = found.steps
    assert ((time != MISSING) == (found.start != MISSING)).all()
    # Along a queue, and from a message to what it completes for, steps only grow.
    for queue in range(len(found.queues.offsets) - 1):
        own = time[found.queues.queue[found.queues.entry] == queue]
        entries = found.queues.entry[found.queues.queue[found.queues.entry] == queue]
        ran = own[np.argsort(entries, kind="stable")]
        ran = ran[ran != MISSING]
        assert (np.diff(ran) >= 0).all()
    for receive, reader in zip(found.inputs.message, found.inputs.reader, strict=True):
        if time[reader] != MISSING:
            assert max(time[receive], time[found.completed_by[receive]]) < time[reader]


@given(any_schedules())
def test_receives_as_soon_as_possible_always_fit_and_complete(schedule: Schedule) -> None:
    lowered = lower(schedule)
    plan = channels(lowered)
    assert match(lowered, plan) == []
    assert deadlock_facts(lowered, plan) == {"rank": 0, "peer": 0, "direction": 0}


@given(any_schedules())
def test_receives_just_in_time_complete_in_queues_of_their_own(schedule: Schedule) -> None:
    lowered = lower(schedule, "just-in-time")
    plan = channels(lowered)
    assert deadlock_facts(lowered, plan)["direction"] == 0
    # Where microbatches overtake each other, it is the sends and receives that do not fit.
    computes = np.isin(lowered.kind, list(COMPUTE))
    earliest = timeline(lowered).start[computes]
    for key in QUEUE_KEYS:
        found = run(lowered, key, None)
        assert found.finished
        if not match(lowered, plan):
            assert (found.start[computes] >= earliest).all()


@pytest.mark.parametrize("family", ["1f1b", "zbv", "zb-h1", "chimera", "localsgd", "amdp"])
@given(data=st.data())
def test_without_messages_and_barriers_causal_says_it_all(family: str, data: st.DataObject) -> None:
    """`check` concludes deadlock-free where complete, causal and exclusive hold: so it does run."""
    built = build(family, 4, 4)
    orders = [list(built.rank(rank)) for rank in range(4)]
    for _ in range(data.draw(st.integers(0, 3))):
        order = orders[data.draw(st.integers(0, 3))]
        one, other = (data.draw(st.integers(0, len(order) - 1)) for _ in range(2))
        order[one], order[other] = order[other], order[one]
    schedule = Schedule.from_orders(family, orders, 4, built.policy, placement=built.placement)
    assert not np.isin(schedule.kind, [*MESSAGES, Kind.BARRIER]).any()
    if not (complete(schedule) or causal(schedule) or exclusive(schedule)):
        assert progress(schedule, channels(schedule), QueueModel()).finished
        assert "deadlock-free" in check(schedule).decided
