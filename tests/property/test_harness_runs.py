"""Laws of runs: any schedule, any policy, any pauses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gpu_validation.models import ModelSpec
from gpu_validation.optimizers import OptimizerSpec
from gpu_validation.run import RunSpec, run
from gpu_validation.single_thread import replay
from schedules import Kind, Schedule, build, versions
from schedules.validate import validate
from tests.harness import (
    computed,
    current,
    lamport,
    logged_versions,
    predicted_versions,
    same_weights,
    slots,
)
from tests.strategies import any_schedules, localsgds, pipedreams

SMALL = ModelSpec(width=4, batch=2)

OPTIMIZERS = st.sampled_from(
    [OptimizerSpec("momentum", lr=0.05), OptimizerSpec("adamw", weight_decay=0.1)]
)


@settings(max_examples=60)
@given(any_schedules(most=3) | localsgds | pipedreams, OPTIMIZERS)
def test_whatever_is_valid_runs_as_predicted(schedule: Schedule, optimizer: OptimizerSpec) -> None:
    assume(not validate(schedule))
    result = run(RunSpec(schedule, model=SMALL, optimizer=optimizer, hashing="off"))
    assert lamport(result) == slots(schedule)
    assert logged_versions(result) == predicted_versions(schedule)
    expected = versions(schedule).at_forward
    for where, number in current(result, Kind.F).items():
        assert number == expected[where]
    assert same_weights(result.weights, replay(schedule, SMALL, optimizer))


@settings(max_examples=6)
@given(st.sampled_from(["pipedream", "1f1b", "zb-h1"]), st.integers(0, 99))
def test_pauses_change_neither_versions_nor_unit_times(family: str, seed: int) -> None:
    schedule = build(family, 3, 6)
    result = run(RunSpec(schedule, model=SMALL, jitter=0.004, seed=seed))
    assert lamport(result) == slots(schedule)
    assert logged_versions(result) == predicted_versions(schedule)


@settings(max_examples=12)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 99))
def test_free_runs_keep_the_bound(ranks: int, noam: int, seed: int) -> None:
    schedule = build("pipedream", ranks, 10, noam=noam)
    optimizer = OptimizerSpec("momentum", lr=0.05)
    spec = RunSpec(
        schedule, model=SMALL, optimizer=optimizer, order="free-running", jitter=0.004, seed=seed
    )
    result = run(spec)
    assert set(computed(result)) == set(slots(schedule))
    at_forward, at_backward = current(result, Kind.F), current(result, Kind.B)
    staleness = [at_backward[where] - at_forward[where] for where in at_forward]
    assert min(staleness) >= 0
    assert max(staleness) <= noam - 1
    # What the log says was executed is a schedule: it explains versions, times and weights.
    executed = result.trace.schedule
    assert logged_versions(result) == predicted_versions(replace(executed, groups=()))
    assert lamport(result) == slots(executed)
    assert same_weights(result.weights, replay(executed, SMALL, optimizer))


def test_a_free_run_can_differ_from_the_static_order() -> None:
    schedule = build("pipedream", 4, 12)
    orders = set()
    for seed in range(6):
        spec = RunSpec(schedule, model=SMALL, order="free-running", jitter=0.01, seed=seed)
        executed = run(spec).trace.schedule
        kinds = np.isin(executed.kind, (Kind.F, Kind.B))
        orders.add(tuple(zip(executed.kind[kinds], executed.microbatch[kinds], strict=True)))
    assert len(orders) > 1
