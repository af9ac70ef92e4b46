"""The event log of a run: appended to in memory, put in plain form when the run is over.

Recording an event neither copies a tensor nor waits for a device. What a device knows only later
(event times, hashes) is kept as it is and read by `EventLog.finish`.

What an event adds to the columns of a trace, in ``extra``:

- ``host``, ``run``: name of the machine, number of the run
- ``lamport_start``, ``lamport_end``: unit Lamport clock when the action starts and ends; of
  computations, ``U`` and ``REDUCE``
- ``current``: updates that the weight copy has had: when a computation runs, after a ``U``
- ``hash``: content hash of the weights that were used; of a ``U``, of those it made. Where hashing
  is sampled, not in every event
- ``horizon``: updates ahead that the weights used are extrapolated (``predict``), if any
- ``averages``: averagings that the weights used have been through, if any (``REDUCE``)
- ``read_zero``: version index that stage 0 read for this microbatch, of an ``F``
- ``device_start``, ``device_end``: nanoseconds on the device's own clock since the rank began, on a
  GPU only
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from schedules.actions import Action, Kind
from schedules.formats.trace import NONE, Extra, Trace
from schedules.schedule import IntArray, Schedule
from schedules.timeline import Timeline

Deferred = Callable[[], Extra]
"""A value that is read when the run is over."""

PARTIAL: Final = "partial"
"""Parameter in the header of a log that is not whole."""

RUN: Final = "run"
"""Parameter in the header of a log, and in every event: number of the run, so that events of two
runs do not mix."""

RECORDER: Final = "recorder"
"""Parameter in the header of a log of `gpu_validation.Recorder`: version of what that writes."""

UNLOGGED: Final = "messages_unlogged"
"""Parameter in the header of a log whose messages were carried by something else."""

OWN_PARAMETERS: Final = frozenset({PARTIAL, RECORDER, RUN, UNLOGGED})
"""Parameters of a log that its schedule does not have."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a rank did.

    - `peer`: other rank of a message, or `NONE`.
    - `channel`: communicator of a message.
    - `version`: version that F read or that B, I or W used, found from the identity of the tensors;
      `NONE` for everything else.
    - `start_ns`, `end_ns`: monotonic clock of the host.
    - `extra`: see above.
    """

    rank: int
    op: Kind
    stage: int
    microbatch: int
    pipeline: int
    peer: int
    channel: str | None
    version: int
    start_ns: int
    end_ns: int
    extra: Mapping[str, Extra] = field(default_factory=dict)


EVENTS_SECONDS: Final = 0.2
"""How often a rank hands over events, so that they outlive its process."""

Sink = Callable[[int, Sequence[Event]], None]
"""Takes new events of a rank while the run goes on."""


def forget(rank: int, events: Sequence[Event]) -> None:
    """Keep nothing: the events come again with the result."""


@dataclass
class EventLog:
    """The log of one rank while it runs.

    - `on`: without it nothing is kept but what the rank did last.
    - `doing`: what the rank does now or waits for, for messages about failures.
    - `last`: the last event.
    - `count`: events so far; a rank whose count does not grow makes no progress.
    """

    rank: int
    on: bool = True
    doing: str = "nothing yet"
    last: str = "none"
    count: int = 0
    waiting: bool = False
    host: str = field(default_factory=socket.gethostname)
    _rows: list[tuple[Any, ...]] = field(default_factory=list)

    def add(
        self,
        op: Kind,
        action: Action,
        start_ns: int,
        extra: dict[str, Extra | Deferred],
        *,
        version: int = NONE,
        peer: int = NONE,
        channel: str | None = None,
    ) -> None:
        """Note something that ends now; `action` says of which stage, microbatch, pipeline."""
        end_ns = time.monotonic_ns()
        self.count += 1
        self.last = f"{action.stage}{op.name}{action.microbatch}"
        if self.on:
            self._rows.append((op, action, peer, channel, version, start_ns, end_ns, extra))

    def finish(self, failed: bool = False) -> tuple[Event, ...]:
        """Everything recorded, in plain form; waits for what the device still computes.

        After a failure the device is not asked any more, and what only it knows is left out.
        """
        return self._events(0, failed)

    def since(self, first: int) -> tuple[Event, ...]:
        """The events from a number on, while the rank runs; without what only a device knows."""
        return self._events(first, failed=True)

    def _events(self, first: int, failed: bool) -> tuple[Event, ...]:
        # The slice is a copy, because the rank may add to the list meanwhile.
        return tuple(self._event(failed, *row) for row in self._rows[first:])

    def _event(
        self,
        failed: bool,
        op: Kind,
        action: Action,
        peer: int,
        channel: str | None,
        version: int,
        start_ns: int,
        end_ns: int,
        extra: Mapping[str, Extra | Deferred],
    ) -> Event:
        plain = {
            key: value() if callable(value) else value
            for key, value in extra.items()
            if not (failed and callable(value))
        }
        return Event(
            self.rank, op, action.stage, action.microbatch, action.pipeline, peer, channel,
            version, start_ns, end_ns, {"host": self.host, **plain},
        )  # fmt: skip


def trace(
    schedule: Schedule,
    events: Sequence[Sequence[Event]],
    run: int,
    partial: bool = False,
    messages: bool = True,
) -> Trace:
    """The log of a run as a trace: the events of every rank, in the order in which it did them.

    The trace's own schedule is what was executed, its sends, receives and updates included.

    - `schedule`: what was to be executed: name, placement, policy and parameters are taken over.
    - `events`: one sequence a rank.
    - `run`: number of the run; with `partial`, it becomes a parameter of the trace.
    - `partial`: whether the run did not come to its end.
    - `messages`: whether the transport notes its messages.
    """
    flat = [event for rank in events for event in rank]
    executed = Schedule.from_orders(
        schedule.name,
        [[Action(e.op, e.stage, e.microbatch, e.pipeline) for e in rank] for rank in events],
        schedule.microbatches,
        schedule.policy,
        placement=schedule.placement,
        parameters={
            **schedule.parameters,
            RUN: run,
            **({PARTIAL: 1} if partial else {}),
            **({} if messages else {UNLOGGED: 1}),
        },
    )
    channels = {event.channel: None for event in flat if event.channel is not None}
    numbers = {name: number for number, name in enumerate(channels)}
    return Trace(
        timeline=Timeline(
            executed,
            _column([event.start_ns for event in flat]),
            _column([event.end_ns for event in flat]),
        ),
        unit="ns",
        peer=_column([event.peer for event in flat]),
        channel=_column([numbers.get(event.channel or "", NONE) for event in flat]),
        version=_column([event.version for event in flat]),
        channels=tuple(numbers),
        extra={index: {**event.extra, RUN: run} for index, event in enumerate(flat)},
    )


def is_partial(log: Trace) -> bool:
    """Whether a log is marked as not whole."""
    return bool(log.schedule.parameters.get(PARTIAL, 0))


def is_recorded(log: Trace) -> bool:
    """Whether a log was made around a loop of somebody's own, by `gpu_validation.Recorder`."""
    return RECORDER in log.schedule.parameters


def _column(values: list[int]) -> IntArray:
    column = np.array(values, dtype=np.int64)
    column.setflags(write=False)
    return column
