"""Chrome's trace events, for Perfetto (ui.perfetto.dev) and chrome://tracing.

Every rank is a track; messages and whatever else is no computation have a second one below it,
since they may overlap with computations. Format: "Trace Event Format", complete events (``X``)
with times in microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from schedules.actions import MESSAGES, NO_MICROBATCH, RUNS, Kind, among
from schedules.errors import ParameterError
from schedules.formats.trace import NONE, Trace

MICROSECONDS_PER_SLOT: Final = 1000
"""A slot is drawn as a millisecond."""

_CATEGORIES: Final = {
    Kind.F: "forward",
    Kind.R: "forward",
    Kind.B: "backward",
    Kind.I: "backward",
    Kind.W: "backward",
}


def write_chrome(trace: Trace, microseconds: int = MICROSECONDS_PER_SLOT) -> str:
    """Write a trace as JSON that Perfetto and Chrome open.

    Events are named kind, stage, microbatch, version: ``F 2 5 3``; without the version where none
    is known.

    Parameters
    ----------
    trace : Trace
    microseconds : int
        Length of a slot, at least 1; measured nanoseconds are kept as they are.

    Raises
    ------
    ParameterError
        `microseconds` is no positive integer.

    Examples
    --------
    >>> from schedules import build, timeline
    >>> from schedules.formats.trace import trace_of
    >>> text = write_chrome(trace_of(timeline(build("gpipe", 2, 1))))
    >>> [event["name"] for event in json.loads(text)["traceEvents"] if event["ph"] == "X"]
    ['F 0 0', 'B 0 0', 'F 1 0', 'B 1 0']
    """
    if isinstance(microseconds, bool) or not isinstance(microseconds, int) or microseconds < 1:
        raise ParameterError(
            f"a slot lasts a positive whole number of microseconds, found {microseconds!r}",
            "microseconds",
            "give 1 or more",
        )
    events = ",\n".join(map(json.dumps, [*_tracks(trace), *_events(trace, microseconds)]))
    return f'{{"displayTimeUnit": "ms", "traceEvents": [\n{events}\n]}}\n'


def _tracks(trace: Trace) -> Iterator[dict[str, object]]:
    """Names of the tracks; rank r has 2r, and 2r + 1 for what is no computation."""
    schedule = trace.schedule
    yield {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": schedule.name}}
    others = ~among(schedule.kind, RUNS)
    with_others = set(schedule.rank_of_action[others].tolist())
    for rank in range(schedule.ranks):
        for track, name in ((2 * rank, f"rank {rank}"), (2 * rank + 1, f"rank {rank} messages")):
            if track % 2 == 0 or rank in with_others:
                where = {"ph": "M", "pid": 0, "tid": track}
                yield where | {"name": "thread_name", "args": {"name": name}}
                yield where | {"name": "thread_sort_index", "args": {"sort_index": track}}


def _events(trace: Trace, microseconds: int) -> Iterator[dict[str, object]]:
    schedule = trace.schedule
    rank = schedule.rank_of_action.tolist()
    start, end = trace.timeline.start.tolist(), trace.timeline.end.tolist()
    peer, channel, version = trace.peer.tolist(), trace.channel.tolist(), trace.version.tolist()
    for index in range(len(schedule)):
        action = schedule.action(index)
        args: dict[str, object] = dict(trace.extra.get(index, {}))
        args |= {"stage": action.stage, "pipeline": action.pipeline}
        if action.microbatch != NO_MICROBATCH:
            args["microbatch"] = action.microbatch
        if peer[index] != NONE:
            args["peer"] = peer[index]
        if channel[index] != NONE:
            args["channel"] = trace.channels[channel[index]]
        if version[index] != NONE:
            args["version"] = version[index]
        label = [action.stage, *(args[key] for key in ("microbatch", "version") if key in args)]
        yield {
            "ph": "X",
            "name": f"{action.kind.name} {' '.join(map(str, label))}",
            "cat": _category(action.kind),
            "pid": 0,
            "tid": 2 * rank[index] + (action.kind not in RUNS),
            "ts": _microseconds(start[index], trace.unit, microseconds),
            "dur": _microseconds(end[index] - start[index], trace.unit, microseconds),
            "args": args,
        }


def _category(kind: Kind) -> str:
    return _CATEGORIES.get(kind, "message" if kind in MESSAGES else "other")


def _microseconds(time: int, unit: str, per_slot: int) -> int | float:
    if unit == "slot":
        return time * per_slot
    whole, rest = divmod(time, 1000)
    return time / 1000 if rest else whole
