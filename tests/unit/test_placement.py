"""Where stages run and which weights they use."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from schedules import Placement


def test_one_stage_a_rank() -> None:
    placement = Placement.one_stage_a_rank(3)
    assert placement.ranks == ((0, 1, 2),)
    assert (placement.stages, placement.rank_count) == (3, 3)
    assert (placement.pipelines, placement.copy_count) == (1, 1)


def test_replicas_share_ranks_but_not_weights() -> None:
    placement = Placement.one_stage_a_rank(2, pipelines=3)
    assert placement.ranks == ((0, 1),) * 3
    assert placement.copies == ((0, 0), (1, 1), (2, 2))
    assert (placement.stages, placement.rank_count) == (2, 2)
    assert (placement.pipelines, placement.copy_count) == (3, 3)


def test_two_directions_with_shared_weights() -> None:
    placement = Placement(ranks=((0, 1), (1, 0)), copies=((0, 0), (0, 0)))
    assert (placement.pipelines, placement.rank_count, placement.copy_count) == (2, 2, 1)


def test_several_stages_a_rank() -> None:
    placement = Placement.from_ranks((0, 1, 1, 0))
    assert (placement.stages, placement.rank_count) == (4, 2)
    assert placement.copies == ((0, 0, 0, 0),)


def test_nothing_placed() -> None:
    for placement in (Placement((), ()), Placement.from_ranks(())):
        assert (placement.stages, placement.rank_count) == (0, 0)


def test_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Placement.one_stage_a_rank(1).ranks = ()  # type: ignore[misc]
