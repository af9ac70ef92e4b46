"""Parameters that are gathered before they are computed on, and kept until that is done.

Part of ``causal``. Where a schedule has ``UNSHARD``, all parameters begin in shards: a stage
computes behind its ``UNSHARD``, until its ``RESHARD``, on each of its ranks.
"""

from __future__ import annotations

import numpy as np

from schedules.actions import RUNS, Kind, among
from schedules.dependencies import MISSING
from schedules.messages.channels import folded
from schedules.schedule import Schedule
from schedules.validation.violation import Arrow, Case, Finding, Marks

COLLECTIVES = (Kind.UNSHARD, Kind.RESHARD)


def ungathered(schedule: Schedule) -> Finding:
    """Computations on shards: of each such stretch of a stage, the first.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> found = ungathered(parse_csv("0UNSHARD,0F0,0RESHARD,0B0", "a.csv"))
    >>> found.count, found.describe(0).place
    (1, 'a.csv:row 1:cell 4')
    """
    chosen = np.flatnonzero(among(schedule.kind, [*RUNS, *COLLECTIVES]))
    seat = folded([schedule.rank_of_action[chosen], schedule.stage[chosen].astype(np.int64)])
    order = np.argsort(seat, kind="stable")
    action, seat = chosen[order], seat[order]
    kind, place = schedule.kind[action], np.arange(len(action))
    collects = among(kind, COLLECTIVES)
    last = np.maximum.accumulate(np.where(collects, place, MISSING))
    first = np.searchsorted(seat, seat)
    last = np.where(last >= first, last, MISSING)
    begins_in_shards = bool((kind == Kind.UNSHARD).any())
    in_shards = np.where(last == MISSING, begins_in_shards, kind[last] == Kind.RESHARD)
    wrong = np.flatnonzero(in_shards & ~collects)
    stretch = np.stack([first[wrong], last[wrong]])
    wrong = np.sort(wrong[np.unique(stretch, axis=1, return_index=True)[1]])

    def describe(case: int) -> Case:
        entry = int(wrong[case])
        index, before = int(action[entry]), int(last[entry])
        computation = schedule.action(index)
        gather = f"{computation.stage}UNSHARD"
        witness: dict[str, object] = {"action": str(computation), "missing": gather}
        if before == MISSING:
            what, marks = f"has no {gather} before it on its rank, as others have", Marks((index,))
        else:
            released = int(action[before])
            what = f"stands behind {schedule.action(released)} ({schedule.place(released)})"
            witness["released"] = schedule.place(released)
            marks = Marks((index, released), (Arrow(released, index, "releases its parameters"),))
        return Case(
            schedule.place(index),
            f"a stage computes on gathered parameters, but {computation} {what}",
            f"add {gather} before {computation}",
            witness,
            marks,
        )

    return Finding("computation on shards", len(wrong), describe)
