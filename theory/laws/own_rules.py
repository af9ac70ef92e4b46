"""Invariants of a greedy rule from how rules are played, whatever its start times are.

`schedules.rules.run_greedy` plays a rule slot by slot. Of any that lets one microbatch in at least
the following holds, with no formula for any slot:

- It never stops. Of the first microbatch that is not through, everything before its next action has
  ended in an earlier slot, and none of its stage is in flight before it: that action is ready.
- What a stage does in a slot, and what lower stages do in the same slot, is behind what it needs:
  in the sequence by slot and stage every action comes after its needs, and of each stage after all
  it did before. F and B of a stage go through the microbatches one by one.
- If forwards are preferred until a stage's first backward, every stage does its first forwards in
  slots one behind the other, before that backward: as many as are let in there and at all stages
  below, or M. So many are in flight then, and more never are, as each is in flight below too. The
  forward of the last of them has had no update, and of none is the staleness more than what is in
  flight beside it. Where no stage lets in more than the one below, that is its own bound.

Where a bound is below 1 no microbatch is let in, whatever M is: a p from which on there are
schedules is the least one that anything is said of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import Final

import sympy
import z3

from schedules.actions import Kind
from schedules.errors import InvalidScheduleError
from schedules.families.family import Family
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule
from schedules.stamps import LINE, StampedOrder
from theory.errors import UnsupportedFormError
from theory.laws.bound_guesses import least_form
from theory.laws.own_orders import Row, beside_runs, points, small_runs, subject_of_order, whole
from theory.laws.own_slots import NEWEST
from theory.laws.plain_functions import require_plain_family
from theory.laws.stamp_terms import bound, reading
from theory.laws.stamped_columns import turns
from theory.laws.stamped_families import COLUMNS
from theory.laws.static_orders.order import Order, Spot
from theory.laws.static_orders.symbols import M, p, s, term
from theory.laws.static_orders.versions import Updates, applied_once
from theory.smt.solver import Outcome, Statement, Term, decide, merge
from theory.verdicts import Verdict

_ANY_SIZE: Final = StampedOrder(LINE, forward=lambda at: (at.x,), backward=lambda at: (at.x,))
"""An order that has every size, as a rule has."""

_BOUNDED: Final = ("staleness", "in-flight")

LEAST: Final = (1, 2, 3)
"""Numbers of ranks that are tried as the least one."""

_P, _M, _S, _A, _T = z3.Ints("p M s a t")


def row_of_rule(family: Family) -> Row:
    """The seven invariants of a greedy rule, from how it is played.

    Raises
    ------
    UnsupportedFormError
        It is no greedy rule without parameters, or not written for symbols.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from schedules.families import get_family
    >>> row = row_of_rule(replace(get_family("pipedream"), parameters=()))
    >>> row.domain, [one.name for one in row.invariants if one.outcome.verdict.name != "PROVED"]
    ('p >= 1, M >= 1', ['staleness', 'in-flight'])
    """
    rule = family.rule
    if not isinstance(rule, GreedyRule) or family.parameters or not family.generated:
        raise UnsupportedFormError(
            "how a rule is played says it of a greedy rule alone", "FAMILY.rule", "give one"
        )
    require_plain_family(family)
    least = next((ranks for ranks in LEAST if _is_played(family, ranks)), 1)
    sizes = subject_of_order(family, _ANY_SIZE, least)
    here = (*sizes.size.suppose, _S >= 0, _S < _P)
    runs = small_runs(family, _ANY_SIZE, least)
    never_stops = [*map(decide, _plays_on(family, rule, here))]
    flushed = replace(family, policy=WeightPolicy("flush"))  # which has every M, in the same order
    wanted = points(small_runs(flushed, _ANY_SIZE, least), "in-flight")
    most = least_form(*wanted) or least_form(*wanted, wider=True)
    first = [] if most is None else list(map(decide, _forwards_first(family, rule, most, here)))
    found = []
    for name in COLUMNS:
        limit, extra = "", list[Outcome]()
        if name == "staleness" and family.policy.name == "flush":
            limit = "0"
        elif name in _BOUNDED and most is not None:
            limit, extra = str(most if name == "in-flight" else most - 1), first
        elif name == "update-once" and family.policy.name != "flush":
            extra = [decide(one) for one in applied_once(_any_order(), Updates(family.policy))]
        elif name == "deadlock-free":
            extra = [decide(one) for one in turns()]
        outcome = merge(name, COLUMNS[name], [*never_stops, *extra])
        if not _said(family, name) or (name in _BOUNDED and not limit):
            why = "how the rule is played does not say it"
            outcome = Outcome(name, COLUMNS[name], Verdict.UNKNOWN, {}, why, 0, ())
        own = [run for run in runs if name != "update-once" or whole(family, run)]
        found.append(beside_runs(name, outcome, own, limit, family))
    return Row(sizes.words, tuple(found))


def _said(family: Family, column: str) -> bool:
    """Whether the policy is one of which an invariant follows."""
    policy = family.policy
    if column == "stash":
        return policy.name == "flush" or (policy.name in NEWEST and policy.keeps_forward_version)
    newest = policy.name in NEWEST and policy.interval == 1
    return column != "staleness" or policy.name == "flush" or newest


def _is_played(family: Family, ranks: int) -> bool:
    """Whether one microbatch gets through."""
    try:
        family.build(ranks, 1)
    except InvalidScheduleError:
        return False
    return True


def _bounds(family: Family, stage: Term) -> list[Term]:
    """On how many microbatches a stage lets in; that on stage 0 is on what is active anywhere."""
    found = [] if family.admission is None else [bound(family.admission)(_P)]
    return found + ([] if family.in_flight is None else [bound(family.in_flight)(stage, _P)])


def _plays_on(family: Family, rule: GreedyRule, here: tuple[Term, ...]) -> Iterator[Statement]:
    """What ended in an earlier slot has ended, and every bound lets one microbatch in."""
    ended = reading(rule.finished)(_A, _T)
    yield Statement("ended", "what ran in an earlier slot has ended", (_A < _T,), z3.And(ended))
    for one in _bounds(family, _S):
        yield Statement("admits", "every stage lets a microbatch in", here, one >= 1)


def _forwards_first(
    family: Family, rule: GreedyRule, most: sympy.Expr, here: tuple[Term, ...]
) -> Iterator[Statement]:
    """Forwards are preferred until the first backward, and `most` are let in at every stage.

    What runs in a slot has ended in it for higher stages always, or never.
    """
    first = z3.BoolVal(rule.prefer_first is Kind.F)
    yield Statement("forwards first", "forwards are preferred until a backward", here, first)
    ended = reading(rule.finished)
    alike = z3.BoolVal(True) == (ended(_A, _A) == ended(_T, _T))
    yield Statement("alike", "all slots are alike", (_A >= 0, _T >= 0), alike)
    let_in, below = (_least_of([_M, *_bounds(family, stage)]) for stage in (_S, _S - 1))
    fewer = "a stage lets in no more than the one below"
    yield Statement("no more", fewer, (*here, _S >= 1), let_in <= below)
    stated = term(most, {p: _P, M: _M, s: _S})
    yield Statement("so many", "what is let in is the bound", here, stated == let_in)


def _least_of(terms: list[Term]) -> Term:
    """The least of several."""
    return reduce(lambda one, other: z3.If(other < one, other, one), terms)


def _any_order() -> Order:
    """An order of which nothing but its sizes is known."""
    return Order(
        domain=lambda view: (view.p >= 1, view.M >= 1, view.s >= 0, view.s < view.p),
        spots=lambda view, kind, label: list[Spot](),
        backward=lambda view, n: n,
    )
