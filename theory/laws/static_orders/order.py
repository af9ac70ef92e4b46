"""Where F and B of a stage stand: what versions and microbatches in flight depend on.

An order says it for a program, by places, or for start times, by slots. Only which of two
actions comes first matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import z3

from schedules.actions import Kind
from theory.laws.delays.symbols import Microbatch, Times
from theory.laws.static_orders.program import Entry, Program, View
from theory.laws.static_orders.proofs import domain, holders
from theory.smt.solver import Statement, Term


@dataclass(frozen=True)
class Spot:
    """A position that an action has, if `there` holds."""

    there: Term
    at: Term


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
        ``backward(view, n)``: position of the stage's n-th backward, from 0.
    """

    domain: Callable[[View], tuple[Term, ...]]
    spots: Callable[[View, Kind, Term], list[Spot]]
    backward: Callable[[View, Term], Term]

    def microbatch(self, view: View, label: Term) -> tuple[Term, ...]:
        """The domain, with a microbatch in it."""
        return (*self.domain(view), label >= 0, label < view.M)

    def done_before(self, view: View, n: Term, at: Term) -> tuple[Term, ...]:
        """Exactly n backwards of the stage stand before this position."""
        return (
            n >= 0,
            n <= view.M,
            z3.Implies(n > 0, self.backward(view, n - 1) < at),
            z3.Implies(n < view.M, self.backward(view, n) > at),
        )

    def stands_before(self, view: View, label: Term, n: Term) -> Term:
        """F of the microbatch stands before the n-th backward of its stage."""
        end = self.backward(view, n)
        spots = self.spots(view, Kind.F, label)
        return z3.Or(*(z3.And(spot.there, spot.at < end) for spot in spots))


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


def of_times(times: Times, least_stages: int) -> Order:
    """The order of start times without the product p·m."""

    def at(kind: Kind, stage: Term, label: Term) -> Term:
        return times.at(kind, stage, Microbatch(label, z3.Int("p*m")))

    return Order(
        domain=lambda v: (v.p >= least_stages, v.M >= 1, v.s >= 0, v.s < v.p),
        spots=lambda v, kind, label: [Spot(z3.BoolVal(True), at(kind, v.s, label))],
        backward=lambda v, n: at(Kind.B, v.s, n),
    )


def in_order(order: Order) -> Iterator[Statement]:
    """Forwards run in microbatch order, and backwards one behind the other."""
    view, x, y = View.symbolic(), z3.Int("x"), z3.Int("y")
    both = (*order.domain(view), x >= 0, x < y, y < view.M)
    pairs = [
        z3.Implies(z3.And(one.there, two.there), one.at < two.at)
        for one in order.spots(view, Kind.F, x)
        for two in order.spots(view, Kind.F, y)
    ]
    yield Statement("forwards", "forwards run in microbatch order", both, z3.And(*pairs))
    yield Statement(
        "backwards",
        "backwards are numbered in the order in which they run",
        both,
        order.backward(view, x) < order.backward(view, y),
    )


def own_backward(order: Order) -> Statement:
    """The n-th backward of a stage is that of microbatch n."""
    view, x = View.symbolic(), z3.Int("x")
    stands = [
        z3.And(spot.there, spot.at == order.backward(view, x))
        for spot in order.spots(view, Kind.B, x)
    ]
    return Statement(
        "backward",
        "backwards run in microbatch order",
        order.microbatch(view, x),
        z3.Or(*stands),
    )
