"""What the model says a run will do, before anything runs.

Versions and local staleness follow from the program orders alone; the unit Lamport timeline is the
schedule with every action as early as it can be; global delays follow from that timeline, and
their range over all timings from the orders alone (`gpu_validation.delay_range`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu_validation.delay_range import DelayRange, delay_range
from schedules.actions import COMPUTE, Kind, among
from schedules.analysis import peaks, utilisation
from schedules.delays import Delays, Unsteady, delays, steady
from schedules.errors import SizeError
from schedules.linearization import LINEARIZATIONS
from schedules.lowering.rebuild import with_only
from schedules.schedule import Schedule
from schedules.timeline import Timeline, timeline
from schedules.versions import Versions, versions, weights_of_action

OBSERVED: frozenset[Kind] = COMPUTE | {Kind.REDUCE}
"""Kinds whose order is declared and checked; messages are the transport's business."""


@dataclass(frozen=True, eq=False)
class Prediction:
    """What a run of a schedule does.

    - `schedule`: computations and reductions, without messages.
    - `versions`: what every forward reads, every backward uses, and local staleness; shape (S, M).
    - `line`: start and end in unit durations: the unit Lamport clock of a static order.
    """

    schedule: Schedule
    versions: Versions
    line: Timeline

    @cached_property
    def delays(self) -> dict[str, Delays]:
        """Global delays in slots, by linearization."""
        return {name: delays(self.line, name) for name in LINEARIZATIONS}

    @cached_property
    def range(self) -> DelayRange:
        """Global delays over all timings; raises `SizeError` for large schedules."""
        return delay_range(self.schedule)

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """Number of the weight copy that every action works on."""
        return weights_of_action(self.schedule)


def predict(schedule: Schedule) -> Prediction:
    """Predict a run.

    Raises `InvalidScheduleError`: the schedule is incomplete, cannot run to its end, or its policy
    asks for versions that do not exist.
    """
    order = computations(schedule)
    return Prediction(order, versions(order), timeline(order))


def computations(schedule: Schedule) -> Schedule:
    r"""The schedule's computations and reductions in their order, without anything else."""
    return with_only(schedule, among(schedule.kind, OBSERVED))


def described(found: Prediction) -> dict[str, Any]:
    """The prediction as plain data, for a report.

    ``local_staleness`` is per stage, in microbatch order; ``global_delays`` has a steady matrix
    (or why there is none) by linearization; ``any_timing`` the range that no timing can leave,
    or why it was not computed.
    """
    line = found.line
    kept = peaks(line)
    return {
        "local_staleness": found.versions.local_staleness.tolist(),
        "version_read": found.versions.read.tolist(),
        "version_used": found.versions.used.tolist(),
        "lamport_length": line.length,
        "makespan_slots": line.length,
        "bubble": str(line.idle_fraction),
        "utilisation": [str(part) for part in utilisation(line)],
        "global_delays": {name: described_delays(entry) for name, entry in found.delays.items()},
        "any_timing": _range(found),
        "most_kept": {
            "activations": list(kept.activations_by_stage),
            "versions": list(kept.versions_by_stage),
        },
    }


def described_delays(found: Delays) -> dict[str, Any]:
    """Steady delays, or why there are none, and the largest of the run."""
    rows = steady(found)
    if isinstance(rows, Unsteady):
        return {"steady": None, "why": rows.why, "whole_run_max": int(found.matrix.max(initial=0))}
    return {
        "steady": rows.rows.tolist(),
        "mean": str(rows.mean),
        "whole_run_max": int(found.matrix.max(initial=0)),
    }


def _range(found: Prediction) -> dict[str, Any]:
    try:
        span = found.range
    except SizeError as error:
        return {"least": None, "most": None, "why": str(error)}
    inside = span.update >= 0
    if not inside.any():
        return {"least": None, "most": None, "why": "no gradient is applied"}
    return {"least": int(span.least[inside].min()), "most": int(span.most[inside].max())}


@dataclass(frozen=True)
class Pace:
    """How long a run takes and how much of it is idle.

    - `makespan`: in the unit of the durations.
    - `bubble`: idle time over ranks · makespan.
    - `utilisation`: by rank.
    """

    makespan: int
    bubble: Fraction
    utilisation: tuple[Fraction, ...]

    def described(self) -> dict[str, Any]:
        """Plain data; shares as numbers, since they are measured."""
        return {
            "makespan": self.makespan,
            "bubble": round(float(self.bubble), 6),
            "utilisation": [round(float(part), 6) for part in self.utilisation],
        }


def pace(line: Timeline) -> Pace:
    """Makespan, bubble and utilisation of a timeline that starts at 0."""
    return Pace(line.length, line.idle_fraction, tuple(utilisation(line)))


def paced(schedule: Schedule, durations: Mapping[tuple[Kind, int], int]) -> Pace:
    """The pace of a schedule whose actions take as long as measured, by kind and stage.

    Messages are taken to need no time, so what a run needs beyond this is communication,
    contention and spread.
    """
    return pace(timeline(computations(schedule), durations))
