"""Laws of lowering and of its way back, on families, stored files and drawn orders."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from schedules import FAMILIES, Group, Kind, Schedule, WeightPolicy, build, timeline
from schedules.dependencies import EdgeKind, edges
from schedules.errors import InvalidScheduleError, ScheduleError
from schedules.formats.pytorch_csv import read_csv, write_csv
from schedules.lowering import (
    PLACEMENTS,
    check_messages,
    erase_messages,
    gather_parameters,
    lower,
    reduce_gradients,
)
from schedules.lowering.rebuild import COLUMNS, first_of_unit
from schedules.timeline import play
from schedules.validate import has_messages, validate
from tests.strategies import any_schedules

DATA = Path(__file__).parents[1] / "data" / "schedules"
STORED = sorted(DATA.glob("torch2.13*.comms.csv"))
SENDS, RECEIVES = (Kind.SEND_F, Kind.SEND_B), (Kind.RECV_F, Kind.RECV_B)
BEHIND = (*SENDS, Kind.WAIT_SEND_F)
"""What stands between a computation and its send."""

placements = st.sampled_from(list(PLACEMENTS))
flush = st.just(WeightPolicy("flush"))


def built(name: str, p: int, M: int) -> Schedule | None:
    try:
        return build(name, p, M)
    except ScheduleError:
        return None


SIZES = ((1, 2), (2, 1), (2, 4), (3, 6), (4, 8), (5, 3))
FAMILY_ORDERS = [
    pytest.param(schedule, id=f"{name}-{p}-{M}")
    for name, (p, M) in product(FAMILIES, SIZES)
    if (schedule := built(name, p, M)) is not None
]
every_family = pytest.mark.parametrize("schedule", FAMILY_ORDERS)
every_placement = pytest.mark.parametrize("placement", PLACEMENTS)
every_file = pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)


def same(one: Schedule, other: Schedule) -> bool:
    """Everything but where actions were read from."""
    return (
        all(
            np.array_equal(getattr(one, name), getattr(other, name))
            for name in (*COLUMNS, "offsets")
        )
        and one.groups == other.groups
        and (one.name, one.microbatches) == (other.name, other.microbatches)
        and (one.placement, one.policy) == (other.placement, other.policy)
        and one.parameters == other.parameters
    )


def units(schedule: Schedule, rank: int) -> list[list[int]]:
    """The flat indices of a rank, those of a group together."""
    first = first_of_unit(schedule)
    found: dict[int, list[int]] = {}
    for index in range(int(schedule.offsets[rank]), int(schedule.offsets[rank + 1])):
        found.setdefault(int(first[index]), []).append(index)
    return list(found.values())


def require_laws(schedule: Schedule, placement: str) -> Schedule:
    """What holds of every lowering."""
    lowered = lower(schedule, placement)
    assert same(erase_messages(lowered), schedule)
    assert not validate(lowered)
    check_messages(lowered)
    crossing = int((edges(schedule).kind == EdgeKind.MESSAGE).sum())
    assert np.isin(lowered.kind, SENDS).sum() == np.isin(lowered.kind, RECEIVES).sum() == crossing
    each = 3 if placement == "with-waits" else 2
    assert len(lowered) == len(schedule) + each * crossing
    assert lowered.source is None
    return lowered


def require_places(lowered: Schedule, placement: str) -> None:
    """Sends stand directly behind their unit; just in time, receives directly before theirs."""
    for rank in range(lowered.ranks):
        parts = units(lowered, rank)
        for at, part in enumerate(parts):
            action = lowered.action(part[0])
            if action.kind in SENDS:
                before = next(p for p in parts[at::-1] if lowered.action(p[0]).kind not in BEHIND)
                assert any(
                    (made.stage, made.microbatch) == (action.stage, action.microbatch)
                    and (made.kind is Kind.F) == (action.kind is Kind.SEND_F)
                    for made in map(lowered.action, before)
                )
            if action.kind in RECEIVES and placement == "just-in-time":
                behind = next(p for p in parts[at:] if lowered.action(p[0]).kind not in RECEIVES)
                assert any(
                    (needs.stage, needs.microbatch) == (action.stage, action.microbatch)
                    and (needs.kind is Kind.F) == (action.kind is Kind.RECV_F)
                    for needs in map(lowered.action, behind)
                )


def stops_somewhere(lowered: Schedule) -> dict[int, int]:
    """Ranks that get stuck if every rank stops at its receives until they are complete."""
    found = edges(lowered)
    nothing = np.zeros(len(lowered), dtype=np.int64)
    return play(lowered.offsets, nothing, found, np.zeros(len(found.kind), dtype=np.int64))[1]


# Lowering and erasing


@every_placement
@every_family
def test_families(schedule: Schedule, placement: str) -> None:
    lowered = require_laws(erase_messages(schedule), placement)
    require_places(lowered, placement)
    assert not stops_somewhere(lowered)


@given(any_schedules(flush), placements)
def test_any_order(schedule: Schedule, placement: str) -> None:
    lowered = require_laws(schedule, placement)
    require_places(lowered, placement)
    assert not stops_somewhere(lowered)


@every_file
def test_erasing_then_lowering_gives_the_stored_file(path: Path) -> None:
    """PyTorch's own lowering, its overlap groups and collectives included."""
    stored = read_csv(path)
    assert same(lower(erase_messages(stored)), stored)
    assert write_csv(lower(erase_messages(stored))) == path.read_text(encoding="utf-8")


@every_placement
@every_file
def test_stored_files_in_both_placements(path: Path, placement: str) -> None:
    lowered = require_laws(erase_messages(read_csv(path)), placement)
    require_places(lowered, placement)
    assert not stops_somewhere(lowered)


@every_file
def test_compute_order_to_stored_file(path: Path) -> None:
    compute = read_csv(path.with_name(path.name.replace("comms", "compute")))
    assert write_csv(lower(reduce_gradients(gather_parameters(compute)))) == path.read_text(
        encoding="utf-8"
    )


@every_file
def test_stored_files_are_valid(path: Path) -> None:
    stored = read_csv(path)
    check_messages(stored)
    assert not validate(stored)
    assert has_messages(stored) is not None


@every_family
def test_messages_that_families_bring_along(schedule: Schedule) -> None:
    if has_messages(schedule) is None:
        assert same(erase_messages(schedule), schedule)
    else:
        check_messages(schedule)


@given(any_schedules(flush), placements)
def test_erasing_twice_is_erasing_once(schedule: Schedule, placement: str) -> None:
    once = erase_messages(lower(schedule, placement))
    assert same(erase_messages(once), once)


# Receives as soon as possible, by playing PyTorch's rule literally


def turn_by_turn(schedule: Schedule) -> list[list[str]] | None:
    """Every rank's order, by taking turns: one unit a turn, if all it needs is there.

    None if a round passes in which no rank can issue anything.
    """
    rank_of, found = schedule.rank_of_action, edges(schedule)
    needs: dict[int, list[int]] = {}
    leads: dict[int, list[int]] = {}
    for source, target in zip(found.source.tolist(), found.target.tolist(), strict=True):
        needs.setdefault(target, []).append(source)
        joint = schedule.kind[target] in (Kind.REDUCE, Kind.BARRIER)
        if rank_of[source] != rank_of[target] and not joint:
            leads.setdefault(source, []).append(target)
    left = [units(schedule, rank) for rank in range(schedule.ranks)]
    orders: list[list[str]] = [[] for _ in left]
    issued: set[int] = set()
    while any(left):
        before = len(issued)
        for rank, parts in enumerate(left):
            if not parts:
                continue
            outside = {s for index in parts[0] for s in needs.get(index, [])} - set(parts[0])
            if not outside <= issued:
                continue
            part = parts.pop(0)
            issued |= set(part)
            orders[rank] += [str(schedule.action(index)) for index in part]
            for source, target in ((s, t) for s in part for t in leads.get(s, [])):
                way = "F" if schedule.kind[source] == Kind.F else "B"
                m = schedule.microbatch[source]
                orders[rank].append(f"{schedule.stage[source]}SEND_{way}{m}")
                receiver = orders[rank_of[target]]
                receiver.append(f"{schedule.stage[target]}RECV_{way}{m}")
        if len(issued) == before:
            return None
    return orders


def texts(schedule: Schedule) -> list[list[str]]:
    return [[str(action) for action in schedule.rank(rank)] for rank in range(schedule.ranks)]


@every_family
def test_rounds_are_turns_of_families(schedule: Schedule) -> None:
    order = erase_messages(schedule)
    assert texts(lower(order)) == turn_by_turn(order)


@given(any_schedules(flush))
def test_rounds_are_turns_of_any_order(schedule: Schedule) -> None:
    assert texts(lower(schedule)) == turn_by_turn(schedule)


@st.composite
def grouped_schedules(draw: DrawFn) -> Schedule:
    """Any order, some neighbours on a rank posted together."""
    schedule = draw(any_schedules(flush))
    groups, taken = [], False
    for rank in range(schedule.ranks):
        for first in range(int(np.diff(schedule.offsets)[rank]) - 1):
            taken = not taken and draw(st.booleans())
            if taken:
                groups.append(Group(rank, first, 2, "overlap"))
        taken = False
    return replace(schedule, groups=tuple(groups))


@given(grouped_schedules(), placements)
def test_groups_are_issued_together_or_refused(schedule: Schedule, placement: str) -> None:
    expected = turn_by_turn(schedule)
    if expected is None:
        with pytest.raises(InvalidScheduleError, match="group are posted together"):
            lower(schedule, placement)
        return
    lowered = require_laws(schedule, placement)
    require_places(lowered, placement)
    assert not stops_somewhere(lowered)
    if placement == "as-soon-as-possible":
        assert texts(lowered) == expected
    for message_time in (0, 2):
        implicit = timeline(schedule, message_time=message_time)
        assert timeline(lowered, message_time=message_time).length >= implicit.length
