"""What the stages of a run took, as the table of layers that `plan` and ``--layers`` read."""

from __future__ import annotations

from fractions import Fraction
from statistics import median
from typing import Final

import numpy as np

from gpu_validation.errors import MeasureError
from schedules.actions import Kind
from schedules.formats.trace import Trace

HEADER: Final = (
    "layer,forward (ns),input_gradient (ns),weight_gradient (ns),activation_bytes,parameter_bytes"
)

LAUNCHED: Final = "launch times"
"""What a recorder writes behind the host of an event whose work a device did later."""


def layer_table(trace: Trace) -> str:
    """One row a stage: medians over all microbatches, in nanoseconds; bytes are 0.

    A backward that is not split counts half as input gradient and half as weight gradient, so that
    whole backwards keep their time. No log knows bytes: fill them in where memory matters.

    Raises
    ------
    MeasureError
        The times are no durations of the work: slots, or those at which a host launched it.

    Examples
    --------
    >>> from schedules import build, timeline
    >>> from schedules.formats.trace import trace_of
    >>> layer_table(trace_of(timeline(build("gpipe", 1, 1))))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    gpu_validation.errors.MeasureError: ...durations are measured in ns, ...
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
