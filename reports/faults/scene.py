"""Which actions a picture of a fault shows, and where: rows of ranks, columns of time.

A slot is as wide as the most actions that one of the shown ranks starts in it, so that messages,
which take no time, can be seen; slots in which none of them starts anything are left out. What
never ends stands behind all that does, in program order. Without a run, everything does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from reports.faults.focus import Focus, Times, shown_ranks
from schedules.actions import RUNS
from schedules.dependencies import MISSING
from schedules.schedule import IntArray, Schedule

State = Literal["done", "begun", "never"]
_STATES: Final[tuple[State, ...]] = ("done", "begun", "never")
_CONTEXT: Final = 8
"""Most columns on either side of a marked action."""


@dataclass(frozen=True)
class Cell:
    """An action in a picture; it fills the columns ``column … column + span − 1`` of its row."""

    action: int
    row: int
    column: int
    span: int
    state: State


@dataclass(frozen=True)
class Column:
    """A column of a picture.

    Attributes
    ----------
    slot : int or None
        When its actions start; None for those that never end, and where nothing is known.
    left_out : tuple of int
        Rows that do something in columns left out before this one.
    """

    slot: int | None
    left_out: tuple[int, ...]

    @property
    def gap(self) -> bool:
        """Whether columns were left out before it."""
        return bool(self.left_out)


@dataclass(frozen=True)
class Scene:
    """A window of a schedule.

    Attributes
    ----------
    ranks : tuple of int
        Of each row.
    columns : tuple of Column
    cells : tuple of Cell
    timed : bool
        Whether there was a run to show.
    hang : int or None
        The first column of actions that never end.
    more : tuple of int
        Rows that do something in columns left out at the end.
    """

    ranks: tuple[int, ...]
    columns: tuple[Column, ...]
    cells: tuple[Cell, ...]
    timed: bool
    hang: int | None
    more: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Grid:
    """All actions of the shown ranks; each array has an entry an action.

    Attributes
    ----------
    action, row : ndarray of int
    first, last : ndarray of int
        Columns that each fills.
    state : ndarray of int
        Position in `_STATES`.
    slots : ndarray of int
        Slot of every column before the hang.
    """

    ranks: tuple[int, ...]
    action: IntArray
    row: IntArray
    first: IntArray
    last: IntArray
    state: IntArray
    slots: IntArray
    timed: bool

    @property
    def width(self) -> int:
        return int(self.last.max(initial=-1)) + 1

    def rows_between(self, left: int, right: int) -> tuple[int, ...]:
        """Rows that do something in the columns between two."""
        if right - left < 2:
            return ()
        return tuple(np.unique(self.row[(self.first < right) & (self.last > left)]).tolist())


def scene_of(
    schedule: Schedule, focus: Focus, run: Times | None, fits: Callable[[Scene], bool]
) -> Scene:
    """The widest window around the actions in focus that fits.

    Where even the narrowest one does not fit, actions are dropped from the end of the focus; the
    first one is always there.
    """
    grid = _grid(schedule, shown_ranks(schedule, focus), run)
    chosen = np.flatnonzero(np.isin(grid.action, focus.actions))
    order = np.argsort([focus.actions.index(int(grid.action[k])) for k in chosen])
    scenes = (
        _pick(grid, chosen[order[:count]], context)
        for count in _halvings(len(chosen))
        for context in range(_CONTEXT, -1, -1)
    )
    for scene in scenes:
        if fits(scene):
            return scene
    return scene


def _halvings(count: int) -> Iterator[int]:
    while count:
        yield count
        count //= 2


def _grid(schedule: Schedule, ranks: Sequence[int], run: Times | None) -> _Grid:
    """Lay out all actions of some ranks."""
    bounds = [(int(schedule.offsets[rank]), int(schedule.offsets[rank + 1])) for rank in ranks]
    action = np.concatenate([np.arange(first, stop) for first, stop in bounds])
    row = np.repeat(np.arange(len(ranks)), [stop - first for first, stop in bounds])
    nothing = np.full(len(action), MISSING, dtype=np.int64)
    start = nothing if run is None else run.start[action]
    end = nothing if run is None else run.end[action]
    done = end != MISSING
    state = np.where(done, 0, np.where(start != MISSING, 1, 2))
    first, last, slots = np.zeros_like(action), np.zeros_like(action), np.zeros(0, dtype=np.int64)
    if done.any():
        long = np.isin(schedule.kind[action[done]], [int(kind) for kind in RUNS])
        first[done], last[done], slots = _times(row[done], start[done], end[done], long)
    first[~done] = last[~done] = len(slots) + _occurrence(row[~done])
    return _Grid(tuple(ranks), action, row, first, last, state, slots, run is not None)


def _times(
    row: IntArray, start: IntArray, end: IntArray, long: NDArray[np.bool_]
) -> tuple[IntArray, IntArray, IntArray]:
    """First and last column of actions that ran, and the slot of every column.

    Actions of one row that start together stand side by side in the order given; `long` says
    which fill their columns up to their end or up to the next action.
    """
    slots, slot = np.unique(start, return_inverse=True)
    order = np.lexsort((start, row))
    nth = np.empty_like(row)
    nth[order] = _occurrence(row[order] * len(slots) + slot[order])
    width = np.zeros(len(slots), dtype=np.int64)
    np.maximum.at(width, slot, nth + 1)
    base = np.concatenate([[0], np.cumsum(width)])
    first = base[slot] + nth
    following = np.full(len(row), base[-1], dtype=np.int64)
    same = row[order[1:]] == row[order[:-1]]
    following[order[:-1][same]] = first[order[1:][same]]
    stop = np.minimum(base[np.searchsorted(slots, end)], following)
    last = np.where(long, np.maximum(first, stop - 1), first)
    return first, last, np.repeat(slots, width)


def _occurrence(key: IntArray) -> IntArray:
    """How often each value stood before, where equal values stand together.

    Examples
    --------
    >>> _occurrence(np.array([7, 7, 8, 9, 9, 9])).tolist()
    [0, 1, 0, 0, 1, 2]
    """
    position = np.arange(len(key))
    is_first = np.concatenate([[True], key[1:] != key[:-1]])[: len(key)]
    return position - np.maximum.accumulate(np.where(is_first, position, 0))


def _pick(grid: _Grid, marked: IntArray, context: int) -> Scene:
    """The columns of the marked actions and `context` more on either side of each."""
    hang = len(grid.slots)
    stops = grid.timed and hang < grid.width
    around = np.arange(-context, context + 1)
    wanted = [grid.first[marked, None] + around, (hang + around[:-1] if stops else around[:0])]
    columns = np.unique(np.concatenate([part.ravel() for part in wanted]))
    columns = columns[(columns >= 0) & (columns < grid.width)]
    first = np.searchsorted(columns, grid.first)
    stop = np.searchsorted(columns, grid.last, side="right")
    cells = tuple(
        Cell(
            int(grid.action[k]),
            int(grid.row[k]),
            int(first[k]),
            int(stop[k] - first[k]),
            _STATES[int(grid.state[k])],
        )
        for k in np.flatnonzero(first < stop)
    )
    bounds = [-1, *columns.tolist(), grid.width]
    left_out = [grid.rows_between(*pair) for pair in pairwise(bounds)]
    slots = [int(grid.slots[column]) if column < hang else None for column in columns]
    behind = int(np.searchsorted(columns, hang))
    return Scene(
        ranks=grid.ranks,
        columns=tuple(map(Column, slots, left_out[:-1])),
        cells=cells,
        timed=grid.timed,
        hang=behind if stops and behind < len(columns) else None,
        more=left_out[-1],
    )
