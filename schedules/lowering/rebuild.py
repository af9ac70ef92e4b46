"""How the passes take schedules apart and put them together again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from schedules.errors import InvalidScheduleError
from schedules.schedule import Group, IntArray, Schedule, Source
from schedules.validate import has_messages, validate

BEFORE, WITHIN, BEHIND = 0, 1, 2
"""Where something stands with respect to a unit: an action, or the actions of a group."""

COLUMNS: Final = ("kind", "stage", "microbatch", "pipeline")
"""What a schedule knows of every action."""


@dataclass(frozen=True)
class Columns:
    """Actions outside a schedule: one entry each.

    Attributes
    ----------
    rank, kind, stage, microbatch, pipeline : ndarray of int, shape (actions,)
    """

    rank: IntArray
    kind: IntArray
    stage: IntArray
    microbatch: IntArray
    pipeline: IntArray

    @classmethod
    def of(cls, schedule: Schedule) -> Columns:
        """All actions of a schedule."""
        return cls(
            schedule.rank_of_action,
            schedule.kind,
            schedule.stage,
            schedule.microbatch,
            schedule.pipeline,
        )


def require_compute_order(schedule: Schedule, purpose: str) -> None:
    """Refuse what is no valid schedule, and what has messages already.

    Raises
    ------
    InvalidScheduleError
        With the first thing that is wrong.
    """
    message = has_messages(schedule)
    if message is not None:
        raise InvalidScheduleError(
            f"{purpose} starts from computations without messages, found "
            f"{schedule.action(message)}",
            schedule.place(message),
            "erase the messages first",
        )
    violations = validate(schedule)
    if violations:
        others = f" and {len(violations) - 1} more" if len(violations) > 1 else ""
        raise InvalidScheduleError(
            f"{purpose} starts from a valid schedule, found: {violations[0].message}{others}",
            schedule.name,
            "correct the schedule; `schedules.validate.validate` lists everything",
        )


def first_of_unit(schedule: Schedule) -> IntArray:
    """For every action the first of its group, itself if it is in none; shape (actions,).

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> first_of_unit(parse_csv("0F0,(0F1;0B0)OVERLAP_F_B,0B1", "a.csv")).tolist()
    [0, 1, 1, 3]
    """
    first = np.arange(len(schedule))
    for group in schedule.groups:
        begin = int(schedule.offsets[group.rank]) + group.first
        first[begin : begin + group.count] = begin
    return first


def with_inserted(schedule: Schedule, inserted: Columns, order: IntArray) -> Schedule:
    """The schedule with further actions in it.

    Parameters
    ----------
    schedule : Schedule
    inserted : Columns
    order : ndarray of int
        The new order of all ranks one after the other: an index below ``len(schedule)`` is an
        action of the schedule, the others are those of `inserted`. The actions of a group stay
        next to each other.
    """
    own = Columns.of(schedule)
    both = {
        name: np.concatenate([getattr(own, name), getattr(inserted, name)])[order]
        for name in ("rank", *COLUMNS)
    }
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    offsets = np.searchsorted(both.pop("rank"), np.arange(schedule.ranks + 1))
    groups = []
    for group in schedule.groups:
        begin = place[int(schedule.offsets[group.rank]) + group.first]
        groups.append(replace(group, first=int(begin - offsets[group.rank])))
    return _replaced(schedule, both, offsets, tuple(groups), None)


def with_only(schedule: Schedule, kept: NDArray[np.bool_]) -> Schedule:
    """The schedule without the actions that are not `kept`; places in a file stay known.

    A group shrinks to what is kept of it, and ends where that is less than two actions.
    """
    chosen = np.flatnonzero(kept)
    before = np.concatenate([[0], np.cumsum(kept)])
    offsets = before[schedule.offsets]
    groups = []
    for group in schedule.groups:
        begin = int(schedule.offsets[group.rank]) + group.first
        count = int(before[begin + group.count] - before[begin])
        if count > 1:
            first = int(before[begin] - offsets[group.rank])
            groups.append(Group(group.rank, first, count, group.kind))
    source = schedule.source
    if source is not None:
        source = replace(source, rows=source.rows[chosen], cells=source.cells[chosen])
    columns = {name: getattr(schedule, name)[chosen] for name in COLUMNS}
    return _replaced(schedule, columns, offsets, tuple(groups), source)


def _replaced(
    schedule: Schedule,
    columns: dict[str, IntArray],
    offsets: IntArray,
    groups: tuple[Group, ...],
    source: Source | None,
) -> Schedule:
    for array in (*columns.values(), offsets):
        array.setflags(write=False)
    return replace(schedule, **columns, offsets=offsets, groups=groups, source=source)  # type: ignore[arg-type]
