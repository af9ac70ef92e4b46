"""Laws of the asynchronous families: mismatch, delay, versions, makespan, by microbatch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedules import Kind, WeightPolicy, build, timeline, versions
from schedules.analysis import peaks
from schedules.errors import InvalidScheduleError
from schedules.invariants import check, parse_requirements
from schedules.schedule import IntArray
from theory.derive import derive

F, B = Kind.F, Kind.B

STATIC = ("pipedream-runtime", "pipedream-2bw", "pipemare", "xpipe", "asyncpp")
AT_INTERVALS = ("pipemare", "xpipe", "asyncpp")

stages = st.integers(1, 7)
more = st.integers(0, 20)
times = st.fixed_dictionaries({F: st.integers(1, 5), B: st.integers(1, 5)})


def at_interval(p: int, M: int, interval: int) -> IntArray:
    """⌊m/K⌋ − ⌊max(0, m − L)/K⌋ by stage and microbatch."""
    s, m = np.indices((p, M))
    return np.asarray(m // interval - np.maximum(0, m - (p - 1 - s)) // interval)


# PipeDream's static order


@given(st.sampled_from(AT_INTERVALS), stages, st.integers(1, 6), more)
def test_mismatch_in_start_up_steady_state_and_drain(
    family: str, p: int, interval: int, extra: int
) -> None:
    M = interval + extra
    found = versions(build(family, p, M, update_interval=interval))
    assert found.mismatch.tolist() == at_interval(p, M, interval).tolist()
    assert found.local_staleness.tolist() == at_interval(p, M, interval).tolist()


@given(stages, st.integers(1, 30))
def test_mismatch_of_the_runtime_order(p: int, M: int) -> None:
    s, m = np.indices((p, M))
    assert (versions(build("pipedream-runtime", p, M)).mismatch == np.minimum(m, p - 1 - s)).all()


@given(stages, st.integers(1, 8), more)
def test_where_equation_5_is_the_delay(p: int, interval: int, extra: int) -> None:
    """(5) in 0-based stages, ⌊(2L + 1)/(2K)⌋: exact from L on where K divides L."""
    M = interval + p + extra
    found = versions(build("asyncpp", p, M, update_interval=interval)).local_staleness
    for s in range(p):
        ahead = p - 1 - s
        stated = (2 * ahead + 1) // (2 * interval)
        for m in range(ahead, M):
            late = m % interval < ahead % interval
            assert found[s, m] == stated + late
        if ahead % interval == 0:
            assert (found[s, ahead:] == stated).all()


@given(st.sampled_from(STATIC), stages, st.integers(8, 30), times)
def test_makespan_and_activations(family: str, p: int, M: int, durations: dict[Kind, int]) -> None:
    line = timeline(build(family, p, M), durations)
    assert line.length == (M + p - 1) * (durations[F] + durations[B])
    assert peaks(line).activations_by_stage == tuple(min(p - s, M) for s in range(p))


@given(stages, st.integers(0, 4), more)
def test_two_versions_are_enough_for_2bw(p: int, wider: int, extra: int) -> None:
    window = p + wider
    M = window + extra
    schedule = build("pipedream-2bw", p, M, window=window)
    assert check(schedule, parse_requirements("versions<=2, stash, vertical-sync")).ok
    found = versions(schedule)
    m = np.arange(M)
    assert (found.read == np.maximum(0, m // window - 1)).all()
    assert (found.local_staleness == (m >= window)).all()


@pytest.mark.parametrize("p", range(3, 9))
def test_fewest_microbatches_a_window_of_2bw(p: int) -> None:
    """p − 1 would be enough; p − 2 is not."""
    order = build("pipedream-runtime", p, 8 * p)
    enough, short = (
        replace(order, policy=WeightPolicy("double-buffer", window)) for window in (p - 1, p - 2)
    )
    assert max(peaks(timeline(enough)).versions_by_stage) == 2
    with pytest.raises(InvalidScheduleError, match="lets F of window t read version t − 1"):
        versions(short)


@given(stages, st.integers(1, 8), more)
def test_horizon_of_xpipe_is_that_of_stage_0(p: int, interval: int, extra: int) -> None:
    """The first of a minibatch at stage 0 is applied `horizon` updates after what it finds."""
    M = interval * (p + 1) + extra
    schedule = build("xpipe", p, M, update_interval=interval)
    found, horizon = versions(schedule), schedule.policy.horizon
    assert found.horizon == horizon
    first = np.arange(0, M, interval)
    late = (found.at_update - found.read)[:, first]
    for s in range(p):
        needed = -(-(p - 1 - s) // interval)
        assert (late[s, needed:] == needed).all()
    assert (late[0, horizon:] == horizon).all()
    if p > 1 and interval >= p - 1:
        assert horizon == 1
        assert (late[: p - 1, 1:] == 1).all()
        assert not late[p - 1].any()


@pytest.mark.parametrize("p", range(2, 6))
def test_pipemare_has_one_version_and_no_stash(p: int) -> None:
    schedule = build("pipemare", p, 4 * p)
    assert check(schedule, parse_requirements("versions<=1, update-once")).ok
    found = check(schedule, parse_requirements("stash"))
    assert not found.ok
    # Every microbatch but the first at every stage but the last.
    assert (~versions(schedule).stashed).sum() == (p - 1) * (4 * p - 1)


@pytest.mark.slow
def test_runtime_order_has_the_steady_delays_of_the_greedy_rule() -> None:
    """Their steady laws, proved for all p, are equal. While it starts up the greedy rule is staler
    locally, at the middle stages, and no worse globally."""
    ours, greedy = derive("pipedream-runtime").to_json(), derive("pipedream").to_json()
    assert ours["verdict"] == greedy["verdict"] == "PROVED"
    for key in ("delay", "max", "min", "mean", "local_staleness", "whole_run_max"):
        assert ours[key] == greedy[key]
    assert ours["local_staleness_whole_run"] == [{"when": "True", "expr": "-i + p - 1"}]
    assert ours["local_staleness_whole_run"] != greedy["local_staleness_whole_run"]
