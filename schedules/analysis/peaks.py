"""Peaks of what a run keeps: activations, weight versions, postponed weight gradients.

What is kept from when till when (a thing that is freed at a time makes room for one that is
needed from that time on):

- activations of (s, m): from the start of F until the gradient is complete: the end of B, or of W
  where the backward is split. Nothing is freed after I, so split backwards count as in the
  zero-bubble papers' memory bounds;
- a version of a weight copy: from the update that makes it (the first: from the start) until
  there is a newer one and the last backward that uses it has ended;
- a pending weight gradient of (s, m): from the end of I to the end of W.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schedules.actions import Kind
from schedules.analysis.sizes import Sizes
from schedules.dependencies import MISSING, first_indices
from schedules.schedule import IntArray
from schedules.timeline import Timeline
from schedules.versions import complete_tables, update_after, versions, weights_of_action


@dataclass(frozen=True)
class Peaks:
    """The most that is kept at one time, in counts.

    By stage: on one rank, where several run the stage, and of one weight copy. By rank: over all
    its stages and copies together.

    Attributes
    ----------
    activations_by_stage, activations_by_rank : tuple of int
        Microbatches.
    versions_by_stage, versions_by_rank : tuple of int
        Weight versions, the newest included.
    pending_by_stage, pending_by_rank : tuple of int
        Microbatches whose weight gradient is postponed.
    """

    activations_by_stage: tuple[int, ...]
    activations_by_rank: tuple[int, ...]
    versions_by_stage: tuple[int, ...]
    versions_by_rank: tuple[int, ...]
    pending_by_stage: tuple[int, ...]
    pending_by_rank: tuple[int, ...]


@dataclass(frozen=True)
class BytePeaks:
    """The most that every rank keeps at one time, in bytes.

    Attributes
    ----------
    activations, weights : tuple of int
        Each on its own.
    optimizer : tuple of int
        Kept all the time.
    total : tuple of int
        All together; at most the sum of the others, whose peaks may lie at different times.
    """

    activations: tuple[int, ...]
    weights: tuple[int, ...]
    optimizer: tuple[int, ...]
    total: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """Things that are kept from ``birth`` to ``death``; all arrays have one entry a thing.

    Attributes
    ----------
    stage, rank, copy, birth, death : ndarray of int
    """

    stage: IntArray
    rank: IntArray
    copy: IntArray
    birth: IntArray
    death: IntArray


def peaks(line: Timeline) -> Peaks:
    """Count what is kept at its peak.

    Raises
    ------
    InvalidScheduleError
        The schedule is not complete, or its policy asks for versions that do not exist.

    Examples
    --------
    >>> from schedules import build, timeline
    >>> found = peaks(timeline(build("pipedream", 3, 12)))
    >>> found.activations_by_stage, found.versions_by_stage
    ((3, 3, 1), (3, 2, 1))
    """
    stages, ranks = line.schedule.stages, line.schedule.ranks
    copies = line.schedule.placement.copy_count
    kept, held, pending = activation_lifetimes(line), version_lifetimes(line), _pending(line)
    return Peaks(
        activations_by_stage=_by_stage(kept, kept.rank, stages, ranks),
        activations_by_rank=_sweep(kept, kept.rank, ranks),
        versions_by_stage=_by_stage(held, held.copy, stages, copies),
        versions_by_rank=_sweep(held, held.rank, ranks),
        pending_by_stage=_by_stage(pending, pending.rank, stages, ranks),
        pending_by_rank=_sweep(pending, pending.rank, ranks),
    )


def byte_peaks(line: Timeline, sizes: Sizes) -> BytePeaks:
    r"""Weigh what is kept at its peak.

    Postponed weight gradients are not counted again: what they need is among the activations.

    Raises
    ------
    InvalidScheduleError
        As `peaks`.
    FormatError
        A stage has no sizes.

    Examples
    --------
    >>> from schedules import build, timeline
    >>> from schedules.analysis.sizes import parse_sizes
    >>> sizes = parse_sizes("[default]\nweights = 100\nactivations = 8", "sizes.toml")
    >>> byte_peaks(timeline(build("gpipe", 2, 3)), sizes).total
    (124, 124)
    """
    stages, ranks = line.schedule.stages, line.schedule.ranks
    kept, held = activation_lifetimes(line), version_lifetimes(line)
    activations = sizes.column("activations", stages)[kept.stage]
    weights = sizes.column("weights", stages)[held.stage]
    parts = line.schedule.placement.copy_count
    _, first = np.unique(held.stage * parts + held.copy, return_index=True)
    optimizer = np.zeros(ranks, dtype=np.int64)
    np.add.at(optimizer, held.rank[first], sizes.column("optimizer", stages)[held.stage[first]])
    both = _joined(kept, held)
    total = _sweep(both, both.rank, ranks, np.concatenate([activations, weights]))
    return BytePeaks(
        activations=_sweep(kept, kept.rank, ranks, activations),
        weights=_sweep(held, held.rank, ranks, weights),
        optimizer=tuple(optimizer.tolist()),
        total=tuple((np.array(total, dtype=np.int64) + optimizer).tolist()),
    )


def activation_lifetimes(line: Timeline) -> Lifetimes:
    """From when till when the activations of each (stage, microbatch) are kept."""
    index = complete_tables(line.schedule)
    return _between(line, index.forward.ravel(), index.gradient.ravel(), line.start)


def _pending(line: Timeline) -> Lifetimes:
    begun, done = (first_indices(line.schedule, kind).ravel() for kind in (Kind.I, Kind.W))
    split = (begun != MISSING) & (done != MISSING)
    return _between(line, begun[split], done[split], line.end)


def _between(line: Timeline, first: IntArray, last: IntArray, birth: IntArray) -> Lifetimes:
    schedule = line.schedule
    return Lifetimes(
        stage=schedule.stage[first],
        rank=schedule.rank_of_action[first],
        copy=weights_of_action(schedule)[first] % schedule.placement.copy_count,
        birth=birth[first],
        death=line.end[last],
    )


def version_lifetimes(line: Timeline) -> Lifetimes:
    """From when till when each version of each weight copy is kept, by copy and version."""
    schedule = line.schedule
    found, index = versions(schedule), complete_tables(schedule)
    weights = weights_of_action(schedule)
    owners, owner = np.unique(weights, return_inverse=True)
    updates = np.flatnonzero(update_after(schedule))
    updates = updates[np.argsort(owner[updates], kind="stable")]
    count = np.bincount(owner[updates], minlength=len(owners)) + 1
    base = np.cumsum(count) - count
    newest = base + count - 1
    birth = np.zeros(int(count.sum()), dtype=np.int64)
    # Owner k has k first versions before its own: those that no update makes.
    birth[np.arange(len(updates)) + owner[updates] + 1] = line.end[updates]
    death = np.roll(birth, -1)
    death[newest] = line.length
    uses = index.backward.ravel()
    np.maximum.at(death, base[owner[uses]] + found.used.ravel(), line.end[uses])
    rank_of_owner = np.zeros(len(owners), dtype=np.int64)
    rank_of_owner[owner] = schedule.rank_of_action
    stage, copy = np.divmod(owners, schedule.placement.copy_count)
    stage, rank, copy = (np.repeat(part, count) for part in (stage, rank_of_owner, copy))
    return Lifetimes(stage, rank, copy, birth, death)


def _joined(one: Lifetimes, other: Lifetimes) -> Lifetimes:
    columns = ("stage", "rank", "copy", "birth", "death")
    return Lifetimes(
        *(np.concatenate([getattr(one, name), getattr(other, name)]) for name in columns)
    )


def _by_stage(things: Lifetimes, part: IntArray, stages: int, parts: int) -> tuple[int, ...]:
    """Per stage: the largest peak of its parts (ranks or copies)."""
    codes, group = np.unique(things.stage * parts + part, return_inverse=True)
    most = np.zeros(stages, dtype=np.int64)
    found = np.array(_sweep(things, group, len(codes)), dtype=np.int64)
    np.maximum.at(most, codes // max(parts, 1), found)
    return tuple(most.tolist())


def _sweep(
    things: Lifetimes, group: IntArray, groups: int, size: IntArray | None = None
) -> tuple[int, ...]:
    """Per group: the largest sum of sizes (1 unless given) that are kept at one time."""
    size = np.ones(len(group), dtype=np.int64) if size is None else size
    time = np.concatenate([things.birth, things.death])
    change = np.concatenate([size, -size])
    both = np.concatenate([group, group])
    freed = np.repeat([1, 0], len(group))
    order = np.lexsort((freed, time, both))  # what is freed goes before what is needed
    both = both[order]
    # A group's changes add up to 0, so that the running sum starts each group at 0.
    running = np.cumsum(change[order])
    most = np.zeros(groups, dtype=np.int64)
    np.maximum.at(most, both, running)
    return tuple(most.tolist())
