"""Makespans of orders by stamps, for all sizes: a timetable that reaches them, and a full rank.

A timetable gives every action a start such that nothing starts before what it needs has ended, nor
before the action in front of it on its rank. Actions that start as soon as they can start no later
(by induction along the order). So the last action ends by its end. And no order ends earlier than
one rank needs: before its first forward stand those of the stages before, then it works, and behind
its last backward stand those of the stages before. Where the two are the same number, that is the
makespan, and neither start times nor periods have to be found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

import numpy as np
import z3

from schedules.actions import Kind, among
from schedules.closed_forms.affine import Piecewise
from schedules.dependencies import MISSING
from schedules.errors import ParameterError
from schedules.families.family import Family
from schedules.schedule import IntArray, Schedule
from schedules.stamps import LOOP, OPPOSITE, TURNS, At, Number, Stamp, StampedOrder
from schedules.timeline import timeline

KINDS: Final = ("F", "B", "W")
"""Forwards, backwards or input gradients, weight gradients."""

UNIT: Final[Mapping[str, int]] = dict.fromkeys(KINDS, 1)
"""F = I = W = 1 and B = 2, or F = B = 1 where none is split."""

ENDS: Final = "end"
"""The last part of a backward: B, or W."""

Start = Callable[[str, At], Number]
"""``start(kind, at)``: of an action, for arrays as for solver terms."""


@dataclass(frozen=True)
class Queue:
    """In which order the microbatches of a rank in a loop come, of one kind of action.

    Attributes
    ----------
    rounds, down, back : bool
        p microbatches a round; chunks from the last on; the whole order turned round.
    """

    rounds: bool = False
    down: bool = False
    back: bool = False

    def number(self, at: At) -> Number:
        """The place in the queue, from 0."""
        chunks = at.values["chunks"]
        chunk = chunks - 1 - at.lane if self.down else at.lane
        if self.rounds:
            rounds, within = at.divide(at.x, at.p)
            found = rounds * (chunks * at.p) + chunk * at.p + within
        else:
            found = chunk * at.M + at.x
        return plain(chunks * at.M - 1 - found if self.back else found)


def plain(number: Number) -> Number:
    """A solver term multiplied out."""
    return z3.simplify(number, som=True) if z3.is_expr(number) else number


@dataclass(frozen=True)
class Places:
    """What forms are in: stage or distance from an end, microbatch or place in a queue, sizes.

    Attributes
    ----------
    order : StampedOrder
    queues : mapping of str to Queue
        By kind, where a rank's stages are a loop.
    """

    order: StampedOrder
    queues: Mapping[str, Queue]

    def of(self, kind: str, at: At) -> tuple[Any, dict[str, Number]]:
        """Whether it belongs to the first of two tracks of a rank, and the values of symbols."""
        if self.order.shape.name == OPPOSITE.name:
            half, near = at.divide(at.p, 2)[0], at.stage < at.divide(at.p, 2)[0]
            hops = at.choose(near, at.stage, at.p - 1 - at.stage)
            return near, {"s": hops, "m": at.x, "p": half, "M": at.divide(at.M, 2)[0]}
        if self.order.shape.name == LOOP.name:
            chunks, number = at.values["chunks"], self.queues[kind].number(at)
            sizes = {"p": at.p, "M": chunks * at.M, "V": chunks * at.p}
            return at.lane >= 0, {"s": at.rank, "m": number, **sizes}
        more = {"V": at.values["replicas"]} if self.order.shape.name == TURNS.name else {}
        return at.lane == 0, {"s": at.rank, "m": at.x, "p": at.p, "M": at.M, **more}

    def by(self, way: str, kind: str, at: At, values: Mapping[str, Number]) -> Mapping[str, Number]:
        """The same values with another number for m."""
        if way == "stamp":
            return {**values, "m": stamp(self.order, kind, at)[0]}
        if way in ("round", "rounds"):
            rounds, within = at.divide(at.x, values["p"])
            more = {"M": rounds} if way == "rounds" else {}
            return {**values, "m": within, "V": rounds * values["p"], **more}
        return values


@dataclass(frozen=True)
class Form:
    """A decision list, in which m is one of `timetable_guesses.WAYS`."""

    piecewise: Piecewise
    way: str


@dataclass(frozen=True)
class Forms:
    """A number for every action, by kind and track."""

    places: Places
    forms: Mapping[tuple[str, bool], Form]

    def __call__(self, kind: str, at: At) -> Number:
        """At an action."""
        first, values = self.places.of(kind, at)
        one, *other = (
            form.piecewise.at(self.places.by(form.way, kind, at, values), at.choose)
            for track in (True, False)
            if (form := self.forms.get((kind, track))) is not None
        )
        return at.choose(first, one, *other) if other else one

    def of_number(self, kind: str, values: Mapping[str, Number], number: Number) -> Number:
        """At a number of a queue, of a rank in a loop."""
        return self.forms[kind, True].piecewise.at({**values, "m": number}, z3.If)


@dataclass(frozen=True)
class Run:
    """One size of a family: every number of every lane of every rank, as arrays.

    Attributes
    ----------
    at : At
    stamps : mapping of str to tuple of ndarray
    starts : mapping of str to ndarray
        Slots; negative where there is no such action.
    length : int
    schedule : Schedule
    places : ndarray
        Where each stands among all of the schedule's stages and microbatches.
    """

    at: At
    stamps: Mapping[str, tuple[IntArray, ...]]
    starts: Mapping[str, IntArray]
    length: int
    schedule: Schedule
    places: IntArray

    def numbers(self, kind: str) -> IntArray:
        """How many of the same kind stand before it on its rank."""
        found = np.empty(len(self.at.x), dtype=np.int64)
        for rank in range(self.at.p):
            own = np.flatnonzero(self.at.rank == rank)
            sequence = np.lexsort([column[own] for column in reversed(self.stamps[kind])])
            found[own[sequence]] = np.arange(len(own))
        return found


def stamp(order: StampedOrder, kind: str, at: At) -> Stamp:
    """Of an action, or of the end of a backward."""
    if kind == "F":
        return order.forward(at)
    if kind == "B" or order.weight is None:
        return order.backward(at)
    if kind == "W":
        return order.weight(at)
    split = order.split(at)
    pairs = zip(order.weight(at), order.backward(at), strict=True)
    return tuple(one if split is True else at.choose(split, one, other) for one, other in pairs)


def duration(order: StampedOrder, kind: str, at: At, costs: Mapping[str, int] = UNIT) -> Number:
    """How long an action takes; a backward that is not split takes what I and W take."""
    if kind != "B" or order.weight is None:
        return costs[kind]
    split = order.split(at)
    return costs["B"] if split is True else at.choose(split, costs["B"], costs["B"] + costs["W"])


def kinds(order: StampedOrder) -> tuple[str, ...]:
    """Of actions that a rank has."""
    return KINDS if order.weight is not None else KINDS[:2]


def run_of(
    family: Family, order: StampedOrder, size: Mapping[str, int], costs: Mapping[str, int] = UNIT
) -> Run | None:
    """Build and run a size; None if the family does not have it."""
    p, M = size["p"], size["M"]
    given = {name: number for name, number in size.items() if name not in ("p", "M")}
    try:
        schedule = family.build(p, M, **given)
    except ParameterError:
        return None
    shape, known = order.shape, {**order.defaults, **given}
    known |= order.accept(family.name, p, M, known)
    each = shape.microbatches(At(p, M, known, 0, 0, 0, 0, np.where, divmod))
    lane, rank, x = (axis.ravel() for axis in np.indices((shape.lanes(known), p, each)))
    stage = shape.stage(lane, rank, p, np.where)
    at = At(p, M, known, lane, rank, stage, x, np.where, np.divmod)
    places = _code(shape.pipeline(at), stage, order.microbatch(at), schedule.stages, M)
    stamps = {  # a number that all share is one for each
        kind: tuple(np.broadcast_to(one, len(x)) for one in stamp(order, kind, at))
        for kind in (*kinds(order), ENDS)
    }
    return at_costs(order, Run(at, stamps, {}, 0, schedule, places), costs)


def at_costs(order: StampedOrder, run: Run, costs: Mapping[str, int]) -> Run:
    """The same size at other durations."""
    whole = costs["B"] + (costs["W"] if order.weight is not None else 0)
    taken = {Kind.F: costs["F"], Kind.B: whole, Kind.I: costs["B"], Kind.W: costs["W"]}
    schedule, starts = run.schedule, {}
    line = timeline(schedule, taken)
    for kind, names in zip(kinds(order), ((Kind.F,), (Kind.B, Kind.I), (Kind.W,)), strict=False):
        own = among(schedule.kind, names)
        which = schedule.pipeline[own], schedule.stage[own], schedule.microbatch[own]
        size = schedule.stages, schedule.microbatches
        slots = np.full(schedule.placement.pipelines * size[0] * size[1], MISSING)
        slots[_code(*which, *size)] = line.start[own]
        starts[kind] = slots[run.places]
    return replace(run, starts=starts, length=line.length)


def _code(pipeline: Any, stage: Any, microbatch: Any, stages: int, M: int) -> IntArray:
    """One number a microbatch at a stage of a pipeline."""
    return np.asarray((pipeline * stages + stage) * M + microbatch)


def queues(order: StampedOrder, runs: Sequence[Run]) -> dict[str, Queue] | None:
    """In which order a rank of a loop takes its microbatches, by kind; None where in another."""
    if order.shape.name != LOOP.name:
        return {}
    every = [Queue(*choice) for choice in product((False, True), repeat=3)]
    whole = all((run.at.M % run.at.p == 0) for run in runs)
    found = {}
    for kind in (*kinds(order), ENDS):
        for queue in every:
            if (whole or not queue.rounds) and all(
                (queue.number(run.at) == run.numbers(kind)).all() for run in runs
            ):
                found[kind] = queue
                break
        else:
            return None
    return found
