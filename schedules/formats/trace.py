"""Event traces: what every rank did and when, ``staleproof-trace/1``, one JSON object a line.

The first line is a header, each further line an event. A rank's events stand in the order in
which it did them; ranks may take turns. The header may come again, word for word, so that the
files that several ranks wrote can be put together with ``cat``.

================ =========================================================================
key of an event  meaning
================ =========================================================================
``rank``         who did it
``op``           kind of action: ``F``, ``B``, ``I``, ``W``, ``U``, ``SEND_F``, …
``stage``        at which stage
``microbatch``   for which microbatch; null or absent where it concerns a whole stage
``pipeline``     of which pipeline (0)
``peer``         the other rank of a message; null or absent if none
``channel``      communicator of a message, any text; between two ranks, what goes one way over
                 one channel arrives in the order of sending; null or absent if none
``batch``        events of a rank that were started together share a number; null if alone
``version``      weight version that F read, or that B, I or W used; null if not recorded
``start end``    times, whole numbers in the unit of the header
``extra``        anything else: an object of texts, whole numbers, true, false and null
================ =========================================================================

================ =========================================================================
key of a header  meaning
================ =========================================================================
``schema``       ``"staleproof-trace/1"``
``unit``         ``"slot"`` (simulated) or ``"ns"`` (measured nanoseconds, from any origin)
``ranks``        number of ranks (one more than the largest that occurs)
``microbatches`` M (the distinct microbatches of stage 0)
``name policy placement parameters``: as in the JSON schedule (file, ``flush``, each stage of a
                 pipeline where it first appears, none)
================ =========================================================================

The JSON Schema of a line is `schemas/trace.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from schedules.actions import COMPUTE, Kind, among
from schedules.dependencies import in_range
from schedules.errors import FormatError
from schedules.formats.columns import frozen, require_representable
from schedules.formats.head import described, require_apart
from schedules.schedule import Group, IntArray, Schedule
from schedules.timeline import Timeline
from schedules.versions import Versions

SCHEMA: Final = "staleproof-trace/1"

UNITS: Final = ("slot", "ns")

NONE: Final = -1
"""Peer, channel or version of an event that has none."""

CHANNEL: Final = "default"
"""Channel of the messages of a simulated run."""

LATEST: Final = 2**63 - 1
"""Latest time."""

Extra = str | int | bool | None
"""What a runtime may add to an event."""

_NEXT_STAGE: Final = {Kind.SEND_F: 1, Kind.RECV_F: -1, Kind.SEND_B: -1, Kind.RECV_B: 1}
"""From the stage of a message to that of its peer."""


@dataclass(frozen=True, eq=False)
class Trace:
    """A timeline and what else was recorded of its actions, in the order of the schedule.

    Attributes
    ----------
    timeline : Timeline
    unit : str
        ``"slot"`` or ``"ns"``.
    peer, channel, version : ndarray of int, shape (actions,)
        Other rank, index in `channels`, weight version; `NONE` where there is none.
    channels : tuple of str
    extra : mapping of int to mapping
        What else was recorded of an action, by its flat index.
    """

    timeline: Timeline
    unit: str
    peer: IntArray
    channel: IntArray
    version: IntArray
    channels: tuple[str, ...]
    extra: Mapping[int, Mapping[str, Extra]] = field(default_factory=dict)

    @property
    def schedule(self) -> Schedule:
        """The schedule that was run."""
        return self.timeline.schedule


def trace_of(timeline: Timeline, versions: Versions | None = None) -> Trace:
    """The trace that a run would leave that follows a timeline exactly.

    All messages share the channel `CHANNEL`.

    Parameters
    ----------
    timeline : Timeline
    versions : Versions, optional
        Weight versions of the same schedule; without them none are recorded.

    Examples
    --------
    >>> from schedules import build, timeline, versions
    >>> schedule = build("pipedream", 2, 4)
    >>> trace_of(timeline(schedule), versions(schedule)).version.tolist()
    [0, 0, 0, 1, 0, 2, 1, 2, 0, 0, 1, 1, 2, 2, 3, 3]
    """
    schedule = timeline.schedule
    peer = _peers(schedule)
    return Trace(
        timeline=timeline,
        unit="slot",
        peer=frozen(peer),
        channel=frozen(np.where(peer == NONE, NONE, 0)),
        version=frozen(_versions(schedule, versions)),
        channels=(CHANNEL,),
    )


def _peers(schedule: Schedule) -> IntArray:
    """The other rank of every message; `NONE` at the ends of the pipeline."""
    step = np.zeros(len(Kind), dtype=np.int64)
    for kind, ahead in _NEXT_STAGE.items():
        step[kind] = ahead
    step = step[schedule.kind]
    other = schedule.stage + step
    has = (step != 0) & (other >= 0) & (other < schedule.stages)
    peer = np.full(len(schedule), NONE, dtype=np.int64)
    ranks = np.array(schedule.placement.ranks, dtype=np.int64)
    peer[has] = ranks[schedule.pipeline[has], other[has]]
    # A placement may name a rank that the schedule lacks; then nobody is there to talk to.
    peer[peer >= schedule.ranks] = NONE
    return peer


def _versions(schedule: Schedule, versions: Versions | None) -> IntArray:
    result = np.full(len(schedule), NONE, dtype=np.int64)
    if versions is None:
        return result
    for kinds, table in (
        ((Kind.F,), versions.read),
        ((Kind.B, Kind.I, Kind.W), versions.used),
    ):
        chosen = among(schedule.kind, kinds) & in_range(schedule)
        result[chosen] = table[schedule.stage[chosen], schedule.microbatch[chosen]]
    return result


def write_trace(trace: Trace) -> str:
    """Write a trace; `schedules.formats.trace_reader.parse_trace` reads it back.

    Raises
    ------
    FormatError
        It holds something that has no place in a trace: a number that is negative or too large,
        a time that is no integer, groups that share an action, or a group whose kind does not
        follow from its actions (``overlap`` of computations, ``batch`` otherwise).

    Examples
    --------
    >>> from schedules import build, timeline
    >>> print(write_trace(trace_of(timeline(build("gpipe", 1, 1)))), end="")
    {"schema": "staleproof-trace/1", "unit": "slot", "ranks": 1, "name": "gpipe", ...}
    {"rank": 0, "op": "F", "stage": 0, "microbatch": 0, "pipeline": 0, "peer": null, ...}
    {"rank": 0, "op": "B", "stage": 0, "microbatch": 0, "pipeline": 0, "peer": null, ...}
    """
    _require_writable(trace)
    schedule = trace.schedule
    header = {
        "schema": SCHEMA, "unit": trace.unit, "ranks": schedule.ranks, **described(schedule)
    }  # fmt: skip
    return "".join([json.dumps(header) + "\n", *_event_lines(trace)])


def _event_lines(trace: Trace) -> Iterator[str]:
    schedule = trace.schedule
    kinds = [json.dumps(kind.name) for kind in Kind]
    channels = [json.dumps(name) for name in (*trace.channels,)] + ["null"]
    columns = zip(
        schedule.rank_of_action.tolist(),
        schedule.kind.tolist(),
        schedule.stage.tolist(),
        schedule.microbatch.tolist(),
        schedule.pipeline.tolist(),
        trace.peer.tolist(),
        trace.channel.tolist(),
        _batches(schedule).tolist(),
        trace.version.tolist(),
        trace.timeline.start.tolist(),
        trace.timeline.end.tolist(),
        strict=True,
    )
    for index, event in enumerate(columns):
        rank, kind, stage, m, pipeline, peer, channel, batch, version, start, end = event
        extra = f', "extra": {json.dumps(trace.extra[index])}' if index in trace.extra else ""
        yield (
            f'{{"rank": {rank}, "op": {kinds[kind]}, "stage": {stage}, '
            f'"microbatch": {_or_null(m)}, "pipeline": {pipeline}, "peer": {_or_null(peer)}, '
            f'"channel": {channels[channel]}, "batch": {_or_null(batch)}, '
            f'"version": {_or_null(version)}, "start": {start}, "end": {end}{extra}}}\n'
        )


def _or_null(number: int) -> int | str:
    return "null" if number == NONE else number


def _batches(schedule: Schedule) -> IntArray:
    """Number of the group of every action, or `NONE`."""
    result = np.full(len(schedule), NONE, dtype=np.int64)
    for number, group in enumerate(schedule.groups):
        first = int(schedule.offsets[group.rank]) + group.first
        result[first : first + group.count] = number
    return result


def group_kind(kinds: IntArray) -> str:
    """The kind of a group, which follows from the kinds of its actions.

    Examples
    --------
    >>> group_kind(np.array([Kind.F, Kind.B])), group_kind(np.array([Kind.SEND_F, Kind.RECV_B]))
    ('overlap', 'batch')
    """
    return "overlap" if among(kinds, COMPUTE).all() else "batch"


def _require_writable(trace: Trace) -> None:
    schedule, timeline = trace.schedule, trace.timeline
    require_representable(schedule)
    require_apart(schedule.groups, schedule.offsets, schedule.name)
    for group in schedule.groups:
        _require_kind(schedule, group)
    wrong = (timeline.start < 0) | (timeline.end < timeline.start)
    whole = all(np.issubdtype(times.dtype, np.integer) for times in (timeline.start, timeline.end))
    if not whole or wrong.any() or trace.unit not in UNITS:
        raise FormatError(
            f"times are whole numbers from 0, in one of the units {', '.join(UNITS)}, and an "
            f"action ends at its start or later; found unit {trace.unit!r}",
            schedule.place(int(np.argmax(wrong))) if wrong.any() else schedule.name,
            "measure from an earlier origin, or round to the unit",
        )


def _require_kind(schedule: Schedule, group: Group) -> None:
    first = int(schedule.offsets[group.rank]) + group.first
    kind = group_kind(schedule.kind[first : first + group.count])
    if group.kind != kind:
        raise FormatError(
            f"in a trace these {group.count} actions are a group of kind {kind!r}, found "
            f"{group.kind!r}",
            schedule.place(first),
            "use the JSON schedule, or change the kind of the group",
        )
