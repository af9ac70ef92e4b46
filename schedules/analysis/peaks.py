"""Peaks of what a run keeps: activations, weight versions, postponed weight gradients.

What is kept, and from when till when, is in `schedules.analysis.lifetimes`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schedules.actions import Kind
from schedules.analysis.lifetimes import (
    Lifetimes,
    activation_lifetimes,
    checkpoint_lifetimes,
    joined,
    pending_lifetimes,
    send_lifetimes,
    sweep,
    version_lifetimes,
)
from schedules.analysis.sizes import Sizes
from schedules.dependencies import MISSING
from schedules.schedule import IntArray
from schedules.timeline import Timeline


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
    sends_by_rank : tuple of int
        Buffers of sends that are not waited for yet; 0 where nothing says when they are free.
    """

    activations_by_stage: tuple[int, ...]
    activations_by_rank: tuple[int, ...]
    versions_by_stage: tuple[int, ...]
    versions_by_rank: tuple[int, ...]
    pending_by_stage: tuple[int, ...]
    pending_by_rank: tuple[int, ...]
    sends_by_rank: tuple[int, ...]


@dataclass(frozen=True)
class BytePeaks:
    """The most that every rank keeps at one time, in bytes.

    Attributes
    ----------
    activations, weights : tuple of int
        Each on its own.
    optimizer : tuple of int
        Its state and accumulated gradients, kept all the time.
    total : tuple of int
        All together; at most the sum of the others, whose peaks may lie at different times.
    """

    activations: tuple[int, ...]
    weights: tuple[int, ...]
    optimizer: tuple[int, ...]
    total: tuple[int, ...]


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
    kept, held = activation_lifetimes(line), version_lifetimes(line)
    pending, sent = pending_lifetimes(line), send_lifetimes(line)
    return Peaks(
        activations_by_stage=_by_stage(kept, kept.rank, stages, ranks),
        activations_by_rank=_most(kept, kept.rank, ranks),
        versions_by_stage=_by_stage(held, held.copy, stages, copies),
        versions_by_rank=_most(held, held.rank, ranks),
        pending_by_stage=_by_stage(pending, pending.rank, stages, ranks),
        pending_by_rank=_most(pending, pending.rank, ranks),
        sends_by_rank=_most(sent, sent.rank, ranks),
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
    load, ranks = weigh(line, sizes), line.schedule.ranks

    def most(part: int | None) -> tuple[int, ...]:
        size = load.size if part is None else load.size * (load.part == part)
        return _most(load.things, load.things.rank, ranks, size)

    return BytePeaks(most(ACTIVATIONS), most(WEIGHTS), most(OPTIMIZER), most(None))


def stage_bytes(line: Timeline, sizes: Sizes) -> tuple[int, ...]:
    r"""Per stage: the most bytes that one rank keeps for it at one time, all copies together.

    Raises
    ------
    InvalidScheduleError, FormatError
        As `byte_peaks`.

    Examples
    --------
    >>> from schedules import build, timeline
    >>> from schedules.analysis.sizes import parse_sizes
    >>> sizes = parse_sizes("[default]\nweights = 100\nactivations = 8", "sizes.toml")
    >>> stage_bytes(timeline(build("pipedream", 2, 8)), sizes)
    (216, 108)
    """
    load, schedule = weigh(line, sizes), line.schedule
    return _by_stage(load.things, load.things.rank, schedule.stages, schedule.ranks, load.size)


ACTIVATIONS, WEIGHTS, OPTIMIZER, SENDS = range(4)
"""Parts of a `Load`."""


@dataclass(frozen=True, eq=False)
class Load:
    """Everything that is kept, with its bytes.

    Attributes
    ----------
    things : Lifetimes
    size : ndarray of int
        Bytes of each thing.
    part : ndarray of int
        `ACTIVATIONS`, `WEIGHTS`, `OPTIMIZER` or `SENDS`.
    """

    things: Lifetimes
    size: IntArray
    part: IntArray


def weigh(line: Timeline, sizes: Sizes) -> Load:
    """Activations, weight versions, what every weight copy keeps all the time, buffers of sends.

    Where a stage has one owner of the optimizer state, only that copy keeps it; accumulated
    gradients are each copy's own.

    Raises
    ------
    InvalidScheduleError, FormatError
        As `byte_peaks`.
    """
    schedule, kept, held = line.schedule, activation_lifetimes(line), version_lifetimes(line)
    copies = held.stage * schedule.placement.copy_count + held.copy
    first = np.unique(copies, return_index=True)[1]
    owning = first
    if schedule.placement.owners is not None:
        owners = np.array(schedule.placement.owners, dtype=np.int64)
        owning = first[held.copy[first] == owners[held.stage[first]]]
    parts = [
        (ACTIVATIONS, "activations", kept),
        (ACTIVATIONS, "checkpoint", checkpoint_lifetimes(line)),
        (WEIGHTS, "weights", held),
        (OPTIMIZER, "optimizer", _always(held, owning, line.length)),
    ]
    if sizes.column("gradients", schedule.stages).any():
        parts.append((OPTIMIZER, "gradients", _always(held, first, line.length)))
    sent = send_lifetimes(line)
    if len(sent.stage):
        parts.append((SENDS, "output", sent))
    size = [sizes.column(name, schedule.stages)[things.stage] for _, name, things in parts]
    if len(sent.stage):
        # A gradient has the size of the activation that it belongs to: one stage below.
        lower = sent.stage - (schedule.kind[sent.action] != Kind.F)
        size[-1] = sizes.column("output", schedule.stages)[lower]
    return Load(
        things=joined([things for _, _, things in parts]),
        size=np.concatenate(size),
        part=np.repeat([part for part, _, _ in parts], [len(one.stage) for _, _, one in parts]),
    )


def _always(held: Lifetimes, of: IntArray, length: int) -> Lifetimes:
    """What these weight copies keep from before the first slot, so that a run of no length too."""
    return Lifetimes(
        stage=held.stage[of],
        rank=held.rank[of],
        copy=held.copy[of],
        birth=np.full(len(of), -1),
        death=np.full(len(of), length),
        action=np.full(len(of), MISSING),
    )


def _by_stage(
    things: Lifetimes, part: IntArray, stages: int, parts: int, size: IntArray | None = None
) -> tuple[int, ...]:
    """Per stage: the largest peak of its parts (ranks or copies)."""
    codes, group = np.unique(things.stage * parts + part, return_inverse=True)
    most = np.zeros(stages, dtype=np.int64)
    np.maximum.at(most, codes // max(parts, 1), sweep(things, group, size).most(len(codes)))
    return tuple(most.tolist())


def _most(
    things: Lifetimes, group: IntArray, groups: int, size: IntArray | None = None
) -> tuple[int, ...]:
    return tuple(sweep(things, group, size).most(groups).tolist())
