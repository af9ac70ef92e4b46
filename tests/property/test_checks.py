"""Laws of the checker: a faithful run passes, whatever it ran and however long things took."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from gpu_validation.checks import Observed, examine, observed
from gpu_validation.checks.real_time import measured
from gpu_validation.controls import CONTROLS, other_order
from gpu_validation.delay_range import delay_range
from gpu_validation.files import json_text
from gpu_validation.judging import agree, judge_log
from gpu_validation.prediction import predict
from gpu_validation.report import of_judged_log
from schedules import Schedule, Timeline, build, timeline
from schedules.actions import Kind
from schedules.dependencies import edges
from schedules.errors import InvalidScheduleError
from schedules.formats.trace import write_trace
from schedules.formats.trace_reader import parse_trace
from schedules.validate import validate
from tests.run_logs import faithful_log
from tests.strategies import any_schedules, durations, localsgds, pipedreams

schedules = st.one_of(any_schedules(), pipedreams, localsgds)


def runnable(schedule: Schedule) -> Schedule:
    try:
        predict(schedule)
    except InvalidScheduleError:
        assume(False)
    return schedule


def some_order(schedule: Schedule, chance: random.Random) -> Timeline:
    """A random linear extension: one action at a time, each lasting one unit."""
    found = edges(schedule)
    waits: dict[int, set[int]] = {index: set() for index in range(len(schedule))}
    for source, target in zip(found.source.tolist(), found.target.tolist(), strict=True):
        waits[target].add(source)
    for rank in range(schedule.ranks):
        mine = range(int(schedule.offsets[rank]), int(schedule.offsets[rank + 1]))
        for before, after in itertools.pairwise(mine):
            waits[after].add(before)
    start = np.zeros(len(schedule), dtype=np.int64)
    done: set[int] = set()
    for time in range(len(schedule)):
        ready = [index for index in waits if index not in done and waits[index] <= done]
        chosen = chance.choice(ready)
        start[chosen] = time
        done.add(chosen)
    return Timeline(schedule, start, start + 1)


@settings(max_examples=60)
@given(schedules, durations)
def test_a_faithful_run_passes_every_check(schedule: Schedule, times: dict[Kind, int]) -> None:
    runnable(schedule)
    log = faithful_log(schedule, timeline(schedule, times))
    findings = examine(observed(log), predict(schedule))
    assert all(found.holds for found in findings if found.applies and found.compared)
    assert not [found for found in findings if found.holds is False]


@settings(max_examples=25)
@given(schedules, st.integers(0, 9))
def test_so_does_any_order_of_its_events(schedule: Schedule, seed: int) -> None:
    runnable(schedule)
    log = faithful_log(schedule, some_order(schedule, random.Random(seed)))
    findings = examine(observed(log), predict(schedule))
    assert not [found for found in findings if found.holds is False]


@settings(max_examples=25)
@given(any_schedules(most=3), st.integers(0, 9))
def test_range_holds_delays_of_random_orders(schedule: Schedule, seed: int) -> None:
    runnable(schedule)
    span = delay_range(schedule)
    log = faithful_log(schedule, some_order(schedule, random.Random(seed)))
    found, known = measured(observed(log))
    assert (known == (span.update >= 0)).all()
    assert (span.least[known] <= found[known]).all()
    assert (found[known] <= span.most[known]).all()


@settings(max_examples=15)
@given(any_schedules(most=2), st.integers(0, 10**6))
def test_both_ends_of_a_range_are_reached(schedule: Schedule, pick: int) -> None:
    runnable(schedule)
    span = delay_range(schedule)
    where = np.argwhere(span.update >= 0)
    assume(len(where))
    i, m = where[pick % len(where)].tolist()
    j = pick % schedule.stages
    chance = random.Random(0)
    seen = set()
    for _ in range(300):
        found, _ = measured(observed(faithful_log(schedule, some_order(schedule, chance))))
        seen.add(int(found[i, m, j]))
        if {span.least[i, m, j], span.most[i, m, j]} <= seen:
            break
    assert (min(seen), max(seen)) == (span.least[i, m, j], span.most[i, m, j])


@settings(max_examples=30)
@given(schedules)
def test_every_applicable_control_is_caught_in_a_log(schedule: Schedule) -> None:
    runnable(schedule)
    log = faithful_log(schedule)
    _, findings, controls = judge_log(log, schedule)
    assert [control.name for control in controls] == list(CONTROLS)
    assert [control.name for control in controls if control.applicable and not control.caught] == []
    assert not [found for found in findings if found.holds is False]


@settings(max_examples=30)
@given(schedules)
def test_the_other_order_is_valid_and_another(schedule: Schedule) -> None:
    runnable(schedule)
    other = other_order(schedule)
    if other is None:
        assert schedule.microbatches == 1 or schedule.stages == 0 or len(schedule) <= 2
        return
    assert not validate(other)
    orders = [[list(s.rank(rank)) for rank in range(s.ranks)] for s in (schedule, other)]
    assert orders[0] != orders[1]


@settings(max_examples=20)
@given(schedules)
def test_a_log_survives_writing_and_reading(schedule: Schedule) -> None:
    runnable(schedule)
    log = faithful_log(schedule)
    again = parse_trace(write_trace(log), "run.jsonl")

    def outcome(seen: Observed) -> list[bool | None]:
        return [found.holds for found in examine(seen, predict(schedule))]

    assert outcome(observed(again)) == outcome(observed(log))


@pytest.mark.slow
@settings(max_examples=60)
@given(schedules, st.sets(st.integers(0, 10**4), min_size=1))
@example(build("localsgd", 3, 2, replicas=1, local_steps=2), {4, 16, 26})
def test_a_log_with_holes_is_judged_and_does_not_agree(schedule: Schedule, gone: set[int]) -> None:
    runnable(schedule)
    header, *lines = write_trace(faithful_log(schedule)).splitlines(keepends=True)
    gone = {number % len(lines) for number in gone}
    kept = [line for number, line in enumerate(lines) if number not in gone]
    log = parse_trace("".join([header, *kept]), "log")
    for free in (False, True):
        predicted, findings, controls = judge_log(log, schedule, free)
        result = of_judged_log(log, observed(log), schedule, predicted, findings, controls, free)
        assert json_text(result)
        assert not agree(findings, controls)
