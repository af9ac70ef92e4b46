"""Barriers, decided three times: by the greedy run, by a machine that executes, and by a solver.

A BARRIER ends when every rank has come to its counterpart. Mutants lose one, or have it moved over
a computation that another rank needs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import networkx as nx
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from schedules import Action, Kind, Schedule, timeline
from schedules.dependencies import edges
from schedules.errors import InvalidScheduleError
from schedules.invariants import check
from schedules.lowering import lower
from schedules.messages.capacity import deadlock_facts
from schedules.messages.channels import channels
from schedules.messages.model import QueueModel
from schedules.messages.progress import progress
from schedules.timeline import unit_durations
from tests.oracle.message_machine import Machine
from tests.property.test_schedules import longest_paths, starts
from tests.rows import rows
from tests.strategies import any_schedules, durations
from theory.laws.messages import second_opinion

MODELS = (
    QueueModel("rank", 0),
    QueueModel("rank", 1),
    QueueModel("peer", 0),
    QueueModel("direction", None),
)

ALONE = rows(
    "0F0 0F1 0BARRIER 0B0 0B1 0BARRIER 0F2 0B2\n1F0 1B0 1F1 1BARRIER 1B1 1BARRIER 1F2 1B2\n"
    "2F0 2B0 2F1 2BARRIER 2B1 2BARRIER 2F2 2B2"
)
SENT = rows(
    "0F0 0SEND_F0 0RECV_B0 0B0 0BARRIER 0F1 0SEND_F1 0RECV_B1 0B1 0BARRIER\n"
    "1RECV_F0 1F0 1B0 1SEND_B0 1RECV_F1 1BARRIER 1F1 1B1 1SEND_B1 1BARRIER"
)


def finishes(schedule: Schedule, model: QueueModel) -> bool:
    """What all three say."""
    plan = channels(schedule)
    greedy = progress(schedule, plan, model).finished
    _, complete = Machine(schedule, model).run(random.Random(len(schedule)))
    assert greedy == (len(complete) == len(schedule))
    assert second_opinion(schedule, plan, model).answer == ("free" if greedy else "deadlock")
    return greedy


def rebuilt(schedule: Schedule, orders: list[list[Action]]) -> Schedule:
    return Schedule.from_orders(
        "mutant", orders, schedule.microbatches, schedule.policy, placement=schedule.placement
    )


def orders_of(schedule: Schedule) -> list[list[Action]]:
    return [list(schedule.rank(rank)) for rank in range(schedule.ranks)]


def without_one(schedule: Schedule) -> Iterator[Schedule]:
    """Every schedule that lacks one BARRIER."""
    for rank, order in enumerate(orders_of(schedule)):
        for at, action in enumerate(order):
            if action.kind is Kind.BARRIER:
                orders = orders_of(schedule)
                del orders[rank][at]
                yield rebuilt(schedule, orders)


def with_one_moved(schedule: Schedule) -> Iterator[Schedule]:
    """Every schedule in which one BARRIER stands elsewhere on its rank."""
    for rank, order in enumerate(orders_of(schedule)):
        for at, action in enumerate(order):
            for to in range(len(order)):
                if action.kind is Kind.BARRIER and to != at:
                    orders = orders_of(schedule)
                    orders[rank].insert(to, orders[rank].pop(at))
                    yield rebuilt(schedule, orders)


@pytest.mark.parametrize("schedule", [ALONE, SENT], ids=["computations", "messages"])
def test_barriers_that_all_ranks_come_to(schedule: Schedule) -> None:
    assert all(finishes(schedule, model) for model in MODELS)
    assert check(schedule).ok
    assert nx.is_directed_acyclic_graph(schedule.dag())


@pytest.mark.parametrize("schedule", [ALONE, SENT], ids=["computations", "messages"])
def test_barrier_that_a_rank_lacks(schedule: Schedule) -> None:
    for mutant in without_one(schedule):
        assert not any(finishes(mutant, model) for model in MODELS)
        assert set(deadlock_facts(mutant, channels(mutant)).values()) == {None}
        assert "deadlock-free" in {found.invariant for found in check(mutant).violations}
        with pytest.raises(InvalidScheduleError, match="has no BARRIER number"):
            timeline(mutant)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("schedule", [ALONE, SENT], ids=["computations", "messages"])
def test_barrier_moved(schedule: Schedule) -> None:
    """With queues and buffers out of the way, causal and the graph see what hangs."""
    answers = []
    for mutant in with_one_moved(schedule):
        answers.append([finishes(mutant, model) for model in MODELS])
        violations = {found.invariant for found in check(mutant, model=MODELS[-1]).violations}
        assert violations == (set() if answers[-1][-1] else {"causal", "deadlock-free"})
        assert nx.is_directed_acyclic_graph(mutant.dag()) == answers[-1][-1]
        if not answers[-1][-1]:
            with pytest.raises(InvalidScheduleError, match="to get past"):
                timeline(mutant)
    assert {True, False} == {answer[-1] for answer in answers}


@st.composite
def in_rounds(draw: DrawFn, most: int = 3) -> Schedule:
    """Any schedule with barriers where all ranks can come to them: at a time of some run."""
    schedule = draw(any_schedules(most=most))
    start = timeline(schedule, draw(durations)).start
    orders = orders_of(schedule)
    # A barrier names a stage of its rank.
    assume(all(orders))
    for cut in sorted(draw(st.lists(st.integers(0, int(start.max()) + 1), max_size=2)))[::-1]:
        for rank, order in enumerate(orders):
            begin, end = schedule.offsets[rank : rank + 2].tolist()
            order.insert(int((start[begin:end] < cut).sum()), Action(Kind.BARRIER, order[0].stage))
    return rebuilt(schedule, orders)


@settings(max_examples=40)
@given(in_rounds())
def test_drawn_rounds_come_to_their_end(schedule: Schedule) -> None:
    lowered = lower(schedule)
    assert all(finishes(each, MODELS[0]) for each in (schedule, lowered))
    assert timeline(lowered).length == timeline(schedule).length


@settings(max_examples=40)
@given(in_rounds(), st.booleans(), st.sampled_from(MODELS), st.data())
def test_drawn_mutants(
    schedule: Schedule, sent: bool, model: QueueModel, data: st.DataObject
) -> None:
    schedule = lower(schedule, "just-in-time") if sent else schedule
    assume((schedule.kind == Kind.BARRIER).any())
    mutants = [*without_one(schedule), *with_one_moved(schedule)]
    assume(mutants)
    finishes(data.draw(st.sampled_from(mutants)), model)


@settings(max_examples=40)
@given(in_rounds(), durations, st.integers(0, 3))
def test_no_rank_goes_on_before_all_have_come(
    schedule: Schedule, times: dict[Kind, int], barrier_time: int
) -> None:
    """Barriers of one number begin together, when the last rank has come; nothing else waits."""
    line = timeline(schedule, {**times, Kind.BARRIER: barrier_time})
    rank = schedule.rank_of_action
    stops = [
        [i for i in range(len(schedule)) if rank[i] == r and schedule.kind[i] == Kind.BARRIER]
        for r in range(schedule.ranks)
    ]
    for same in zip(*stops, strict=True):
        came = [int(line.end[i - 1]) for i in same if i > schedule.offsets[rank[i]]]
        assert {int(line.start[i]) for i in same} == {max(came, default=0)}
    free = rebuilt(
        schedule, [[a for a in o if a.kind is not Kind.BARRIER] for o in orders_of(schedule)]
    )
    assert line.length >= timeline(free, times).length


@settings(max_examples=40)
@given(in_rounds(), durations)
def test_timeline_with_barriers_is_the_longest_path(
    schedule: Schedule, times: dict[Kind, int]
) -> None:
    longest = longest_paths(schedule, unit_durations(schedule) | times)
    found = starts(timeline(schedule, times))
    for action, time in found.items():
        if action.kind is not Kind.BARRIER:
            assert time == longest[action]


def test_edges_of_a_barrier_stand_for_all_ranks() -> None:
    found = edges(SENT)
    pairs = {
        (str(SENT.action(source)), int(source), str(SENT.action(target)), int(target))
        for source, target in zip(found.source.tolist(), found.target.tolist(), strict=True)
        if SENT.kind[target] == Kind.BARRIER
    }
    assert pairs == {
        ("1B0", 12, "0BARRIER", 4),
        ("0B0", 3, "1BARRIER", 15),
        ("1B1", 17, "0BARRIER", 9),
        ("0B1", 8, "1BARRIER", 19),
    }
