"""Which version the weights have while a fault unfolds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from reports.faults.scene import Scene
from schedules.schedule import IntArray, Schedule
from schedules.validation.violation import Marks, Violation
from schedules.versions import update_after, weights_of_action

_ABOUT_VERSIONS: Final = frozenset(
    {
        "stash",
        "versions",
        "staleness",
        "delay",
        "delay-any-timing",
        "skew",
        "vertical-sync",
        "flush",
        "update-once",
    }
)


@dataclass(frozen=True)
class Band:
    """Columns ``start … stop − 1`` of a row: `version` updates of its weights of `stage` so far."""

    row: int
    stage: int
    start: int
    stop: int
    version: int


def version_bands(schedule: Schedule, violation: Violation, scene: Scene) -> tuple[Band, ...]:
    """The versions of the marked actions' weights; none where a violation is not about versions.

    A row has those of one stage, which its first mark works on. They begin and end with an
    action of that stage, and change where an updating action ends.
    """
    if violation.invariant.partition("<=")[0] not in _ABOUT_VERSIONS:
        return ()
    weights, updates = weights_of_action(schedule), update_after(schedule)
    bands: list[Band] = []
    for row, action in _first_marks(violation.marks, scene).items():
        own = np.flatnonzero(weights == weights[action])
        after: IntArray = np.cumsum(updates[own])
        before = after - updates[own]
        counts = {
            index: (early, late)
            for index, early, late in zip(
                own.tolist(), before.tolist(), after.tolist(), strict=True
            )
        }
        bands += _bands(scene, row, int(schedule.stage[action]), counts)
    return tuple(bands)


def _first_marks(marks: Marks, scene: Scene) -> dict[int, int]:
    """The first marked action of every row."""
    rows = {cell.action: cell.row for cell in scene.cells}
    ends = (end for arrow in marks.arrows for end in (arrow.source, arrow.target))
    found: dict[int, int] = {}
    for action in (*marks.actions, *ends):
        if action in rows:
            found.setdefault(rows[action], action)
    return found


def _bands(
    scene: Scene, row: int, stage: int, counts: Mapping[int, tuple[int, int]]
) -> Iterator[Band]:
    """The bands of one row; `counts` are the updates before and after each action."""
    own = [cell for cell in scene.cells if cell.row == row and cell.action in counts]
    steps = [(cell.column, counts[cell.action][0]) for cell in own]
    steps += [(cell.column + cell.span, counts[cell.action][1]) for cell in own]
    stop = max(column for column, _ in steps)
    changes: list[tuple[int, int]] = []
    # Where one action ends and another begins, updates in columns left out count for the latter.
    for column, version in sorted(steps):
        if changes and changes[-1][0] == column:
            changes.pop()
        if column < stop and (not changes or changes[-1][1] != version):
            changes.append((column, version))
    for (start, version), (end, _) in pairwise([*changes, (stop, -1)]):
        yield Band(row, stage, start, end, version)
