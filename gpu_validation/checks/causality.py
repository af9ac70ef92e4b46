"""Check ``causality``: nothing started before what it needs had ended."""

from __future__ import annotations

from typing import Final

import numpy as np

from gpu_validation.checks.finding import Finding, fails, holds
from gpu_validation.checks.observed import UNSEEN, Observed
from gpu_validation.prediction import Prediction
from schedules.dependencies import edges
from schedules.schedule import IntArray

NAME: Final = "causality"


def check(seen: Observed, predicted: Prediction) -> Finding:
    """Compare the ends and starts along every data edge and every program order.

    By the Lamport clock everywhere; by the real clock where one machine has it.
    """
    source, target = _pairs(seen)
    stamped = (seen.lamport_end[source] != UNSEEN) & (seen.lamport_start[target] != UNSEEN)
    clocks = [(seen.lamport_end, seen.lamport_start, "Lamport", stamped)]
    if len(seen.hosts) <= 1:
        clocks.append((seen.end, seen.start, seen.unit, np.ones_like(stamped)))
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
    return holds(NAME, compared, f"{compared} times everything started behind what it needs")


def _pairs(seen: Observed) -> tuple[IntArray, IntArray]:
    """What needs what: data, messages, barriers, and the order on every rank."""
    found = edges(seen.schedule)
    behind = np.setdiff1d(np.arange(1, len(seen.schedule)), seen.schedule.offsets)
    return np.append(found.source, behind - 1), np.append(found.target, behind)
