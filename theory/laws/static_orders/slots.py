"""Start times put actions in order, and messages with them.

A message is sent, and its receive is posted, in the slot in which its tensor is made, behind the
computations of that slot; messages of one slot go by the stage that sends them. What meets at one
rank comes from it and its two neighbours, so 4·slot + stage, with 2 more for a message, grows along
this order, and is affine where start times are.

Proved from start times in which what is needed runs in an earlier slot: no rank has two actions
at one time in this order; a receive stands before the computation that needs it, a send behind
the one that makes its tensor; and both ends of a channel go through the microbatches in their
order. Both ends of a message have one rank number, and these grow along every rank, so nothing
waits in a circle even if every message waits for its other end and every rank for its messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import z3

from schedules.actions import Action, Kind
from schedules.closed_forms.affine import PRODUCT, Piecewise
from schedules.closed_forms.start_times import guess_start_times, sample
from schedules.families import get_family
from schedules.families.family import Family
from schedules.messages.channels import NEIGHBOUR
from schedules.rules import GreedyRule, StaticOrder
from schedules.schedule import Schedule
from schedules.timeline import timeline
from theory.errors import NoClosedFormError
from theory.laws.delays.as_built import as_built
from theory.laws.delays.domains import a_microbatch, a_stage, domain
from theory.laws.delays.start_times import prove_start_times
from theory.laws.delays.symbols import Microbatch, Size, Times
from theory.laws.links import Link
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, Term

OF_TENSOR: Final = {
    Kind.SEND_F: Kind.F,
    Kind.RECV_F: Kind.F,
    Kind.SEND_B: Kind.B,
    Kind.RECV_B: Kind.B,
}
"""By kind of message, the computation that makes its tensor."""

_RECEIVES: Final = (Kind.RECV_F, Kind.RECV_B)
_ALL: Final = (Kind.F, Kind.B, *OF_TENSOR)


@dataclass(frozen=True)
class Law:
    """Start times of a family: the proof that its rule generates them, and that it builds them.

    Attributes
    ----------
    times : Times
    proof : tuple of Outcome
    link : Link
    """

    times: Times
    proof: tuple[Outcome, ...]
    link: Link


def law(name: str) -> Law:
    """The start times of a family, guessed from small runs and proved for all p ≥ 2 and M ≥ 1.

    Raises
    ------
    NoClosedFormError
        They are not piecewise affine in p, M, stage and microbatch.

    Examples
    --------
    >>> {outcome.verdict.name for outcome in law("pipedream").proof}
    {'PROVED'}
    """
    return _law(get_family(name))


@remembered
def _law(family: Family) -> Law:
    guess = guess_start_times(sample(family, family.admission))
    rule = family.rule
    stated = isinstance(rule, (GreedyRule, StaticOrder))
    if not stated or isinstance(guess, Kind) or _multiplies(guess.forward, guess.backward):
        raise NoClosedFormError(
            f"start times of {family.name!r} are not piecewise affine in p, M, stage and "
            "microbatch",
            "programs",
            "write the family's order as a program",
        )
    assert isinstance(rule, (GreedyRule, StaticOrder))
    proof = prove_start_times(rule, family.admission, guess, family.in_flight)
    link = as_built(family, family.admission, guess)
    return Law(Times(Size.symbolic(), guess), tuple(proof), link)


def _multiplies(*forms: Piecewise) -> bool:
    """Whether the product p·m occurs."""
    affine = [
        part for form in forms for piece in form.pieces for part in (piece.guard, piece.value)
    ]
    return any(part is not None and part.coefficient(PRODUCT) for part in affine)


def sender(kind: Kind, stage: Term) -> Term:
    """Stage at which the action's tensor is made."""
    return stage + NEIGHBOUR[kind] if kind in _RECEIVES else stage


def number(kind: Kind, stage: Term, slot: Term) -> Term:
    """Where an action stands in the order of all ranks, given the slot that makes its tensor."""
    return 4 * slot + sender(kind, stage) + (2 if kind in OF_TENSOR else 0)


def _key(times: Times, kind: Kind, stage: Term, m: Microbatch) -> Term:
    slot = times.at(OF_TENSOR.get(kind, kind), sender(kind, stage), m)
    return number(kind, stage, slot)


def _exists(size: Size, kind: Kind, stage: Term) -> tuple[Term, ...]:
    other = stage + NEIGHBOUR.get(kind, 0)
    return (other >= 0, other < size.p)


def statements(times: Times) -> Iterator[Statement]:
    """All that makes this order of messages one that cannot hang, with start times proved."""
    size, s = times.size, z3.Int("s")
    m, n = Microbatch.named("m"), Microbatch.named("n")
    here = (*domain(size), a_stage(size, s), a_microbatch(size, m))
    for one, other in combinations(_ALL, 2):
        yield Statement(
            f"{one.name} and {other.name}",
            "no two actions of a rank stand at one place",
            (
                *here,
                a_microbatch(size, n),
                *_exists(size, one, s),
                *_exists(size, other, s),
            ),
            _key(times, one, s, m) != _key(times, other, s, n),
        )
    for kind in _ALL:
        yield Statement(
            f"order of {kind.name}",
            f"{kind.name} goes through the microbatches in their order",
            (*here, a_microbatch(size, n), m.index < n.index, *_exists(size, kind, s)),
            _key(times, kind, s, m) < _key(times, kind, s, n),
        )
    for message, made in OF_TENSOR.items():
        first, second = (message, made) if message in _RECEIVES else (made, message)
        yield Statement(
            f"{first.name} before {second.name}",
            f"{first.name} stands before {second.name}",
            (*here, *_exists(size, message, s)),
            _key(times, first, s, m) < _key(times, second, s, m),
        )


def with_messages(family: Family, stages: int, microbatches: int) -> Schedule:
    """A family's schedule with its messages in this order.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> print(*with_messages(get_family("pipedream"), 2, 2).rank(1))
    1RECV_F0 1F0 1RECV_F1 1B0 1SEND_B0 1F1 1B1 1SEND_B1
    """
    schedule = family.build(stages, microbatches)
    start = timeline(schedule).start
    placed: list[list[tuple[int, Action]]] = [[] for _ in range(stages)]
    for at in range(len(schedule)):
        action = schedule.action(at)
        slot = int(start[at])
        sends = Kind.SEND_F if action.kind is Kind.F else Kind.SEND_B
        receives = Kind.RECV_F if action.kind is Kind.F else Kind.RECV_B
        placed[action.stage].append((number(action.kind, action.stage, slot), action))
        other = action.stage + NEIGHBOUR[sends]
        if 0 <= other < stages:
            key = number(sends, action.stage, slot)
            for kind, stage in ((sends, action.stage), (receives, other)):
                placed[stage].append((key, Action(kind, stage, action.microbatch)))
    orders = [[action for _, action in sorted(line, key=lambda one: one[0])] for line in placed]
    return Schedule.from_orders(family.name, orders, microbatches, family.policy)
