"""What is proved of stamped orders besides that nothing waits in a circle: a column each.

Versions under `flush` and under a stated update, what is in flight, the turns in which messages are
placed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import z3

from schedules.actions import Kind
from schedules.stamps import At, Number, Stamp
from theory.laws.stamp_terms import higher, last_period
from theory.laws.stamped import Lanes, defined
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


def averaged(lanes: Lanes) -> Iterator[Statement]:
    """REDUCE of a round: one place on all ranks, behind the round and in front of the next."""
    order, (x, y) = lanes.order, z3.Ints("x y")
    assert order.closes is not None, "an order that averages says behind which numbers"
    divide = lanes.size.divisions()
    one, two = (
        lanes.at(z3.IntVal(0), z3.Int(r), n, divide) for r, n in (("rank", x), ("rank_2", y))
    )
    there, closes = lanes.at(z3.IntVal(0), two.rank, x, divide), order.closes(one)
    reduce = order.beside[Kind.REDUCE]
    mine, theirs = reduce(one), reduce(there)
    behind = z3.Implies(y <= x, higher(mine, lanes.end(two)))
    before = z3.Implies(y > x, higher(order.forward(two), mine))
    met = z3.And(*(a == b for a, b in zip(mine, theirs, strict=True)))
    yield from defined(lanes, one, divide)
    known = (*lanes.inside(one), *lanes.inside(two), *divide.facts, closes)
    says = "all ranks average at one place, behind backwards so far, in front of later forwards"
    yield Statement("averaged", says, known, z3.And(met, behind, before))


def in_replicas(lanes: Lanes) -> Iterator[Statement]:
    """The gradient of number x − n, the last one of its replica, is applied when F of x reads.

    Backwards go by numbers, so all gradients of its replica before x are, and none later.
    """
    order, x = lanes.order, z3.Int("x")
    divide = lanes.size.divisions()
    at = lanes.at(z3.IntVal(0), z3.Int("rank"), x, divide)
    copies = at.values["replicas"]
    earlier, following = at.number(x - copies), at.number(x + 1)
    begin, own, last = order.forward(at), lanes.end(at), lanes.end(earlier)
    after = lanes.end(following)
    yield from defined(lanes, at, divide)
    known = (*lanes.inside(at), *divide.facts, copies >= 1)
    some, next_one = (*lanes.inside(at), x >= copies), (*lanes.inside(at), x + 1 < at.M)
    yield near("n", some, at, earlier)
    yield near("1", next_one, following, at)
    before, step = job_apart(at, earlier)[1], job_apart(following, at)[1]
    says = "F stands behind the last gradient of its replica"
    yield Statement("read", says, (*some, copies >= 1, before), higher(begin, last))
    yield Statement("own", "F stands in front of its own gradient", known, higher(own, begin))
    says = "gradients stand in the order of numbers"
    yield Statement("in turn", says, (*next_one, step), higher(after, own))


def near(name: str, known: tuple[Term, ...], one: At, other: At) -> Statement:
    """Two numbers that there are, the first at most n above the other: then `apart` is so."""
    says = "these two are numbers, at most n apart"
    apart = z3.And(other.x <= one.x, one.x <= other.x + one.values["replicas"])
    return Statement(f"near {name}", says, known, z3.And(other.x >= 0, one.x < one.M, apart))


def apart(lanes: Lanes) -> Iterator[Statement]:
    """Where two numbers stand that are at most n apart, for all of them: `job_apart`."""
    divide, (x, y) = lanes.size.divisions(), z3.Ints("x y")
    at = lanes.at(z3.IntVal(0), z3.Int("rank"), x, divide)
    facts = job_apart(at, at.number(y))
    known = (*lanes.inside(at), y >= 0, y <= x, x <= y + at.values["replicas"], *divide.facts)
    yield from defined(lanes, at, divide)
    for place, fact in enumerate(facts):
        says = "where two numbers stand that are at most n apart"
        yield Statement(f"apart {place}", says, (*known, *facts[:place]), fact)


def job_apart(one: At, other: At) -> tuple[Term, Term]:
    """Where two numbers, at most n apart, are: the same round, or an earlier one of the other's.

    Number m is in round q, local step a, replica r with m = N·q + n·a + r. `apart` shows the first
    fact, and from it the second.
    """
    copies, apart = one.values["replicas"], one.x - other.x
    (q, o), (q_, o_) = (at.divide(at.x, at.values["jobs"]) for at in (one, other))
    (a, r), (a_, r_) = (at.divide(offset, copies) for at, offset in ((one, o), (other, o_)))
    rounds = z3.Or(q_ < q, z3.And(q_ == q, o_ == o - apart))
    inside = z3.And(a >= 0, r >= 0, r < copies, a_ >= 0, r_ >= 0, r_ < copies)
    same_step = z3.And(a_ == a, r_ == r - apart)
    step_before = z3.And(a_ == a - 1, r_ == r + copies - apart)
    return rounds, z3.And(inside, z3.Or(q_ < q, z3.And(q_ == q, z3.Or(same_step, step_before))))


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
    lanes: Lanes,
    bound: Callable[[At], Term],
    *,
    descending: bool = False,
    replicas: bool = False,
    ending: Callable[[At], Number] = lambda at: at.x,
) -> Iterator[Statement]:
    """The most microbatches of a lane between F and the end of B or W: `bound`, and attained.

    Where the end of x − K stands before F of x, and F and ends go through the numbers in order,
    there are never more than K; nor where K are all of them. There are K in flight where K forwards
    stand before all ends; and, if ends go through the numbers too, where F of an x stands before
    the end of x + 1 − K. That may be one of the last d numbers where stamps are quotients by d. In
    an order of replicas, what is shown of two numbers (`apart`) is supposed.

    Only how many forwards and how many ends there have been counts: so the n-th end may be that of
    another number, `ending`, if that is one to one.
    """

    def end_of(at: At) -> Stamp:
        return lanes.end(at.number(ending(at)))

    order, rank, x = lanes.order, z3.Int("rank"), z3.Int("x")
    if order.shape.pipelines == "lanes":
        one, two = (lanes.at(z3.IntVal(n), rank, x, lanes.size.divisions()) for n in (0, 1))
        says = "no rank has a stage of both pipelines, whose microbatches count together"
        yield Statement("one pipeline", says, lanes.inside(one), one.stage != two.stage)
    for number, lane in enumerate(lanes.each()):
        divide = lanes.size.divisions()
        at = lanes.at(lane, rank, x, divide)
        most, count = bound(at), order.shape.microbatches(at)
        begin, end = order.forward(at), end_of(at)
        following, earlier, last = (at.number(other) for other in (x + 1, x - most, most - 1))
        first = at.number(z3.IntVal(0))
        first_end = end if descending else end_of(first)
        ends = most == count if descending else higher(end_of(following), end)
        forwards = higher(order.forward(following), begin)
        upper = z3.Implies(x >= most, higher(begin, end_of(earlier)))
        attained = higher(first_end, order.forward(last))
        for back in () if descending else last_period(begin, end):
            late = at.number(count - back)
            behind = end_of(at.number(late.x + 1 - most))
            there = z3.And(late.x + 1 >= most, higher(behind, order.forward(late)))
            attained = z3.Or(attained, there)
        yield from defined(lanes, at, divide)
        inside = lanes.inside(at)
        cases = {"turn": (x + 1 < count,), "more": (x >= most,), "attained": ()}
        pairs = {"turn": (following, at), "more": (at, earlier), "attained": (last, first)}
        known = {case: (*inside, *divide.facts, *when) for case, when in cases.items()}
        if replicas:
            for case, pair in pairs.items():
                yield near(f"{case} {number}", (*inside, *cases[case]), *pair)
                known[case] = (*inside, *cases[case], job_apart(*pair)[-1])
            known["attained"] = (*known["attained"], *divide.facts)
        else:
            known["more"] = (*inside, *divide.facts)  # of which there may be none
        says = "F goes by numbers, and so do ends, or K are all of them"
        turn = z3.And(forwards, ends)
        yield Statement(f"in turn {number}", says, known["turn"], turn)
        says = "F of x stands behind the end of x − K"
        yield Statement(f"no more {number}", says, known["more"], upper)
        reached = z3.And(most >= 1, most <= count, attained)
        says = "K forwards stand before all ends, or F of a last x before the end of x + 1 − K"
        yield Statement(f"attained {number}", says, known["attained"], reached)


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
