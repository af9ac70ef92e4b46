"""Prove closed forms of start times for every p, every M and every stage and microbatch.

Greedy rules go by induction on slots (`greedy_induction`), orders by stamps by induction on the
dependency graph (`static_induction`); here are the facts that both need. Each is one
quantifier-free query over symbolic p, M, stage and microbatch. Where a rule lets an action feed
another in its own slot, its slots are no start times, but stamps of the order that it makes.

Of the literature, what serves is induction over one step of quasi-affine schedules
(Feautrier 1992; Pugh's Presburger formulas, here decided by z3). Max-plus periodicity (Baccelli et
al. 1992) holds for one p at a time, and counts by barvinok (Verdoolaege 2007) order no actions.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import z3

from schedules.actions import Kind
from schedules.closed_forms.affine import ONE
from schedules.closed_forms.start_times import StartTimes
from schedules.rules import GreedyRule
from schedules.stamps import LINE, At, Stamp, StampedOrder
from theory.errors import UnsupportedFormError
from theory.laws.delays.domains import (
    Admission,
    InFlight,
    a_microbatch,
    a_stage,
    domain,
    products_in_order,
)
from theory.laws.delays.greedy_induction import greedy_statements
from theory.laws.delays.static_induction import static_statements
from theory.laws.delays.symbols import Microbatch, Size, Times
from theory.smt.solver import Outcome, Statement, decide


def prove_start_times(
    rule: GreedyRule | StampedOrder,
    admission: Admission,
    guess: StartTimes,
    in_flight: InFlight = None,
    slots: StartTimes | None = None,
) -> list[Outcome]:
    """Prove that a rule generates exactly these start times.

    Parameters
    ----------
    rule : GreedyRule or StampedOrder
    admission : callable or None
        Bound on active microbatches as a function of p.
    guess : StartTimes
    in_flight : callable or None
        Bound on microbatches in flight, as a function of the stage and p.
    slots : StartTimes, optional
        Slots in which a greedy rule plays, where these are other than the start times.

    Returns
    -------
    list of Outcome
        All PROVED, or the formulas are not established.

    Examples
    --------
    >>> from schedules.closed_forms.start_times import guess_start_times, sample
    >>> from schedules.families import get_family
    >>> family = get_family("gpipe")
    >>> found = prove_start_times(family.rule, None, guess_start_times(sample(family, None)))
    >>> {outcome.verdict.name for outcome in found}
    {'PROVED'}
    """
    times = Times(Size.symbolic(guess), guess)
    statements = _general(times)
    if isinstance(rule, GreedyRule):
        own = times if slots is None else Times(Size.symbolic(slots), slots)
        if slots is not None:
            if slots.period != ONE:
                raise UnsupportedFormError(
                    "slots that repeat after several microbatches are start times",
                    "finished",
                    "let an action feed others from the next slot on",
                )
            played = [_renamed(one) for one in _general(own) if one.name != "causal"]
            statements += [*static_statements(slots_as_stamps(own), times), *played]
        statements += greedy_statements(rule, admission, own, in_flight)
    else:
        statements += static_statements(rule, times)
    return [decide(statement) for statement in statements]


def slots_as_stamps(times: Times) -> StampedOrder:
    """The order of a rule that plays in these slots: they are its stamps."""

    def slot(kind: Kind, at: At) -> Stamp:
        return (times.at(kind, at.rank, Microbatch(at.x, z3.Int("p*m"))),)

    return StampedOrder(LINE, forward=partial(slot, Kind.F), backward=partial(slot, Kind.B))


def _renamed(one: Statement) -> Statement:
    return replace(one, name=f"slots: {one.name}", says=f"in the rule's slots: {one.says}")


def _general(times: Times) -> list[Statement]:
    """Sanity of the formulas themselves: signs, order, causality, exclusion."""
    size, s = times.size, z3.Int("s")
    m, n = Microbatch.named("m"), Microbatch.named("n")
    forward, backward = times.forward, times.backward
    here = (*domain(size), a_stage(size, s), a_microbatch(size, m))
    following = size.shift(m, 1)
    both = (*here, a_microbatch(size, n), *products_in_order(size, m, n))
    return [
        Statement(
            "first-slot",
            "no action starts before slot 0",
            here,
            z3.And(forward(s, m) >= 0, backward(s, m) >= 0),
        ),
        Statement(
            "order",
            "forwards and backwards of a stage run in microbatch order",
            (*here, following.index < size.microbatches),
            z3.And(forward(s, following) > forward(s, m), backward(s, following) > backward(s, m)),
        ),
        Statement(
            "causal",
            "F(s) before F(s+1), B(s+1) before B(s), F before B",
            here,
            z3.And(
                z3.Implies(s + 1 < size.p, forward(s, m) < forward(s + 1, m)),
                z3.Implies(s + 1 < size.p, backward(s + 1, m) < backward(s, m)),
                forward(s, m) < backward(s, m),
            ),
        ),
        Statement(
            "exclusive",
            "a stage has at most one action in a slot",
            both,
            forward(s, m) != backward(s, n),
        ),
    ]
