"""`delay-any-timing` against every order of events of small schedules.

The events are the actions; a run of a static order under some timing is a linear extension of
program order and dependencies, and every linear extension is the run of some timing. All of them
are walked through, state by state: a state is how far every rank has come.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedules import Action, Kind, Schedule, WeightPolicy, build, delays, timeline
from schedules.actions import MESSAGES
from schedules.dependencies import edges
from schedules.invariants import check, parse_requirements
from schedules.invariants.any_timing import clocks, worst_delays
from schedules.invariants.run import Run
from schedules.lowering import lower
from schedules.versions import update_after
from tests.oracle.test_barriers import in_rounds
from tests.property.test_invariants_laws import spelled_out
from tests.rows import rows
from tests.strategies import any_schedules, durations

MOST_ORDERS = 20_000


def predecessors(schedule: Schedule) -> list[set[int]]:
    """What each action waits for, receives being posted and passed by."""
    waits: list[set[int]] = [set() for _ in range(len(schedule))]
    receives = (Kind.RECV_F, Kind.RECV_B)
    for rank in range(schedule.ranks):
        previous = None
        for index in range(int(schedule.offsets[rank]), int(schedule.offsets[rank + 1])):
            if previous is not None:
                waits[index].add(previous)
            if schedule.kind[index] not in receives:
                previous = index
    found = edges(schedule)
    for source, target in zip(found.source.tolist(), found.target.tolist(), strict=True):
        if schedule.kind[target] != Kind.BARRIER:
            waits[target].add(source)
    for same in zip(*barriers_by_rank(schedule), strict=True):
        for barrier in same:
            for other in same:
                begin = int(schedule.offsets[schedule.rank_of_action[other]])
                waits[barrier] |= {i for i in range(begin, other) if holds_up(schedule, i)}
    return waits


def barriers_by_rank(schedule: Schedule) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(schedule.ranks)]
    for index, rank in enumerate(schedule.rank_of_action.tolist()):
        if schedule.kind[index] == Kind.BARRIER:
            found[rank].append(index)
    return found


def holds_up(schedule: Schedule, index: int) -> bool:
    """Whether a rank comes to what stands behind an action only when that has run."""
    return schedule.kind[index] not in MESSAGES


def all_orders(waits: list[set[int]]) -> list[list[int]]:
    """Every linear extension, at most `MOST_ORDERS` of them."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(waits)))
    graph.add_edges_from(
        (before, after) for after, befores in enumerate(waits) for before in befores
    )
    found = []
    for order in nx.all_topological_sorts(graph):
        found.append(order)
        if len(found) > MOST_ORDERS:
            pytest.skip("too many orders to look at all of them")
    return found


def worst_by_walking(schedule: Schedule) -> dict[tuple[int, int], int]:
    """Largest delay of every applied gradient, over all orders and blocks."""
    marks, worst = update_after(schedule), dict[tuple[int, int], int]()
    applies = applied_by(schedule)
    for order in all_orders(predecessors(schedule)):
        length, recorded = 0, defaultdict[int, dict[int, int]](dict)
        for index in order:
            action = schedule.action(index)
            if action.kind is Kind.F:
                recorded[action.microbatch][action.stage] = length
            if marks[index]:
                for stage, microbatch in applies[index]:
                    delay = length - min(recorded[microbatch].values())
                    key = (stage, microbatch)
                    worst[key] = max(worst.get(key, 0), delay)
                length += 1
    return worst


def applied_by(schedule: Schedule) -> dict[int, list[tuple[int, int]]]:
    """Gradients of each update, by walking each rank."""
    marks, found = update_after(schedule), dict[int, list[tuple[int, int]]]()
    waiting = defaultdict[tuple[int, int], list[tuple[int, int]]](list)
    for index in range(len(schedule)):
        action = schedule.action(index)
        weights = (action.stage, schedule.placement.copies[action.pipeline][action.stage])
        if action.kind in (Kind.B, Kind.W):
            waiting[weights].append((action.stage, action.microbatch))
        if marks[index]:
            found[index] = waiting.pop(weights, [])
    return found


def compared(schedule: Schedule) -> None:
    walked, (computed, _) = worst_by_walking(schedule), worst_delays(Run(schedule))
    for at in product(range(schedule.stages), range(schedule.microbatches)):
        assert computed[at] == walked.get(at, -1), at


SMALL = {
    "pipedream 2×4": build("pipedream", 2, 4),
    "pipedream 3×2": build("pipedream", 3, 2),
    "pipedream 2×3 noam 3": build("pipedream", 2, 3, noam=3),
    "naive 2×3": build("naive", 2, 3),
    "gpipe 2×3": build("gpipe", 2, 3),
    "1f1b 2×4": build("1f1b", 2, 4),
    "zb-h1 2×3": build("zb-h1", 2, 3),
    "localsgd 2×4": build("localsgd", 2, 4, replicas=2, local_steps=1),
    "spelled out": spelled_out(build("pipedream", 2, 3)),
    "late updates": rows("0F0 0F1 0B0 0B1 0U\n1F0 1B0 1F1 1U 1B1 1U"),
    "with messages": lower(build("pipedream", 2, 2)),
    "barrier before a forward": rows(
        "0F0 0F1 0B0 0BARRIER 0F2 0B1 0B2\n1F0 1B0 1F1 1B1 1BARRIER 1F2 1B2", "stash"
    ),
    "barrier behind an update": rows(
        "0F1 0F0 0BARRIER 0B1 0B0\n1F1 1F0 1BARRIER 1B1 1B0\n2F1 2B1 2F0 2B0 2BARRIER", "stash"
    ),
    "two barriers": rows(
        "0F0 0F1 0BARRIER 0B0 0BARRIER 0F2 0B1 0B2\n1F0 1B0 1BARRIER 1F1 1B1 1BARRIER 1F2 1B2",
        "stash",
    ),
    "barrier and messages": rows(
        "0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B0 0B0 0BARRIER 0RECV_B1 0B1\n"
        "1RECV_F0 1F0 1B0 1SEND_B0 1BARRIER 1RECV_F1 1F1 1B1 1SEND_B1",
        "stash",
    ),
    "receive posted early": rows(
        "0F0 0SEND_F0 0RECV_B0 0B0 0F1 0SEND_F1 0RECV_B1 0B1\n"
        "1RECV_F0 1RECV_F1 1F0 1B0 1SEND_B0 1F1 1B1 1SEND_B1",
        "stash",
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_all_orders_of_small_schedules(name: str) -> None:
    compared(SMALL[name])


@settings(max_examples=40)
@given(any_schedules(most=2))
def test_all_orders_of_any_schedule(schedule: Schedule) -> None:
    waits = predecessors(schedule)
    graph = nx.DiGraph([(a, b) for b, before in enumerate(waits) for a in before])
    if len(graph) <= 16:
        compared(schedule)


@settings(max_examples=40)
@given(in_rounds(most=2))
def test_all_orders_of_any_schedule_with_barriers(schedule: Schedule) -> None:
    if len(schedule) <= 14:
        compared(schedule)


@given(any_schedules(st.just(WeightPolicy("stash"))), durations)
def test_no_timing_exceeds_it(schedule: Schedule, times: dict[Kind, int]) -> None:
    """Also where all orders are too many: simulated timings stay below."""
    worst, _ = worst_delays(Run(schedule))
    for name in ("ascending", "descending"):
        found = delays(timeline(schedule, times), name)
        rows_of = worst[found.stage, found.microbatch]
        assert (found.matrix.max(axis=1) <= rows_of).all()


@given(any_schedules())
def test_clocks_are_ancestors(schedule: Schedule) -> None:
    waits = predecessors(schedule)
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(waits)))
    graph.add_edges_from(
        (before, after) for after, befores in enumerate(waits) for before in befores
    )
    found = edges(schedule)
    clock = clocks(schedule.offsets, found.source, found.target)
    rank = schedule.rank_of_action
    for index in range(len(schedule)):
        needed = np.bincount(rank[[*nx.ancestors(graph, index), index]], minlength=schedule.ranks)
        assert clock[index].tolist() == needed.tolist()


@pytest.mark.parametrize("name", [name for name in SMALL if "barrier" in name])
def test_barriers_take_orders_away(name: str) -> None:
    """Hand-made schedules whose largest delays grow if their barriers are left out."""
    schedule = SMALL[name]
    orders = [
        [action for action in schedule.rank(rank) if action.kind is not Kind.BARRIER]
        for rank in range(schedule.ranks)
    ]
    free = Schedule.from_orders(
        "free", orders, schedule.microbatches, schedule.policy, placement=schedule.placement
    )
    with_barriers, without = worst_delays(Run(schedule))[0], worst_delays(Run(free))[0]
    assert (with_barriers <= without).all()
    assert (with_barriers < without).any()


# The invariant itself


def test_steady_window_of_pipedream() -> None:
    """p = 2: microbatch 2 of 5 is the only one in the window."""
    schedule = build("pipedream", 2, 5)
    worst = int(worst_delays(Run(schedule))[0][:, 2].max())
    assert check(schedule, parse_requirements(f"delay-any-timing<={worst}")).ok
    report = check(schedule, parse_requirements(f"delay-any-timing<={worst - 1}"))
    assert [violation.witness["action"] for violation in report.violations] == ["0B2"]
    [violation] = report.violations
    assert violation.witness["delay"] == violation.witness["most"] == worst
    assert "2 ≤ m < 3" in violation.message
    assert [str(schedule.action(index)) for index in violation.marks.actions] == ["0B2", "0F2"]


@pytest.mark.parametrize(
    ("schedule", "why"),
    [
        (build("pipedream", 17, 40), "up to 16 ranks, found 17"),
        (build("pipedream", 3, 6), "take M ≥ 7"),
        (
            Schedule.from_orders(
                "made",
                [[Action(kind, 0, m) for m in range(3) for kind in (Kind.F, Kind.B)]],
                3,
                WeightPolicy("stash", interval=4),
            ),
            "no gradient of microbatches 1 … 1 is applied",
        ),
    ],
)
def test_undecided(schedule: Schedule, why: str) -> None:
    report = check(schedule, parse_requirements("delay-any-timing<=1000"))
    [(name, reason)] = report.undecided
    assert name == "delay-any-timing"
    assert why in reason
    assert not report.ok


def test_sixteen_ranks_are_decided() -> None:
    report = check(build("gpipe", 16, 33), parse_requirements("delay-any-timing<=15"))
    assert report.ok
    assert not check(build("gpipe", 16, 33), parse_requirements("delay-any-timing<=14")).ok
