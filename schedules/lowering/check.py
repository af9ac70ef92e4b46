"""Whether sends and receives are those that the computations need, each once and in its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from schedules.actions import MESSAGES, Kind, among
from schedules.dependencies import MISSING, first_indices, in_range
from schedules.errors import InvalidScheduleError
from schedules.schedule import IntArray, Schedule

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Direction:
    """Activations or gradients: the kinds involved, and the step from sender to receiver."""

    name: str
    makes: tuple[Kind, ...]
    send: Kind
    receive: Kind
    step: int


DIRECTIONS: Final = (
    Direction("activation", (Kind.F,), Kind.SEND_F, Kind.RECV_F, 1),
    Direction("gradient", (Kind.B, Kind.I), Kind.SEND_B, Kind.RECV_B, -1),
)


def check_messages(schedule: Schedule) -> None:
    r"""Refuse messages that do not fit the computations.

    Every activation and gradient that crosses ranks is sent once and received once, under the
    labels of both its stages; nothing else is. A send stands behind the computation that makes
    the tensor, a receive before the one that needs it, both on its rank and in its pipeline.
    Whether the computations themselves are valid is `schedules.validate.validate`'s business;
    whether messages can block each other is not looked at.

    Raises
    ------
    InvalidScheduleError
        With the first message that does not fit.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> check_messages(parse_csv("0F0,0SEND_F0\n1RECV_F0,1F0", "good.csv"))
    >>> check_messages(parse_csv("0F0,0SEND_F0\n1F0,1RECV_F0", "bad.csv"))
    Traceback (most recent call last):
    schedules.errors.InvalidScheduleError: bad.csv:row 2:cell 2: a receive stands before the
    computation that needs its tensor, on the same rank, but 1RECV_F0 does not; move it before 1F0
    """
    _require_labels(schedule)
    for direction in DIRECTIONS if schedule.stages else ():
        _check_direction(schedule, direction)


def _require_labels(schedule: Schedule) -> None:
    """Every message names a stage and a microbatch that exist, and no message is there twice."""
    message = np.flatnonzero(among(schedule.kind, MESSAGES))
    outside = message[~in_range(schedule)[message]]
    if len(outside):
        _refuse(
            schedule,
            int(outside[0]),
            f"stages are 0 … {schedule.stages - 1} and microbatches 0 … "
            f"{schedule.microbatches - 1}, found {schedule.action(int(outside[0]))}",
            "renumber it",
        )
    label = schedule.stage[message] * schedule.microbatches + schedule.microbatch[message]
    label = label * len(Kind) + schedule.kind[message]
    order = np.argsort(label, kind="stable")
    again = message[order[1:][np.diff(label[order]) == 0]]
    if len(again):
        _refuse(
            schedule,
            int(again[0]),
            f"a tensor is sent once and received once, found {schedule.action(int(again[0]))} "
            "again",
            "drop one of the two",
        )


def _check_direction(schedule: Schedule, direction: Direction) -> None:
    made = first_indices(schedule, *direction.makes)
    sent = first_indices(schedule, direction.send)
    received = first_indices(schedule, direction.receive)
    needed = _one_stage_on(made, -direction.step)
    rank = schedule.rank_of_action
    crosses = (made != MISSING) & (needed != MISSING) & (rank[made] != rank[needed])
    taken = _one_stage_on(received, -direction.step)
    for mask, culprit, rule, fix in _findings(schedule, direction, made, sent, taken, crosses):
        if mask.any():
            stage, microbatch = np.argwhere(mask)[0].tolist()
            names = {
                "makes": _named(schedule, made[stage, microbatch]),
                "needs": _named(schedule, needed[stage, microbatch]),
                "send": f"{stage}{direction.send.name}{microbatch}",
                "receive": f"{stage + direction.step}{direction.receive.name}{microbatch}",
            }
            where = int(culprit[stage, microbatch])
            _refuse(schedule, where, rule.format(**names), fix.format(**names))
    # By sending stage, only a receive at the end where no stage sends has not been looked at.
    stray = received[0 if direction.step > 0 else -1]
    for index in stray[stray != MISSING][:1].tolist():
        _refuse(
            schedule,
            index,
            f"a receive takes the {direction.name} of a neighbouring stage, but "
            f"{schedule.action(index)} has none to take it from",
            "drop it",
        )


Finding = tuple[Mask, IntArray, str, str]
"""Where the rule is broken, by sending (stage, microbatch); the culprits; rule; remedy."""


def _findings(
    schedule: Schedule,
    direction: Direction,
    made: IntArray,
    sent: IntArray,
    taken: IntArray,
    crosses: Mask,
) -> Iterator[Finding]:
    needed = _one_stage_on(made, -direction.step)
    tensor = direction.name
    yield (
        crosses & (sent == MISSING),
        made,
        f"the {tensor} of {{makes}} is needed on another rank, but there is no {{send}}",
        "add {send} behind {makes}",
    )
    yield (
        crosses & (taken == MISSING),
        needed,
        f"{{needs}} needs the {tensor} of another rank, but there is no {{receive}}",
        "add {receive} before {needs}",
    )
    yield (
        ~crosses & (sent != MISSING),
        sent,
        f"only what crosses ranks is sent, but no other rank needs the {tensor} of {{send}}",
        "drop it",
    )
    yield (
        ~crosses & (taken != MISSING),
        taken,
        f"only what crosses ranks is received, but {{receive}} has no {tensor} of another rank",
        "drop it",
    )
    yield (
        crosses & ~_beside(schedule, made, sent),
        sent,
        "a send stands behind the computation that makes its tensor, on the same rank, but "
        "{send} does not",
        "move it behind {makes}",
    )
    yield (
        crosses & ~_beside(schedule, taken, needed),
        taken,
        "a receive stands before the computation that needs its tensor, on the same rank, but "
        "{receive} does not",
        "move it before {needs}",
    )
    pipeline = schedule.pipeline
    yield (
        crosses & ((pipeline[sent] != pipeline[made]) | (pipeline[taken] != pipeline[needed])),
        sent,
        "a message is in the pipeline of its computations, but {send} or {receive} is not",
        "put both in the pipeline of {makes}",
    )


def _beside(schedule: Schedule, early: IntArray, late: IntArray) -> Mask:
    """Where both stand on one rank in this order."""
    rank = schedule.rank_of_action
    return np.asarray((rank[early] == rank[late]) & (early < late))


def _one_stage_on(table: IntArray, step: int) -> IntArray:
    """The table whose row s is row s − step of the given one; what has none is `MISSING`."""
    moved = np.full_like(table, MISSING)
    if step > 0:
        moved[step:] = table[:-step]
    else:
        moved[:step] = table[-step:]
    return moved


def _named(schedule: Schedule, index: int) -> str:
    return "nothing" if index == MISSING else str(schedule.action(int(index)))


def _refuse(schedule: Schedule, index: int, what: str, fix: str) -> None:
    raise InvalidScheduleError(what, schedule.place(index), fix)
