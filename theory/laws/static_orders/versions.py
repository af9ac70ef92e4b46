"""Versions that forwards read and backwards use, and the exact maximum of local staleness.

A version is how many updates a stage has had. Gradient x of a stage is that of microbatch x, and
the first n of them stand before a forward: all follows from n. M are the microbatches of one
pipeline, a copy of whose weights this is. These are the rules of `schedules.policies` and
`schedules.versions` on terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import sympy
import z3

from schedules.actions import Kind
from schedules.policies import WeightPolicy
from schedules.programs import View
from theory.laws.stamp_terms import last_period
from theory.laws.static_orders.order import Order, apart, counted, own_backward
from theory.laws.static_orders.symbols import K, M, p, s, symbolic, term
from theory.smt.solver import Statement, Term

KEPT_BY_DOUBLE_BUFFER: Final = 2
"""Versions that the policy ``double-buffer`` keeps, the newest included."""


def read_in_window(t: Term) -> Term:
    """The version that a forward of window t reads under ``double-buffer``: max(t − 1, 0)."""
    return z3.If(t >= 1, t - 1, z3.IntVal(0))


@dataclass(frozen=True)
class Updates:
    """When a stage's weights are updated, and what its policy reads and keeps.

    Attributes
    ----------
    policy : WeightPolicy
        Its name counts; the interval is symbolic.
    interval : str
        Name of the family's parameter K, ``""`` where an update follows every backward.
    at_least_p : bool
        Whether the family asks for K ≥ p.
    """

    policy: WeightPolicy
    interval: str = ""
    at_least_p: bool = False

    def every(self, view: View) -> Term:
        """Backwards from update to update."""
        if self.policy.name == "flush":
            return view.M
        return z3.Int("K") if self.interval else z3.IntVal(self.policy.interval)

    def domain(self, view: View) -> tuple[Term, ...]:
        """Hypotheses on the interval: a run in which no update happens is none."""
        if not self.interval:
            return ()
        every = self.every(view)
        return (every >= (view.p if self.at_least_p else 1), every <= view.M)

    def after(self, view: View, n: Term) -> Term:
        """Updates that n ≤ M backwards trigger."""
        if self.policy.name == "flush":
            return z3.If(n < view.M, z3.IntVal(0), z3.IntVal(1))
        return n / self.every(view)

    def applies(self, view: View, x: Term) -> Term:
        """Whether an update follows backward x; none does in a window that M cuts short."""
        return self.after(view, x) < self.after(view, view.M)


def largest_staleness(order: Order, updates: Updates, form: sympy.Expr) -> Iterator[Statement]:
    """The largest local staleness of stage s is `form`, in p, s, M, K and parameters.

    Only gradients that an update applies count: those of a last window that M cuts short are as
    stale as nothing. A microbatch that attains it is the first after so many updates, if it runs
    before any, or the first of one of the last d windows, where stamps are quotients by d.

    Parameters
    ----------
    order : Order
    updates : Updates
    form : sympy expression
    """
    if updates.policy.reads_stage_zero:  # then what is read may not be there
        yield from stashed(order, updates)
    else:
        yield from counted(order)
    view, x, n, first = symbolic(), z3.Int("x"), z3.Int("n"), z3.Int("n_0")
    own, policy = updates.after(view, x), updates.policy.name
    synchronous, double = _synchronous(updates), policy == "double-buffer"
    read = read_in_window(own) if double else updates.after(view, first if synchronous else n)
    names = {p: view.p, s: order.stage(view), M: view.M}
    if updates.interval:
        names[K] = updates.every(view)
    names |= {one: z3.Int(one.name) for one in form.free_symbols - names.keys()}
    most = term(form, names)
    for number, spot in enumerate(order.spots(view, Kind.F, x)):
        yield Statement(
            f"staleness of forwards {number}",
            "no more updates than stated lie between a forward and the update of its gradient",
            (
                *order.microbatch(view, x),
                *updates.domain(view),
                updates.applies(view, x),
                spot.there,
                *order.done_before(view, n, spot.at),
                *([_at_stage_zero(order, view, x, first)] if synchronous else []),
            ),
            own - read <= most,
        )
    reader, there = order.at_stage_zero(view) if synchronous else (order, view)
    every, windows = updates.every(view), updates.after(view, view.M)
    positions = [one.at for one in order.spots(view, Kind.F, x)] + [order.backward(view, n)]
    late = [windows - back for back in last_period(*positions)]
    attained: list[Term] = []
    for made, seen in [(most, z3.IntVal(0)), *((number, number - most) for number in late)]:
        worst, after = made * every, (seen + 1) * every
        last = updates.after(view, worst)
        unread = reader.stands_before(there, worst, after - 1)
        reached = z3.And(seen >= 0, after <= view.M, unread, last - seen >= most)
        so = last - read_in_window(last) >= most if double else reached
        attained.append(z3.And(worst >= 0, worst < view.M, so, updates.applies(view, worst)))
    yield Statement(
        "attained",
        "a microbatch reads before the update that follows some, with so many before its own",
        (*order.domain(view), *updates.domain(view)),
        z3.Or(*attained),
    )


def stashed(order: Order, updates: Updates) -> Iterator[Statement]:
    """Every backward uses the version that its forward read, and that version is there.

    One that is kept is there wherever the backward stands behind its forward.
    """
    view, x, policy = symbolic(), z3.Int("x"), updates.policy
    n, first, used = z3.Int("n"), z3.Int("n_0"), x
    at_use: tuple[Term, ...] = ()
    if policy.keeps_older_versions and not policy.reads_stage_zero:
        yield own_backward(order)
        behind = order.stands_before(view, x, x)
        says = "a backward stands behind its forward, whose version is kept"
        yield Statement("kept", says, order.microbatch(view, x), behind)
        return
    yield from counted(order)
    if order.split and not policy.keeps_forward_version:
        yield from apart(order, Kind.I)
        used = z3.Int("n_I")
        [own] = order.spots(view, Kind.I, x)
        at_use = order.done_before(view, used, own.at)
    for number, spot in enumerate(order.spots(view, Kind.F, x)):
        yield Statement(
            f"version of forwards {number}",
            "a backward uses the version that its forward read",
            (
                *order.microbatch(view, x),
                *updates.domain(view),
                spot.there,
                *order.done_before(view, n, spot.at),
                *at_use,
                *([_at_stage_zero(order, view, x, first)] if _synchronous(updates) else []),
            ),
            _same_version(updates, view, x, n, first, used),
        )


def applied_once(order: Order, updates: Updates) -> Iterator[Statement]:
    """Every gradient is applied by one update, with the backward that closes its window.

    Backwards are numbered in the order of their stage. Backward x belongs to window q = ⌊x/K⌋, that
    is K·q ≤ x < K·q + K. Its last one is y = K·q + K − 1, no later than M − 1 where K divides M;
    the q updates before x are those before y, and the next one comes with y. The products K·q and
    K·w = M are named, with what is true of them because K ≥ 1.
    """
    view, x, y = symbolic(), z3.Int("x"), z3.Int("y")
    every = updates.every(view)
    q, w, before, all_of_them = z3.Ints("q w K*q K*w")
    yield Statement(
        "applied once",
        "the window of a backward comes to its end, with one update and none in between",
        (
            *order.domain(view),
            *updates.domain(view),
            x >= 0,
            x < view.M,
            before <= x,
            x < before + every,
            all_of_them == view.M,
            z3.Implies(q + 1 <= w, before + every <= all_of_them),
            z3.Implies(q >= w, before >= all_of_them),
            y == before + every - 1,
        ),
        z3.And(
            x <= y, y < view.M, before <= y, y + 1 >= before + every, y + 1 < before + 2 * every
        ),
    )


def _at_stage_zero(order: Order, view: View, x: Term, first: Term) -> Term:
    """Exactly `first` backwards of stage 0 stand before its F of microbatch x."""
    order, zero = order.at_stage_zero(view)
    return z3.Or(
        *(
            z3.And(spot.there, *order.done_before(zero, first, spot.at))
            for spot in order.spots(zero, Kind.F, x)
        )
    )


def _synchronous(updates: Updates) -> bool:
    return updates.policy.name == "vertical-sync"


def _same_version(updates: Updates, view: View, x: Term, n: Term, first: Term, used: Term) -> Term:
    """What F read, after n gradients (`first` at stage 0), is what B or I uses, after `used`."""
    policy = updates.policy
    at_forward, newest = updates.after(view, n), updates.after(view, x)
    read = updates.after(view, first) if policy.reads_stage_zero else at_forward
    if policy.name == "double-buffer":
        read = read_in_window(newest)
    made = z3.And(read >= 0, read <= at_forward, at_forward <= newest)
    if policy.name == "double-buffer":
        return z3.And(made, newest - read < KEPT_BY_DOUBLE_BUFFER)
    if policy.name == "flush" or not policy.keeps_forward_version:
        return z3.And(made, read == updates.after(view, used))
    return made


def flushed(order: Order) -> Iterator[Statement]:
    """The one update of a step comes behind every forward and every backward of its stage.

    So all of them see version 0, and no update lies between a forward and its own.
    """
    view, x, n = symbolic(), z3.Int("x"), z3.Int("n")
    for kind in (Kind.F, Kind.B):
        for number, spot in enumerate(order.spots(view, kind, x)):
            own = (n >= 0, n <= view.M, order.backward(view, n) == spot.at)
            before = order.done_before(view, n, spot.at) if kind is Kind.F else own
            yield Statement(
                f"step of {kind.name} {number}",
                f"{kind.name} finds fewer than M backwards done, so no update",
                (*order.microbatch(view, x), spot.there, *before),
                n < view.M,
            )
