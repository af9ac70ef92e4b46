"""Weight versions of small schedules, worked out by hand, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from schedules import Action, Kind, Placement, Schedule, WeightPolicy, build, versions
from schedules.errors import InvalidScheduleError
from schedules.policies import PolicyName
from schedules.versions import update_after

F, B, I, W = Kind.F, Kind.B, Kind.I, Kind.W  # noqa: E741 - the field's own letter


def one_rank(*actions: Action, policy: WeightPolicy, microbatches: int) -> Schedule:
    return Schedule.from_orders("made", [actions], microbatches, policy)


def crossing(policy: PolicyName, interval: int = 1, horizon: int = 0) -> Schedule:
    """F0 F1 B0 F2 B1 B2 on one stage."""
    return one_rank(
        Action(F, 0, 0), Action(F, 0, 1), Action(B, 0, 0),
        Action(F, 0, 2), Action(B, 0, 1), Action(B, 0, 2),
        policy=WeightPolicy(policy, interval, horizon),
        microbatches=3,
    )  # fmt: skip


def test_stash() -> None:
    found = versions(crossing("stash"))
    assert found.at_forward.tolist() == [[0, 0, 1]]
    assert found.at_backward.tolist() == [[0, 1, 2]]
    assert found.at_update.tolist() == [[0, 1, 2]]
    assert found.read.tolist() == found.used.tolist() == [[0, 0, 1]]
    assert found.local_staleness.tolist() == found.mismatch.tolist() == [[0, 1, 1]]
    assert found.stashed.all()


def test_latest() -> None:
    found = versions(crossing("latest"))
    assert found.used.tolist() == [[0, 1, 2]]
    assert found.stashed.tolist() == [[True, False, False]]


def test_interval_leaves_a_partial_one_unapplied() -> None:
    schedule = crossing("stash", interval=2)
    assert update_after(schedule).tolist() == [False, False, False, False, True, False]
    found = versions(schedule)
    assert found.at_forward.tolist() == [[0, 0, 0]]
    assert found.at_update.tolist() == [[0, 0, 1]]


def test_flush_updates_once_at_the_end() -> None:
    schedule = crossing("flush")
    assert update_after(schedule).tolist() == [False] * 5 + [True]
    found = versions(schedule)
    assert not found.at_forward.any()
    assert not found.local_staleness.any()


def test_prediction_keeps_its_horizon() -> None:
    found = versions(crossing("predict", horizon=4))
    assert found.horizon == 4
    assert found.read.tolist() == [[0, 0, 1]]


def test_update_follows_the_weight_gradient() -> None:
    schedule = one_rank(
        Action(F, 0, 0), Action(I, 0, 0), Action(F, 0, 1), Action(W, 0, 0),
        Action(I, 0, 1), Action(W, 0, 1),
        policy=WeightPolicy("stash"), microbatches=2,
    )  # fmt: skip
    found = versions(schedule)
    assert found.at_forward.tolist() == [[0, 0]]
    assert found.at_backward.tolist() == [[0, 1]]
    assert found.at_update.tolist() == [[0, 1]]


def test_vertical_sync_reads_what_stage_zero_read() -> None:
    schedule = build("pipedream", 3, 9)
    pinned = Schedule.from_orders(
        "pinned", [list(schedule.rank(r)) for r in range(3)], 9, WeightPolicy("vertical-sync")
    )
    found = versions(pinned)
    assert (found.read == found.at_forward[0]).all()
    assert (found.read <= found.at_forward).all()
    assert found.stashed.all()


def test_version_that_does_not_exist_yet() -> None:
    orders = [
        [Action(F, 0, 0), Action(B, 0, 0), Action(F, 0, 1), Action(B, 0, 1)],
        [Action(F, 1, 0), Action(F, 1, 1), Action(B, 1, 0), Action(B, 1, 1)],
    ]
    schedule = Schedule.from_orders("made", orders, 2, WeightPolicy("vertical-sync"))
    with pytest.raises(InvalidScheduleError, match="stage 1 has had 0 updates at microbatch 1"):
        versions(schedule)


@pytest.mark.parametrize(
    ("actions", "missing"),
    [
        ([Action(B, 0, 0)], "its F; stage 0, microbatch 0"),
        ([Action(F, 0, 0)], "its B or I; stage 0, microbatch 0"),
        ([Action(F, 0, 0), Action(I, 0, 0)], "its B or W; stage 0, microbatch 0"),
    ],
)
def test_missing_action(actions: list[Action], missing: str) -> None:
    with pytest.raises(InvalidScheduleError, match=missing):
        versions(one_rank(*actions, policy=WeightPolicy("stash"), microbatches=1))


def test_backward_before_its_forward() -> None:
    schedule = one_rank(
        Action(B, 0, 0), Action(F, 0, 0), policy=WeightPolicy("stash"), microbatches=1
    )
    with pytest.raises(InvalidScheduleError, match="a backward follows its forward") as caught:
        versions(schedule)
    assert caught.value.where == "made:rank 0:position 0"


def test_one_weight_copy_on_two_ranks() -> None:
    orders = [
        [Action(F, 0, 0), Action(B, 0, 0)],
        [Action(F, 0, 1, pipeline=1), Action(B, 0, 1, pipeline=1)],
    ]
    ranks = ((0,), (1,))
    shared = Schedule.from_orders(
        "two", orders, 2, WeightPolicy("stash"), placement=Placement(ranks, ((0,), (0,)))
    )
    with pytest.raises(InvalidScheduleError, match="stage 0 is used on several ranks"):
        versions(shared)
    copied = Schedule.from_orders(
        "two", orders, 2, WeightPolicy("stash"), placement=Placement(ranks, ((0,), (1,)))
    )
    assert versions(copied).at_forward.tolist() == [[0, 0]]


def test_one_stage_is_never_stale() -> None:
    for family in ("pipedream", "naive", "gpipe"):
        assert not versions(build(family, 1, 5)).local_staleness.any()


def test_each_weight_copy_counts_its_own_updates() -> None:
    found = versions(build("localsgd", 2, 8, replicas=2, local_steps=2))
    assert np.array_equal(found.at_forward, [[0, 0, 1, 1, 2, 2, 3, 3]] * 2)
