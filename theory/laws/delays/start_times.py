"""Prove closed forms of start times for every p, every M and every stage and microbatch.

Greedy rules go by induction on slots (`greedy_induction`), orders by stamps by induction on the
dependency graph (`static_induction`); here are the facts that both need. Each is one
quantifier-free query over symbolic p, M, stage and microbatch.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from schedules.closed_forms.start_times import StartTimes
from schedules.rules import GreedyRule
from schedules.stamps import StampedOrder
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
from theory.laws.stamp_terms import reading
from theory.smt.solver import Outcome, Statement, decide


def prove_start_times(
    rule: GreedyRule | StampedOrder,
    admission: Admission,
    guess: StartTimes,
    in_flight: InFlight = None,
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
    times = Times(Size.symbolic(), guess)
    statements = _general(times)
    if isinstance(rule, GreedyRule):
        read = replace(rule, finished=reading(rule.finished))
        bounds = [None if of is None else reading(of) for of in (admission, in_flight)]
        statements += greedy_statements(read, bounds[0], times, bounds[1])
    else:
        statements += static_statements(rule, times)
    return [decide(statement) for statement in statements]


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
