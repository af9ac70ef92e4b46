"""Families pipesgd and sapipe: orders by hand, weights, parameters, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from schedules import Kind, WeightPolicy, build, timeline, versions
from schedules.analysis import peaks
from schedules.errors import ParameterError, SizeError
from schedules.families import sapipe
from schedules.invariants import check, parse_requirements
from tests.written_out import worker


def order(family: str, rank: int, p: int, M: int, **parameters: int) -> str:
    return " ".join(map(str, build(family, p, M, **parameters).rank(rank)))


def holds(requirement: str, family: str, p: int, M: int, **parameters: int) -> bool:
    return check(build(family, p, M, **parameters), parse_requirements(requirement)).ok


def test_two_workers_by_hand() -> None:
    """Layer 0 is stale, layer 1 fresh; worker 1 has the odd microbatches."""
    assert order("sapipe", 0, 2, 4, layers=2, stale=1) == (
        "0F0 1F0 1I0 1W0 1REDUCE 0I0 0W0 0REDUCE "
        "0F2 1BARRIER 1U 1F2 1I2 1W2 1REDUCE 0I2 0BARRIER 0U 0W2 0REDUCE "
        "1BARRIER 1U 0BARRIER 0U"
    )
    assert order("sapipe", 1, 2, 4, layers=2, stale=1) == (
        "0F1 1F1 1I1 1W1 1REDUCE 0I1 0W1 0REDUCE "
        "0F3 1BARRIER 1U 1F3 1I3 1W3 1REDUCE 0I3 0BARRIER 0U 0W3 0REDUCE "
        "1BARRIER 1U 0BARRIER 0U"
    )


def test_synchronous_and_all_stale_by_hand() -> None:
    """The update comes in front of the next forward, or behind the next backward's first half."""
    assert order("sapipe", 0, 1, 2, layers=1, stale=0) == (
        "0F0 0I0 0W0 0REDUCE 0BARRIER 0U 0F1 0I1 0W1 0REDUCE 0BARRIER 0U"
    )
    assert order("pipesgd", 0, 1, 2, layers=1) == (
        "0F0 0I0 0W0 0REDUCE 0F1 0I1 0BARRIER 0U 0W1 0REDUCE 0BARRIER 0U"
    )


def test_every_worker_has_a_rank_a_pipeline_and_weights_of_its_own() -> None:
    schedule = build("sapipe", 3, 6, layers=2)
    assert schedule.placement.ranks == schedule.placement.copies == ((0, 0), (1, 1), (2, 2))
    assert (schedule.ranks, schedule.stages, schedule.microbatches) == (3, 2, 6)
    assert schedule.policy == WeightPolicy("stash")
    assert schedule.parameters == {"layers": 2, "stale": 1}
    assert build("pipesgd", 3, 6).parameters == {"layers": 4}


def test_versions_by_hand() -> None:
    """Two workers, three iterations: F of a stale layer lacks the gradient just before it."""
    found = versions(build("sapipe", 2, 6, layers=2, stale=1))
    assert found.read.tolist() == [[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]]
    assert (found.used == found.read).all()
    assert not found.mismatch.any()
    assert found.at_update.tolist() == [[0, 0, 1, 1, 2, 2]] * 2
    assert found.local_staleness.tolist() == [[0, 0, 1, 1, 1, 1], [0] * 6]


def test_a_stale_layer_keeps_one_version_too() -> None:
    line = timeline(build("sapipe", 2, 8, layers=4, stale=3))
    assert peaks(line).versions_by_stage == (1, 1, 1, 1)
    assert peaks(line).activations_by_rank == (4, 4)
    assert line.idle_fraction == 0


@pytest.mark.parametrize(
    ("requirement", "family", "parameters", "expected"),
    [
        ("stash, update-once, barrier, staleness<=1, versions<=1", "pipesgd", {}, True),
        ("stash, update-once, barrier, staleness<=1, versions<=1", "sapipe", {}, True),
        ("staleness<=0, versions<=1", "sapipe", {"stale": 0}, True),
        ("staleness<=0", "sapipe", {}, False),
        ("staleness<=0", "pipesgd", {}, False),
        ("in-flight<=1", "sapipe", {"stale": 2}, True),
    ],
)
def test_requirements(
    requirement: str, family: str, parameters: dict[str, int], expected: bool
) -> None:
    assert holds(requirement, family, 3, 9, **parameters) is expected


@pytest.mark.parametrize(
    ("family", "p", "M", "parameters", "what", "fix"),
    [
        ("sapipe", 2, 5, {}, "M .* is a multiple of p: .* p = 2 workers .* found M = 5", "M = 6"),
        ("pipesgd", 4, 2, {}, "is a multiple of p", "M = 4"),
        ("sapipe", 2, 4, {"stale": 5}, "found stale = 5 and layers = 4", "stale ≤ 4"),
        ("sapipe", 2, 4, {"stale": 2, "layers": 1}, "found stale = 2 and layers = 1", "stale ≤ 1"),
        ("sapipe", 2, 4, {"stale": -1}, "stale is an integer of at least 0", "0 or more"),
        ("pipesgd", 2, 4, {"layers": 0}, "layers is an integer of at least 1", "1 or more"),
        ("sapipe", 2, 4, {"layers": True}, "layers is an integer", "1 or more"),
    ],
)
def test_bad_parameters(
    family: str, p: int, M: int, parameters: dict[str, Any], what: str, fix: str
) -> None:
    with pytest.raises(ParameterError, match=what) as caught:
        build(family, p, M, **parameters)
    assert fix in caught.value.fix
    assert caught.value.where == f"family {family}"


def test_more_layers_than_fit() -> None:
    with pytest.raises(SizeError, match="S = 1000000 stages and M = 40 microbatches make 6·S·M"):
        build("pipesgd", 2, 40, layers=1_000_000)


def test_barriers_and_reductions_are_one_for_every_update() -> None:
    schedule = build("sapipe", 2, 6, layers=3, stale=2)
    counts = {kind: int((schedule.kind == kind).sum()) for kind in Kind}
    kinds = (Kind.F, Kind.I, Kind.W, Kind.U, Kind.REDUCE, Kind.BARRIER)
    assert {counts[kind] for kind in kinds} == {18}
    assert sum(counts.values()) == len(kinds) * 18


def test_program_of_a_worker_is_the_same_for_all() -> None:
    kinds = [(kind, layer) for kind, layer, _ in worker(2, 3, 1)]
    schedule = build("sapipe", 4, 8, layers=3, stale=1)
    for rank in range(4):
        assert [(action.kind, action.stage) for action in schedule.rank(rank)] == kinds


def test_default_is_one_stale_layer_of_four() -> None:
    assert sapipe.build(2, 4).parameters == {"layers": 4, "stale": 1}
