"""Delays equal what one gets by walking through the run with pen and paper.

The walk below goes slot by slot and stage by stage, in the order that the linearization names,
and keeps the history as a list. It shares no code with `schedules.delays`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedules import (
    Delays,
    Kind,
    Schedule,
    Steady,
    Timeline,
    build,
    delays,
    equivalent_delays,
    steady,
    timeline,
)
from schedules.linearization import DEFAULT
from tests.strategies import any_schedules, durations, linearizations, localsgds, pipedreams

Pair = tuple[int, int]
"""(stage, microbatch)."""


@dataclass
class Walk:
    """What a walk through a run writes down.

    `seen` counts the updates that the weights had when a forward read them; `updates` are the
    (stage, weight copy, index) of the history.
    """

    recorded: dict[Pair, int] = field(default_factory=dict)
    seen: dict[Pair, int] = field(default_factory=dict)
    index: dict[Pair, int] = field(default_factory=dict)
    updates: list[tuple[int, int, int]] = field(default_factory=list)

    def value(self, stage: int, copy: int, entries: int) -> int:
        """The value of weights once the first `entries` of the history are in."""
        return sum((s, c) == (stage, copy) and index < entries for s, c, index in self.updates)


def walk(line: Timeline, linearization: str) -> Walk:
    schedule = line.schedule
    forwards: dict[Pair, int] = {}
    gradients: dict[Pair, int] = {}
    for flat in range(len(schedule)):
        action = schedule.action(flat)
        if action.kind is Kind.F:
            forwards[int(line.start[flat]), action.stage] = action.microbatch
        if action.kind in (Kind.B, Kind.W):
            gradients[int(line.end[flat]) - 1, action.stage] = action.microbatch

    result = Walk()
    waiting: dict[tuple[int, int], list[int]] = {}
    counts: Counter[tuple[int, int]] = Counter()
    for slot in range(line.length):
        at_start = len(result.updates)
        order = list(range(schedule.stages))
        if linearization == "descending":
            order.reverse()
        for stage in order:
            now = len(result.updates)
            if (slot, stage) in forwards:
                m = forwards[slot, stage]
                start_counts = linearization in ("forwards-first", "slot-start")
                result.recorded[stage, m] = at_start if start_counts else now
                result.seen[stage, m] = counts[stage, copy_of(schedule, stage, m)]
            if (slot, stage) in gradients:
                m = gradients[slot, stage]
                weights = (stage, copy_of(schedule, stage, m))
                batch = waiting.setdefault(weights, [])
                batch.append(m)
                if updates_now(schedule, weights, counts[weights], len(batch)):
                    index = at_start if linearization == "slot-start" else now
                    result.index |= {(stage, done): index for done in batch}
                    result.updates.append((*weights, index))
                    counts[weights] += 1
                    batch.clear()
    return result


def copy_of(schedule: Schedule, stage: int, microbatch: int) -> int:
    return schedule.placement.copies[microbatch % schedule.placement.pipelines][stage]


def updates_now(schedule: Schedule, weights: Pair, updates: int, waiting: int) -> bool:
    if schedule.policy.name != "flush":
        return waiting == schedule.policy.interval
    stage, copy = weights
    return waiting == sum(copy_of(schedule, stage, m) == copy for m in range(schedule.microbatches))


def rows_of(found: Delays) -> dict[Pair, tuple[int, list[int]]]:
    places = zip(found.stage.tolist(), found.microbatch.tolist(), strict=True)
    values = zip(found.index.tolist(), found.matrix.tolist(), strict=True)
    return dict(zip(places, values, strict=True))


def exact_rows(line: Timeline, linearization: str) -> dict[Pair, tuple[int, list[int]]]:
    seen = walk(line, linearization)
    stages = range(line.schedule.stages)
    return {
        (stage, m): (index, [index - seen.recorded[j, m] for j in stages])
        for (stage, m), index in seen.index.items()
    }


def least_reading(done: Walk, schedule: Schedule, index: int, block: int, m: int) -> int:
    copy = copy_of(schedule, block, m)
    return next(
        d for d in range(index + 1) if done.value(block, copy, index - d) == done.seen[block, m]
    )


@given(any_schedules(), linearizations)
def test_delays_of_any_schedule(schedule: Schedule, linearization: str) -> None:
    line = timeline(schedule)
    assert rows_of(delays(line, linearization)) == exact_rows(line, linearization)


@given(any_schedules(), durations, linearizations)
def test_delays_under_any_durations(
    schedule: Schedule, times: dict[Kind, int], linearization: str
) -> None:
    line = timeline(schedule, times)
    assert rows_of(delays(line, linearization)) == exact_rows(line, linearization)


@given(st.one_of(pipedreams, localsgds), linearizations)
def test_delays_of_families(schedule: Schedule, linearization: str) -> None:
    line = timeline(schedule)
    assert rows_of(delays(line, linearization)) == exact_rows(line, linearization)


@given(st.one_of(pipedreams, localsgds, any_schedules(most=3)), linearizations)
def test_equivalent_delay_is_the_least_that_reads_the_same(
    schedule: Schedule, linearization: str
) -> None:
    line = timeline(schedule)
    done = walk(line, linearization)
    assert rows_of(equivalent_delays(line, linearization)) == {
        (stage, m): (
            index,
            [least_reading(done, schedule, index, j, m) for j in range(schedule.stages)],
        )
        for (stage, m), index in done.index.items()
    }


@given(st.one_of(pipedreams, localsgds), linearizations)
def test_equivalent_delay_is_never_larger(schedule: Schedule, linearization: str) -> None:
    line = timeline(schedule)
    exact, least = delays(line, linearization), equivalent_delays(line, linearization)
    assert (least.matrix <= exact.matrix).all()
    assert (least.matrix >= 0).all()


@given(any_schedules(), linearizations)
def test_rows_come_in_the_order_of_the_history(schedule: Schedule, linearization: str) -> None:
    found = delays(timeline(schedule), linearization)
    order = list(
        zip(found.index.tolist(), found.stage.tolist(), found.microbatch.tolist(), strict=True)
    )
    assert order == sorted(order)


@given(
    st.integers(1, 4), st.integers(1, 20), st.one_of(st.none(), st.integers(1, 6)), linearizations
)
def test_steady_rows_are_all_rows_of_the_steady_microbatches(
    p: int, M: int, noam: int | None, linearization: str
) -> None:
    line = timeline(build("pipedream", p, M, noam=p if noam is None else noam))
    rows = exact_rows(line, linearization)
    by_stage = [{tuple(rows[s, m][1]) for m in range(p, M - p)} for s in range(p)]
    found = steady(delays(line, linearization))
    if all(len(distinct) == 1 for distinct in by_stage):
        assert isinstance(found, Steady)
        assert [{tuple(row)} for row in found.rows.tolist()] == by_stage
    elif isinstance(found, Steady):
        assert p < found.first <= M - 2 * p - 1
        at = (*range(found.first, M - p),)
        assert all(len({tuple(rows[s, m][1]) for m in at}) == 1 for s in range(p))


@given(linearizations, st.integers(1, 6))
def test_pipedream_is_steady_from_the_shortest_run_on(linearization: str, p: int) -> None:
    short = steady(delays(timeline(build("pipedream", p, 2 * p + 1)), linearization))
    long = steady(delays(timeline(build("pipedream", p, 4 * p + 3)), linearization))
    assert isinstance(short, Steady)
    assert isinstance(long, Steady)
    assert short.rows.tolist() == long.rows.tolist()


@pytest.mark.parametrize("p", [1, 2, 5])
def test_default_linearization_is_ascending(p: int) -> None:
    line = timeline(build("pipedream", p, 3 * p))
    assert DEFAULT == "ascending"
    assert delays(line).matrix.tolist() == delays(line, "ascending").matrix.tolist()
