"""`lower`: sends and receives for every tensor that crosses ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

import numpy as np

from schedules.actions import WAITED_SENDS, Kind, among
from schedules.dependencies import EdgeKind, edges, first_indices
from schedules.errors import InvalidScheduleError, UnknownNameError
from schedules.lowering.check import check_messages
from schedules.lowering.erase import erase_messages
from schedules.lowering.rebuild import (
    BEFORE,
    BEHIND,
    COLUMNS,
    WITHIN,
    Columns,
    first_of_unit,
    require_compute_order,
    with_inserted,
)
from schedules.lowering.rounds import rounds
from schedules.schedule import IntArray, Schedule


@dataclass(frozen=True)
class Orders:
    """What a placement sorts by.

    Attributes
    ----------
    schedule : Schedule
        Computations only.
    first : ndarray of int, shape (actions,)
        First action of everyone's unit: itself, or the first of its group.
    round : ndarray of int, shape (actions,)
        As `schedules.lowering.rounds.rounds` returns it.
    source, target : ndarray of int, shape (messages,)
        The computation that makes the tensor, and the one on another rank that needs it.
    """

    schedule: Schedule
    first: IntArray
    round: IntArray
    source: IntArray
    target: IntArray


def as_soon_as_possible(orders: Orders) -> IntArray:
    """Order with every receive posted in the turn in which its tensor is sent.

    A rank's own turns and those of the ranks that send to it make one sequence, by round and by
    rank; in a turn stand the computations, then their sends.
    """
    source, target = orders.source, orders.target
    rank = orders.schedule.rank_of_action
    own = np.arange(len(orders.schedule))
    issuer = np.concatenate([own, source, source])
    phase = np.repeat([WITHIN, BEHIND, BEHIND], [len(own), len(source), len(source)])
    keys = (issuer, phase, rank[issuer], orders.round[issuer], rank[np.r_[own, source, target]])
    return np.lexsort(keys)


def just_in_time(orders: Orders) -> IntArray:
    """Order with every receive directly before the unit that needs it; sends directly behind."""
    source, target = orders.source, orders.target
    own = np.arange(len(orders.schedule))
    beside = np.concatenate([own, source, target])
    phase = np.repeat([WITHIN, BEHIND, BEFORE], [len(own), len(source), len(source)])
    return np.lexsort((beside, phase, orders.first[beside]))


WITH_WAITS: Final = "with-waits"
"""The placement that adds waits for sends besides."""

PLACEMENTS: Final[Mapping[str, Callable[[Orders], IntArray]]] = MappingProxyType(
    {
        "as-soon-as-possible": as_soon_as_possible,
        "just-in-time": just_in_time,
        WITH_WAITS: as_soon_as_possible,
    }
)
"""Where receives stand: name, and the order of the schedule's actions, its sends, its receives."""


def lower(schedule: Schedule, placement: str = "as-soon-as-possible") -> Schedule:
    """Add a send and a receive for every activation and gradient that crosses ranks.

    Sends stand directly behind the computation that makes the tensor, or behind its group. The
    placement says where receives stand:

    ======================= ================================================================
    ``as-soon-as-possible`` where the tensor can be on its way: as PyTorch's runtime has it,
                            action for action; see `schedules.lowering.rounds`
    ``just-in-time``        directly before the computation, or group, that needs the tensor
    ``with-waits``          as soon as possible, with the waits of PyTorch 2.15 for the sends: an
                            activation's behind the B or I of its microbatch, or behind its group;
                            a gradient's at the end of the rank
    ======================= ================================================================

    Actions that are no computations (collectives of a stage's parameters) stay where they are
    and take their turns. Which stage is on which rank is the schedule's own placement.

    Without groups and waits the timeline of the computations is the same before and after, whatever
    time messages take. Behind a group a send waits for the whole of it, so that it can be longer.

    Parameters
    ----------
    schedule : Schedule
        Valid, without messages.
    placement : str
        One of `PLACEMENTS`.

    Raises
    ------
    InvalidScheduleError
        The schedule is not valid, has messages already, or has a group that cannot be posted
        together.
    UnknownNameError
        No such placement.
    SizeError
        Stages × microbatches is out of proportion to the number of actions.

    See Also
    --------
    erase_messages : the way back.

    Examples
    --------
    >>> from schedules.families import build
    >>> lowered = lower(build("gpipe", 2, 2))
    >>> print(*lowered.rank(1))
    1RECV_F0 1F0 1RECV_F1 1F1 1B0 1SEND_B0 1B1 1SEND_B1
    """
    if placement not in PLACEMENTS:
        near = get_close_matches(str(placement), PLACEMENTS, n=1)
        raise UnknownNameError(
            f"receives are placed {' or '.join(PLACEMENTS)}, not {placement!r}",
            "placement",
            f"did you mean {near[0]!r}?" if near else "name one of them",
        )
    require_compute_order(schedule, "lowering")
    found = edges(schedule)
    first = first_of_unit(schedule)
    crosses = found.kind == EdgeKind.MESSAGE
    source, target = found.source[crosses], found.target[crosses]
    orders = Orders(schedule, first, rounds(schedule, found, first), source, target)
    lowered = with_inserted(schedule, _messages(orders), PLACEMENTS[placement](orders))
    check_messages(lowered)
    _require_same_computations(schedule, lowered)
    return _with_waits(lowered) if placement == WITH_WAITS else lowered


def _with_waits(schedule: Schedule) -> Schedule:
    """The schedule with a wait for each of its sends."""
    first, rank = first_of_unit(schedule), schedule.rank_of_action
    sends = np.flatnonzero(among(schedule.kind, WAITED_SENDS))
    activation = schedule.kind[sends] == Kind.SEND_F
    backward = first_indices(schedule, Kind.B, Kind.I)
    end = schedule.offsets[1:][rank[sends]]
    unit = first[backward[schedule.stage[sends], schedule.microbatch[sends]]]
    waits = Columns(
        rank=rank[sends],
        kind=np.where(activation, Kind.WAIT_SEND_F, Kind.WAIT_SEND_B),
        stage=schedule.stage[sends],
        microbatch=schedule.microbatch[sends],
        pipeline=schedule.pipeline[sends],
    )
    own = np.arange(len(schedule))
    beside = np.concatenate([first, np.where(activation, unit, end - 1)])
    phase = np.repeat([WITHIN, BEHIND], [len(own), len(sends)])
    order = np.lexsort((np.concatenate([own, sends]), phase, beside))
    return with_inserted(schedule, waits, order)


def _messages(orders: Orders) -> Columns:
    """All sends, then all receives, in the same sequence."""
    schedule, source, target = orders.schedule, orders.source, orders.target
    activation = schedule.kind[source] == Kind.F
    send = np.where(activation, Kind.SEND_F, Kind.SEND_B)
    receive = np.where(activation, Kind.RECV_F, Kind.RECV_B)
    ends = np.concatenate([source, target])
    return Columns(
        rank=schedule.rank_of_action[ends],
        kind=np.concatenate([send, receive]),
        stage=schedule.stage[ends],
        microbatch=schedule.microbatch[ends],
        pipeline=schedule.pipeline[ends],
    )


def _require_same_computations(schedule: Schedule, lowered: Schedule) -> None:
    erased = erase_messages(lowered)
    same = all(
        np.array_equal(getattr(schedule, name), getattr(erased, name))
        for name in (*COLUMNS, "offsets")
    )
    if not same or erased.groups != schedule.groups:
        raise InvalidScheduleError(
            "lowering adds messages and changes nothing else, but without them the order differs",
            schedule.name,
            "report this: it is a mistake of the placement",
        )
