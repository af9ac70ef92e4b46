"""Facts: what a valid schedule does, in a few numbers."""

from __future__ import annotations

import numpy as np

from schedules.actions import Kind
from schedules.schedule import IntArray, Schedule
from schedules.timeline import timeline
from schedules.versions import Versions, complete_tables, update_after, versions, weights_of_action


def facts(schedule: Schedule) -> dict[str, object]:
    """Sum up a schedule that `schedules.validate.validate` finds nothing wrong with.

    Returns
    -------
    dict
        ``ranks, stages, microbatches, actions, policy``; ``length`` (makespan in unit
        durations) and ``idle_fraction`` (text of an exact fraction); per stage ``in_flight``,
        ``local_staleness_whole_run`` (the largest) and ``versions_kept``;
        ``stash_holds``: whether every backward uses the version that its forward read.

    Raises
    ------
    InvalidScheduleError
        The schedule is not valid.

    Examples
    --------
    >>> from schedules.families import build
    >>> found = facts(build("pipedream", 3, 12))
    >>> found["in_flight"], found["local_staleness_whole_run"], found["versions_kept"]
    ([3, 3, 1], [2, 2, 0], [3, 2, 1])
    >>> found["length"], found["idle_fraction"]
    (28, '1/7')
    """
    line, found = timeline(schedule), versions(schedule)
    return {
        "ranks": schedule.ranks,
        "stages": schedule.stages,
        "microbatches": schedule.microbatches,
        "actions": len(schedule),
        "policy": schedule.policy.name,
        "length": line.length,
        "idle_fraction": str(line.idle_fraction),
        "in_flight": in_flight(schedule),
        "local_staleness_whole_run": found.local_staleness.max(axis=1).tolist(),
        "stash_holds": bool(found.stashed.all()),
        "versions_kept": versions_kept(schedule, found),
    }


def in_flight(schedule: Schedule) -> list[int]:
    """Per stage: most microbatches between the start of F and the end of B or W, on one rank.

    Only the program order counts.

    Examples
    --------
    >>> from schedules.families import build
    >>> in_flight(build("gpipe", 2, 5))
    [5, 5]
    """
    change = np.zeros(len(schedule), dtype=np.int64)
    change[schedule.kind == Kind.F] = 1
    change[np.isin(schedule.kind, (Kind.B, Kind.W))] = -1
    group = schedule.stage * schedule.ranks + schedule.rank_of_action
    order = np.argsort(group, kind="stable")
    return _peaks(schedule, group[order], change[order], schedule.ranks)


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
    change = np.repeat([1, -1], len(owner))
    order = np.lexsort((change, np.concatenate([created, last + 1]), group))
    return _peaks(schedule, group[order], change[order], schedule.placement.copy_count)


def _peaks(schedule: Schedule, group: IntArray, change: IntArray, share: int) -> list[int]:
    """Per stage: the largest running sum of a group; `share` groups in a row form a stage."""
    running = np.cumsum(change)
    before = np.concatenate([[0], running])[np.searchsorted(group, group)]
    peak = np.zeros(schedule.stages, dtype=np.int64)
    np.maximum.at(peak, group // share, running - before)
    return [int(value) for value in peak]
