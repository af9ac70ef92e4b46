"""How long a run took, from its log: durations, makespan, bubble, utilisation, messages.

On a GPU the host's times say when work was handed over, so durations are those of the device.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from statistics import median
from typing import Any, Final

import numpy as np

from gpu_validation.checks.observed import Observed
from gpu_validation.errors import MeasureError
from gpu_validation.prediction import Pace
from schedules.actions import COMPUTE, Kind, among
from schedules.formats.trace import Trace
from schedules.schedule import IntArray

NOT_MEASURED: Final = "not measured"
"""What stands in a report for a number that this machine or run cannot give."""

_SAYS_NOTHING: Final = (
    "so these times say how long this machine took and nothing about the speed of a pipeline"
)


@dataclass(frozen=True)
class Timing:
    """What the clock says of one run.

    - `durations`: median duration by kind and stage in nanoseconds; an update counts with its
      gradient.
    - `pace`: makespan in nanoseconds, bubble and utilisation.
    - `waiting`: by rank: time in receives over the makespan; None on a device, where hosts do not
      wait, and where the log of several ranks holds no receives.
    """

    durations: dict[tuple[Kind, int], int]
    pace: Pace
    waiting: tuple[Fraction, ...] | None


def timing(trace: Trace, seen: Observed) -> Timing | None:
    """Measure a run; None where the clocks of several hosts would have to be compared.

    Examples
    --------
    >>> from gpu_validation.checks import observed
    >>> from schedules import build, timeline
    >>> from schedules.formats.trace import trace_of
    >>> log = trace_of(timeline(build("gpipe", 2, 3)))
    >>> timing(log, observed(log)).pace.bubble
    Fraction(1, 4)
    """
    if not len(seen.schedule) or (len(seen.hosts) > 1 and not seen.on_device):
        return None
    ranks = seen.schedule.ranks
    taken, makespan = _on_device(seen) if seen.on_device else _on_host(trace, seen)
    computes = among(seen.schedule.kind, COMPUTE)
    busy = _by_rank(seen.schedule.rank_of_action, np.where(computes, taken, 0), ranks)
    idle = max(ranks * makespan - int(busy.sum()), 0)
    return Timing(
        durations=_medians(seen, taken),
        pace=Pace(
            makespan,
            Fraction(idle, ranks * makespan),
            tuple(Fraction(int(time), makespan) for time in busy),
        ),
        waiting=None if seen.on_device else _waiting(trace, makespan),
    )


def _on_host(trace: Trace, seen: Observed) -> tuple[IntArray, int]:
    """Durations of all actions, and the makespan, by the host's clock."""
    first, last = int(trace.timeline.start.min()), int(trace.timeline.end.max())
    return seen.update_end - seen.start, max(last - first, 1)


def _on_device(seen: Observed) -> tuple[IntArray, int]:
    """The same by the device's clocks; the makespan is the span of the rank that took longest.

    Ranks begin together, but their clocks have origins of their own and are not compared.
    """
    bounds = [slice(*ends) for ends in pairwise(seen.schedule.offsets.tolist())]
    spans = [
        int(seen.device_end[part].max() - seen.device_start[part].min())
        for part in bounds
        if part.start < part.stop
    ]
    return seen.device_end - seen.device_start, max(*spans, 1)


def _waiting(trace: Trace, makespan: int) -> tuple[Fraction, ...] | None:
    receives = among(trace.schedule.kind, (Kind.RECV_F, Kind.RECV_B))
    if trace.schedule.ranks > 1 and not receives.any():
        return None
    waited = np.where(receives, trace.timeline.end - trace.timeline.start, 0)
    total = _by_rank(trace.schedule.rank_of_action, waited, trace.schedule.ranks)
    return tuple(Fraction(int(time), makespan) for time in total)


def _by_rank(rank: IntArray, values: IntArray, ranks: int) -> IntArray:
    total = np.zeros(ranks, dtype=np.int64)
    np.add.at(total, rank, values)
    return total


def _medians(seen: Observed, taken: IntArray) -> dict[tuple[Kind, int], int]:
    found: defaultdict[tuple[Kind, int], list[int]] = defaultdict(list)
    schedule = seen.schedule
    for kind, stage, time in zip(schedule.kind, schedule.stage, taken, strict=True):
        if kind in COMPUTE:
            found[Kind(int(kind)), int(stage)].append(int(time))
    return {key: int(median(times)) for key, times in found.items()}


def described(found: Timing) -> dict[str, Any]:
    """Plain data."""
    names = sorted(found.durations, key=lambda key: (key[1], key[0]))
    return {
        "durations_ns": {f"{kind.name} {stage}": found.durations[kind, stage]
                         for kind, stage in names},
        **found.pace.described(),
        "in_receives": NOT_MEASURED
        if found.waiting is None
        else [round(float(part), 6) for part in found.waiting],
    }  # fmt: skip


def middle(found: Sequence[Timing]) -> Timing | None:
    """The repeat whose makespan is the median, the shorter of the middle two; None of none.

    The first run also pays for what a process does only once, so it does not stand for the others.
    """
    ordered = sorted(found, key=lambda one: one.pace.makespan)
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def sharing(
    transport: str, device: str, ranks: int, available: int | None, share_gpus: bool = False
) -> str | None:
    """Why the times of a run are not those of stages that run side by side, if they are not.

    - `available`: cores of this process, None if unknown.
    """
    if ranks < 2:
        return None
    if share_gpus:
        return f"processes take turns on a GPU and talk over TCP, {_SAYS_NOTHING}"
    if transport == "threads":
        return f"all stages share one device, {_SAYS_NOTHING}"
    if device == "cpu" and (available is None or available < ranks):
        count = "an unknown number of" if available is None else available
        return f"{ranks} ranks share {count} cores, {_SAYS_NOTHING}"
    return None


def spread(values: list[float]) -> dict[str, float]:
    """Least, median and largest of repeats."""
    return {"least": min(values), "median": float(median(values)), "most": max(values)}


HEADER: Final = (
    "layer,forward (ns),input_gradient (ns),weight_gradient (ns),activation_bytes,parameter_bytes"
)

LAUNCHED: Final = "launch times"
"""What a recorder writes behind the host of an event whose work a device did later."""


def layer_table(trace: Trace) -> str:
    """One row a stage: medians over all microbatches, in nanoseconds; bytes are 0.

    A backward that is not split counts half as input gradient and half as weight gradient, so that
    whole backwards keep their time. No log knows bytes: fill them in where memory matters.

    Raises `MeasureError`: the times are no durations of the work: slots, or those at which a host
    launched it.
    """
    hosts = {str(extra.get("host", "")) for extra in trace.extra.values()}
    launched = next((host for host in sorted(hosts) if LAUNCHED in host), None)
    if trace.unit != "ns" or launched is not None:
        found = launched or f"the unit {trace.unit!r}"
        raise MeasureError(
            f"durations are measured in ns, of the work itself, found {found}",
            "the log",
            "take the trace of torch.profiler, which has the times of the device",
        )
    rows = [_row(trace, stage) for stage in range(trace.schedule.stages)]
    return "\n".join((HEADER, *rows)) + "\n"


def _row(trace: Trace, stage: int) -> str:
    took = {kind: _median(trace, stage, kind) for kind in (Kind.F, Kind.B, Kind.I, Kind.W)}
    forward, whole, grads = took[Kind.F], took[Kind.B], (took[Kind.I], took[Kind.W])
    split = grads if whole is None else (whole / 2, whole / 2)
    if forward is None or split[0] is None or split[1] is None:
        raise MeasureError(
            f"every stage has forwards and backwards, found none of both of stage {stage}",
            "the log",
            "record a training step",
        )
    return f"stage {stage},{forward},{split[0]},{split[1]},0,0"


def _median(trace: Trace, stage: int, kind: Kind) -> Fraction | None:
    chosen = np.flatnonzero((trace.schedule.kind == kind) & (trace.schedule.stage == stage))
    took = (trace.timeline.end - trace.timeline.start)[chosen].tolist()
    return median(map(Fraction, took)) if took else None
