"""What every rank does in a replay, as plain data that travels to its process."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schedules.actions import MESSAGES, NO_MICROBATCH, WAITED_SENDS, Kind
from schedules.messages.channels import Channels
from schedules.schedule import Schedule
from tests.gloo_replay.errors import NotReplayableError

Label = tuple[int, int, int, int]
"""Kind of the send, stage that sends, microbatch, pipeline: what names a tensor."""

RECEIVES = (Kind.RECV_F, Kind.RECV_B)

AWAITED = {
    Kind.F: Kind.RECV_F,
    Kind.B: Kind.RECV_B,
    Kind.I: Kind.RECV_B,
    **{wait: send for send, wait in WAITED_SENDS.items()},
}
"""The message that a computation, or a wait, waits for."""

SENT_AS = {Kind.RECV_F: (Kind.SEND_F, -1), Kind.RECV_B: (Kind.SEND_B, 1)}
"""What a receive expects: the kind of the send, and how far away the stage is that sends."""


@dataclass(frozen=True)
class Step:
    """One action of a rank.

    Attributes
    ----------
    index : int
        Flat index in the schedule.
    sends : bool or None
        Whether it sends or receives; None for what happens on the rank itself.
    label : tuple of int
        The tensor that it sends or expects; empty for what happens on the rank itself.
    peer, channel : int
        Other rank, and number of the channel, of a message.
    awaits : tuple of int
        Flat indices of the messages that a computation or a wait waits for: those of its label
        that stand before it on its rank.
    """

    index: int
    sends: bool | None = None
    label: tuple[int, ...] = ()
    peer: int = -1
    channel: int = -1
    awaits: tuple[int, ...] = ()


Unit = tuple[Step, ...]
"""Steps that are started together: one, or the members of a batch."""


def units(schedule: Schedule, plan: Channels) -> tuple[tuple[Unit, ...], ...]:
    """What every rank does, in program order.

    Raises
    ------
    NotReplayableError
        The schedule has no messages, or a barrier.
    """
    _require_messages_only(schedule)
    awaited = _awaited(schedule)
    batch = _batches(schedule)
    ranks = []
    for first, last in zip(
        schedule.offsets[:-1].tolist(), schedule.offsets[1:].tolist(), strict=True
    ):
        found: list[Unit] = []
        for index in range(first, last):
            step = _step(schedule, plan, awaited, index)
            together = index > first and batch[index] >= 0 and batch[index] == batch[index - 1]
            if together:
                found[-1] = (*found[-1], step)
            else:
                found.append((step,))
        ranks.append(tuple(found))
    return tuple(ranks)


def label_text(label: tuple[int, ...]) -> str:
    """A label as the action that sends it.

    Examples
    --------
    >>> label_text((Kind.SEND_F, 0, 3, 0))
    '0SEND_F3'
    """
    kind, stage, microbatch, pipeline = label
    return f"{stage}{Kind(kind).name}{microbatch}" + (f"@{pipeline}" if pipeline else "")


def _require_messages_only(schedule: Schedule) -> None:
    if not np.isin(schedule.kind, list(MESSAGES)).any():
        raise NotReplayableError(
            "a replay runs sends and receives, and this schedule has none",
            schedule.name,
            "lower it first: staleproof convert IN OUT --lower as-soon-as-possible",
        )
    joint = (schedule.kind == Kind.BARRIER) | (
        (schedule.kind == Kind.REDUCE) & (schedule.microbatch != NO_MICROBATCH)
    )
    if joint.any():
        index = int(np.argmax(joint))
        raise NotReplayableError(
            f"a replay has no barriers, found {schedule.action(index)}",
            schedule.place(index),
            "remove the barriers of rounds, or replay a schedule without them",
        )


def _awaited(schedule: Schedule) -> dict[tuple[int, int, int, int, int], tuple[int, ...]]:
    """Flat indices of the messages of every rank and label."""
    found: dict[tuple[int, int, int, int, int], tuple[int, ...]] = {}
    rank = schedule.rank_of_action
    for index in np.flatnonzero(np.isin(schedule.kind, list(MESSAGES))).tolist():
        action = schedule.action(index)
        key = (int(rank[index]), action.kind, action.stage, action.microbatch, action.pipeline)
        found[key] = (*found.get(key, ()), index)
    return found


def _batches(schedule: Schedule) -> list[int]:
    """For every action the number of its batch, or −1."""
    batch = np.full(len(schedule), -1, dtype=np.int64)
    for number, group in enumerate(schedule.groups):
        if group.kind == "batch":
            first = int(schedule.offsets[group.rank]) + group.first
            batch[first : first + group.count] = number
    return [int(number) for number in batch]


def _step(
    schedule: Schedule,
    plan: Channels,
    awaited: dict[tuple[int, int, int, int, int], tuple[int, ...]],
    index: int,
) -> Step:
    action = schedule.action(index)
    kind, stage = action.kind, action.stage
    rank = int(np.searchsorted(schedule.offsets, index, side="right")) - 1
    if kind in MESSAGES:
        sends = kind not in RECEIVES
        sent, away = (kind, 0) if sends else SENT_AS[kind]
        label = (int(sent), stage + away, action.microbatch, action.pipeline)
        if plan.peer[index] == rank:
            raise NotReplayableError(
                f"a message goes from one process to another, but {action} stays on rank {rank}",
                schedule.place(index),
                "drop it: what stays on a rank is no message",
            )
        return Step(index, sends, label, int(plan.peer[index]), int(plan.channel[index]))
    if kind in AWAITED:
        key = (rank, int(AWAITED[kind]), stage, action.microbatch, action.pipeline)
        before = tuple(other for other in awaited.get(key, ()) if other < index)
        return Step(index, awaits=before)
    return Step(index)
