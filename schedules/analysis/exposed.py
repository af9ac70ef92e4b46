"""Exposed communication: how long ranks wait for messages that are on their way.

A rank waits for a message while it is free, everything else that its next action needs is there,
and what the message carries has been computed. Waiting for that computation itself is no
communication. With every action as soon as possible, that is the time from the latest of these to
the start of the action.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schedules.analysis.critical_path import before_on_rank
from schedules.dependencies import MISSING, EdgeKind, Edges, edges, past_receives
from schedules.links import MessageTime, crossings, message_lags
from schedules.schedule import IntArray
from schedules.timeline import Timeline


@dataclass(frozen=True, slots=True, order=True)
class Exposed:
    """What one link makes its target wait.

    Attributes
    ----------
    source, target : int
        Ranks.
    messages : int
    busy : int
        Times of all its messages together, in ticks: more than the makespan means that they
        overlap on the link, which this model lets them.
    exposed : int
        Ticks in which the target waits for one that is on its way.
    """

    source: int
    target: int
    messages: int
    busy: int
    exposed: int


def exposed_communication(line: Timeline, message_time: MessageTime) -> list[Exposed]:
    """Waiting for messages by link, sorted by source and target.

    Parameters
    ----------
    line : Timeline
    message_time : int or callable
        The one that the run was made with.

    Examples
    --------
    >>> from schedules import build, timeline
    >>> exposed_communication(timeline(build("gpipe", 2, 3), message_time=2), 2)
    [Exposed(source=0, target=1, messages=3, busy=6, exposed=2),
     Exposed(source=1, target=0, messages=3, busy=6, exposed=2)]
    """
    schedule = line.schedule
    found = past_receives(schedule, edges(schedule))
    lags = message_lags(schedule, found, message_time)
    is_message = found.kind == EdgeKind.MESSAGE
    ready = _ready(line, found, lags)
    carried = np.flatnonzero(is_message)
    sender, waiter = found.source[carried], found.target[carried]
    waited = line.start[waiter] - np.maximum(ready[waiter], line.end[sender])
    between = crossings(schedule, sender)
    code, which = np.unique(between.source * schedule.ranks + between.target, return_inverse=True)
    totals = np.zeros((3, len(code)), dtype=np.int64)
    for row, values in zip(
        totals, (np.ones_like(carried), lags[carried], np.maximum(waited, 0)), strict=True
    ):
        np.add.at(row, which, values)
    return [
        Exposed(key // schedule.ranks, key % schedule.ranks, *numbers)
        for key, *numbers in zip(code.tolist(), *totals.tolist(), strict=True)
    ]


def _ready(line: Timeline, found: Edges, lags: IntArray) -> IntArray:
    """When the rank of each action is free and what it needs without a message is there."""
    before = before_on_rank(line.schedule)
    ready = np.where(before == MISSING, 0, np.append(line.end, 0)[before])
    other = found.kind != EdgeKind.MESSAGE
    np.maximum.at(ready, found.target[other], line.end[found.source[other]] + lags[other])
    return np.asarray(ready)
