"""What makes a timetable (`theory.laws.timetables`) a proof, and what is kept of activations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import Final

import z3

from schedules.stamps import LOOP, OPPOSITE, At, Number
from theory.laws.stamp_terms import Divisions, higher, products
from theory.laws.stamped import Lanes, handed_on, neighbours
from theory.laws.timetables import ENDS, UNIT, Start, duration, kinds, stamp
from theory.smt.solver import Outcome, Statement, Term, decide, merge, undecided
from theory.verdicts import Verdict

RLIMIT: Final = 10_000_000
"""Budget of one query, some ten times what the longest proof takes."""

_NONE: Final = "none that is guessed from small runs keeps to them and ends in time"


def merged(name: str, says: str, claim: Iterable[Statement], rlimit: int = RLIMIT) -> Outcome:
    """What comes of all statements of a claim, up to the first that is not proved."""
    found = []
    for statement in claim:
        found.append(decide(statement, rlimit))
        if found[-1].verdict is not Verdict.PROVED:
            break
    if not found:
        return Outcome(name, says, Verdict.UNKNOWN, {}, _NONE, 0, ())
    return unproved(merge(name, says, found))


def unproved(outcome: Outcome) -> Outcome:
    """A counterexample to a step, of a timetable say, need not be one to what it is to prove."""
    if outcome.verdict is not Verdict.REFUTED:
        return outcome
    step, _, how = outcome.note.partition(": ")
    why = f"step {step!r} does not hold, of which the whole need not be false"
    return undecided(outcome, f"not proved: {why} [{how} {outcome.witness}]")


@dataclass(frozen=True)
class Symbolic:
    """An order at symbolic sizes."""

    lanes: Lanes

    def one(self, lane: Term, rank: str, x: str, divide: Divisions) -> At:
        """A number of a lane of a rank."""
        return self.lanes.at(lane, z3.Int(rank), z3.Int(x), divide)

    def two(self, lane: Term, twin: Term) -> tuple[Divisions, At, At]:
        """Numbers x and y of two lanes of a rank."""
        divide = self.lanes.size.divisions()
        other = twin if z3.is_int_value(twin) else z3.Int("lane_2")
        return divide, self.one(lane, "rank", "x", divide), self.one(other, "rank", "y", divide)

    def known(self, divide: Divisions, *ats: At) -> tuple[Term, ...]:
        """They are numbers that there are, and what is so of products of sizes then."""
        inside = [fact for at in ats for fact in self.lanes.inside(at)]
        return (*inside, *self._products(divide, ats), *divide.facts)

    def _products(self, divide: Divisions, ats: Sequence[At]) -> list[Term]:
        size = self.lanes.size
        if self.lanes.order.shape.name != LOOP.name:
            return []
        chunks, none = size.values["chunks"], z3.IntVal(0)
        lanes = [at.lane for at in ats]
        if not size.factors:
            return products([*lanes, none, chunks], size.M)
        rounds = [divide(at.x, at.p)[0] for at in ats]
        found = products([*lanes, none, chunks], size.p)
        return found + products([*rounds, none, size.factors[0][0]], chunks * size.p)


def statements(lanes: Lanes, start: Start, end: Term, work: Term) -> Iterator[Statement]:
    """All that shows that the last action ends at `end`, where every rank works so many slots."""
    yield from in_time(lanes, start, end)
    split = lanes.order.weight is not None
    done = 1 if split else 2  # behind the last W stands nothing
    yield from filled(lanes, lambda stage: done * stage >= end - work)
    whole = (3 if split else 2) * microbatches(lanes) == work
    yield Statement("work", "every rank works so many slots", lanes.size.suppose, whole)


def microbatches(lanes: Lanes) -> Term:
    """How many a rank has of all its stages together."""
    at = lanes.at(z3.IntVal(0), z3.Int("rank"), z3.Int("x"), lanes.size.divisions())
    return lanes.order.shape.lanes(lanes.size.values) * lanes.order.shape.microbatches(at)


def filled(lanes: Lanes, enough: Callable[[Term], Term]) -> Iterator[Statement]:
    """Of the rank in the middle of its pipelines, every stage is far enough from the first."""
    divide = lanes.size.divisions()
    middle = lanes.order.shape.name == OPPOSITE.name
    rank = (divide(lanes.size.p, 2)[0] if middle else lanes.size.p) - 1
    at = lanes.at(z3.Int("lane"), rank, z3.Int("x"), divide)
    known = (*lanes.inside(at), *divide.facts)
    says = "computations of stages before that of one rank fill the rest, as its own fill the work"
    yield Statement("filled", says, known, z3.And(at.rank >= 0, enough(at.stage)))


def in_time(
    lanes: Lanes, start: Start, end: Term, costs: Mapping[str, int] = UNIT
) -> Iterator[Statement]:
    """All that makes a timetable one, that is over at `end`."""
    yield from _needs(lanes, start, costs)
    yield from _in_turn(lanes, start, end, costs)
    order, divide = lanes.order, lanes.size.divisions()
    at = lanes.at(z3.IntVal(0), z3.IntVal(0), z3.IntVal(0), divide)
    if order.weight is not None and order.split(at) is not True:
        count = order.shape.microbatches(at)
        last = [lanes.at(lane, z3.IntVal(0), count - 1, divide) for lane in lanes.each()]
        split = z3.Or(*map(order.split, last))
        known = (*lanes.size.suppose, *divide.facts)
        yield Statement("split", "some backward is split, so that B takes 2", known, split)


def _needs(lanes: Lanes, start: Start, costs: Mapping[str, int]) -> Iterator[Statement]:
    """Nothing starts before what it needs has ended."""
    order, whole = lanes.order, Symbolic(lanes)
    every = list(lanes.each())
    for number, lane in enumerate(every):
        divide = lanes.size.divisions()
        at = whole.one(lane, "rank", "x", divide)
        begin, back = start("F", at), start("B", at)
        beyond = neighbours(order.shape, at)
        for place, (conditions, *there) in enumerate(beyond):
            after = lanes.at(there[0], there[1], at.x, divide)
            down = start("F", after) >= begin + costs["F"]
            up = back >= start("B", after) + duration(order, "B", after, costs)
            known = (*whole.known(divide, at, after), *conditions)
            yield from handed_on(lanes, at, after, known)
            if not any(z3.is_false(z3.simplify(condition)) for condition in known):
                says = "F and B start when those of the next stages allow"
                yield Statement(f"needs {number}.{place}", says, known, z3.And(down, up))
        none = z3.Not(z3.Or(*(z3.And(*conditions) for conditions, *_ in beyond)))
        known = whole.known(divide, at)
        if order.shape.pipelines == "lanes" or number == len(every) - 1:
            says = "the last stage turns round"
            yield Statement(f"turn {number}", says, (*known, none), back >= begin + costs["F"])
        if order.weight is not None:
            later = start("W", at) >= back + costs["B"]
            says = "W starts behind I"
            split = order.split(at)
            goal = later if split is True else z3.Implies(split, later)
            yield Statement(f"W behind I {number}", says, known, goal)


def _in_turn(
    lanes: Lanes, start: Start, end: Term, costs: Mapping[str, int]
) -> Iterator[Statement]:
    """A rank does one action after the other, from slot 0 on and until the end."""
    order, whole = lanes.order, Symbolic(lanes)
    tracks = list(product(kinds(order), enumerate(lanes.each())))
    for (kind, (number, lane)), (other, (second, twin)) in combinations_with_replacement(tracks, 2):
        divide, one, two = whole.two(lane, twin)
        stamps = [stamp(order, *pair) for pair in ((kind, one), (other, two))]
        starts = [start(kind, one), start(other, two)]
        takes = [duration(order, kind, one, costs), duration(order, other, two, costs)]
        over = [starts[0] + takes[0], starts[1] + takes[1]]
        first, last = higher(stamps[1], stamps[0]), higher(stamps[0], stamps[1])
        same = z3.And(one.x == two.x, one.lane == two.lane) if kind == other else z3.BoolVal(False)
        there = [
            order.split(at)
            for at, what in ((one, kind), (two, other))
            if what == "W" and order.split(at) is not True
        ]
        goal = z3.And(
            z3.Implies(first, starts[1] >= over[0]),
            z3.Implies(last, starts[0] >= over[1]),
            z3.Or(first, last, same),
            *([starts[0] >= 0, over[0] <= end] if (kind, number) == (other, second) else []),
        )
        known = (*whole.known(divide, one, two), *there)
        says = "a rank does one action at a time, in the order of stamps"
        yield Statement(f"{kind} {number}, {other} {second}", says, known, goal)


def kept(
    lanes: Lanes, number: Start, most: Callable[[Term], Term], ended: Callable[[At], Number]
) -> Iterator[Statement]:
    """The most microbatches of all its stages that a rank has between F and the end of B or W.

    Numbers that grow with stamps, from 0 on and below how many there are, are those of a queue.

    Parameters
    ----------
    lanes : Lanes
    number : callable
        The number of a forward, and of an end.
    most : callable
        Of a rank.
    ended : callable
        How many ends stand before the forward that reaches it.
    """
    order, whole = lanes.order, Symbolic(lanes)
    each = list(lanes.each())
    total = order.shape.lanes(lanes.size.values)
    for (which, lane), (second, twin) in product(enumerate(each), repeat=2):
        divide, one, two = whole.two(lane, twin)
        count = total * order.shape.microbatches(one)
        stamps = {kind: [stamp(order, kind, at) for at in (one, two)] for kind in ("F", ENDS)}
        places = {kind: [number(kind, at) for at in (one, two)] for kind in ("F", ENDS)}
        bound, before = most(one.rank), ended(one)
        known = whole.known(divide, one, two)
        for kind in ("F", ENDS) if which <= second else ():
            mine, others = places[kind]
            above = higher(*stamps[kind])
            same = z3.And(one.x == two.x, one.lane == two.lane)
            goal = z3.And(
                z3.Implies(above, mine > others),
                z3.Implies(mine > others, above),
                z3.Implies(mine == others, same),
                *(z3.And(n >= 0, n < count) for n in (mine, others)),
            )
            says = "numbers are the places in the queue of their kind"
            yield Statement(f"number {kind} {which}, {second}", says, known, goal)
        begun, end = places["F"][0], places[ENDS][1]
        behind = higher(stamps["F"][0], stamps[ENDS][1])
        open_yet = higher(stamps[ENDS][1], stamps["F"][0])
        reaches = begun == bound - 1 + before
        goal = z3.And(
            z3.Implies(end <= begun - bound, behind),
            z3.Implies(z3.And(reaches, end >= before), open_yet),
            z3.And(bound >= 1, before >= 0, bound + before <= count),
        )
        says = "a forward finds so many without an end, itself included, and none finds more"
        yield Statement(f"kept {which}, {second}", says, known, goal)


def queue_of_workers(kind: str, at: At) -> Number:
    """Place of an action where every rank has all layers: iteration by iteration."""
    layers = at.values["layers"]
    return at.x * layers + (at.lane if kind == "F" else layers - 1 - at.lane)


def unhindered(lanes: Lanes, end: Term, work: Term) -> Iterator[Statement]:
    """A rank that never waits works until the end."""
    done = (3 if lanes.order.weight is not None else 2) * microbatches(lanes)
    says = "its computations fill the time, messages and updates take none"
    goal = z3.And(done == work, work == end)
    yield Statement("work", says, lanes.size.suppose, goal)
