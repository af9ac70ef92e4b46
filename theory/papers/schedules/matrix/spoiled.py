"""Negative controls: single changes after which the checker has to refuse a schedule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from schedules.actions import Kind, among
from schedules.policies import WeightPolicy
from schedules.schedule import IntArray, Schedule
from schedules.validation.facts import in_flight
from schedules.versions import weights_of_action

Change = Callable[[Schedule], Schedule | None]
"""A spoiled schedule, or None where there is nothing to spoil."""


@dataclass(frozen=True)
class Control:
    """One thing that a schedule is deprived of.

    Attributes
    ----------
    without : str
        What is missing afterwards.
    change : callable
    of_messages : bool
        Whether it changes messages, so that these have to be there before.
    """

    without: str
    change: Change
    of_messages: bool = False


def _ordered(schedule: Schedule, order: IntArray) -> Schedule:
    """The schedule with, at every place, the action that had the place `order`."""

    def column(values: IntArray) -> IntArray:
        changed = values[order]
        changed.setflags(write=False)
        return changed

    return replace(
        schedule,
        kind=column(schedule.kind),
        stage=column(schedule.stage),
        microbatch=column(schedule.microbatch),
        pipeline=column(schedule.pipeline),
    )


def _exchanged(schedule: Schedule, one: int, other: int) -> Schedule:
    """The schedule with two actions in each other's place."""
    order = np.arange(len(schedule))
    order[[one, other]] = other, one
    return _ordered(schedule, order)


def _first(schedule: Schedule, *kinds: Kind, rank: int) -> int | None:
    """Flat index of the first action of these kinds on a rank."""
    begin, end = (int(offset) for offset in schedule.offsets[rank : rank + 2])
    found = np.flatnonzero(among(schedule.kind[begin:end], kinds))
    return begin + int(found[0]) if len(found) else None


def backward_first(schedule: Schedule) -> Schedule | None:
    """The backward of stage 0 and microbatch 0 changes places with its forward.

    Examples
    --------
    >>> from schedules import build
    >>> print(*backward_first(build("1f1b", 2, 2)).rank(0))
    0B0 0F1 0F0 0B1
    """
    mine = (schedule.stage == 0) & (schedule.microbatch == 0)
    forward = np.flatnonzero(mine & (schedule.kind == Kind.F))
    backward = np.flatnonzero(mine & among(schedule.kind, (Kind.B, Kind.I)))
    return _exchanged(schedule, int(forward[0]), int(backward[0]))


def on_two_ranks(schedule: Schedule) -> Schedule | None:
    """The first computations of rank 0 and rank 1 change places."""
    if schedule.ranks < 2:
        return None
    firsts = [_first(schedule, Kind.F, rank=rank) for rank in (0, 1)]
    return None if None in firsts else _exchanged(schedule, *map(int, firsts))  # type: ignore[arg-type]


def one_version(schedule: Schedule) -> Schedule | None:
    """Weights change after every backward, and older ones are gone.

    Pipelines on the same ranks share their weights. None where a stage never has a microbatch in
    flight besides another.
    """
    if max(in_flight(schedule)) < 2:
        return None
    ranks, stages = schedule.placement.ranks, schedule.placement.stages
    copies = tuple((ranks.index(mine),) * stages for mine in ranks)
    shared = replace(schedule.placement, copies=copies)
    return replace(schedule, policy=WeightPolicy("latest"), placement=shared)


def overtaken(schedule: Schedule) -> Schedule | None:
    """Stage 0 begins its second microbatch before the first is back, and keeps no older version."""
    backward = _first(schedule, Kind.B, Kind.I, rank=0)
    if schedule.microbatches < 2 or backward is None:
        return None
    forwards = np.flatnonzero((schedule.stage == 0) & (schedule.kind == Kind.F))
    changed = _exchanged(schedule, backward, int(forwards[1]))
    return replace(changed, policy=WeightPolicy("latest"))


def late_update(schedule: Schedule) -> Schedule | None:
    """The first action U moves behind the next forward of its weights; no older version is kept.

    The backward of that forward then has another version than it. None where no U has a forward
    behind it.

    Examples
    --------
    >>> from schedules import build
    >>> print(*late_update(build("sapipe", 1, 2, layers=1, stale=0)).rank(0))
    0F0 0I0 0W0 0REDUCE 0BARRIER 0F1 0U 0I1 0W1 0REDUCE 0BARRIER 0U
    """
    weights = weights_of_action(schedule)
    for update in np.flatnonzero(schedule.kind == Kind.U).tolist():
        same = (weights == weights[update]) & (schedule.kind == Kind.F)
        forwards = np.flatnonzero(same[update:])
        if len(forwards):
            order = np.arange(len(schedule))
            passed = slice(update, update + int(forwards[0]) + 1)
            order[passed] = np.roll(order[passed], -1)
            return replace(_ordered(schedule, order), policy=WeightPolicy("latest"))
    return None


def barrier_missing(schedule: Schedule) -> Schedule | None:
    """The last rank leaves out its first BARRIER; None where it has none, or is the only one."""
    orders = [list(schedule.rank(rank)) for rank in range(schedule.ranks)]
    barriers = [at for at, action in enumerate(orders[-1]) if action.kind is Kind.BARRIER]
    if schedule.ranks < 2 or not barriers:
        return None
    del orders[-1][barriers[0]]
    return Schedule.from_orders(
        schedule.name,
        orders,
        schedule.microbatches,
        schedule.policy,
        placement=schedule.placement,
        parameters=schedule.parameters,
    )


def has_updates(schedule: Schedule) -> bool:
    """Whether it says by actions U where its updates are."""
    return bool((schedule.kind == Kind.U).any())


def has_barriers(schedule: Schedule) -> bool:
    """Whether ranks wait for each other at a BARRIER."""
    return bool((schedule.kind == Kind.BARRIER).any())


def crosses_ranks(schedule: Schedule) -> bool:
    """Whether some pipeline has stages on several ranks, so that there are messages."""
    return any(len(set(ranks)) > 1 for ranks in schedule.placement.ranks)


def no_update(schedule: Schedule) -> Schedule | None:
    """Updates that would come one microbatch after the last."""
    return replace(schedule, policy=WeightPolicy("stash", schedule.microbatches + 1))


def sends_exchanged(schedule: Schedule) -> Schedule | None:
    """The first two sends of a rank that carry the same kind of tensor of one stage."""
    for kind in (Kind.SEND_F, Kind.SEND_B):
        for stage in range(schedule.stages):
            for pipeline in range(schedule.placement.pipelines):
                same = (schedule.kind == kind) & (schedule.stage == stage)
                found = np.flatnonzero(same & (schedule.pipeline == pipeline))
                if len(found) > 1:
                    return _exchanged(schedule, int(found[0]), int(found[1]))
    return None


def answer_first(schedule: Schedule) -> Schedule | None:
    """A rank that sends first receives first instead: what it waits for needs what it holds back.

    Examples
    --------
    >>> from schedules import build
    >>> print(*answer_first(build("blog-gpipe", 2, 2)).rank(0))
    0F0 0RECV_B1 0F1 0SEND_F1 0SEND_F0 0B1 0RECV_B0 0B0
    """
    for rank in range(schedule.ranks):
        send = _first(schedule, Kind.SEND_F, Kind.SEND_B, rank=rank)
        receive = _first(schedule, Kind.RECV_F, Kind.RECV_B, rank=rank)
        if send is None or receive is None or send > receive:
            continue
        if not _together(schedule, rank, send, receive):
            return _exchanged(schedule, send, receive)
    return None


def _together(schedule: Schedule, rank: int, *actions: int) -> bool:
    """Whether one batch of a rank has these actions."""
    places = [action - int(schedule.offsets[rank]) for action in actions]
    return any(
        group.rank == rank and all(0 <= at - group.first < group.count for at in places)
        for group in schedule.groups
    )


CONTROLS: Final[Mapping[str, tuple[Control, ...]]] = {
    "causal": (Control("forwards in front of their backwards", backward_first),),
    "exclusive": (Control("each stage on one rank", on_two_ranks),),
    "stash": (
        Control("older versions", one_version),
        Control("one microbatch after the other", overtaken),
        Control("updates in front of the next forward", late_update),
    ),
    "staleness": (
        Control("updates where they belong", one_version),
        Control("one microbatch after the other", overtaken),
        Control("updates in front of the next forward", late_update),
    ),
    "in-flight": (),
    "update-once": (Control("windows that come to their ends", no_update),),
    "deadlock-free": (
        Control("the order of two sends", sends_exchanged, of_messages=True),
        Control("the order of a send and its answer", answer_first, of_messages=True),
        Control("a barrier of the last rank", barrier_missing),
    ),
}
"""By column of the matrix."""
