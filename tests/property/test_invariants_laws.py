"""Laws of invariants and of explicit updates, against replays of the words that define them."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedules import (
    LINEARIZATIONS,
    Action,
    Kind,
    Schedule,
    delays,
    equivalent_delays,
    timeline,
    versions,
)
from schedules.analysis import Sizes, StageSizes, byte_peaks, peaks
from schedules.errors import ScheduleError
from schedules.invariants import INVARIANTS, Requirement, check
from schedules.validate import facts
from schedules.validation.facts import versions_kept
from schedules.versions import update_after
from tests.strategies import any_schedules, linearizations, localsgds, pipedreams

U = Kind.U
few = settings(max_examples=40)
COMPUTE_GRADIENT = (Kind.B, Kind.W)


def with_orders(schedule: Schedule, orders: list[list[Action]]) -> Schedule:
    return Schedule.from_orders(
        schedule.name,
        orders,
        schedule.microbatches,
        schedule.policy,
        placement=schedule.placement,
    )


def spelled_out(schedule: Schedule) -> Schedule:
    """The same schedule with an action U behind everything that the policy updates with."""
    marks, orders = update_after(schedule), []
    for rank in range(schedule.ranks):
        order = []
        for index in range(int(schedule.offsets[rank]), int(schedule.offsets[rank + 1])):
            action = schedule.action(index)
            order.append(action)
            if marks[index]:
                order.append(Action(U, action.stage, pipeline=action.pipeline))
        orders.append(order)
    return with_orders(schedule, orders)


@st.composite
def updated(draw: st.DrawFn) -> Schedule:
    """Any schedule with actions U anywhere, also where they make no sense."""
    schedule = draw(st.one_of(any_schedules(most=3), pipedreams))
    orders = [list(schedule.rank(rank)) for rank in range(schedule.ranks)]
    for rank, order in enumerate(orders):
        seats = [
            (stage, pipeline)
            for pipeline, row in enumerate(schedule.placement.ranks)
            for stage, owner in enumerate(row)
            if owner == rank
        ]
        for _ in range(draw(st.integers(0, 4)) if seats else 0):
            stage, pipeline = draw(st.sampled_from(seats))
            order.insert(draw(st.integers(0, len(order))), Action(U, stage, pipeline=pipeline))
    return with_orders(schedule, orders)


schedules = st.one_of(any_schedules(), pipedreams, localsgds, updated())


def holds(schedule: Schedule, name: str, bound: int | None = None) -> bool:
    report = check(schedule, [Requirement(name, bound, name)])
    assert name in report.decided
    return report.ok


def decidable(schedule: Schedule) -> bool:
    return check(schedule).ok


# Explicit updates


@few
@given(st.one_of(any_schedules(), pipedreams, localsgds), linearizations)
def test_updates_that_are_spelled_out_change_nothing(schedule: Schedule, name: str) -> None:
    if not decidable(schedule):
        return
    explicit = spelled_out(schedule)
    one, other = versions(schedule), versions(explicit)
    for field in ("at_forward", "at_backward", "at_update", "read", "used"):
        assert np.array_equal(getattr(one, field), getattr(other, field)), field
    for measured in (delays, equivalent_delays):
        before, after = measured(timeline(schedule), name), measured(timeline(explicit), name)
        for field in ("stage", "microbatch", "index", "matrix"):
            assert np.array_equal(getattr(before, field), getattr(after, field)), field
    assert peaks(timeline(schedule)) == peaks(timeline(explicit))
    changed = {"actions": len(explicit)}
    assert facts(schedule, linearization=name) | changed == facts(explicit, linearization=name)
    requirements = [Requirement(n, 1, n) for n in ("stash", "flush", "staleness", "versions")]
    broken = [
        [found.invariant for found in check(each, requirements).violations]
        for each in (schedule, explicit)
    ]
    assert broken[0] == broken[1]


@given(st.one_of(any_schedules(), pipedreams, localsgds))
def test_graph_of_updates_that_are_spelled_out(schedule: Schedule) -> None:
    explicit = spelled_out(schedule)
    graph, implied = explicit.dag(), schedule.dag()
    assert nx.is_directed_acyclic_graph(graph)
    assert set(graph) == set(implied)
    assert nx.transitive_closure(implied).edges <= nx.transitive_closure(graph).edges


class Replay:
    """Explicit and implied updates, carried out action by action."""

    def __init__(self, schedule: Schedule) -> None:
        copies, policy = schedule.placement.copies, schedule.policy
        actions = [schedule.action(index) for index in range(len(schedule))]
        weights = [(a.stage, copies[a.pipeline][a.stage]) for a in actions]
        explicit = {w for a, w in zip(actions, weights, strict=True) if a.kind is U}
        total = {
            w: sum(
                a.kind in COMPUTE_GRADIENT and v == w for a, v in zip(actions, weights, strict=True)
            )
            for w in weights
        }
        self.version = dict.fromkeys(weights, 0)
        waiting: dict[tuple[int, int], list[tuple[int, int]]] = {w: [] for w in weights}
        seen = dict.fromkeys(weights, 0)
        self.forward: dict[tuple[int, int], int] = {}
        self.backward: dict[tuple[int, int], int] = {}
        self.applied: dict[tuple[int, int], tuple[int, int]] = {}
        self.sizes: list[int] = []
        for index, (a, w) in enumerate(zip(actions, weights, strict=True)):
            at = (a.stage, a.microbatch)
            if a.kind is Kind.F:
                self.forward[at] = self.version[w]
            if a.kind in (Kind.B, Kind.I):
                self.backward[at] = self.version[w]
            if a.kind in COMPUTE_GRADIENT:
                waiting[w].append(at)
                seen[w] += 1
            window = total[w] if policy.name == "flush" else policy.interval
            due = a.kind in COMPUTE_GRADIENT and seen[w] % window == 0
            if (a.kind is U) if w in explicit else due:
                for gradient in waiting[w]:
                    self.applied[gradient] = (self.version[w], index)
                self.sizes.append(len(waiting[w]))
                waiting[w] = []
                self.version[w] += 1
        self.missing = [w for w in total if total[w] and explicit and w not in explicit]
        self.window = policy.interval


@given(schedules)
def test_explicit_updates_by_replay(schedule: Schedule) -> None:
    if not decidable(schedule):
        return
    replay, found = Replay(schedule), versions(schedule)
    for (s, m), version in replay.forward.items():
        assert found.at_forward[s, m] == version
        assert found.at_backward[s, m] == replay.backward[s, m]
        if (s, m) in replay.applied:
            assert found.at_update[s, m] == replay.applied[s, m][0]
    kept = schedule.policy.name in ("stash", "predict", "vertical-sync", "double-buffer")
    assert np.array_equal(found.used, found.read if kept else found.at_backward)


@given(schedules)
def test_update_once_by_replay(schedule: Schedule) -> None:
    if not decidable(schedule):
        return
    replay = Replay(schedule)
    pairs = schedule.stages * schedule.microbatches
    right = len(replay.applied) == pairs and all(replay.sizes) and not replay.missing
    if schedule.policy.name == "flush":
        steps = {m: set[int]() for m in range(schedule.microbatches)}
        for (_, m), (version, _) in replay.applied.items():
            steps[m].add(version)
        right = right and all(len(found) == 1 for found in steps.values())
    else:
        right = right and all(size == replay.window for size in replay.sizes)
    assert holds(schedule, "update-once") is right


@given(schedules)
def test_flush_by_replay(schedule: Schedule) -> None:
    """Every F, B and update of a microbatch is in one step, the same at all stages."""
    if not decidable(schedule):
        return
    replay, read = Replay(schedule), versions(schedule).read
    right = True
    for m in range(schedule.microbatches):
        step = set()
        for s in range(schedule.stages):
            step |= {int(read[s, m]), replay.backward[s, m]}
            if (s, m) in replay.applied:
                step.add(replay.applied[s, m][0])
            else:
                step.add(int(versions(schedule).at_update[s, m]))
        right = right and len(step) == 1
    assert holds(schedule, "flush") is right


# Bounds


def least_bounds(schedule: Schedule, linearization: str) -> dict[str, int]:
    """The least bound of every counting invariant, from numbers that have their own tests."""
    found, line = versions(schedule), timeline(schedule)
    matrix = delays(line, linearization).matrix
    return {
        "versions": max(versions_kept(schedule, found)),
        "staleness": int(found.local_staleness.max()),
        "delay": int(matrix.max()) if matrix.size else -1,
        "skew": int((found.read.max(axis=0) - found.read.min(axis=0)).max()),
        "in-flight": max(peaks(line).activations_by_stage),
        "activations": max(peaks(line).activations_by_stage),
    }


@pytest.mark.slow
@few
@given(schedules, linearizations)
def test_bounds_are_exact(schedule: Schedule, linearization: str) -> None:
    if not decidable(schedule):
        return
    for name, least in least_bounds(schedule, linearization).items():
        if least < 0:
            continue
        above = check(schedule, [Requirement(name, least, name)], linearization=linearization)
        assert above.ok, name
        if least > INVARIANTS[name].least:
            below = check(
                schedule, [Requirement(name, least - 1, name)], linearization=linearization
            )
            assert {found.invariant for found in below.violations} == {name}
            for violation in below.violations:
                assert violation.witness.get("most", violation.witness.get("skew")) is not None
    sync = check(schedule, [Requirement("vertical-sync", None, "")])
    assert sync.ok is (least_bounds(schedule, linearization)["skew"] == 0)


@given(schedules)
def test_stash_names_each_stale_backward(schedule: Schedule) -> None:
    if not decidable(schedule):
        return
    found = versions(schedule)
    violations = check(schedule, [Requirement("stash", None, "stash")]).violations
    stale = {
        str(schedule.action(index))
        for index in range(len(schedule))
        if schedule.kind[index] in (Kind.B, Kind.I)
        and not found.stashed[schedule.stage[index], schedule.microbatch[index]]
    }
    assert {violation.witness["action"] for violation in violations} == stale
    for violation in violations:
        backward, forward, update = violation.marks.actions
        assert forward < update < backward or schedule.policy.reads_stage_zero
        assert update_after(schedule)[update]


drawn_sizes = st.builds(
    lambda sizes: Sizes("drawn", dict(enumerate(sizes))),
    st.lists(
        st.builds(StageSizes, *(st.integers(0, 50) for _ in range(4))), min_size=6, max_size=6
    ),
)


@pytest.mark.slow
@few
@given(schedules, drawn_sizes)
def test_memory_bounds_are_exact(schedule: Schedule, sizes: Sizes) -> None:
    if not decidable(schedule) or schedule.stages > 6:
        return
    line = timeline(schedule)
    most = {"rank-memory": max(byte_peaks(line, sizes).total), "memory": 0}
    found = check(schedule, sizes=sizes).facts["memory"]
    assert isinstance(found, list)
    most["memory"] = max(found)
    for name, size in most.items():
        assert check(schedule, [Requirement(name, size, name)], sizes=sizes).ok
        if size:
            below = check(schedule, [Requirement(name, size - 1, name)], sizes=sizes)
            assert {violation.invariant for violation in below.violations} == {name}
            assert max(violation.witness["most"] for violation in below.violations) == size  # type: ignore[type-var]
    assert most["memory"] <= most["rank-memory"]


# Whatever is thrown at it


@st.composite
def damaged(draw: st.DrawFn) -> Schedule:
    """A schedule whose actions were changed at random."""
    schedule = draw(schedules)
    columns = {
        name: np.array(getattr(schedule, name))
        for name in ("kind", "stage", "microbatch", "pipeline")
    }
    for _ in range(draw(st.integers(1, 4))):
        index = draw(st.integers(0, len(schedule) - 1))
        name = draw(st.sampled_from(list(columns)))
        high = len(Kind) - 1 if name == "kind" else 5
        columns[name][index] = draw(st.integers(0 if name == "kind" else -2, high))
    return replace(
        schedule,
        kind=columns["kind"],
        stage=columns["stage"],
        microbatch=columns["microbatch"],
        pipeline=columns["pipeline"],
    )


@given(damaged(), st.sampled_from(list(LINEARIZATIONS)))
def test_damaged_schedules_get_a_verdict_or_an_error(schedule: Schedule, name: str) -> None:
    requirements = [Requirement(n, 1, n) for n in INVARIANTS]
    try:
        report = check(schedule, requirements, linearization=name)
    except ScheduleError:
        return
    assert sorted(report.decided + tuple(n for n, _ in report.undecided)) == sorted(INVARIANTS)
    for violation in report.violations:
        assert violation.invariant in report.decided
        for action in violation.marks.actions:
            assert 0 <= action < len(schedule)
