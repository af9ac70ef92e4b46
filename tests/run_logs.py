"""Logs as a faithful run would leave them, made from a schedule without running anything.

Every computation is followed by the update that the policy asks for, as the recorder writes it.
Times are slots by default, or any timeline: real times of a run that respects the schedule.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from gpu_validation.checks.messages import Note, crossings
from gpu_validation.event_log import Event, trace
from gpu_validation.prediction import computations
from schedules import Kind, Schedule, Timeline, timeline, versions
from schedules.formats.trace import NONE, Extra, Trace
from schedules.schedule import IntArray
from schedules.versions import update_after, weights_of_action

HOST = "here"


def faithful_log(
    schedule: Schedule,
    line: Timeline | None = None,
    *,
    hashing: bool = True,
    run: int = 1,
    messages: bool = True,
) -> Trace:
    """The log of a run that does exactly what the schedule says, at the times of `line`.

    With `messages`, these take no time; without, the log says that it does not have them.
    """
    order = computations(schedule)
    unit, found, marks = timeline(order), versions(order), update_after(order)
    times = unit if line is None else line
    weights = weights_of_action(order).tolist()
    made = dict.fromkeys(weights, 0)
    ways = list(crossings(order)) if messages else []
    receives = {way.user: way.receive for way in ways}
    sends = {way.maker: way.send for way in ways}
    zero: dict[int, Extra] = {}
    events: list[list[Event]] = []
    for rank in range(order.ranks):
        events.append([])
        averages: dict[int, int] = {}
        for index in range(int(order.offsets[rank]), int(order.offsets[rank + 1])):
            action = order.action(index)
            copy = weights[index]
            rounds = averages.get(action.stage, 0)
            start, end = int(times.start[index]), int(times.end[index])
            extra: dict[str, Extra] = {
                "host": HOST,
                "lamport_start": int(unit.start[index]),
                "lamport_end": int(unit.end[index]),
            }
            version = NONE
            if action.kind is Kind.REDUCE:
                averages[action.stage] = rounds + 1
            else:
                table = found.read if action.kind is Kind.F else found.used
                version = int(table[action.stage, action.microbatch])
                extra["current"] = made[copy]
                if hashing:
                    extra["hash"] = content(copy, version, rounds, found.horizon)
                if found.horizon:
                    extra["horizon"] = found.horizon
            if action.kind is Kind.F and not action.stage:
                zero[action.microbatch] = made[copy]
            if action in receives:
                events[-1].append(_message(receives[action], start))
            events[-1].append(_event(rank, action.kind, index, order, version, start, end, extra))
            if action in sends:
                events[-1].append(_message(sends[action], end))
            if marks[index]:
                made[copy] += 1
                clock = int(unit.end[index])
                after: dict[str, Extra] = {
                    "host": HOST,
                    "current": made[copy],
                    "lamport_start": clock,
                    "lamport_end": clock,
                }
                if hashing:
                    after["hash"] = content(copy, made[copy], rounds)
                events[-1].append(_event(rank, Kind.U, index, order, NONE, end, end, after))
    told = [[_told(event, zero) for event in rank] for rank in events]
    log = trace(order, told, run, messages=messages)
    return dataclasses.replace(log, unit="slot") if line is None else log


def content(copy: int, version: int, rounds: int = 0, horizon: int = 0) -> str:
    """A stand-in for the hash of weights."""
    return f"copy {copy} version {version} rounds {rounds} horizon {horizon}"


def _event(
    rank: int,
    kind: Kind,
    index: int,
    order: Schedule,
    version: int,
    start: int,
    end: int,
    extra: Mapping[str, Extra],
) -> Event:
    stage, m, pipeline = (
        int(column[index]) for column in (order.stage, order.microbatch, order.pipeline)
    )
    return Event(rank, kind, stage, m, pipeline, NONE, None, version, start, end, extra)


def _told(event: Event, zero: Mapping[int, Extra]) -> Event:
    """A forward also notes what it was told of stage 0."""
    if event.op is not Kind.F:
        return event
    extra = {**event.extra, "read_zero": zero[event.microbatch]}
    return dataclasses.replace(event, extra=extra)


def _message(note: Note, time: int) -> Event:
    rank, action, peer = note
    ends = (rank, peer) if action.kind in (Kind.SEND_F, Kind.SEND_B) else (peer, rank)
    return Event(
        rank, action.kind, action.stage, action.microbatch, action.pipeline, peer,
        "{}>{}".format(*ends), NONE, time, time, {"host": HOST},
    )  # fmt: skip


def event(log: Trace, kind: Kind, stage: int, microbatch: int) -> int:
    """Flat index of an event in a log."""
    schedule = log.schedule
    chosen = np.flatnonzero(
        (schedule.kind == kind) & (schedule.stage == stage) & (schedule.microbatch == microbatch)
    )
    assert len(chosen) == 1
    return int(chosen[0])


def with_extra(log: Trace, index: int, **changes: Extra) -> Trace:
    """A log in which one event has other extra values."""
    extra = {key: dict(value) for key, value in log.extra.items()}
    extra[index] = {**extra.get(index, {}), **changes}
    return dataclasses.replace(log, extra=extra)


def with_version(log: Trace, index: int, version: int) -> Trace:
    """A log in which one event used another version."""
    return dataclasses.replace(log, version=_changed(log.version, index, version))


def with_times(log: Trace, index: int, start: int, end: int) -> Trace:
    """A log in which one event has other times."""
    line = log.timeline
    times = Timeline(
        line.schedule, _changed(line.start, index, start), _changed(line.end, index, end)
    )
    return dataclasses.replace(log, timeline=times)


def _changed(column: IntArray, index: int, value: int) -> IntArray:
    result = column.copy()
    result[index] = value
    return result
