"""Free runs under any timing: what never changes, and the bound on local staleness."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedules import Action, Kind, build
from schedules.families.pipedream import RULE
from schedules.free_running import free_run
from schedules.timeline import Timeline, timeline
from schedules.versions import versions

stages = st.integers(1, 5)
microbatches = st.integers(1, 10)
limits = st.integers(1, 7)
numbers = st.integers(0, 2**32 - 1)


def uneven(seed: int, least: int) -> Callable[[Action], int]:
    """A time for every action, mostly short, now and then very long."""
    choices = (least, least, least, least + 1, least + 4, least + 40)

    def time(action: Action) -> int:
        mixed = np.random.default_rng([seed, *map(int, (action.kind, action.stage))])
        return choices[int(mixed.integers(0, 6, action.microbatch + 1)[-1])]

    return time


def drawn_run(p: int, M: int, noam: int, seed: int) -> Timeline:
    return free_run(RULE, p, M, noam, uneven(seed, 1), uneven(seed + 1, 0))


@given(stages, microbatches, limits)
def test_unit_durations_are_the_slot_rule(p: int, M: int, noam: int) -> None:
    free = free_run(RULE, p, M, noam, lambda _: 1)
    assert free.rows() == timeline(build("pipedream", p, M, noam=noam)).rows()


@given(stages, microbatches, limits, numbers)
def test_bound_on_local_staleness(p: int, M: int, noam: int, seed: int) -> None:
    found = versions(drawn_run(p, M, noam, seed).schedule).local_staleness
    assert found[:-1].max(initial=0) <= min(noam, M) - 1
    assert not found[-1].any()


@given(st.integers(2, 5), microbatches, limits, numbers)
def test_never_more_in_flight_than_at_the_stage_before(
    p: int, M: int, noam: int, seed: int
) -> None:
    run = drawn_run(p, M, noam, seed)
    kind, stage = run.schedule.kind, run.schedule.stage
    for now in np.unique(run.start):
        started = [((kind == Kind.F) & (stage == s) & (run.start <= now)).sum() for s in range(p)]
        ended = [((kind == Kind.B) & (stage == s) & (run.end <= now)).sum() for s in range(p)]
        in_flight = np.subtract(started, ended)
        assert (np.diff(in_flight) <= 0).all()
        assert in_flight[0] <= noam


@given(stages, microbatches, limits, numbers)
@settings(max_examples=40)
def test_every_decision_is_the_rule_s(p: int, M: int, noam: int, seed: int) -> None:
    """A stage that is free starts at once what is ready, the preferred kind if both are."""
    run = drawn_run(p, M, noam, seed)
    delay = uneven(seed + 1, 0)
    where = {run.schedule.action(i): i for i in range(len(run.schedule))}

    def arrival(kind: Kind, s: int, m: int, hop: bool) -> int:
        action = Action(kind, s, m)
        return int(run.end[where[action]]) + (delay(action) if hop else 0)

    for s in range(p):
        order = list(run.schedule.rank(s))
        free = 0
        for position, action in enumerate(order):
            done = {
                kind: sum(a.kind is kind for a in order[:position]) for kind in (Kind.F, Kind.B)
            }
            ready = {}
            m = done[Kind.F]
            if m < M and s == 0 and done[Kind.F] - done[Kind.B] < noam:
                ready[Kind.F] = free
            elif m < M and s > 0:
                ready[Kind.F] = max(free, arrival(Kind.F, s - 1, m, True))
            m = done[Kind.B]
            if m < done[Kind.F]:
                handed_back = arrival(Kind.B, s + 1, m, True) if s < p - 1 else 0
                ready[Kind.B] = max(free, arrival(Kind.F, s, m, False), handed_back)
            begin = min(ready.values())
            kinds = [kind for kind, time in ready.items() if time == begin]
            if len(kinds) == 2:
                last = order[position - 1].kind
                kinds = [Kind.B if not done[Kind.B] or last is Kind.F else Kind.F]
            index = where[action]
            assert (action.kind, int(run.start[index])) == (kinds[0], begin)
            free = int(run.end[index])


@pytest.mark.slow
def test_all_timings_of_a_small_pipeline() -> None:
    """p = 3, M = 2, NOAM = 2, each of the 12 actions short or long: largest staleness 1, 1, 0."""
    actions = [Action(kind, s, m) for kind in (Kind.F, Kind.B) for s in range(3) for m in range(2)]
    largest = np.zeros(3, dtype=np.int64)
    for times in product((1, 5), repeat=len(actions)):
        taken = dict(zip(actions, times, strict=True))
        found = versions(free_run(RULE, 3, 2, 2, taken.__getitem__).schedule).local_staleness
        largest = np.maximum(largest, found.max(axis=1))
    assert largest.tolist() == [1, 1, 0]
