"""Exact delays: how far back in the global history every gradient's weights lie.

Legend: K gradients that an update applies (rows, in history order), p stages (columns),
M microbatches.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from schedules.errors import SizeError
from schedules.linearization import DEFAULT, Linearization, get_linearization
from schedules.schedule import IntArray, Schedule
from schedules.timeline import Timeline
from schedules.versions import complete_tables, update_after, versions, weights_of_action

Matrix = NDArray[np.int32]

MAX_BYTES = 4 * 1024**3
"""Largest delay matrix this module agrees to build."""


@dataclass(frozen=True, eq=False)
class History:
    """The global history of a run: all updates of all stages in one sequence.

    Attributes
    ----------
    position : ndarray of int, shape (p, M)
        Index of the update that applies the gradient of (stage, microbatch); −1 if none does
        (a trailing incomplete update interval, or no action U behind it).
    recorded : ndarray of int, shape (p, M)
        History length that the forward of (stage, microbatch) recorded.
    next_change : ndarray of int, shape (p, M)
        Index of the first update, after that forward, of the weights it read; `length` if
        there is none.
    length : int
        Number of updates.
    """

    position: IntArray
    recorded: IntArray
    next_change: IntArray
    length: int


@dataclass(frozen=True, eq=False)
class Delays:
    """Global delays of one run under one linearization.

    Attributes
    ----------
    linearization : str
    microbatches : int
    stage, microbatch, index : ndarray of int, shape (K,)
        Active stage, microbatch and history index of each row.
    matrix : ndarray of int32, shape (K, p)
        ``matrix[k, j]``: index of row k minus the history length that the forward of its
        microbatch recorded at stage j.
    """

    linearization: str
    microbatches: int
    stage: IntArray
    microbatch: IntArray
    index: IntArray
    matrix: Matrix


@dataclass(frozen=True, eq=False)
class Steady:
    """The periodic rows of a delay matrix: row = active stage, column = block.

    Attributes
    ----------
    rows : ndarray of int32, shape (S, S)
    first, stop : int
        Every microbatch ``first ≤ m < stop`` has these rows, and neither of the next ones has.
    microbatches : int
        M of the run.
    """

    rows: Matrix
    first: int
    stop: int
    microbatches: int

    @property
    def least_microbatches(self) -> int:
        """M of the shortest run with a steady row, if start-up and wind-down stay as they are."""
        return self.first + self.microbatches - self.stop + 1

    @property
    def max(self) -> int:
        """Largest entry."""
        return int(self.rows.max())

    @property
    def min(self) -> int:
        """Smallest entry."""
        return int(self.rows.min())

    @property
    def mean(self) -> Fraction:
        """Mean entry, exactly."""
        return Fraction(int(self.rows.sum(dtype=np.int64)), self.rows.size)


@dataclass(frozen=True)
class Unsteady:
    """Why a run has no periodic rows, as the end of a sentence."""

    why: str


def history(line: Timeline, linearization: Linearization) -> History:
    """Put all updates in one sequence and look up what every forward recorded.

    An update happens in the last slot of the action that makes it: the B or W that completes its
    gradient. An action U takes no time unless given one; it updates in the last slot that ended
    before it. A forward records in its first slot.

    Examples
    --------
    >>> from schedules.families import build
    >>> from schedules.timeline import timeline
    >>> run = timeline(build("naive", 2, 2))
    >>> history(run, get_linearization("ascending")).position.tolist()
    [[1, 3], [0, 2]]
    """
    schedule = line.schedule
    index = complete_tables(schedule)
    updates = np.flatnonzero(update_after(schedule))
    stages = max(schedule.stages, 1)
    in_pass = np.arange(stages) if linearization.ascending else np.arange(stages)[::-1]
    slot = (line.end[updates] - 1) * stages
    order = np.argsort(slot + in_pass[schedule.stage[updates]], kind="stable")
    keys = (slot + in_pass[schedule.stage[updates]])[order]
    place = np.empty(len(updates) + 1, dtype=np.int64)
    if linearization.backward_counts:
        place[order] = np.arange(len(updates))
    else:
        place[order] = np.searchsorted(keys, slot[order], side="left")
    place[-1] = -1
    offset = in_pass[:, None] if linearization.forward_counts else 0
    recorded = np.searchsorted(keys, line.start[index.forward] * stages + offset, side="left")
    next_change = place[_next_changes(schedule, updates, index.forward)]
    next_change[next_change < 0] = len(updates)
    return History(
        position=place[next_update(schedule, updates, index.gradient)],
        recorded=recorded,
        next_change=next_change,
        length=len(updates),
    )


def _next_changes(schedule: Schedule, updates: IntArray, forwards: IntArray) -> IntArray:
    """For every forward: which of `updates` ends the version that it read; −1 if none does."""
    ends = next_update(schedule, updates, forwards)
    if not schedule.policy.reads_stage_zero:
        return ends
    found, weights = versions(schedule), weights_of_action(schedule)
    own = np.argsort(weights[updates], kind="stable")
    after = np.searchsorted(weights[updates][own], weights[forwards]) + found.read
    older = np.append(own, -1)[np.minimum(after, len(own))]
    return np.where(found.read < found.at_forward, older, ends)


def next_update(schedule: Schedule, updates: IntArray, actions: IntArray) -> IntArray:
    """For every action: which of `updates` is the first of its weights at or after it.

    The answer indexes `updates`; it is −1 where no such update follows.
    """
    weights = weights_of_action(schedule)
    keys = weights * len(schedule) + np.arange(len(schedule))
    order = np.argsort(keys[updates], kind="stable")
    found = np.searchsorted(keys[updates][order], keys[actions], side="left")
    candidates = np.append(order, -1)[found]
    same = weights[np.append(updates, 0)[candidates]] == weights[actions]
    return np.where(same & (candidates >= 0), candidates, -1)


def delays(line: Timeline, linearization: str = DEFAULT) -> Delays:
    """Extract the exact delay matrix of a run.

    Cost is linear in the K·p entries; peak memory is the result plus one array of its shape.

    Parameters
    ----------
    line : Timeline
    linearization : str
        A name of `schedules.linearization.LINEARIZATIONS`.

    Raises
    ------
    SizeError
        The matrix would be larger than `MAX_BYTES`.
    UnknownNameError
        No such linearization.
    InvalidScheduleError
        The schedule lacks an action that delays are defined by.

    Examples
    --------
    >>> from schedules.families import build
    >>> from schedules.timeline import timeline
    >>> delays(timeline(build("pipedream", 2, 6))).matrix[:4].tolist()
    [[0, 0], [1, 1], [2, 0], [3, 1]]
    """
    past = history(line, get_linearization(linearization))
    require_room(*past.position.shape)
    stage, microbatch = np.nonzero(past.position >= 0)
    index = past.position[stage, microbatch]
    order = np.lexsort((microbatch, stage, index))
    stage, microbatch, index = stage[order], microbatch[order], index[order]
    recorded = past.recorded.T.astype(np.int32, order="C")
    matrix = recorded[microbatch]
    np.subtract(index.astype(np.int32)[:, None], matrix, out=matrix)
    return Delays(linearization, past.position.shape[1], stage, microbatch, index, matrix)


def equivalent_delays(line: Timeline, linearization: str = DEFAULT) -> Delays:
    """The least delays that read the same values.

    Entry (k, j) is the least d such that reading block j d entries back gives the value that
    the forward saw: 0 if block j has not been updated in between, else the row's index minus
    the position of the first such update.

    Examples
    --------
    >>> from schedules.families import build
    >>> from schedules.timeline import timeline
    >>> equivalent_delays(timeline(build("naive", 3, 1))).matrix.tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 2]]
    """
    exact = delays(line, linearization)
    change = history(line, get_linearization(linearization)).next_change
    matrix = change.T.astype(np.int32, order="C")[exact.microbatch]
    np.subtract(exact.index.astype(np.int32)[:, None], matrix, out=matrix)
    np.maximum(matrix, 0, out=matrix)
    return Delays(
        linearization, exact.microbatches, exact.stage, exact.microbatch, exact.index, matrix
    )


def steady(found: Delays, unit: int = 1) -> Steady | Unsteady:
    """The rows that repeat from microbatch to microbatch, or why there are none.

    Looked for among S ≤ m < M − S, S the number of stages: either all of these repeat, or the last
    ones do, more than S of them. Where M is too small for one, the answer names the least multiple
    of `unit` that is not.

    Examples
    --------
    >>> from schedules.families import build
    >>> from schedules.timeline import timeline
    >>> part = steady(delays(timeline(build("pipedream", 2, 8))))
    >>> part.rows.tolist(), str(part.mean), part.first, part.stop
    ([[3, 1], [2, 0]], '3/2', 1, 8)
    >>> steady(delays(timeline(build("pipedream", 2, 4)))).why
    'no microbatch m has S ≤ m < M − S with S = 2 stages; take M ≥ 5'
    >>> steady(delays(timeline(build("dualpipe", 2, 4))), unit=2).why
    'no microbatch m has S ≤ m < M − S with S = 2 stages; take M ≥ 6, a multiple of 2'
    """
    stages, total = found.matrix.shape[1], found.microbatches
    if stages >= total - stages:
        least = -(-(2 * stages + 1) // unit) * unit
        words = f"no microbatch m has S ≤ m < M − S with S = {stages} stages; take M ≥ {least}"
        return Unsteady(words + (f", a multiple of {unit}" if unit > 1 else ""))
    row_of = np.full((total, stages), -1, dtype=np.int64)
    row_of[found.microbatch, found.stage] = np.arange(len(found.stage))
    inside = np.argwhere(row_of[stages : total - stages] < 0)
    if len(inside):
        at, active = inside[0].tolist()
        return Unsteady(f"stage {active} applies no gradient of microbatch {stages + at}")
    differs = _differing(found.matrix, row_of)
    last = total - stages - 1
    changes = np.flatnonzero(differs[:last].any(axis=1))
    first = int(changes[-1]) + 1 if len(changes) else 0
    if first > stages and last - first < stages:
        active = int(np.argmax(differs[first - 1]))
        return Unsteady(
            "the rows do not repeat from microbatch to microbatch: at active stage "
            f"{active} those of microbatches {first - 1} and {first} differ; whether they do after "
            "several, as where few are let in, `staleproof derive` says"
        )
    later = np.flatnonzero(differs[last:].any(axis=1))
    stop = last + 1 + int(later[0]) if len(later) else total
    return Steady(found.matrix[row_of[last]], first, stop, total)


def _differing(matrix: Matrix, row_of: IntArray) -> NDArray[np.bool_]:
    """Whether the row of (m, active stage) differs from that of m + 1, or one of them is absent."""
    one, other = row_of[:-1], row_of[1:]
    found = (one < 0) | (other < 0)
    for active in range(row_of.shape[1]):
        same = matrix[one[:, active]] == matrix[other[:, active]]
        found[:, active] |= ~same.all(axis=1)
    return found


def require_room(stages: int, microbatches: int) -> None:
    """Refuse a delay matrix of more than `MAX_BYTES`.

    Raises
    ------
    SizeError
        With the number of entries and bytes that would be needed.
    """
    entries = stages * stages * microbatches
    if 2 * 4 * entries > MAX_BYTES:
        raise SizeError(
            f"the delay matrix of S = {stages} stages and M = {microbatches} microbatches has "
            f"S²·M = {entries} entries and needs {8 * entries / 1024**3:.1f} GiB, more than the "
            f"{MAX_BYTES / 1024**3:.0f} GiB allowed",
            "delays",
            "take fewer microbatches, or `staleproof derive --at` where there are closed forms",
        )
