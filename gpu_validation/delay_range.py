"""Global delays over all timings: how small and how large each one can be.

A static order fixes what happens on a rank; how ranks interleave depends on how long things take.
The delay of the update of (i, m) against block j counts the updates between the forward of (j, m)
and it. One of these must be counted if it is forced after the forward and before the update, along
program orders and messages; it cannot be if it is forced before the one or after the other. Both
numbers are reached: run whatever is not forced after the forward first, or let the forward happen
as early and the update as late as it can. What is forced before an action is a beginning of every
rank's program order, and what is forced after it an end of it: vector clocks.

Legend: S stages, M microbatches, R ranks, N actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from schedules.dependencies import MISSING, edges
from schedules.errors import SizeError
from schedules.invariants.any_timing import clocks
from schedules.schedule import IntArray, Schedule
from schedules.versions import complete_tables, update_after, weights_of_action

MAX_ENTRIES: Final = 50_000_000
"""Largest table of clocks or delays that is built, in entries."""


@dataclass(frozen=True, eq=False)
class DelayRange:
    """The least and the largest delay over all timings.

    - `least`, `most`, shape (S, M, S): ``least[i, m, j]``: of the update that applies the gradient
      of (i, m), against block j. `MISSING` where none does.
    - `update`, shape (S, M): `applying_update`.
    """

    least: IntArray
    most: IntArray
    update: IntArray


def delay_range(schedule: Schedule) -> DelayRange:
    """Bound every delay of an order, whatever the durations.

    - raises `InvalidScheduleError`: the order is incomplete.
    - raises `SizeError`: more than `MAX_ENTRIES` numbers would be needed.
    """
    index = complete_tables(schedule)
    stages, microbatches = index.forward.shape
    _require_room(schedule, stages * stages * microbatches)
    update = applying_update(schedule, index.gradient)
    before, not_after = _forced(schedule)
    itself = np.zeros_like(before)
    itself[np.arange(len(schedule)), schedule.rank_of_action] = 1
    least = np.empty((stages, microbatches, stages), dtype=np.int64)
    most = least.copy()
    for block in range(stages):
        forward = index.forward[block]
        between = (before - itself)[update] - not_after[forward]
        least[:, :, block] = np.maximum(between, 0).sum(axis=2)
        most[:, :, block] = (not_after[update] - before[forward]).sum(axis=2)
    least[update == MISSING] = most[update == MISSING] = MISSING
    return DelayRange(least, most, update)


def _forced(schedule: Schedule) -> tuple[IntArray, IntArray]:
    """Updates of every rank that are forced before each action, and that are not forced after it.

    An update is forced before itself and after itself. Both have shape (N, R).
    """
    _require_room(schedule, 2 * len(schedule) * schedule.ranks)
    found = edges(schedule)
    last = len(schedule) - 1
    mirrored = len(schedule) - schedule.offsets[::-1]
    needs = clocks(schedule.offsets, found.source, found.target)
    needed = clocks(mirrored, last - found.target, last - found.source)[::-1, ::-1]
    so_far = np.concatenate([[0], np.cumsum(update_after(schedule))])
    begin, end = schedule.offsets[:-1], schedule.offsets[1:]
    return so_far[begin + needs] - so_far[begin], so_far[end - needed] - so_far[begin]


def applying_update(schedule: Schedule, gradient: IntArray) -> IntArray:
    """The action behind which an update applies a gradient: flat index, `MISSING` if none does.

    - `gradient`: flat indices of actions that complete gradients, any shape.
    """
    updates = np.flatnonzero(update_after(schedule))
    weights = weights_of_action(schedule)
    updates = updates[np.argsort(weights[updates], kind="stable")]
    keys = weights * len(schedule) + np.arange(len(schedule))
    position = np.searchsorted(keys[updates], keys[gradient], side="left")
    candidate = np.append(updates, MISSING)[position]
    same = (candidate != MISSING) & (weights[candidate] == weights[gradient])
    return np.where(same, candidate, MISSING)


def _require_room(schedule: Schedule, entries: int) -> None:
    if entries > MAX_ENTRIES:
        raise SizeError(
            f"the delays over all timings take at most {MAX_ENTRIES} numbers, found {entries}",
            schedule.name,
            "take fewer microbatches or stages",
        )
