"""What is proved of stamped orders besides that nothing waits in a circle: a column each.

Versions under `flush` and under a stated update, what is in flight, the turns in which messages are
placed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import z3

from schedules.actions import Kind
from schedules.stamps import At
from theory.laws.stamped import Lanes, defined
from theory.laws.static_orders.waits import higher
from theory.smt.solver import Statement, Term


def flushed(lanes: Lanes) -> Iterator[Statement]:
    """Every F stands before its own gradient, so before the one update, behind the last of them."""
    x, rank = z3.Int("x"), z3.Int("rank")
    for number, lane in enumerate(lanes.each()):
        divide = lanes.size.divisions()
        at = lanes.at(lane, rank, x, divide)
        last = higher(lanes.end(at), lanes.order.forward(at))
        known = (*lanes.inside(at), *divide.facts)
        yield Statement(f"gradient {number}", "B or W stands behind its F", known, last)


def updated(lanes: Lanes, late: Callable[[At], Term]) -> Iterator[Statement]:
    """Update x applies the gradient of x alone; F of x has seen all but the last min(x, `late`).

    Update x makes version x + 1, so that min(x, `late`) is the local staleness of x. No update lies
    between F and I. The gradient is reduced before it is applied.
    """
    order, (x, y, rank) = lanes.order, z3.Ints("x y rank")
    for lane in lanes.each():
        divide = lanes.size.divisions()
        at, other = (lanes.at(lane, rank, number, divide) for number in (x, y))
        of_x, of_y = order.beside[Kind.U](at), order.beside[Kind.U](other)
        most, begin, back = late(at), order.forward(at), order.backward(at)
        end, reduced = lanes.end(at), order.beside[Kind.REDUCE](at)
        yield from defined(lanes, at, divide)
        unseen = z3.If(x < most, x, most)
        known = (*lanes.inside(at), *lanes.inside(other), *divide.facts)
        yield Statement(
            "one update a gradient",
            "update x stands behind W and REDUCE of x, and all updates before it do not",
            known,
            z3.And(
                higher(reduced, end), higher(of_x, reduced), z3.Implies(y < x, higher(end, of_y))
            ),
        )
        yield Statement(
            "read",
            "F of x stands behind the updates with numbers below x − min(x, K), and no others",
            known,
            higher(begin, of_y) == (y + unseen < x),
        )
        yield Statement(
            "attained",
            "the last number has seen all but K",
            known,
            z3.And(most >= 0, most < order.shape.microbatches(at)),
        )
        yield Statement(
            "one version",
            "no update lies between F and I",
            known,
            z3.Or(higher(begin, of_y), higher(of_y, back)),
        )


def alike(lanes: Lanes) -> Iterator[Statement]:
    """All ranks do the same in the same order: stamps do not depend on the rank."""
    order, x = lanes.order, z3.Int("x")
    kinds = [order.forward, order.backward, order.weight, *order.beside.values()]
    for lane in lanes.each():
        divide = lanes.size.divisions()
        one, two = (lanes.at(lane, z3.Int(name), x, divide) for name in ("rank", "rank_2"))
        equal = [a == b for of in kinds if of for a, b in zip(of(one), of(two), strict=True)]
        known = (*lanes.inside(one), *lanes.inside(two), *divide.facts)
        yield Statement("alike", "stamps are the same on every rank", known, z3.And(*equal))


def turns() -> Iterator[Statement]:
    """The turns in which `schedules.lowering` issues actions grow along all that waits.

    A turn is a round and a rank; what `schedules.lowering.rounds` says of rounds is supposed.
    """
    source, target, sender, receiver = z3.Ints("source target sender receiver")
    apart = (sender != receiver,)
    issued = target >= source + z3.If(sender < receiver, 0, 1)
    turn = higher((target, receiver), (source, sender))
    says = "what needs a message has its turn behind that of its send"
    yield Statement("turn of a receive", says, (*apart, issued), turn)
    says = "what comes next on a rank has its turn behind"
    own = higher((target, sender), (source, sender))
    yield Statement("turn of a rank", says, (target >= source + 1,), own)


def in_flight(
    lanes: Lanes, bound: Callable[[At], Term], *, descending: bool = False
) -> Iterator[Statement]:
    """The most microbatches of a lane between F and the end of B or W: `bound`, and attained.

    Where K forwards stand before all ends there are K in flight. Where the end of x − K stands
    before F of x, and F and ends go through the numbers in order, there are never more; nor where
    K are all of them.
    """
    order, rank, x = lanes.order, z3.Int("rank"), z3.Int("x")
    for number, lane in enumerate(lanes.each()):
        divide = lanes.size.divisions()
        at = lanes.at(lane, rank, x, divide)
        most, count = bound(at), order.shape.microbatches(at)
        begin, end = order.forward(at), lanes.end(at)
        following, earlier, last = (at.number(other) for other in (x + 1, x - most, most - 1))
        first_end = end if descending else lanes.end(at.number(z3.IntVal(0)))
        ends = most == count if descending else higher(lanes.end(following), end)
        forwards = higher(order.forward(following), begin)
        upper = z3.Implies(x >= most, higher(begin, lanes.end(earlier)))
        attained = higher(first_end, order.forward(last))
        yield from defined(lanes, at, divide)
        domain = (*lanes.inside(at), *divide.facts)
        within = (*domain, x + 1 < count)
        says = "F goes by numbers, and so do ends, or K are all of them"
        yield Statement(f"in turn {number}", says, within, z3.And(forwards, ends))
        yield Statement(f"no more {number}", "F of x stands behind the end of x − K", domain, upper)
        reached = z3.And(most >= 1, most <= count, attained)
        yield Statement(f"attained {number}", "K forwards stand before all ends", domain, reached)


def same(
    lanes: Lanes, one: Callable[[At], Term], other: Callable[[At], Term]
) -> Iterator[Statement]:
    """Two formulas are the same number."""
    for number, lane in enumerate(lanes.each()):
        divide = lanes.size.divisions()
        at = lanes.at(lane, z3.Int("rank"), z3.Int("x"), divide)
        equal = one(at) == other(at)
        yield from defined(lanes, at, divide)
        known = (*lanes.inside(at), *divide.facts)
        yield Statement(f"formula {number}", "the stated bound is the one proved", known, equal)
