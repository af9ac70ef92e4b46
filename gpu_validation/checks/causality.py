"""Check ``causality``: nothing started before what it needs had ended."""

from __future__ import annotations

from typing import Final

import numpy as np

from gpu_validation.checks.finding import Finding, fails, holds
from gpu_validation.checks.observed import UNSEEN, Observed
from gpu_validation.prediction import OBSERVED, Prediction
from schedules.actions import Kind, among
from schedules.dependencies import MISSING, edges
from schedules.schedule import IntArray
from schedules.versions import weights_of_action

NAME: Final = "causality"


def check(seen: Observed, predicted: Prediction) -> Finding:
    """Compare the ends and starts along every data edge and every program order.

    By the Lamport clock everywhere; by the real clock within every machine. What a rank does, its
    updates included, it does on one machine and one after the other.
    """
    moved = [rank for rank, names in enumerate(seen.hosts_of_rank) if len(names) > 1]
    if moved:
        names = ", ".join(seen.hosts_of_rank[moved[0]])
        return fails(NAME, f"rank {moved[0]} ran on one machine, and its events name {names}",
                     rank=moved[0])  # fmt: skip
    source, target = _pairs(seen)
    stamped = (seen.lamport_end[source] != UNSEEN) & (seen.lamport_start[target] != UNSEEN)
    rank = seen.schedule.rank_of_action
    together = seen.same_host(rank[source], rank[target])
    clocks = (
        (seen.lamport_end, seen.lamport_start, "Lamport", stamped),
        (seen.end, seen.start, seen.unit, together),
    )
    compared = 0
    for end, start, unit, known in clocks:
        wrong = np.flatnonzero((end[source] > start[target]) & known)
        if len(wrong):
            before, after = int(source[wrong[0]]), int(target[wrong[0]])
            return fails(
                NAME,
                f"{seen.action(after)} started at {start[after]} ({unit}), before "
                f"{seen.action(before)}, which it needs, had ended at {end[before]}",
                compared,
                needs=str(seen.action(before)),
                action=str(seen.action(after)),
                clock=unit,
            )
        compared += int(known.sum())
    late = _update_out_of_turn(seen)
    if late != MISSING:
        action = str(seen.log.schedule.action(late))
        return fails(
            NAME,
            f"{action} does not lie between what its rank did before and after it",
            compared,
            action=action,
            clock=seen.unit,
        )
    return holds(NAME, compared, f"{compared} times everything started behind what it needs")


def _pairs(seen: Observed) -> tuple[IntArray, IntArray]:
    """What needs what: data, messages, barriers, and the order on every rank."""
    found = edges(seen.schedule)
    behind = np.setdiff1d(np.arange(1, len(seen.schedule)), seen.schedule.offsets)
    return np.append(found.source, behind - 1), np.append(found.target, behind)


def _update_out_of_turn(seen: Observed) -> int:
    """The first update that starts before what its rank did before it, or ends after the next.

    Updates of different weights that follow each other may overlap: one optimizer may have them.
    """
    log = seen.log
    rank, line, kind = log.schedule.rank_of_action, log.timeline, log.schedule.kind
    weights = weights_of_action(log.schedule)
    updates: list[int] = []
    before = MISSING
    for index in np.flatnonzero(among(kind, [*OBSERVED, Kind.U])).tolist():
        if before != MISSING and rank[before] != rank[index]:
            updates, before = [], MISSING
        apart = kind[index] == Kind.U
        for other in updates:
            if line.end[other] > line.start[index] and not (
                apart and weights[other] != weights[index]
            ):
                return other if not apart else index
        if apart:
            if before != MISSING and line.end[before] > line.start[index]:
                return index
            updates.append(index)
        else:
            updates, before = [], index
    return MISSING
