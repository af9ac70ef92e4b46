"""Laws of timelines, dependency graphs, weight versions and of what the families generate.

Timelines are compared with longest paths on networkx, greedy families with a second reading of
the published rules, versions with a replay of the policy's words.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedules import Action, Kind, Schedule, ScheduleError, Timeline, build, timeline, versions
from schedules.timeline import unit_durations
from schedules.versions import update_after
from tests.strategies import (
    any_schedules,
    durations,
    localsgds,
    microbatches,
    pipedreams,
    stages,
)

schedules = st.one_of(any_schedules(), pipedreams, localsgds)
local_runs = st.tuples(stages, st.integers(1, 20), st.integers(1, 4), st.integers(1, 3))

INPUT_GRADIENT = (Kind.B, Kind.I)
WEIGHT_GRADIENT = (Kind.B, Kind.W)


def starts(line: Timeline) -> dict[Action, int]:
    schedule = line.schedule
    return {schedule.action(index): int(line.start[index]) for index in range(len(schedule))}


def ends(line: Timeline) -> dict[Action, int]:
    schedule = line.schedule
    return {schedule.action(index): int(line.end[index]) for index in range(len(schedule))}


def rank_of(schedule: Schedule) -> dict[Action, int]:
    return {action: rank for rank in range(schedule.ranks) for action in schedule.rank(rank)}


def weights_of(schedule: Schedule, action: Action) -> tuple[int, int]:
    """(stage, weight copy) that an action works on."""
    return action.stage, schedule.placement.copies[action.pipeline][action.stage]


# Timelines


def longest_paths(schedule: Schedule, taken: dict[Kind, int]) -> dict[Action, int]:
    """Weight of the heaviest path to every action, by networkx."""
    graph = schedule.dag()
    source = "start"
    for before, _, data in graph.edges(data=True):
        data["weight"] = -taken[before.kind]
    graph.add_edges_from(((source, node) for node in list(graph)), weight=0)
    distance = nx.single_source_bellman_ford_path_length(graph, source)
    return {node: -length for node, length in distance.items() if node != source}


@given(schedules, durations)
def test_timeline_is_the_longest_path(schedule: Schedule, times: dict[Kind, int]) -> None:
    longest = longest_paths(schedule, unit_durations(schedule) | times)
    found = starts(timeline(schedule, times))
    assert found == {action: longest[action] for action in found}


@given(schedules, durations)
def test_length_and_idle_time_add_up(schedule: Schedule, times: dict[Kind, int]) -> None:
    line = timeline(schedule, times)
    assert line.length == max(ends(line).values())
    assert line.busy + line.idle == schedule.ranks * line.length
    assert line.idle_fraction * schedule.ranks * line.length == line.idle


@given(schedules, durations)
def test_rows_show_every_action_in_its_slots(schedule: Schedule, times: dict[Kind, int]) -> None:
    line = timeline(schedule, times)
    cells = [cell for row in line.rows() for cell in row.split()]
    assert cells.count(".") == line.idle
    assert len(cells) == schedule.ranks * line.length


@given(any_schedules(), durations, st.integers(2, 5))
def test_slower_clock_stretches_the_timeline(
    schedule: Schedule, times: dict[Kind, int], factor: int
) -> None:
    slow = timeline(schedule, {kind: factor * time for kind, time in times.items()})
    assert slow.start.tolist() == (factor * timeline(schedule, times).start).tolist()


# Dependency graph


@given(schedules)
def test_graph_is_acyclic_and_complete(schedule: Schedule) -> None:
    graph = schedule.dag()
    assert nx.is_directed_acyclic_graph(graph)
    actions = [schedule.action(index) for index in range(len(schedule))]
    updates = [node for node in graph if node.kind is Kind.U]
    assert len(updates) == update_after(schedule).sum()
    assert set(graph) == {*actions, *updates}


@given(schedules)
def test_edge_kinds(schedule: Schedule) -> None:
    graph, rank = schedule.dag(), rank_of(schedule)
    for before, after, data in graph.edges(data=True):
        match data["kind"]:
            case "program":
                assert rank[before] == rank[after]
            case "data":
                assert rank[before] == rank[after]
                assert before.microbatch == after.microbatch
            case "message":
                assert rank[before] != rank[after]
                assert abs(before.stage - after.stage) == 1
                assert before.microbatch == after.microbatch
            case "update":
                assert Kind.U in (before.kind, after.kind)
                assert weights_of(schedule, before) == weights_of(schedule, after)
            case "barrier":
                assert after.kind is Kind.REDUCE
                assert before == Action(Kind.B, 0, after.microbatch, after.pipeline)
            case other:
                pytest.fail(f"unknown kind of edge: {other}")


@given(schedules)
def test_program_order_is_in_the_graph(schedule: Schedule) -> None:
    graph = schedule.dag()
    for rank in range(schedule.ranks):
        assert all(graph.has_edge(*pair) for pair in pairwise(schedule.rank(rank)))


@given(schedules)
def test_forward_follows_the_updates_it_reads(schedule: Schedule) -> None:
    """Updates of a weight copy that precede F in the graph = the version that F finds."""
    graph, found = schedule.dag(), versions(schedule)
    for action in list(graph):
        if action.kind is Kind.F:
            behind = sum(
                node.kind is Kind.U and weights_of(schedule, node) == weights_of(schedule, action)
                for node in nx.ancestors(graph, action)
            )
            assert behind == found.at_forward[action.stage, action.microbatch]


# Greedy families


def play_by_the_rules(
    p: int, M: int, noam: int | None, replicas: int = 0, local_steps: int = 0
) -> dict[Action, int]:
    """A second reading of the scheduler rules: the slot of every action.

    Completion times are entered at the end of a slot, and compared strictly.
    """
    ended: dict[Action, int] = {}
    last: list[Kind | None] = [None] * p
    done_backward = [False] * p
    active, slot = 0, 0

    def pipeline(m: int) -> int:
        return m % replicas if replicas else 0

    def over(kind: Kind, s: int, m: int) -> bool:
        return Action(kind, s, m, pipeline(m)) in ended

    def may_start(s: int, m: int) -> bool:
        if not replicas:
            return s > 0 or noam is None or active < noam
        jobs = replicas * local_steps
        step, first = m % jobs // replicas, m - m % jobs
        return (step == 0 or over(Kind.B, s, m - replicas)) and (
            first == 0 or over(Kind.B, 0, first - 1)
        )

    while len(ended) < 2 * p * M:
        chosen = []
        for s in range(p):
            f = sum(over(Kind.F, s, m) for m in range(M))
            b = sum(over(Kind.B, s, m) for m in range(M))
            f_ready = f < M and (s == 0 or over(Kind.F, s - 1, f)) and may_start(s, f)
            b_ready = b < M and over(Kind.F, s, b) and (s == p - 1 or over(Kind.B, s + 1, b))
            prefers_f = done_backward[s] and last[s] is Kind.B
            if f_ready and (prefers_f or not b_ready):
                chosen.append(Action(Kind.F, s, f, pipeline(f)))
            elif b_ready:
                chosen.append(Action(Kind.B, s, b, pipeline(b)))
        for action in chosen:
            ended[action] = slot
            last[action.stage] = action.kind
            done_backward[action.stage] |= action.kind is Kind.B
            if action.stage == 0:
                active += 1 if action.kind is Kind.F else -1
        slot += 1
    return ended


@given(stages, microbatches, st.integers(1, 7))
def test_pipedream_runs_in_the_slots_its_rule_chose(p: int, M: int, noam: int) -> None:
    line = timeline(build("pipedream", p, M, noam=noam))
    assert starts(line) == play_by_the_rules(p, M, noam)


@given(local_runs)
def test_localsgd_runs_in_the_slots_its_rule_chose(run: tuple[int, int, int, int]) -> None:
    p, M, n, H = run
    found = starts(timeline(build("localsgd", p, M, replicas=n, local_steps=H)))
    computing = {a: slot for a, slot in found.items() if a.kind is not Kind.REDUCE}
    assert computing == play_by_the_rules(p, M, None, n, H)


@given(stages, microbatches)
def test_one_active_microbatch_is_naive_model_parallelism(p: int, M: int) -> None:
    naive, single = timeline(build("naive", p, M)), timeline(build("pipedream", p, M, noam=1))
    assert starts(naive) == starts(single)


@given(stages, microbatches)
def test_as_many_active_as_stages_fill_the_last_stage(p: int, M: int) -> None:
    line = timeline(build("pipedream", p, M))
    assert line.length == 2 * (M + p - 1)
    assert line.idle == 2 * p * (p - 1)


# LocalSGD


@given(local_runs)
def test_rounds_are_separated_by_a_barrier(run: tuple[int, int, int, int]) -> None:
    p, M, n, H = run
    jobs = n * H
    line = timeline(build("localsgd", p, M, replicas=n, local_steps=H))
    begin, end = starts(line), ends(line)
    for action, start in begin.items():
        m = action.microbatch
        if action.kind is Kind.F and m >= jobs:
            last = m - m % jobs - 1
            assert start >= end[Action(Kind.B, 0, last, last % n)]
        if action.kind is Kind.F and m % jobs >= n:
            assert start >= end[Action(Kind.B, action.stage, m - n, m % n)]


@given(local_runs)
def test_full_rounds_are_averaged_and_a_partial_one_is_not(
    run: tuple[int, int, int, int],
) -> None:
    p, M, n, H = run
    line = timeline(build("localsgd", p, M, replicas=n, local_steps=H))
    begin, end = starts(line), ends(line)
    closing = [round_ * n * H - 1 for round_ in range(1, M // (n * H) + 1)]
    reductions = {action for action in begin if action.kind is Kind.REDUCE}
    assert reductions == {Action(Kind.REDUCE, s, m, m % n) for s in range(p) for m in closing}
    for action in reductions:
        m = action.microbatch
        assert begin[action] >= end[Action(Kind.B, 0, m, m % n)]
        for rank in range(p):
            order = list(line.schedule.rank(rank))
            at = order.index(Action(Kind.REDUCE, rank, m, m % n))
            assert all(before.microbatch <= m for before in order[:at])
            assert all(after.microbatch > m for after in order[at + 1 :])


@given(local_runs)
def test_replicas_have_no_local_staleness(run: tuple[int, int, int, int]) -> None:
    p, M, n, H = run
    found = versions(build("localsgd", p, M, replicas=n, local_steps=H))
    assert not found.local_staleness.any()
    assert found.at_update.tolist() == [[m // n for m in range(M)]] * p


# Weight versions


class Replay:
    """The words of the policy table, carried out action by action."""

    def __init__(self, schedule: Schedule) -> None:
        self.at_forward: dict[tuple[int, int], int] = {}
        self.at_backward: dict[tuple[int, int], int] = {}
        self.at_update: dict[tuple[int, int], int] = {}
        policy = schedule.policy
        actions = [schedule.action(index) for index in range(len(schedule))]
        total = Counter(weights_of(schedule, a) for a in actions if a.kind in WEIGHT_GRADIENT)
        version: Counter[tuple[int, int]] = Counter()
        gradients: Counter[tuple[int, int]] = Counter()
        for action in actions:
            place, weights = (action.stage, action.microbatch), weights_of(schedule, action)
            if action.kind is Kind.F:
                self.at_forward[place] = version[weights]
            if action.kind in INPUT_GRADIENT:
                self.at_backward[place] = version[weights]
            if action.kind in WEIGHT_GRADIENT:
                self.at_update[place] = version[weights]
                gradients[weights] += 1
                due = total[weights] if policy.name == "flush" else policy.interval
                version[weights] += gradients[weights] % due == 0
        self.updates = sum(version.values())
        pinned = policy.name == "vertical-sync"
        self.read = {(s, m): self.at_forward[0 if pinned else s, m] for s, m in self.at_forward}
        if policy.name == "double-buffer":
            self.read = {at: max(0, window - 1) for at, window in self.at_update.items()}
        self.used = self.at_backward if policy.name == "latest" else self.read
        self.reads_the_future = any(self.read[at] > self.at_forward[at] for at in self.read)


def grid(table: dict[tuple[int, int], int], schedule: Schedule) -> list[list[int]]:
    return [[table[s, m] for m in range(schedule.microbatches)] for s in range(schedule.stages)]


@given(any_schedules())
def test_versions_of_every_policy(schedule: Schedule) -> None:
    replay = Replay(schedule)
    if replay.reads_the_future:
        with pytest.raises(ScheduleError, match="lets F"):
            versions(schedule)
        return
    found = versions(schedule)
    for name in ("at_forward", "at_backward", "at_update", "read", "used"):
        assert getattr(found, name).tolist() == grid(getattr(replay, name), schedule), name
    assert found.horizon == schedule.policy.horizon
    assert (found.local_staleness == found.at_update - found.read).all()
    assert (found.mismatch == found.at_backward - found.at_forward).all()
    assert (found.stashed == (found.read == found.used)).all()


@given(any_schedules())
def test_number_of_updates(schedule: Schedule) -> None:
    assert update_after(schedule).sum() == Replay(schedule).updates


@given(any_schedules(), durations)
def test_versions_do_not_depend_on_time(schedule: Schedule, times: dict[Kind, int]) -> None:
    """Within a rank program order decides: an F starts after exactly the updates it counts."""
    replay, line = Replay(schedule), timeline(schedule, times)
    begin, end, marks = starts(line), ends(line), update_after(schedule)
    for action, start in begin.items():
        if action.kind is Kind.F:
            earlier = sum(
                bool(marks[index])
                and weights_of(schedule, other) == weights_of(schedule, action)
                and end[other] <= start
                for index, other in enumerate(begin)
            )
            assert earlier == replay.at_forward[action.stage, action.microbatch]
