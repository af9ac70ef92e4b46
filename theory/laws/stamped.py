"""What is proved for all sizes of orders given by stamps (`schedules.stamps`).

A family's `StampedOrder` is what builds its schedules and what is read here, with solver terms in
place of arrays: nothing is compared on a grid of sizes. A rank does its actions in the order of
their stamps, so that

- nothing stands before what it needs, and no ranks wait for each other in a circle, if stamps grow
  along all that computations need;
- at most K microbatches of a lane are in flight if the end of number x − K stands before the
  forward of number x, and so many are if the first K forwards stand before every end.

Each is one query a kind of dependency, for all p, M, ranks, lanes and microbatches at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

import z3

from schedules.stamps import (
    LINE,
    LOOP,
    OPPOSITE,
    TURNS,
    VEE,
    WORKERS,
    At,
    Number,
    Shape,
    Stamp,
    StampedOrder,
)
from theory.errors import UnsupportedFormError
from theory.laws.stamp_terms import Divisions, higher, products, readable
from theory.smt.solver import Statement, Term

Neighbour = tuple[tuple[Term, ...], Number, Number]
"""Where the next stage is: under which conditions, in which lane, on which rank."""


@dataclass(frozen=True)
class Size:
    """Symbolic sizes, and what is supposed of them.

    Attributes
    ----------
    p, M : term
        A multiple where the family asks for one, such as 2·half.
    suppose : tuple of term
    values : mapping of str to term
        Parameters, and what the family derives of them.
    whole, factors, near
        As `Divisions` takes them.
    """

    p: Term
    M: Term
    suppose: tuple[Term, ...]
    values: Mapping[str, Term] = field(default_factory=dict)
    whole: tuple[tuple[Term, Number, Term], ...] = ()
    factors: tuple[tuple[Term, Term], ...] = ()
    near: bool = False

    def divisions(self) -> Divisions:
        """New ones, without any facts yet."""
        return Divisions(self.whole, self.factors, near=self.near)


@dataclass(frozen=True)
class Lanes:
    """An order at symbolic sizes."""

    order: StampedOrder
    size: Size

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", readable(self.order))

    def each(self) -> Iterator[Term]:
        """Lanes to look at: every number where there are two, else a symbol."""
        lanes = self.order.shape.lanes(self.size.values)
        yield from map(z3.IntVal, range(lanes)) if isinstance(lanes, int) else [z3.Int("lane")]

    def at(self, lane: Number, rank: Number, x: Term, divide: Divisions) -> At:
        """A microbatch in a lane of a rank."""
        p, M, values = self.size.p, self.size.M, self.size.values
        stage = self.order.shape.stage(lane, rank, p, z3.If)
        return At(p, M, values, lane, rank, stage, x, z3.If, divide)

    def inside(self, at: At) -> tuple[Term, ...]:
        """It is one that there is."""
        count, lanes = self.order.shape.microbatches(at), self.order.shape.lanes(at.values)
        ranks = (at.rank >= 0, at.rank < at.p, at.lane >= 0, at.lane < lanes)
        return (*self.size.suppose, *ranks, at.x >= 0, at.x < count)

    def end(self, at: At) -> Stamp:
        """Stamp of B or W."""
        whole = self.order.backward(at)
        if self.order.weight is None:
            return whole
        split, last = self.order.split(at), self.order.weight(at)
        if split is True:
            return last
        return tuple(z3.If(split, *both) for both in zip(last, whole, strict=True))


def neighbours(shape: Shape, at: At) -> list[Neighbour]:
    """Where the next stage of a pipeline is; it has none in the other cases."""
    up, down = (at.rank + 1 < at.p,), (at.rank > 0,)
    first, later = at.lane == 0, at.lane != 0
    if shape.name in (LINE.name, TURNS.name):
        return [(up, at.lane, at.rank + 1)]
    if shape.name == WORKERS.name:
        return [((at.lane + 1 < at.values["layers"],), at.lane + 1, at.rank)]
    if shape.name == LOOP.name:
        last = (at.rank + 1 == at.p, at.lane + 1 < at.values["chunks"])
        return [(up, at.lane, at.rank + 1), (last, at.lane + 1, z3.IntVal(0))]
    back = ((later, *down), at.lane, at.rank - 1)
    ahead = ((first, *up), at.lane, at.rank + 1)
    if shape.name == OPPOSITE.name:
        return [ahead, back]
    if shape.name != VEE.name:
        raise UnsupportedFormError(
            f"where the next stage is has to be known, found the shape {shape.name!r}",
            "stamps",
            "take one of schedules.stamps",
        )
    return [ahead, ((first, at.rank + 1 == at.p), z3.IntVal(1), at.rank), back]


def defined(lanes: Lanes, at: At, divide: Divisions, *others: At) -> Iterator[Statement]:
    """All that was divided by is positive: what is said of quotients supposes it."""
    if divide.divisors:
        positive = z3.And(*(divisor >= 1 for divisor in divide.divisors))
        known = tuple(fact for one in (at, *others) for fact in lanes.inside(one))
        yield Statement("divisors", "divisors are positive", known, positive)


def placed(lanes: Lanes) -> Iterator[Statement]:
    """Every stage of a pipeline is one lane of one rank, and the next one is where it is said.

    There are as many lanes as stages; two lanes of a pipeline hold two stages.
    """
    shape, size = lanes.order.shape, lanes.size
    x, divide = z3.Int("x"), lanes.size.divisions()
    one, two = (
        lanes.at(z3.Int(f"lane{name}"), z3.Int(f"rank{name}"), x, divide) for name in ("", "_2")
    )
    stages = shape.stages(size.p, size.values)
    facts = products([one.lane, two.lane], size.p)
    same = {"lanes": (one.lane == two.lane,), "ranks": (one.rank == two.rank,)}
    facts += products([one.lane, z3.IntVal(0)], size.p)
    if shape.name == LOOP.name:
        facts += products([one.lane, size.values["chunks"]], size.p)
    yield Statement(
        "one rank a stage",
        "a stage of a pipeline is one lane of one rank, and there is such a stage",
        (*lanes.inside(one), *lanes.inside(two), *same.get(shape.pipelines, ()), *facts),
        z3.And(
            one.stage >= 0,
            one.stage < stages,
            z3.Implies(one.stage == two.stage, z3.And(one.rank == two.rank, one.lane == two.lane)),
        ),
    )
    cases = []
    others: list[Term] = []
    for conditions, lane, rank in neighbours(shape, one):
        there = lanes.at(lane, rank, x, divide)
        within = z3.And(*lanes.inside(there), there.stage == one.stage + 1)
        cases.append(z3.Implies(z3.And(*conditions), within))
        others.append(z3.And(*conditions))
    yield Statement(
        "next stage",
        "the next stage is where it is looked for, and the last one has none",
        (*lanes.inside(one), *facts),
        z3.And(*cases, z3.Implies(z3.Not(z3.Or(*others)), one.stage == stages - 1)),
    )


def labelled(lanes: Lanes) -> Iterator[Statement]:
    """Microbatches and numbers of pipelines, of which there are as many, are one to one."""
    shape, x, y = lanes.order.shape, z3.Int("x"), z3.Int("y")
    apart = {"lanes": ("", "lane"), "ranks": ("", "rank")}.get(shape.pipelines, ("",))
    for lane, other in product(lanes.each(), repeat=2):
        divide = lanes.size.divisions()
        rank = z3.Int("rank")
        one = lanes.at(lane, rank, x, divide)
        two = lanes.at(
            other if "lane" in apart else lane,
            z3.Int("rank_2") if "rank" in apart else rank,
            y,
            divide,
        )
        label, twin = (lanes.order.microbatch(at) for at in (one, two))
        yield from defined(lanes, one, divide, two)
        same = z3.And(one.lane == two.lane, one.rank == two.rank, x == y)
        facts = products([x, y, z3.IntVal(0), *(f for f, _ in lanes.size.factors)], lanes.size.p)
        yield Statement(
            f"number of a microbatch {lane} {other}",
            "a microbatch is one number of one pipeline",
            (*lanes.inside(one), *lanes.inside(two), *divide.facts, *facts),
            z3.And(label >= 0, label < lanes.size.M, z3.Implies(label == twin, same)),
        )


def handed_on(lanes: Lanes, at: At, after: At, known: tuple[Term, ...]) -> Iterator[Statement]:
    """A number is one microbatch at both of two stages; not asked where it is by what it names."""
    label, beyond = (z3.simplify(lanes.order.microbatch(one) + z3.IntVal(0)) for one in (at, after))
    if not z3.eq(label, beyond):
        facts = products([at.x, z3.IntVal(0)], lanes.size.p)
        says = "a number is the same microbatch at the next stage"
        name = f"handed on from {at.lane} to {after.lane}"
        yield from _possible(name, says, (*known, *facts), label == beyond)


def needs(lanes: Lanes) -> Iterator[Statement]:
    """Stamps grow along all that computations need, and numbers stay what they are.

    What overlaps on a rank has one first number, and begins and ends together: then it is the first
    numbers that grow from rank to rank.
    """
    order, rank, x = lanes.order, z3.Int("rank"), z3.Int("x")
    every = list(lanes.each())
    for number, lane in enumerate(every):
        divide = lanes.size.divisions()
        at = lanes.at(lane, rank, x, divide)
        begin, back = order.forward(at), order.backward(at)
        final = order.weight(at) if order.weight is not None else None
        split = final is None or order.split(at)
        yield from defined(lanes, at, divide)
        known = (*lanes.inside(at), *divide.facts)
        beyond = neighbours(order.shape, at)
        for place, (conditions, *there) in enumerate(beyond):
            after = lanes.at(there[0], there[1], x, divide)
            apart = order.overlap and after.rank != rank
            down = _behind(order.forward(after), begin, apart)
            up = _behind(back, order.backward(after), apart)
            domain, name = (*known, *conditions), f"hop {number}.{place}"
            yield from handed_on(lanes, at, after, domain)
            yield from _possible(name, "F stands behind F of the stage before", domain, down)
            yield from _possible(f"{name} back", "B or I stands behind the next one's", domain, up)
        none = z3.Not(z3.Or(*(z3.And(*conditions) for conditions, *_ in beyond)))
        turned = higher(back, begin)
        turns = order.shape.pipelines == "lanes" or number == len(every) - 1
        if turns:  # a pipeline through several lanes turns in the last one
            yield Statement(f"turn {number}", "B or I stands behind F", (*known, none), turned)
        if final is not None:
            behind = higher(final, back)
            goal = behind if split is True else z3.Implies(split, behind)
            yield Statement(f"gradients {number}", "W stands behind I", known, goal)


def _possible(name: str, says: str, domain: tuple[Term, ...], goal: Term) -> Iterator[Statement]:
    """A statement, unless it is about another lane than the one that is looked at."""
    if not any(z3.is_false(z3.simplify(condition)) for condition in domain):
        yield Statement(name, says, domain, goal)


def _behind(one: Stamp, other: Stamp, apart: Term) -> Term:
    """Whether a stamp is above another, by its first number where overlaps of ranks are apart."""
    return z3.And(higher(one, other), z3.Implies(apart, one[0] > other[0]))
