"""Channels: which send meets which receive.

A channel is (source rank, destination rank, communicator). Messages carry no tags: the n-th send
of a channel meets its n-th receive, whatever their labels say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from schedules.actions import MESSAGES, Kind, among
from schedules.dependencies import MISSING
from schedules.errors import InvalidScheduleError
from schedules.schedule import IntArray, Schedule

NONE: Final = -1
"""Peer, channel or ordinal of an action that is no message."""

NEIGHBOUR: Final = {Kind.SEND_F: 1, Kind.RECV_F: -1, Kind.SEND_B: -1, Kind.RECV_B: 1}
"""From the stage of a message to the stage at its other end."""

_WIDEST: Final = 2**62


@dataclass(frozen=True, eq=False)
class Links:
    """Where messages were recorded to go.

    Attributes
    ----------
    peer, communicator : ndarray of int, shape (actions,)
        Other rank, `NONE` where it is to be derived; number of the communicator, `NONE` if it
        has none.
    """

    peer: IntArray
    communicator: IntArray


@dataclass(frozen=True, eq=False)
class Channels:
    """The other end of every message.

    Attributes
    ----------
    peer : ndarray of int, shape (actions,)
        Other rank; `NONE` for what is no message.
    channel : ndarray of int, shape (actions,)
        Number of the channel, from 0; `NONE` for what is no message.
    ordinal : ndarray of int, shape (actions,)
        n of the n-th send, or n-th receive, of its channel; `NONE` for what is no message.
    partner : ndarray of int, shape (actions,)
        Flat index of the n-th receive for the n-th send and the other way round; `MISSING` for
        a leftover and for what is no message.
    sends : ndarray of bool, shape (actions,)
        Which actions are sends.
    """

    peer: IntArray
    channel: IntArray
    ordinal: IntArray
    partner: IntArray
    sends: NDArray[np.bool_]

    @property
    def longest(self) -> int:
        """Most messages one channel is sent: a larger buffer is as good as one without limit."""
        return int(self.ordinal[self.sends].max(initial=-1)) + 1


def channels(schedule: Schedule, links: Links | None = None) -> Channels:
    r"""Pair the sends and receives of a schedule.

    Parameters
    ----------
    schedule : Schedule
    links : Links, optional
        Recorded peers and communicators. Where none is recorded, an activation goes from the
        rank of its stage to that of the next one in its pipeline, a gradient to that of the one
        before, and there is one communicator.

    Raises
    ------
    InvalidScheduleError
        A message to or from a rank that does not exist: beyond an end of the pipeline, in a
        pipeline without a placement, or recorded with such a rank.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> found = channels(parse_csv("0F0,0SEND_F0,0SEND_F1\n1RECV_F0,1F0", "a.csv"))
    >>> found.peer.tolist(), found.partner.tolist()
    ([-1, 1, 1, 0, -1], [-1, 3, -1, 1, -1])
    """
    message = np.flatnonzero(among(schedule.kind, MESSAGES))
    sends = among(schedule.kind, (Kind.SEND_F, Kind.SEND_B))
    peer = _peers(schedule, message, links)
    rank = schedule.rank_of_action[message]
    source = np.where(sends[message], rank, peer)
    destination = np.where(sends[message], peer, rank)
    communicator = np.zeros_like(source) if links is None else links.communicator[message]
    number = np.unique(folded([source, destination, communicator]), return_inverse=True)[1]
    ordinal, partner = _paired(number, sends[message], message)

    def spread(values: IntArray, default: int) -> IntArray:
        column = np.full(len(schedule), default, dtype=np.int64)
        column[message] = values
        column.setflags(write=False)
        return column

    sends.setflags(write=False)
    return Channels(
        spread(peer, NONE),
        spread(number, NONE),
        spread(ordinal, NONE),
        spread(partner, MISSING),
        sends,
    )


def folded(columns: Sequence[IntArray]) -> IntArray:
    """One integer for each row of a table, different where the rows differ.

    It grows with the first column, then with the second, and so on.

    Examples
    --------
    >>> folded([np.array([3, 3, 5]), np.array([-1, 7, -1])]).tolist()
    [0, 8, 18]
    """
    result = np.zeros_like(columns[0])
    width = 1
    for column in columns:
        if not len(column):
            break
        shifted = column - column.min()
        span = int(shifted.max()) + 1
        if width * span > _WIDEST:
            result, shifted = _compressed(result), _compressed(shifted)
            width, span = int(result.max()) + 1, int(shifted.max()) + 1
        result = result * span + shifted
        width *= span
    return result


def _compressed(column: IntArray) -> IntArray:
    return np.unique(column, return_inverse=True)[1]


def _peers(schedule: Schedule, message: IntArray, links: Links | None) -> IntArray:
    recorded = np.full(len(message), NONE) if links is None else links.peer[message]
    peer = np.where(recorded == NONE, _neighbours(schedule, message), recorded)
    absent = np.flatnonzero((peer < 0) | (peer >= schedule.ranks))
    if len(absent):
        first = int(absent[0])
        raise _nobody(schedule, int(message[first]), int(recorded[first]))
    return peer


def _neighbours(schedule: Schedule, message: IntArray) -> IntArray:
    """Rank of the stage at the other end of every message; `NONE` where there is none."""
    step = np.zeros(len(Kind), dtype=np.int64)
    step[list(NEIGHBOUR)] = list(NEIGHBOUR.values())
    placement = schedule.placement
    other = schedule.stage[message] + step[schedule.kind[message]]
    pipeline = schedule.pipeline[message]
    exists = (other >= 0) & (other < placement.stages)
    exists &= (pipeline >= 0) & (pipeline < placement.pipelines)
    ranks = np.array(placement.ranks, dtype=np.int64).reshape(-1)
    peer = np.full(len(message), NONE, dtype=np.int64)
    peer[exists] = ranks[pipeline[exists] * placement.stages + other[exists]]
    return peer


def _nobody(schedule: Schedule, index: int, recorded: int) -> InvalidScheduleError:
    action = schedule.action(index)
    verb = "goes to" if action.kind in (Kind.SEND_F, Kind.SEND_B) else "comes from"
    if recorded != NONE:
        end = f"rank {recorded}"
    else:
        end = f"stage {action.stage + NEIGHBOUR[action.kind]} of pipeline {action.pipeline}"
    return InvalidScheduleError(
        f"a message goes from one of the {schedule.ranks} ranks to another, but {action} {verb} "
        f"{end}, which is on none of them",
        schedule.place(index),
        "drop it, or correct its stage or its peer",
    )


def _paired(
    channel: IntArray, sends: NDArray[np.bool_], message: IntArray
) -> tuple[IntArray, IntArray]:
    """Ordinal and partner of every message."""
    # Stable: inside a channel and direction the flat order is the program order of one rank.
    side = channel * 2 + sends
    order = np.argsort(side, kind="stable")
    begin = np.searchsorted(side[order], side)
    ordinal = np.empty_like(channel)
    ordinal[order] = np.arange(len(order))
    ordinal -= begin
    other = side ^ 1
    wanted = np.searchsorted(side[order], other) + ordinal
    inside = np.minimum(wanted, len(order) - 1)
    found = (wanted < len(order)) & (side[order[inside]] == other)
    return ordinal, np.where(found, message[order[inside]], MISSING)
