"""z3's answer to the question whether a schedule's events can have times at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import z3

from schedules.messages.channels import Channels
from schedules.messages.model import QueueModel
from schedules.schedule import Schedule
from theory.laws.messages.times import Constraint, Event, constraints
from theory.smt.solver import RLIMIT, Term, satisfiable

Answer = Literal["free", "deadlock", "unknown"]

_ANSWERS: Final[dict[str, Answer]] = {"sat": "free", "unsat": "deadlock"}


@dataclass(frozen=True)
class Opinion:
    """Whether a schedule can run to its end.

    Attributes
    ----------
    answer : str
        ``"free"``: times exist; ``"deadlock"``: none do; ``"unknown"``: z3 gave up.
    core : tuple of Constraint
        Where none do: constraints that no times satisfy, and of which none can be left out. A
        message or BARRIER without counterpart, or a cycle: the later event of each is an event
        of the one before it.
    """

    answer: Answer
    core: tuple[Constraint, ...] = ()


def second_opinion(
    schedule: Schedule, plan: Channels, model: QueueModel, rlimit: int = RLIMIT
) -> Opinion:
    r"""Ask z3 for times.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> from schedules.messages.channels import channels
    >>> both_send = parse_csv("0F0,0SEND_F0,0RECV_B0,0B0\n1F0,1B0,1SEND_B0,1RECV_F0", "a.csv")
    >>> found = second_opinion(both_send, channels(both_send), QueueModel())
    >>> found.answer
    'deadlock'
    >>> [constraint.name for constraint in found.core]
    ['takes-time.end_2.start_2', 'queue.start_2.end_1', 'meets.end_1.end_7',
     'takes-time.end_7.start_7', 'queue.start_7.end_6', 'meets.end_6.end_2']
    >>> found.core[1].describe(both_send)
    'start of 0RECV_B0 (a.csv:row 1:cell 3) comes after end of 0SEND_F0 (a.csv:row 1:cell 2)
    (queue)'
    >>> second_opinion(both_send, channels(both_send), QueueModel("direction")).answer
    'free'
    """
    found = constraints(schedule, plan, model)
    answer, names = satisfiable({one.name: _term(one) for one in found}, rlimit)
    core = [one for one in found if one.name in names]
    return Opinion(_ANSWERS.get(answer, "unknown"), tuple(_as_cycle(core)))


def _term(constraint: Constraint) -> Term:
    if constraint.earlier is None:
        return z3.BoolVal(False)
    later, earlier = z3.Int(str(constraint.later)), z3.Int(str(constraint.earlier))
    if constraint.equal:
        return later == earlier
    return later - earlier >= constraint.gap


def _as_cycle(core: Sequence[Constraint]) -> list[Constraint]:
    """The constraints of a cycle, each followed by one about the event that it leads back to."""
    touching: dict[Event | None, list[Constraint]] = {}
    for one in core:
        touching.setdefault(one.later, []).append(one)
        touching.setdefault(one.earlier, []).append(one)
    # Each event of a cycle has two constraints; an equality may be passed either way.
    ordered: dict[Constraint, None] = {}
    following = next((one for one in core if not one.equal), None)
    event = following.later if following else None
    while following is not None:
        ordered[following] = None
        event = following.earlier if event == following.later else following.later
        following = next((one for one in touching[event] if one not in ordered), None)
    return list(ordered)
