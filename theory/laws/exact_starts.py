"""A timetable that is what every run does: each action starts at 0, or when what it needs ends.

What it needs is what its input needs, or the action in front of it on its rank. By induction along
the order no action starts earlier than such a timetable says, nor later, since it is a timetable
(`theory.laws.timetable_proofs.in_time`). Which action of a rank it is whose end another's start is,
is guessed from small runs: its number is half, once or twice the other's, and some more.

Several timetables, each with durations of its own, may start an action at the end of the same one:
then their sums, with coefficients of 0 or more, are what runs with such sums of durations do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
import z3

from schedules.closed_forms.affine import Affine
from schedules.dependencies import MISSING
from schedules.stamps import LOOP, At, Number, StampedOrder
from theory.laws.stamped import Lanes, neighbours
from theory.laws.timetable_proofs import Symbolic
from theory.laws.timetables import UNIT, Forms, Places, Run, Start, duration, kinds
from theory.smt.solver import Statement, Term

_RATIOS: Final = ((1, 1), (1, 2), (2, 1))
"""So many times the number of what ends, and of what starts then."""

_SHIFTS: Final = sorted(
    product(range(-2, 3), range(-2, 3), range(-1, 2), range(-2, 3), range(-1, 2)),
    key=lambda one: sum(map(abs, one)),
)
Costs = Mapping[str, int]
"""Durations by kind."""

_ROWS: Final = 800
"""Cases that a guess is made from."""

_FEW: Final = 3
"""Cases that a form has to be right in."""


@dataclass(frozen=True)
class Cause:
    """What may end when an action starts: a kind and lane, and a number of times its number."""

    kind: str
    lane: int
    times: int
    form: Affine


Causes = Mapping[tuple[str, int], Sequence[Cause]]
"""By kind and lane of what starts; in a loop all lanes are one queue."""


def told_by_number(order: StampedOrder, at: At) -> bool:
    """Whether a number of a kind's queue is an action of that kind, and of one duration."""
    return order.shape.name != LOOP.name or isinstance(duration(order, "B", at), int)


def causes(
    places: Places, runs: Sequence[Sequence[Run]], costs: Sequence[Costs] = (UNIT,)
) -> Causes:
    """Which actions of its rank an action starts behind in small runs.

    Parameters
    ----------
    places : Places
    runs : sequence of sequences of Run
        A size each, at all durations.
    costs : sequence of mapping
    """
    rows = defaultdict[tuple[str, int, str, int, bool], list[tuple[int, ...]]](list)
    for some in runs:
        for key, row in _behind(places, some, costs):
            rows[key].append(row)
    found = defaultdict[tuple[str, int], list[Cause]](list)
    for (kind, lane, other, twin, _), table in rows.items():
        found[kind, lane] += (Cause(other, twin, *form) for form in _forms(np.array(table)))
    return found


def _behind(
    places: Places, runs: Sequence[Run], costs: Sequence[Costs]
) -> Iterator[tuple[Any, tuple[int, ...]]]:
    order, at = places.order, runs[0].at
    ended, numbers, named = dict[tuple[int, ...], tuple[str, int]](), {}, {}
    starts = {kind: np.stack([run.starts[kind] for run in runs], axis=1) for kind in kinds(order)}
    for kind in kinds(order):
        first, values = places.of(kind, at)
        *others, _ = np.broadcast_arrays(*values.values(), first, at.x)
        named[kind] = dict(zip((*values, "first"), others, strict=True))
        numbers[kind] = named[kind]["m"]
        takes = [np.broadcast_to(duration(order, kind, at, one), at.x.shape) for one in costs]
        over = starts[kind] + np.stack(takes, axis=1)
        there = np.flatnonzero(starts[kind][:, 0] != MISSING)
        ended |= {(int(at.rank[n]), *map(int, over[n])): (kind, int(n)) for n in there}
    loop = order.shape.name == LOOP.name
    for kind in kinds(order):
        of = named[kind]
        for n in np.flatnonzero((starts[kind] > 0).any(axis=1)):
            other, y = ended.get((int(at.rank[n]), *map(int, starts[kind][n])), ("", 0))
            if other:
                lanes = (0, 0) if loop else (int(at.lane[n]), int(at.lane[y]))
                key = (kind, lanes[0], other, lanes[1], bool(of["first"][n]))
                more = (of[name][n] if name in of else 0 for name in ("m", "s", "p", "M", "V"))
                yield key, (int(numbers[other][y]), *map(int, more))


def _forms(table: Any) -> Iterator[tuple[int, Affine]]:
    """Forms that explain a table together, those that explain most first."""
    y, x, *others = table[:: max(1, len(table) // _ROWS)].T
    sums = np.array(_SHIFTS) @ np.array([*others[:3], np.ones_like(x), others[3]])
    hits = np.concatenate([sums == k * y - d * x for k, d in _RATIOS])
    left = np.ones(len(y), dtype=np.bool_)
    while left.any():
        cover = (hits & left).sum(axis=1)
        best = int(cover.argmax())
        if cover[best] < _FEW:
            return
        (k, d), (s, p, M, constant, V) = _RATIOS[best // len(sums)], _SHIFTS[best % len(sums)]
        pairs = (("m", d), ("s", s), ("p", p), ("M", M), ("V", V))
        yield k, Affine(tuple(pair for pair in pairs if pair[1]), constant)
        left &= ~hits[best]


Slots = tuple[Term, ...]
"""One of each timetable."""


@dataclass(frozen=True)
class Exact:
    """Timetables, and what starts of them are the ends of.

    Attributes
    ----------
    lanes : Lanes
    starts : tuple of Start
    places : Places
    causes : Causes
    costs : tuple of mapping
        Durations of each timetable.
    """

    lanes: Lanes
    starts: tuple[Start, ...]
    places: Places
    causes: Causes
    costs: tuple[Costs, ...] = (UNIT,)

    @property
    def whole(self) -> Symbolic:
        """The order at symbolic sizes."""
        return Symbolic(self.lanes)

    def start(self, kind: str, at: At) -> Term:
        """In the first timetable."""
        return self._begins(kind, at)[0]

    def _begins(self, kind: str, at: At) -> Slots:
        return tuple(start(kind, at) for start in self.starts)

    def ends(self, kind: str, at: At) -> Slots:
        """When an action is over, in each timetable."""
        takes = [duration(self.lanes.order, kind, at, one) for one in self.costs]
        return tuple(a + b for a, b in zip(self._begins(kind, at), takes, strict=True))

    def statements(self) -> Iterator[Statement]:
        """Everything starts at 0 or when something that it waits for ends."""
        order, each = self.lanes.order, list(self.lanes.each())
        for kind, (number, lane) in product(kinds(order), enumerate(each)):
            if order.shape.name == LOOP.name:
                yield self._numbered(kind, lane)
            divide = self.lanes.size.divisions()
            at = self.whole.one(lane, "rank", "x", divide)
            begin = self._begins(kind, at)
            found = [_met(begin, (0,) * len(begin)), *self._inputs(kind, at, begin, divide)]
            found += [
                self._behind(one, kind, at, begin, divide) for one in self.causes[kind, number]
            ]
            split = order.split(at) if kind == "W" else True
            known = self.whole.known(divide, at) + (() if split is True else (split,))
            says = f"{kind} starts at 0 or when something that it waits for ends"
            yield Statement(f"start {kind} {number}", says, known, z3.Or(*found))

    def reached(self, ends: Slots) -> Statement:
        """Some last action of a stage is over at the end of every timetable."""
        order, size, found = self.lanes.order, self.lanes.size, []
        divide = size.divisions()
        for kind, lane, rank in product(
            kinds(order)[1:], self.lanes.each(), (z3.IntVal(0), size.p - 1)
        ):
            first = self.lanes.at(lane, rank, z3.IntVal(0), divide)
            for x in (z3.IntVal(0), order.shape.microbatches(first) - 1):
                at = first.number(x)
                there = order.split(at) if kind == "W" else True
                found.append(z3.And(_met(self.ends(kind, at), ends), there))
        known = (*size.suppose, *divide.facts)
        return Statement(
            "reached", "an action of the first or the last rank ends then", known, z3.Or(*found)
        )

    def _numbered(self, kind: str, lane: Term) -> Statement:
        """Every number of the queue is an action, as there are as many."""
        divide, one, two = self.whole.two(lane, lane)
        both = [self.places.of(kind, at)[1] for at in (one, two)]
        same = z3.And(one.lane == two.lane, one.x == two.x)
        inside = (z3.And(of["m"] >= 0, of["m"] < of["M"]) for of in both)
        goal = z3.And(*inside, z3.Implies(both[0]["m"] == both[1]["m"], same))
        known = (*self.whole.known(divide, one, two), one.rank == two.rank)
        return Statement(f"numbers {kind}", f"numbers of {kind} are one to one", known, goal)

    def _behind(self, cause: Cause, kind: str, at: At, begin: Slots, divide: Any) -> Term:
        """A guessed action of the rank is one, and ends when this one starts."""
        order, (_, values) = self.lanes.order, self.places.of(kind, at)
        number = cause.form.at(values)
        number = number / cause.times if cause.times > 1 else number
        if order.shape.name == LOOP.name:
            over = tuple(
                _of_number(start, cause.kind, values, number) + costs[cause.kind]
                for start, costs in zip(self.starts, self.costs, strict=True)
            )
            return z3.And(number >= 0, number < values["M"], _met(over, begin))
        there = self.lanes.at(z3.IntVal(cause.lane), at.rank, number, divide)
        split = order.split(there) if cause.kind == "W" else True
        is_one = z3.And(number >= 0, number < order.shape.microbatches(at))
        return z3.And(is_one, _met(self.ends(cause.kind, there), begin), split)

    def _inputs(self, kind: str, at: At, begin: Slots, divide: Any) -> Iterator[Term]:
        """Its input is there just then."""
        order = self.lanes.order
        if kind == "W":
            yield _met(self.ends("B", at), begin)
        elif kind == "B":
            turned = [_met(self.ends("F", at), begin)]
            for conditions, lane, rank in neighbours(order.shape, at):
                after = self.lanes.at(lane, rank, at.x, divide)
                yield z3.And(*conditions, _met(self.ends("B", after), begin))
                turned.append(z3.Not(z3.And(*conditions)))
            yield z3.And(*turned)
        else:
            for lane, rank in self._before(at):
                there = self.lanes.at(lane, rank, at.x, divide)
                ahead = z3.Or(
                    *(
                        z3.And(*conditions, lane == at.lane, rank == at.rank)
                        for conditions, lane, rank in neighbours(order.shape, there)
                    )
                )
                yield z3.And(*self.lanes.inside(there), ahead, _met(self.ends("F", there), begin))

    def _before(self, at: At) -> list[tuple[Number, Number]]:
        """Where the stage before can be."""
        if self.lanes.order.shape.name == LOOP.name:
            return [(at.lane, at.rank - 1), (at.lane - 1, at.p - 1)]
        return [*product(self.lanes.each(), (at.rank - 1, at.rank, at.rank + 1))]

    def over(self, at: At) -> Term:
        """When the gradient of a microbatch is there."""
        order, (whole, *_) = self.lanes.order, self.ends("B", at)
        if order.weight is None:
            return whole
        split, (last, *_) = order.split(at), self.ends("W", at)
        return last if split is True else z3.If(split, last, whole)

    def end(self, at: At) -> Term:
        """When the last gradient of a stage is there."""
        return self.over(at.number(self.lanes.order.shape.microbatches(at) - 1))


def _met(ends: Slots, begin: Slots) -> Term:
    """One action ends as another begins, in every timetable."""
    return z3.And(*(end == start for end, start in zip(ends, begin, strict=True)))


def _of_number(start: Start, kind: str, values: Any, number: Number) -> Number:
    assert isinstance(start, Forms), "a loop's starts are forms of numbers in a queue"
    return start.of_number(kind, values, number)
