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
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final

import sympy
import z3

from schedules.stamps import LINE, LOOP, OPPOSITE, VEE, At, Number, Shape, Stamp, StampedOrder
from theory.laws.static_orders import symbols
from theory.laws.static_orders.waits import higher
from theory.smt.solver import Statement, Term

Neighbour = tuple[tuple[Term, ...], Number, Number]
"""Where the next stage is: under which conditions, in which lane, on which rank."""


class Divisions:
    """Quotients and remainders as symbols, with what is true of them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[Term, Term]] = {}
        self.facts: list[Term] = []

    def __call__(self, number: Number, divisor: Number) -> tuple[Number, Number]:
        """Divide by what is positive."""
        if isinstance(divisor, int):
            return number / divisor, number % divisor
        number, divisor = z3.simplify(number), z3.simplify(divisor)
        key = number.sexpr(), divisor.sexpr()
        if key not in self._known:
            quotient, rest = z3.Ints(f"quotient_{len(self._known)} rest_{len(self._known)}")
            same = [one for (_, by), (one, _) in self._known.items() if by == key[1]]
            self.facts += [rest >= 0, rest < divisor, number == quotient * divisor + rest]
            self.facts += products([quotient, *same, z3.IntVal(0)], divisor)
            self._known[key] = quotient, rest
        return self._known[key]


def products(factors: list[Term], by: Term) -> list[Term]:
    """What is true of products with one positive number: a larger factor gives as much more.

    Examples
    --------
    >>> a, b, n = z3.Ints("a b n")
    >>> z3.prove(z3.Implies(n >= 1, z3.And(products([a, b], n))))
    proved
    """
    return [
        z3.Implies(less < more, less * by + by <= more * by)
        for pair in combinations(factors, 2)
        for less, more in (pair, pair[::-1])
    ]


@dataclass(frozen=True)
class Size:
    """Symbolic sizes: p, M and further values, and what is supposed of them.

    Attributes
    ----------
    p, M : term
        A multiple where the family asks for one, such as 2·half.
    values : mapping of str to term
    suppose : tuple of term
    meaning : mapping of sympy symbol to sympy expression
        What p and M are in formulas, where they are such multiples.
    terms : mapping of sympy symbol to term
        What the symbols of formulas are then.
    """

    p: Term
    M: Term
    suppose: tuple[Term, ...]
    values: Mapping[str, Term] = field(default_factory=dict)
    halved: bool = False

    def term(self, form: sympy.Expr, stage: Term) -> Term:
        """A formula in p, s, M and the values."""
        half = sympy.Symbol("half", integer=True, positive=True)
        names = {symbols.s: stage, symbols.M: self.M, symbols.p: self.p}
        if self.halved:
            form = form.subs(symbols.p, 2 * half)
            names[half] = z3.Int("half")
        return symbols.term(form, names)


@dataclass(frozen=True)
class Lanes:
    """An order at symbolic sizes."""

    order: StampedOrder
    size: Size

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
        shape = self.order.shape
        count = self.count
        lanes = shape.lanes(self.size.values)
        ranks = (at.rank >= 0, at.rank < self.size.p, at.lane >= 0, at.lane < lanes)
        return (*self.size.suppose, *ranks, at.x >= 0, at.x < count)

    @property
    def count(self) -> Term:
        """Microbatches of a lane."""
        return self.size.M / 2 if self.order.shape.pipelines else self.size.M

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
    if shape is LINE:
        return [(up, at.lane, at.rank + 1)]
    if shape is LOOP:
        last = (at.rank + 1 == at.p, at.lane + 1 < at.values["chunks"])
        return [(up, at.lane, at.rank + 1), (last, at.lane + 1, z3.IntVal(0))]
    back = ((later, *down), at.lane, at.rank - 1)
    ahead = ((first, *up), at.lane, at.rank + 1)
    if shape is OPPOSITE:
        return [ahead, back]
    assert shape is VEE, "the neighbours of this shape are not known"
    return [ahead, ((first, at.rank + 1 == at.p), z3.IntVal(1), at.rank), back]


def placed(lanes: Lanes) -> Iterator[Statement]:
    """Every stage of a pipeline is one lane of one rank, and the next one is where it is said.

    There are as many lanes as stages; two lanes of a pipeline hold two stages.
    """
    shape, size = lanes.order.shape, lanes.size
    x, divide = z3.Int("x"), Divisions()
    one, two = (
        lanes.at(z3.Int(f"lane{name}"), z3.Int(f"rank{name}"), x, divide) for name in ("", "_2")
    )
    stages = shape.stages(size.p, size.values)
    facts = products([one.lane, two.lane], size.p)
    same = (one.lane == two.lane,) if shape.pipelines else ()
    facts += products([one.lane, z3.IntVal(0)], size.p)
    if shape is LOOP:
        facts += products([one.lane, size.values["chunks"]], size.p)
    yield Statement(
        "one rank a stage",
        "a stage of a pipeline is one lane of one rank, and there is such a stage",
        (*lanes.inside(one), *lanes.inside(two), *same, *facts),
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
    """Every microbatch is one number of one pipeline: as many numbers as microbatches, all apart."""
    x, y, divide = z3.Int("x"), z3.Int("y"), Divisions()
    rank = z3.Int("rank")
    one = lanes.at(z3.Int("lane"), rank, x, divide)
    two = lanes.at(z3.Int("lane_2") if lanes.order.shape.pipelines else one.lane, rank, y, divide)
    label, other = (lanes.order.microbatch(at) for at in (one, two))
    yield Statement(
        "one number a microbatch",
        "a microbatch is one number of one pipeline",
        (*lanes.inside(one), *lanes.inside(two), *divide.facts),
        z3.And(
            label >= 0,
            label < lanes.size.M,
            z3.Implies(label == other, z3.And(one.lane == two.lane, x == y)),
        ),
    )


def needs(lanes: Lanes) -> Iterator[Statement]:
    """Stamps grow along all that computations need, across ranks by their first numbers."""
    order, rank, x = lanes.order, z3.Int("rank"), z3.Int("x")
    for number, lane in enumerate(lanes.each()):
        divide = Divisions()
        at = lanes.at(lane, rank, x, divide)
        next_stage = neighbours(order.shape, at)
        begin, back = order.forward(at), order.backward(at)
        for place, (conditions, *there) in enumerate(next_stage):
            beyond = lanes.at(*there, x, divide)
            down = _behind(order.forward(beyond), begin, beyond.rank, rank)
            up = _behind(back, order.backward(beyond), beyond.rank, rank)
            hop = f"hop {number}.{place}"
            domain = (*lanes.inside(at), *divide.facts, *conditions)
            yield Statement(hop, "F behind F of the stage before", domain, down)
            yield Statement(f"{hop} back", "B or I behind that of the next stage", domain, up)
        domain = (*lanes.inside(at), *divide.facts)
        has_next = z3.Or(*(z3.And(*conditions) for conditions, *_ in next_stage))
        if (number == 0) == (order.shape is not VEE) or order.shape is OPPOSITE:
            turn = (*domain, z3.Not(has_next))
            yield Statement(f"turn {number}", "B or I behind F", turn, higher(back, begin))
        if order.weight is not None:
            goal = z3.Implies(z3.BoolVal(True) if order.split(at) is True else order.split(at),
                              higher(order.weight(at), back))
            domain = (*lanes.inside(at), *divide.facts)
            yield Statement(f"weights {number}", "W behind I", domain, goal)


def _behind(one: Stamp, other: Stamp, rank: Term, own: Term) -> Term:
    """Whether a stamp is above another, by its first number if they are of different ranks."""
    return z3.And(higher(one, other), z3.Implies(rank != own, one[0] > other[0]))


def in_flight(lanes: Lanes, bound: sympy.Expr) -> Iterator[Statement]:
    """The most microbatches of a lane between F and the end of B or W: `bound`, and attained."""
    order, rank, x = lanes.order, z3.Int("rank"), z3.Int("x")
    for number, lane in enumerate(lanes.each()):
        divide = Divisions()
        at = lanes.at(lane, rank, x, divide)
        most = lanes.size.term(bound, at.stage)
        begin, end = order.forward(at), lanes.end(at)
        following, earlier, first = (at.number(other) for other in (x + 1, x - most, most - 1))
        later = z3.And(
            higher(order.forward(following), begin),
            z3.Implies(most < lanes.count, higher(lanes.end(following), end)),
        )
        upper = z3.Implies(x >= most, higher(begin, lanes.end(earlier)))
        attained = higher(end, order.forward(first))
        domain = (*lanes.inside(at), *divide.facts)
        within = (*domain, x + 1 < lanes.count)
        yield Statement(f"in turn {number}", "F and ends in the order of numbers", within, later)
        yield Statement(f"no more {number}", "F of x stands behind the end of x − K", domain, upper)
        reached = z3.And(most >= 1, most <= lanes.count, attained)
        yield Statement(f"attained {number}", "K forwards before all ends", domain, reached)
