"""Facts: what a valid schedule does, in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schedules.actions import Kind, among
from schedules.analysis.lifetimes import waits_for_sends
from schedules.analysis.peaks import byte_peaks, peaks, stage_bytes
from schedules.analysis.sizes import Sizes
from schedules.delays import History, history
from schedules.linearization import DEFAULT, get_linearization
from schedules.schedule import IntArray, Schedule
from schedules.timeline import Timeline, timeline
from schedules.versions import Versions, complete_tables, update_after, versions, weights_of_action


def facts(
    schedule: Schedule, sizes: Sizes | None = None, linearization: str = DEFAULT
) -> dict[str, object]:
    """Sum up a schedule that `schedules.validate.validate` finds nothing wrong with.

    The keys are listed in ``docs/reference/invariants.md``.

    Parameters
    ----------
    schedule : Schedule
    sizes : Sizes, optional
        With them, ``memory`` and ``rank_memory`` in bytes.
    linearization : str
        How ``delay_whole_run`` counts.

    Raises
    ------
    InvalidScheduleError
        The schedule is not valid.
    UnknownNameError
        No such linearization.
    FormatError
        A stage has no sizes.

    Examples
    --------
    >>> from schedules.families import build
    >>> found = facts(build("pipedream", 3, 12))
    >>> found["in_flight"], found["local_staleness_whole_run"], found["versions_kept"]
    ([3, 3, 1], [2, 2, 0], [3, 2, 1])
    >>> found["length"], found["idle_fraction"], found["skew"], found["delay_whole_run"]
    (28, '1/7', 2, 8)
    """
    chosen, line = get_linearization(linearization), timeline(schedule)
    past = history(line, chosen)
    return facts_of(line, versions(schedule), past, linearization, sizes)


def facts_of(
    line: Timeline, found: Versions, past: History, linearization: str, sizes: Sizes | None
) -> dict[str, object]:
    """The facts of a run whose versions and history are known; see `facts`."""
    schedule = line.schedule
    kept = peaks(line)
    delay = largest_delays(past)
    result = {
        "ranks": schedule.ranks,
        "stages": schedule.stages,
        "microbatches": schedule.microbatches,
        "actions": len(schedule),
        "policy": schedule.policy.name,
        "length": line.length,
        "idle_fraction": str(line.idle_fraction),
        "in_flight": in_flight(schedule),
        "activations": list(kept.activations_by_stage),
        "activations_by_rank": list(kept.activations_by_rank),
        "local_staleness_whole_run": found.local_staleness.max(axis=1).tolist(),
        "local_staleness_steady": _steady(found.local_staleness),
        "mismatch_whole_run": found.mismatch.max(axis=1).tolist(),
        "skew": int(np.ptp(found.read, axis=0).max()),
        "stash_holds": bool(found.stashed.all()),
        "versions_kept": versions_kept(schedule, found),
        "versions_by_rank": list(kept.versions_by_rank),
        "updates": past.length,
        "delay_whole_run": int(delay.max()) if (delay >= 0).any() else None,
        "linearization": linearization,
    }
    if waits_for_sends(schedule):
        result["send_buffers"] = list(kept.sends_by_rank)
    if sizes is not None:
        result["memory"] = list(stage_bytes(line, sizes))
        result["rank_memory"] = list(byte_peaks(line, sizes).total)
    return result


def largest_delays(past: History) -> IntArray:
    """Largest global delay of every (stage, microbatch) over the blocks; −1 where none is.

    Examples
    --------
    >>> from schedules.families import build
    >>> run = timeline(build("pipedream", 2, 3))
    >>> largest_delays(history(run, get_linearization("ascending"))).tolist()
    [[1, 3, 3], [0, 2, 2]]
    """
    applied = past.position >= 0
    return np.where(applied, past.position - past.recorded.min(axis=0), -1)


def _steady(staleness: IntArray) -> list[int] | None:
    """Per stage: the largest over p ≤ m < M − p; None where there is no such microbatch."""
    stages, microbatches = staleness.shape
    inside = staleness[:, stages : microbatches - stages]
    found: list[int] | None = inside.max(axis=1).tolist() if inside.size else None
    return found


def in_flight(schedule: Schedule) -> list[int]:
    """Per stage: most microbatches between the start of F and the end of B or W, on one rank.

    Only the program order counts.

    Examples
    --------
    >>> from schedules.families import build
    >>> in_flight(build("gpipe", 2, 5))
    [5, 5]
    """
    return _by_stage(schedule, microbatches_in_flight(schedule), schedule.ranks)


def versions_kept(schedule: Schedule, found: Versions) -> list[int]:
    """Per stage: most versions of one weight copy that are needed at the same time.

    A version is needed while it is the newest, and until the last backward that uses it: what a
    forward reads is either the newest or what its backward uses. Only the program order counts.

    Examples
    --------
    >>> from schedules.families import build
    >>> schedule = build("gpipe", 2, 5)
    >>> versions_kept(schedule, versions(schedule))
    [1, 1]
    """
    kept = versions_over_time(schedule, found)
    return _by_stage(schedule, kept, schedule.placement.copy_count)


@dataclass(frozen=True, eq=False)
class Count:
    """How many things each group keeps, over its program order.

    Attributes
    ----------
    group : ndarray of int
        Of every event, in ascending order; groups that follow each other share a stage.
    action : ndarray of int
        Flat index of the action that the event happens at.
    kept : ndarray of int
        What the group keeps after the event.
    """

    group: IntArray
    action: IntArray
    kept: IntArray

    def first_above(self, limit: int) -> IntArray:
        """The event at which each group first keeps more than `limit`; of those that do."""
        above = np.flatnonzero(self.kept > limit)
        return above[np.unique(self.group[above], return_index=True)[1]]


def microbatches_in_flight(schedule: Schedule) -> Count:
    """Microbatches between F and B or W; group = stage · ranks + rank."""
    change = np.zeros(len(schedule), dtype=np.int64)
    change[schedule.kind == Kind.F] = 1
    change[among(schedule.kind, (Kind.B, Kind.W))] = -1
    action = np.flatnonzero(change)
    group = (schedule.stage * schedule.ranks + schedule.rank_of_action)[action]
    order = np.argsort(group, kind="stable")
    return _count(group[order], action[order], change[action][order])


def versions_over_time(schedule: Schedule, found: Versions) -> Count:
    """Weight versions that are needed; group = stage · copies + copy.

    An event that makes a version is at the update that makes it, the first of a copy at −1.
    """
    index = complete_tables(schedule)
    weights = weights_of_action(schedule)
    updates = np.flatnonzero(update_after(schedule))
    updates = updates[np.argsort(weights[updates], kind="stable")]
    owners = np.arange(schedule.stages * schedule.placement.copy_count)
    base = np.searchsorted(weights[updates], owners) + owners
    created = np.zeros(len(updates) + len(owners), dtype=np.int64)
    created[np.arange(len(updates)) + weights[updates] + 1] = updates + 1
    last = np.append(created[1:], len(schedule)) - 1
    last[np.append(base[1:], len(created)) - 1] = len(schedule)
    np.maximum.at(last, base[weights[index.backward]] + found.used, index.backward)
    owner = np.repeat(owners, np.diff(np.append(base, len(created))))
    group = np.concatenate([owner, owner])
    when = np.concatenate([created, last + 1])
    change = np.repeat([1, -1], len(owner))
    order = np.lexsort((change, when, group))
    return _count(group[order], when[order] - 1, change[order])


def _count(group: IntArray, action: IntArray, change: IntArray) -> Count:
    # A group's changes add up to 0, so that the running sum starts each group at 0.
    return Count(group, action, np.cumsum(change))


def _by_stage(schedule: Schedule, count: Count, share: int) -> list[int]:
    """Per stage: the most that a group keeps; `share` groups in a row form a stage."""
    peak = np.zeros(schedule.stages, dtype=np.int64)
    np.maximum.at(peak, count.group // share, count.kept)
    return [int(value) for value in peak]
