"""1F1B, the looped and the V families: orders worked out by hand, domains, controls."""

from __future__ import annotations

import re
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from schedules import Group, Kind, Placement, Schedule, build
from schedules.errors import ParameterError, SizeError, UnknownNameError
from schedules.families import (
    dualpipev,
    interleaved_1f1b,
    interleaved_zero_bubble,
    looped_bfs,
    one_f_one_b,
    zbv,
)
from schedules.families.interleaving import even_rounds, from_last, turn
from schedules.stamps import run_stamped
from schedules.validate import validate

LOOPED = (interleaved_1f1b, looped_bfs, interleaved_zero_bubble)
V_SHAPED = (zbv, dualpipev)


def families(*modules: ModuleType) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("module", modules, ids=lambda module: module.FAMILY.name)


every_family = families(one_f_one_b, *LOOPED, *V_SHAPED)
looped_family = families(*LOOPED)
rounds_family = families(interleaved_1f1b, interleaved_zero_bubble)
v_family = families(*V_SHAPED)


def text(schedule: Schedule, rank: int) -> str:
    return " ".join(str(action) for action in schedule.rank(rank))


@every_family
def test_family_is_data(module: ModuleType) -> None:
    family = module.FAMILY
    assert family.build is module.build
    assert family.policy.name == "flush"
    assert [entry.name for entry in family.parameters] == ["chunks"] * (module in LOOPED)
    assert family.source
    assert family.summary


@families(*LOOPED, *V_SHAPED)
def test_first_argument_counts_ranks(module: ModuleType) -> None:
    schedule = module.build(2, 4)
    assert (schedule.ranks, schedule.stages, schedule.microbatches) == (2, 4, 4)


# Orders


def test_1f1b_warms_up_with_one_forward_a_hop() -> None:
    schedule = one_f_one_b.build(4, 5)
    assert text(schedule, 0) == "0F0 0F1 0F2 0F3 0B0 0F4 0B1 0B2 0B3 0B4"
    assert text(schedule, 3) == "3F0 3B0 3F1 3B1 3F2 3B2 3F3 3B3 3F4 3B4"


def test_1f1b_with_few_microbatches() -> None:
    assert text(one_f_one_b.build(4, 1), 0) == "0F0 0B0"
    assert text(one_f_one_b.build(4, 2), 1) == "1F0 1F1 1B0 1B1"
    assert text(one_f_one_b.build(4, 2), 2) == "2F0 2F1 2B0 2B1"
    assert text(one_f_one_b.build(4, 2), 3) == "3F0 3B0 3F1 3B1"


def test_interleaved_1f1b_goes_round_by_round() -> None:
    schedule = interleaved_1f1b.build(2, 4)
    assert text(schedule, 1) == "1F0 1F1 3F0 3B0 3F1 3B1 1F2 1B0 1F3 1B1 3F2 3B2 3F3 3B3 1B2 1B3"
    assert text(schedule, 0).startswith("0F0 0F1 2F0 2F1 0F2 2B0 0F3 2B1")


def test_interleaved_1f1b_with_rounds_larger_than_p() -> None:
    """p = 4, M = 10: two rounds of five."""
    schedule = interleaved_1f1b.build(4, 10)
    assert text(schedule, 3).startswith("3F0 3F1 3F2 3F3 3F4 7F0 7B0 7F1 7B1")
    assert [action.microbatch for action in schedule.rank(0) if action.kind is Kind.F] == [
        *range(5), *range(5), *range(5, 10), *range(5, 10)
    ]  # fmt: skip


def test_looped_bfs_goes_back_the_way_it_came() -> None:
    order = text(looped_bfs.build(2, 3, chunks=3), 1).split()
    assert order[:9] == "1F0 1F1 1F2 3F0 3F1 3F2 5F0 5F1 5F2".split()
    assert order[9:] == [cell.replace("F", "B") for cell in reversed(order[:9])]


def test_interleaved_zero_bubble_puts_weight_gradients_rank_places_behind() -> None:
    schedule = interleaved_zero_bubble.build(3, 3, chunks=1)
    assert text(schedule, 0) == "0F0 0F1 0F2 0I0 0W0 0I1 0W1 0I2 0W2"
    assert text(schedule, 1) == "1F0 1F1 1I0 1F2 1I1 1W0 1I2 1W1 1W2"
    assert text(schedule, 2) == "2F0 2I0 2F1 2I1 2F2 2I2 2W0 2W1 2W2"


def test_zbv_leaves_out_microbatches_that_there_are_not() -> None:
    full, short = zbv.build(3, 5), zbv.build(3, 2)
    for rank in range(3):
        kept = [str(action) for action in full.rank(rank) if action.microbatch < 2]
        assert text(short, rank).split() == kept
    assert validate(short) == []


def test_zbv_of_one_rank() -> None:
    assert text(zbv.build(1, 2), 0) == "0F0 1F0 1I0 1W0 0F1 0I0 0W0 1F1 1I1 1W1 0I1 0W1"


def test_dualpipev_overlaps_the_two_ways() -> None:
    schedule = dualpipev.build(2, 4)
    assert text(schedule, 0).startswith("0F0 0F1 0F2 3F0 3I0 3W0 3F1 0F3 3B1 3F2 0B0")
    first_rank = [group for group in schedule.groups if group.rank == 0]
    assert first_rank[:2] == [Group(0, 7, 2, "overlap"), Group(0, 9, 2, "overlap")]


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5])
def test_dualpipev_groups_are_a_forward_and_a_backward_of_the_other_way(p: int) -> None:
    schedule = dualpipev.build(p, 2 * p + 1)
    assert schedule.groups
    for group in schedule.groups:
        first = int(schedule.offsets[group.rank]) + group.first
        forward, backward = schedule.action(first), schedule.action(first + 1)
        assert (forward.kind, backward.kind, group.count) == (Kind.F, Kind.B, 2)
        assert forward.stage + backward.stage == 2 * p - 1


# Placement


@looped_family
@pytest.mark.parametrize("chunks", [1, 2, 3])
def test_stages_go_round_the_ranks(module: ModuleType, chunks: int) -> None:
    schedule = module.build(3, 6, chunks=chunks)
    assert schedule.placement == Placement.loop(3, chunks)
    assert schedule.parameters == {"chunks": chunks}
    for rank in range(3):
        assert {action.stage for action in schedule.rank(rank)} == set(range(rank, 3 * chunks, 3))


@v_family
def test_stages_turn_at_the_last_rank(module: ModuleType) -> None:
    schedule = module.build(3, 6)
    assert schedule.placement.ranks == ((0, 1, 2, 2, 1, 0),)
    assert schedule.placement.copies == ((0,) * 6,)
    assert {action.stage for action in schedule.rank(2)} == {2, 3}


@looped_family
def test_two_stages_a_rank_unless_given(module: ModuleType) -> None:
    assert module.build(2, 2).parameters == {"chunks": 2}
    assert build(module.FAMILY.name, 2, 2).stages == 4


# Domains


@rounds_family
@pytest.mark.parametrize(
    ("p", "M", "rounds", "fixes"), [(4, 9, 2, (8, 12)), (3, 11, 3, (9, 12)), (2, 5, 2, (4, 6))]
)
def test_rounds_have_equal_size(
    module: ModuleType, p: int, M: int, rounds: int, fixes: tuple[int, int]
) -> None:
    with pytest.raises(ParameterError, match="multiple of the number of rounds") as caught:
        module.build(p, M)
    assert f"found M = {M}, p = {p} and so {rounds} rounds" in caught.value.what
    assert caught.value.where == f"family {module.FAMILY.name}"
    assert tuple(map(int, re.findall(r"M = (\d+) or (\d+)", caught.value.fix)[0])) == fixes
    for fixed in fixes:
        assert validate(module.build(p, fixed)) == []


@rounds_family
@pytest.mark.parametrize(("p", "M"), [(4, 1), (4, 3), (4, 7), (4, 10), (3, 5), (1, 7)])
def test_rounds_need_not_be_p(module: ModuleType, p: int, M: int) -> None:
    assert validate(module.build(p, M)) == []


def test_looped_bfs_takes_any_number_of_microbatches() -> None:
    for M in (1, 2, 5, 7, 9):
        assert validate(looped_bfs.build(4, M)) == []


@pytest.mark.parametrize(("p", "M"), [(1, 1), (2, 3), (3, 5), (5, 1)])
def test_dualpipev_needs_a_microbatch_a_stage(p: int, M: int) -> None:
    with pytest.raises(ParameterError, match="at least the number of stages") as caught:
        dualpipev.build(p, M)
    assert f"2p = {2 * p}, found M = {M}" in caught.value.what
    assert caught.value.fix == f"take M = {2 * p} or more"
    assert validate(dualpipev.build(p, 2 * p)) == []


@looped_family
@pytest.mark.parametrize("value", [0, -1, True, 1.5, "2", None])
def test_chunks_outside_the_domain(module: ModuleType, value: Any) -> None:
    with pytest.raises(ParameterError, match="chunks is an integer of at least 1, found"):
        module.build(2, 4, chunks=value)


@families(one_f_one_b, *V_SHAPED)
def test_others_have_no_chunks(module: ModuleType) -> None:
    with pytest.raises(UnknownNameError, match="has no parameter 'chunks'"):
        build(module.FAMILY.name, 2, 4, chunks=2)


@every_family
def test_sizes_that_do_not_fit(module: ModuleType) -> None:
    with pytest.raises(SizeError, match="at most 20000000 are built"):
        module.build(10_000, 100_000)


@every_family
def test_numpy_integers_are_integers(module: ModuleType) -> None:
    schedule = module.build(np.int64(2), np.int32(4))
    for rank in range(2):
        assert text(schedule, rank) == text(module.build(2, 4), rank)
    assert schedule.placement == module.build(2, 4).placement


@looped_family
def test_columns_cannot_be_written(module: ModuleType) -> None:
    schedule = module.build(2, 2)
    for column in ("kind", "stage", "microbatch", "pipeline", "offsets"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(schedule, column)[0] = 1


# Parts


@pytest.mark.parametrize(
    ("p", "M", "size"), [(4, 3, 3), (4, 4, 4), (4, 7, 7), (4, 8, 4), (4, 10, 5), (1, 6, 1)]
)
def test_round_sizes(p: int, M: int, size: int) -> None:
    assert even_rounds("interleaved-1f1b", p, M, {}) == {"round_size": size}


# Controls


def test_control_chunks_on_the_wrong_ranks_are_found() -> None:
    """A V schedule with the placement of a loop, and the other way round."""
    swapped = replace(zbv.build(3, 5), placement=Placement.loop(3, 2))
    assert {found.invariant for found in validate(swapped)} == {"exclusive"}
    swapped = replace(interleaved_1f1b.build(3, 6), placement=Placement.v_shape(3))
    assert {found.invariant for found in validate(swapped)} == {"exclusive"}


def test_control_a_backward_before_its_turn_is_found() -> None:
    """Without the hops in the warm-up, ranks wait for each other in a circle."""
    early = replace(
        interleaved_1f1b.ORDER,
        backward=lambda at: (2 * (turn(at, from_last(at)) + 1 + at.rank) + 1,),
    )
    broken = run_stamped("early", interleaved_1f1b.FAMILY.policy, early, 3, 6, {"chunks": 2})
    assert {found.invariant for found in validate(broken)} == {"causal"}
