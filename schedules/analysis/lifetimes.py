"""What a run keeps, from when till when: activations, weight versions, weight gradients.

A thing that is freed at a time makes room for one that is needed from that time on.

- activations of (s, m): from the start of F until the gradient is complete: the end of B, or of W
  where the backward is split. Nothing is freed after I, so split backwards count as in the
  zero-bubble papers' memory bounds. With R only during F, and again from the start of R, in
  between its checkpoint; from the end of OFFLOAD to the start of RELOAD neither;
- a version of a weight copy: from the update that makes it (the first: from the start) until
  there is a newer one and the last backward that uses it has ended;
- a pending weight gradient of (s, m): from the end of I to the end of W;
- the buffer of a send, in a schedule with WAIT_SEND: from the start of the computation that makes
  the tensor to the end of the wait, without one to the end of the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schedules.actions import KEEPING, WAITED_SENDS, Kind, among
from schedules.dependencies import MISSING, first_indices, in_range
from schedules.schedule import IntArray, Schedule
from schedules.timeline import Timeline
from schedules.versions import complete_tables, update_after, versions, weights_of_action


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """Things that are kept from ``birth`` to ``death``; all arrays have one entry a thing.

    Attributes
    ----------
    stage, rank, copy, birth, death : ndarray of int
    action : ndarray of int
        Flat index of the action that it is kept from; `MISSING` where that is the start.
    """

    stage: IntArray
    rank: IntArray
    copy: IntArray
    birth: IntArray
    death: IntArray
    action: IntArray


def activation_lifetimes(line: Timeline) -> Lifetimes:
    """From when till when the activations of each (stage, microbatch) are kept."""
    index = complete_tables(line.schedule)
    if keeps_less(line.schedule):
        return _pieces(line)[0]
    return _between(line, index.forward.ravel(), index.gradient.ravel(), line.start)


def checkpoint_lifetimes(line: Timeline) -> Lifetimes:
    """From when till when the input of each forward that is run again is kept for that."""
    if not keeps_less(line.schedule):
        nothing = np.zeros(0, dtype=np.int64)
        return _between(line, nothing, nothing, line.start)
    return _pieces(line)[1]


def keeps_less(schedule: Schedule) -> bool:
    """Whether activations are recomputed or taken off the device."""
    return bool(among(schedule.kind, KEEPING).any())


def _pieces(line: Timeline) -> tuple[Lifetimes, Lifetimes]:
    """Activations and checkpoints, each from an event of its (stage, microbatch) to the next one.

    The events are F, R, OFFLOAD, RELOAD and the gradient, in the order that `causal` asks for.
    """
    schedule, index = line.schedule, complete_tables(line.schedule)
    moves = np.flatnonzero(among(schedule.kind, KEEPING) & in_range(schedule))
    event = np.sort(np.concatenate([index.forward.ravel(), index.gradient.ravel(), moves]))
    pair = schedule.stage[event] * schedule.microbatches + schedule.microbatch[event]
    order = np.argsort(pair, kind="stable")
    event, pair = event[order], pair[order]
    kind = schedule.kind[event]
    again = np.full(index.forward.size, MISSING, dtype=np.int64)
    again[pair[kind == Kind.R]] = event[kind == Kind.R]
    stripped = event < again[pair]
    ends = np.where(kind == Kind.R, line.start[event], line.end[event])
    death = np.append(ends[1:], 0)
    held = np.append(pair[1:] == pair[:-1], False) & (kind != Kind.OFFLOAD)

    def part(chosen: NDArray[np.bool_], birth: IntArray, death: IntArray) -> Lifetimes:
        found = _between(line, event[chosen], event[chosen], birth)
        return replace(found, death=death[chosen])

    first_run = stripped & (kind == Kind.F)
    whole = part(held & ~stripped, line.start, death)
    checkpoints = part(
        held & stripped, np.where(schedule.kind == Kind.F, line.end, line.start), death
    )
    return joined([whole, part(first_run, line.start, line.end[event])]), checkpoints


def pending_lifetimes(line: Timeline) -> Lifetimes:
    """From when till when each postponed weight gradient is."""
    begun, done = (first_indices(line.schedule, kind).ravel() for kind in (Kind.I, Kind.W))
    split = (begun != MISSING) & (done != MISSING)
    return _between(line, begun[split], done[split], line.end)


def waits_for_sends(schedule: Schedule) -> bool:
    """Whether the schedule says until when the buffers of sends are kept."""
    return bool(among(schedule.kind, WAITED_SENDS.values()).any())


def send_lifetimes(line: Timeline) -> Lifetimes:
    """From when till when the buffer of each send is kept; none without WAIT_SEND."""
    schedule = line.schedule
    index = complete_tables(schedule)
    makers, ends = [], []
    for send, made in ((Kind.SEND_F, index.forward), (Kind.SEND_B, index.backward)):
        sent = (first_indices(schedule, send) != MISSING) & waits_for_sends(schedule)
        makers.append(made[sent])
        ends.append(first_indices(schedule, WAITED_SENDS[send])[sent])
    maker, wait = np.concatenate(makers), np.concatenate(ends)
    found = _between(line, maker, maker, line.start)
    return replace(found, death=np.where(wait == MISSING, line.length, line.end[wait]))


def _between(line: Timeline, first: IntArray, last: IntArray, birth: IntArray) -> Lifetimes:
    schedule = line.schedule
    return Lifetimes(
        stage=schedule.stage[first],
        rank=schedule.rank_of_action[first],
        copy=weights_of_action(schedule)[first] % schedule.placement.copy_count,
        birth=birth[first],
        death=line.end[last],
        action=first,
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
    maker = np.full(int(count.sum()), MISSING, dtype=np.int64)
    # Owner k has k first versions before its own: those that no update makes.
    maker[np.arange(len(updates)) + owner[updates] + 1] = updates
    birth = np.where(maker == MISSING, 0, np.append(line.end, 0)[maker])
    death = np.roll(birth, -1)
    death[newest] = line.length
    uses = index.backward.ravel()
    np.maximum.at(death, base[owner[uses]] + found.used.ravel(), line.end[uses])
    rank_of_owner = np.zeros(len(owners), dtype=np.int64)
    rank_of_owner[owner] = schedule.rank_of_action
    stage, copy = np.divmod(owners, schedule.placement.copy_count)
    stage, rank, copy = (np.repeat(part, count) for part in (stage, rank_of_owner, copy))
    return Lifetimes(stage, rank, copy, birth, death, maker)


def joined(parts: Sequence[Lifetimes]) -> Lifetimes:
    """The things of all parts, one part after the other."""
    columns = ("stage", "rank", "copy", "birth", "death", "action")
    return Lifetimes(*(np.concatenate([getattr(part, name) for part in parts]) for name in columns))


@dataclass(frozen=True, eq=False)
class Sweep:
    """How much each group keeps after every event, in the order of groups and times.

    Attributes
    ----------
    group, thing, kept : ndarray of int
        Group of each event, the thing that is born or freed, what the group keeps after it.
    born : ndarray of bool
        Whether the thing is born.
    """

    group: IntArray
    thing: IntArray
    kept: IntArray
    born: NDArray[np.bool_]

    def most(self, groups: int) -> IntArray:
        """Per group: the most that is kept at one time."""
        found = np.zeros(groups, dtype=np.int64)
        np.maximum.at(found, self.group, self.kept)
        return found

    def first_above(self, limit: IntArray) -> IntArray:
        """The event at which each group first keeps more than its limit; of those that do.

        Examples
        --------
        >>> import numpy as np
        >>> nothing = np.zeros(2, dtype=np.int64)
        >>> things = Lifetimes(
        ...     nothing, nothing, nothing, np.array([0, 1]), np.array([4, 2]), nothing
        ... )
        >>> found = sweep(things, nothing)
        >>> found.thing[found.first_above(np.array([1]))].tolist(), found.most(1).tolist()
        ([1], [2])
        """
        above = np.flatnonzero(self.kept > limit[self.group])
        return above[np.unique(self.group[above], return_index=True)[1]]


def sweep(things: Lifetimes, group: IntArray, size: IntArray | None = None) -> Sweep:
    """Add up what is kept, event by event; `group` and `size` (1 unless given) by thing."""
    count = len(group)
    size = np.ones(count, dtype=np.int64) if size is None else size
    time = np.concatenate([things.birth, things.death])
    both = np.concatenate([group, group])
    freed = np.repeat([1, 0], count)
    order = np.lexsort((freed, time, both))  # what is freed goes before what is needed
    change = np.concatenate([size, -size])
    # A group's changes add up to 0, so that the running sum starts each group at 0.
    return Sweep(both[order], order % max(count, 1), np.cumsum(change[order]), order < count)
