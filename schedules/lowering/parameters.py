"""What a stage's parameters and gradients need beside computations, where ranks share them out.

Source: PyTorch 2.13, `torch/distributed/pipelining/schedules.py`, `_add_unshard_reshard` and
`_add_reduce_grad`: its runtime applies both, in this order, before it adds messages. They matter to
`lower` because every action takes a rank's turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from schedules.actions import NO_MICROBATCH, RUNS, Kind, among
from schedules.errors import InvalidScheduleError, ParameterError
from schedules.lowering.rebuild import (
    BEFORE,
    BEHIND,
    WITHIN,
    Columns,
    first_of_unit,
    require_compute_order,
    with_inserted,
)
from schedules.schedule import IntArray, Schedule

ACTIVE_STAGES: Final = 3
"""Stages of a rank whose parameters are gathered at the same time, in PyTorch."""

Insertion = tuple[int, int, Kind]
"""Index of the action beside which something is inserted, `BEFORE` or `BEHIND`; its kind."""


def gather_parameters(schedule: Schedule, active: int = ACTIVE_STAGES) -> Schedule:
    """Add ``UNSHARD`` and ``RESHARD``: the parameters of the stages that a rank computes next.

    Before every computation, or group, a rank releases what is not among the next `active` stages
    it computes, then gathers what is; at its end it releases all. A group whose second stage
    would be one too many has it all the same. What is released together goes in the order of a
    Python set of the stages, as in PyTorch.

    Parameters
    ----------
    schedule : Schedule
        Valid, without messages.
    active : int
        At least 1.

    Raises
    ------
    InvalidScheduleError
        The schedule is not valid, or has such actions or messages already.
    ParameterError
        `active` is below 1.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> print(*gather_parameters(parse_csv("0F0,1F0,1B0,0B0", "a.csv"), active=1).rank(0))
    0UNSHARD 0F0 0RESHARD 1UNSHARD 1F0 1B0 1RESHARD 0UNSHARD 0B0 0RESHARD
    """
    if active < 1:
        raise ParameterError(
            f"a rank computes with at least 1 stage gathered, found {active}",
            "active",
            "give 1 or more",
        )
    _require_none_of(schedule, Kind.UNSHARD, Kind.RESHARD)
    inserted: list[tuple[Insertion, int]] = []
    units = _units(schedule)
    for rank in range(schedule.ranks):
        begin, end = int(schedule.offsets[rank]), int(schedule.offsets[rank + 1])
        mine = [(at, stages) for at, stages in units[rank] if stages]
        gathered: set[int] = set()
        for (at, _), coming in zip(mine, _upcoming([u for _, u in mine], active), strict=True):
            for stage in [stage for stage in gathered if stage not in coming]:
                gathered.remove(stage)
                inserted.append(((at, BEFORE, Kind.RESHARD), stage))
            for stage in [stage for stage in coming if stage not in gathered]:
                gathered.add(stage)
                inserted.append(((at, BEFORE, Kind.UNSHARD), stage))
        if end > begin:
            inserted += [((end - 1, BEHIND, Kind.RESHARD), stage) for stage in gathered]
    return _insert(schedule, inserted)


def _units(schedule: Schedule) -> list[list[tuple[int, tuple[int, ...]]]]:
    """Per rank: the first action of every unit, and the stages it computes."""
    first = first_of_unit(schedule)
    starts = np.flatnonzero(first == np.arange(len(schedule)))
    computes = among(schedule.kind, RUNS).tolist()
    stage = schedule.stage.tolist()
    units: list[list[tuple[int, tuple[int, ...]]]] = [[] for _ in range(schedule.ranks)]
    ranks = schedule.rank_of_action[starts].tolist()
    ends = np.append(starts[1:], len(schedule)).tolist()
    for rank, at, end in zip(ranks, starts.tolist(), ends, strict=True):
        units[rank].append((at, tuple(stage[i] for i in range(at, end) if computes[i])))
    return units


def _upcoming(units: Sequence[tuple[int, ...]], active: int) -> list[tuple[int, ...]]:
    """For every unit: the stages that come next, itself included, `active` different ones.

    Stages are kept in the order of their next use while the units are read from the end, so that
    the time is linear in their number.
    """
    order: list[int] = []
    used_next: dict[int, int] = {}
    found: list[tuple[int, ...]] = []
    for at in range(len(units) - 1, -1, -1):
        for stage in reversed(units[at]):
            if stage in used_next:
                order.remove(stage)
            order.insert(0, stage)
            used_next[stage] = at
        count = min(active, len(order))
        while count < len(order) and used_next[order[count]] == used_next[order[count - 1]]:
            count += 1
        found.append(tuple(order[:count]))
    return found[::-1]


def reduce_gradients(schedule: Schedule, *, waits: bool = False) -> Schedule:
    """Add ``REDUCE`` of a stage behind the last weight gradient of it on a rank.

    Parameters
    ----------
    schedule : Schedule
        Valid, without messages.
    waits : bool
        Whether a ``WAIT_REDUCE`` stands behind each, as in PyTorch 2.15.

    Raises
    ------
    InvalidScheduleError
        The schedule is not valid, or has reductions or messages already.

    Examples
    --------
    >>> from schedules.families import build
    >>> print(*reduce_gradients(build("gpipe", 1, 2)).rank(0))
    0F0 0F1 0B0 0B1 0REDUCE
    """
    _require_none_of(schedule, Kind.REDUCE)
    gradients = np.flatnonzero(among(schedule.kind, (Kind.B, Kind.W)))[::-1]
    owner = schedule.rank_of_action[gradients] * schedule.stages + schedule.stage[gradients]
    last = np.sort(gradients[np.unique(owner, return_index=True)[1]])
    inserted = [
        ((at, BEHIND, kind), stage)
        for at, stage in zip(last.tolist(), schedule.stage[last].tolist(), strict=True)
        for kind in ((Kind.REDUCE, Kind.WAIT_REDUCE) if waits else (Kind.REDUCE,))
    ]
    return _insert(schedule, inserted)


def _require_none_of(schedule: Schedule, *kinds: Kind) -> None:
    require_compute_order(schedule, "this pass")
    there = np.flatnonzero(among(schedule.kind, kinds))
    if len(there):
        index = int(there[0])
        raise InvalidScheduleError(
            f"this pass adds what is not there yet, found {schedule.action(index)}",
            schedule.place(index),
            "start from an order without it",
        )


def _insert(schedule: Schedule, inserted: Sequence[tuple[Insertion, int]]) -> Schedule:
    """Insert actions of whole stages beside units, those at one place in the given sequence."""
    beside = np.array([at for (at, _, _), _ in inserted], dtype=np.int64)
    phase = np.array([side for (_, side, _), _ in inserted], dtype=np.int64)
    first = first_of_unit(schedule)
    columns = Columns(
        rank=schedule.rank_of_action[beside],
        kind=np.array([kind for (_, _, kind), _ in inserted], dtype=np.int64),
        stage=np.array([stage for _, stage in inserted], dtype=np.int64),
        microbatch=np.full(len(inserted), NO_MICROBATCH, dtype=np.int64),
        pipeline=schedule.pipeline[beside],
    )
    own = np.arange(len(schedule))
    order: IntArray = np.lexsort(
        (
            np.concatenate([own, np.arange(len(inserted))]),
            np.concatenate([np.full(len(own), WITHIN), phase]),
            first[np.concatenate([own, beside])],
        )
    )
    return with_inserted(schedule, columns, order)
