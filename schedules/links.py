"""How long messages take: one time for all, or one for each pair of ranks and of stages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from schedules.actions import Kind, among
from schedules.dependencies import EdgeKind, Edges
from schedules.durations import whole_number
from schedules.schedule import IntArray, Schedule


@dataclass(frozen=True, eq=False)
class Crossings:
    """What messages go between; every array has one entry a message.

    Attributes
    ----------
    lower : ndarray of int
        The lower of the two stages: an activation goes up from it, a gradient down to it.
    source, target : ndarray of int
        Ranks.
    """

    lower: IntArray
    source: IntArray
    target: IntArray


MessageTime: TypeAlias = int | Callable[[Crossings], IntArray]
"""Time from the end of a send to the completion of its receive: of all, or of each message."""


def crossings(schedule: Schedule, senders: IntArray) -> Crossings:
    """Between which stages and ranks the results of computations, or sends, go.

    Examples
    --------
    >>> from schedules.families import build
    >>> found = crossings(build("gpipe", 2, 1), np.array([0, 3]))
    >>> found.lower.tolist(), found.source.tolist(), found.target.tolist()
    ([0, 0], [0, 1], [1, 0])
    """
    stage, pipeline = schedule.stage[senders], schedule.pipeline[senders]
    upward = among(schedule.kind[senders], (Kind.F, Kind.SEND_F))
    other = np.clip(np.where(upward, stage + 1, stage - 1), 0, max(schedule.stages - 1, 0))
    ranks = np.array(schedule.placement.ranks, dtype=np.int64)
    return Crossings(np.minimum(stage, other), ranks[pipeline, stage], ranks[pipeline, other])


def message_lags(schedule: Schedule, found: Edges, time: MessageTime) -> IntArray:
    """For every edge the time of its message; 0 where it is none.

    Raises
    ------
    ParameterError
        A time that is one for all is negative or no integer.
    """
    is_message = found.kind == EdgeKind.MESSAGE
    if not callable(time):
        delay = whole_number(time, "a message time", "message_time")
        return np.asarray(delay * is_message.astype(np.int64))
    lags = np.zeros(len(found.kind), dtype=np.int64)
    if is_message.any():
        lags[is_message] = time(crossings(schedule, found.source[is_message]))
    return lags
