"""Laws of data parallelism with stale layers: versions, times and requirements at every size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schedules import (
    LINEARIZATIONS,
    Kind,
    Schedule,
    Steady,
    WeightPolicy,
    build,
    delays,
    get_linearization,
    steady,
    timeline,
    versions,
)
from schedules.analysis import peaks
from schedules.dependencies import EdgeKind, edges
from schedules.families import get_family
from schedules.invariants import check, parse_requirements

workers, iterations, layers = st.integers(1, 4), st.integers(1, 5), st.integers(1, 5)
times = st.fixed_dictionaries({kind: st.integers(1, 5) for kind in (Kind.F, Kind.I, Kind.W)})


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """Workers, iterations, layers, stale layers."""
    count = draw(layers)
    return draw(workers), draw(iterations), count, draw(st.integers(0, count))


def built(size: tuple[int, int, int, int]) -> Schedule:
    p, T, L, K = size
    return build("sapipe", p, p * T, layers=L, stale=K)


@given(sizes())
def test_versions(size: tuple[int, int, int, int]) -> None:
    """Iteration t of a stale layer reads version max(0, t − 1), of a fresh one version t."""
    p, _, L, K = size
    schedule = built(size)
    found = versions(schedule)
    layer, m = np.indices((L, schedule.microbatches))
    late = np.where(layer < K, np.minimum(1, m // p), 0)
    assert (found.read == m // p - late).all()
    assert (found.local_staleness == late).all()
    assert not found.mismatch.any()
    assert found.stashed.all()
    newest = versions(replace(schedule, policy=WeightPolicy("latest")))
    assert (newest.used == found.used).all()


@given(sizes(), times)
def test_nothing_waits_as_communication_takes_no_time(
    size: tuple[int, int, int, int], taken: dict[Kind, int]
) -> None:
    p, T, L, _ = size
    line = timeline(built(size), taken)
    assert line.length == L * T * sum(taken.values())
    assert line.idle_fraction == 0
    assert peaks(line).activations_by_rank == (L,) * p
    assert peaks(line).versions_by_stage == (1,) * L


@given(sizes(), times)
def test_every_update_waits_for_all_workers(
    size: tuple[int, int, int, int], taken: dict[Kind, int]
) -> None:
    p = size[0]
    schedule = built(size)
    line = timeline(schedule, taken)
    needed = edges(schedule)
    rank = schedule.rank_of_action
    joins = (needed.kind == EdgeKind.BARRIER) & (rank[needed.source] != rank[needed.target])
    updates = int((schedule.kind == Kind.U).sum()) // p
    assert joins.sum() == updates * p * (p - 1)
    assert (line.end[needed.source] <= line.end[needed.target]).all()


@given(sizes())
def test_requirements(size: tuple[int, int, int, int]) -> None:
    _, _, _, K = size
    bound = int(K > 0)
    wanted = f"stash, update-once, barrier, in-flight<=1, staleness<={bound}, versions<=1"
    assert check(built(size), parse_requirements(wanted)).ok


@given(workers, iterations, layers)
def test_pipesgd_is_sapipe_with_all_layers_stale(p: int, T: int, L: int) -> None:
    one, other = build("pipesgd", p, p * T, layers=L), built((p, T, L, L))
    for rank in range(p):
        assert list(one.rank(rank)) == list(other.rank(rank))
    assert one.placement == other.placement
    assert one.policy == other.policy


@given(sizes(), st.sampled_from(list(LINEARIZATIONS)))
def test_exact_delays_repeat_as_the_family_says(
    size: tuple[int, int, int, int], linearization: str
) -> None:
    """Never for several workers that are counted one after the other; else for p ≤ L."""
    p, _, L, K = size
    line = timeline(built((p, 2 * L // p + 2, L, K)))
    why = get_family("sapipe").why_unsteady(p, get_linearization(linearization))
    found = steady(delays(line, linearization))
    if why or p <= L:
        assert isinstance(found, Steady) == (not why)
