"""Where F and B of a stage stand: what versions and microbatches in flight depend on.

An order says it for a program, by places, or by stamps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import z3

from schedules.actions import Kind
from schedules.programs import Entry, Program, View
from schedules.stamps import Number, Stamp
from theory.laws.stamp_terms import Divisions, higher
from theory.laws.stamped import Lanes
from theory.laws.static_orders.proofs import domain, holders
from theory.laws.static_orders.symbols import symbolic
from theory.smt.solver import Statement, Term

_ONLY: Final = z3.IntVal(0)

Position = Any
"""A place, or a stamp; only which of two comes first matters."""


@dataclass(frozen=True)
class Spot:
    """A position that an action has, if `there` holds."""

    there: Term
    at: Position


@dataclass(frozen=True)
class Order:
    """Positions of F and B, which grow along each stage's rank.

    Attributes
    ----------
    domain : callable
        Hypotheses on p, M and s.
    spots : callable
        ``spots(view, kind, label)``: positions that F or B of a microbatch may have.
    backward : callable
        ``backward(view, n)``: position of the stage's n-th gradient, from 0.
    stage : callable
        ``stage(view)``: which one it is in its pipeline, if not s.
    split : bool
        Whether there may be I and W in place of B; then a gradient is one of W.
    zero : callable, optional
        ``zero(view)``: the order of stage 0 of the pipeline, and where it is, if not at s = 0.
    """

    domain: Callable[[View], tuple[Term, ...]]
    spots: Callable[[View, Kind, Term], list[Spot]]
    backward: Callable[[View, Term], Position]
    stage: Callable[[View], Term] = lambda view: view.s
    split: bool = False
    zero: Callable[[View], tuple[Order, View]] | None = None

    def at_stage_zero(self, view: View) -> tuple[Order, View]:
        """The order of stage 0 of the pipeline, and where it is."""
        return self.zero(view) if self.zero else (self, replace(view, s=z3.IntVal(0)))

    def microbatch(self, view: View, label: Term) -> tuple[Term, ...]:
        """The domain, with a microbatch in it."""
        return (*self.domain(view), label >= 0, label < view.M)

    def done_before(self, view: View, n: Term, at: Position) -> tuple[Term, ...]:
        """Exactly n gradients of the stage stand before this position."""
        return (
            n >= 0,
            n <= view.M,
            z3.Implies(n > 0, higher(at, self.backward(view, n - 1))),
            z3.Implies(n < view.M, z3.Not(higher(at, self.backward(view, n)))),
        )

    def stands_before(self, view: View, label: Term, n: Term) -> Term:
        """F of the microbatch stands before the n-th backward of its stage."""
        end = self.backward(view, n)
        spots = self.spots(view, Kind.F, label)
        return z3.Or(*(z3.And(spot.there, higher(end, spot.at)) for spot in spots))


def of_program(program: Program) -> Order:
    """The order of a program with one kind of entry that has backwards."""

    def spots(view: View, kind: Kind, label: Term) -> list[Spot]:
        return [
            Spot(holder.there, holder.entry.place(view, holder.n))
            for holder in holders(program, view, kind, label)
        ]

    return Order(
        domain=lambda view: domain(program, view),
        spots=spots,
        backward=lambda view, n: _backwards(program).place(view, n),
    )


def _backwards(program: Program) -> Entry:
    [entry] = (entry for entry in program.entries if entry.parts[0].kind is Kind.B)
    return entry


def of_stamps(lanes: Lanes, lane: Number = _ONLY, divide: Divisions | None = None) -> Order:
    """The order of a lane of rank s, by stamps; M are the microbatches of its pipeline.

    Parameters
    ----------
    lanes : Lanes
    lane : number
    divide : Divisions, optional
        Quotients by what is no number, whose facts the statements need then.
    """
    shape = lanes.order.shape
    of = {Kind.F: lanes.order.forward, Kind.I: lanes.order.backward, Kind.B: lanes.end}
    known = lanes.size.divisions() if divide is None else divide

    def there(view: View) -> tuple[Term, ...]:
        at = lanes.at(lane, view.s, z3.IntVal(0), lanes.size.divisions())
        return (*lanes.inside(at), shape.microbatches(at) == view.M)

    def stamp(view: View, kind: Kind, label: Term) -> Stamp:
        fresh, any_label = lanes.size.divisions(), z3.Int("label")
        found = of[kind](lanes.at(lane, view.s, any_label, fresh))
        if fresh.facts:
            return tuple(map(as_term, of[kind](lanes.at(lane, view.s, label, known))))
        return tuple(z3.substitute(one, (any_label, label)) for one in map(as_term, found))

    def zero(view: View) -> tuple[Order, View]:
        first = z3.IntVal(0) if shape.pipelines == "one" else view.s
        if shape.pipelines == "lanes":
            return order, replace(view, s=z3.If(lane == 0, z3.IntVal(0), view.p - 1))
        return of_stamps(lanes, divide=known), replace(view, s=first)

    order = Order(
        domain=there,
        spots=lambda view, kind, label: [Spot(z3.BoolVal(True), stamp(view, kind, label))],
        backward=lambda view, n: stamp(view, Kind.B, n),
        stage=lambda view: shape.stage(lane, view.s, view.p, z3.If),
        split=lanes.order.weight is not None,
        zero=zero,
    )
    return order


def as_term(number: Any) -> Term:
    """A number or a term as a term."""
    return z3.IntVal(number) if isinstance(number, int) else number


def counted(order: Order) -> Iterator[Statement]:
    """The first n gradients of a stage are those of the first n microbatches; a forward sees n."""
    yield in_turn(order)
    yield from apart(order, Kind.F)
    yield own_backward(order)


def apart(order: Order, kind: Kind) -> Iterator[Statement]:
    """No F, or I, has the place of another's gradient, so that one of two comes first."""
    view, x, y = symbolic(), z3.Int("x"), z3.Int("y")
    both = (*order.microbatch(view, x), y >= 0, y < view.M)
    if kind is Kind.I:
        both = (*both, x != y)
    for number, spot in enumerate(order.spots(view, kind, x)):
        end = order.backward(view, y)
        one_first = z3.Or(higher(spot.at, end), higher(end, spot.at))
        says = f"no {kind.name} stands where a gradient does"
        yield Statement(f"apart {number}", says, (*both, spot.there), one_first)


def _same(one: Position, other: Position) -> Term:
    pairs = zip(one, other, strict=True) if isinstance(one, tuple) else [(one, other)]
    return z3.And(*(a == b for a, b in pairs))


def in_order(order: Order) -> Iterator[Statement]:
    """Forwards run in microbatch order, and backwards one behind the other."""
    view, x, y = symbolic(), z3.Int("x"), z3.Int("y")
    both = (*order.domain(view), x >= 0, x < y, y < view.M)
    pairs = [
        z3.Implies(z3.And(one.there, two.there), higher(two.at, one.at))
        for one in order.spots(view, Kind.F, x)
        for two in order.spots(view, Kind.F, y)
    ]
    yield Statement("forwards", "forwards run in microbatch order", both, z3.And(*pairs))
    yield in_turn(order)


def in_turn(order: Order) -> Statement:
    """Gradients run one behind the other."""
    view, x, y = symbolic(), z3.Int("x"), z3.Int("y")
    return Statement(
        "backwards",
        "backwards are numbered in the order in which they run",
        (*order.domain(view), x >= 0, x < y, y < view.M),
        higher(order.backward(view, y), order.backward(view, x)),
    )


def own_backward(order: Order) -> Statement:
    """The n-th backward of a stage is that of microbatch n."""
    view, x = symbolic(), z3.Int("x")
    stands = [
        z3.And(spot.there, _same(spot.at, order.backward(view, x)))
        for spot in order.spots(view, Kind.B, x)
    ]
    return Statement(
        "backward",
        "backwards run in microbatch order",
        order.microbatch(view, x),
        z3.Or(*stands),
    )
