"""Orders by stamps: every start is the latest end of what the action waits for.

F and B of a stage go through the microbatches in order, and no two have one stamp. So what stands
just before F of m is F of m − 1 or the last of the n backwards in front of it, and the other of
them ends no later; likewise for B. Starts then follow by induction on the dependency graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import z3

from schedules.actions import Kind
from schedules.stamps import LINE, Stamp, StampedOrder
from theory.errors import UnsupportedFormError
from theory.laws.delays.domains import (
    a_microbatch,
    a_stage,
    domain,
    product_facts,
    products_in_order,
)
from theory.laws.delays.symbols import Microbatch, Times
from theory.laws.stamp_terms import higher, readable
from theory.smt.solver import Statement, Term


@dataclass(frozen=True)
class Counted:
    """Stamps of one stage a rank, F and B alone, at symbolic sizes."""

    order: StampedOrder
    times: Times

    def stamp(self, kind: Kind, s: Term, index: Term) -> Stamp:
        """Of a microbatch's F or B."""
        size = self.times.size
        return self.order.stamp(kind, s, index, size.p, size.microbatches, z3.If)

    def before(self, kind: Kind, n: Term, s: Term, stamp: Stamp) -> tuple[Term, ...]:
        """Exactly n actions of a kind stand before a stamp."""
        own = self.times.size.microbatches
        return (
            n >= 0,
            n <= own,
            z3.Implies(n > 0, higher(stamp, self.stamp(kind, s, n - 1))),
            z3.Implies(n < own, higher(self.stamp(kind, s, n), stamp)),
        )


def plain(order: StampedOrder) -> bool:
    """Whether it has one stage a rank, and F and B alone."""
    whole = order.weight is None and not order.beside and not order.overlap
    return order.shape.name == LINE.name and whole


def static_statements(order: StampedOrder, times: Times) -> list[Statement]:
    """All statements that establish the start times of an order by stamps.

    Raises
    ------
    UnsupportedFormError
        It has more than one stage a rank, or other actions than F and B.
    """
    if not plain(order):
        raise UnsupportedFormError(
            "start times are proved of one stage a rank, with F and B alone",
            "stamps",
            "ask for its invariants",
        )
    found = Counted(readable(order), times)
    return [*in_turn(found), *_steps(found)]


def in_turn(found: Counted) -> list[Statement]:
    """Stamps go through the microbatches, and no F has that of a B."""
    size, s = found.times.size, z3.Int("s")
    m, n = Microbatch.named("m"), Microbatch.named("n")
    both = (*domain(size), a_stage(size, s), a_microbatch(size, m), a_microbatch(size, n))
    forward, backward = (found.stamp(kind, s, m.index) for kind in (Kind.F, Kind.B))
    later = [
        higher(found.stamp(kind, s, n.index), stamp)
        for kind, stamp in ((Kind.F, forward), (Kind.B, backward))
    ]
    other = found.stamp(Kind.B, s, n.index)
    at = found.order.at_stage(s, m.index, size.p, size.microbatches, z3.If)
    rank = found.order.shape.stage(0, s, size.p, z3.If)
    own = z3.And(found.order.microbatch(at) == m.index, rank == s)
    sizes = found.order.sizes(found.order.at_stage(0, 0, size.p, size.microbatches, z3.If))
    every = Statement("sizes", "the order has every size", domain(size), z3.And(*sizes))
    return [
        *([every] if sizes else []),
        Statement("numbered", "number m is microbatch m, and stage s on rank s", both, own),
        Statement("in turn", "stamps grow with m", (*both, m.index < n.index), z3.And(*later)),
        Statement(
            "apart",
            "no forward has the stamp of a backward",
            both,
            z3.Or(higher(forward, other), higher(other, forward)),
        ),
    ]


def _steps(found: Counted) -> list[Statement]:
    """Every start is the latest end of its predecessors, 0 if there is none."""
    times, size, s = found.times, found.times.size, z3.Int("s")
    m, n = Microbatch.named("m"), Microbatch.named("n")
    here = (*domain(size), a_stage(size, s), a_microbatch(size, m), *product_facts(size, n))
    statements = []
    for kind, other in ((Kind.F, Kind.B), (Kind.B, Kind.F)):
        before, last = size.shift(m, -1), size.shift(n, -1)
        ends = [
            *_input_ends(kind, times, s, m),
            z3.If(m.index > 0, times.at(kind, s, before) + 1, 0),
            z3.If(n.index > 0, times.at(other, s, last) + 1, 0),
        ]
        counted = found.before(other, n.index, s, found.stamp(kind, s, m.index))
        statements.append(
            Statement(
                f"start-{kind.name}",
                f"{kind.name} starts at the latest end of what it waits for",
                (*here, *products_in_order(size, m, n), *counted),
                times.at(kind, s, m) == _latest(ends),
            )
        )
    return statements


def _input_ends(kind: Kind, times: Times, s: Term, m: Microbatch) -> list[Term]:
    nothing = z3.IntVal(0)
    if kind is Kind.F:
        return [z3.If(s > 0, times.forward(s - 1, m) + 1, nothing)]
    below = z3.If(s < times.size.p - 1, times.backward(s + 1, m) + 1, nothing)
    return [times.forward(s, m) + 1, below]


def _latest(ends: list[Term]) -> Term:
    result = z3.IntVal(0)
    for end in ends:
        result = z3.If(end > result, end, result)
    return result
