"""Invariants of a greedy rule from how rules are played, whatever its start times are.

`schedules.rules.run_greedy` plays a rule slot by slot. Of any that lets one microbatch in at least
the following holds, with no formula for any slot:

- It never stops. Of the first microbatch that is not through, everything before its next action has
  ended in an earlier slot, and none of its stage is in flight before it: that action is ready.
- What a stage does in a slot, and what lower stages do in the same slot, is behind what it needs:
  in the sequence by slot and stage every action comes after its needs, and of each stage after all
  it did before. F and B of a stage go through the microbatches one by one.
- A stage does its first forwards in slots one behind the other, before its first backward: as many
  as it lets in, L(s), if stages below let as many pass, or M. If backwards are preferred from the
  start, no more than w(s) of them, as the first microbatch comes back w(s) slots after its forward:
  2(p − s) − 1, or p − s where what ends in a slot feeds others in it. More than L(s) never are in
  flight: each is let in at its stage, and is in flight below too.
- If a backward is preferred after a forward, no more than w(s) are in flight, where stages above
  let in w or more. The last stage does a backward after each forward. Of two neighbours, whenever
  forwards come to one and backwards to the other, few states are possible; in all of them as many
  are between the two as w differs by, or one more while the upper one's last action is a backward.
  Then it has one fewer than it may have. A bound of w or more never holds up a stage.
- If a forward is preferred after a forward, they go on in slots one behind the other after the
  first backward, a slot late: F of m in the slot of m, or the next one from w(s) on, up to
  m = L(s) if every stage below lets so many pass. The second B comes no earlier than two slots
  after the first. So L(s) are in flight, or M − 1, or M if M is at most w(s).

What is in flight is most after a forward, and of the forward staleness is one less: those that were
in flight beside it are the updates that it has not seen. If an update follows K gradients, and b(m)
backwards are before F of m, then ⌊m/K⌋ − ⌊b(m)/K⌋ is its staleness. As b(m) > m − P of P that are
in flight at most, that is at most ⌈(P − 1)/K⌉, and ⌊M/K⌋ − 1. Let c be the least of both: it is
reached at m = K·c if b(m) < K, and b grows with m, so that c = ⌈(P − 1)/K⌉ is the worst case:

- K divides P − 1: F of m = P − 1 is one of the first forwards, or one more that follows one B.
- K divides P: m = P, and one B is before it, if F is ready then, as where stages below let in more
  than P, and the second B is not before it: that comes two slots after the first where this one
  runs as soon as it may (backwards first, or L ≤ w everywhere), or F is preferred after B. Where
  a stage goes on with forwards, it is said above.
- Each stage has fewer in flight than those below, forwards do not go on, and the second B is late
  as above: B, F, B, F, in turn, b(m) = m − P + 1. After F so many are in flight that B has to be
  next, so that each B is two slots after the one before. After B of j comes F of P + j: the stage
  below has done it as one of its first ones, or after a B of j − 1 or less, which ran two slots
  before or earlier.

Without bounds, and where forwards come first or go on, b(m) is 0 or 1.

Where a bound is below 1 no microbatch is let in, whatever M is: a p from which on there are
schedules is the least one that anything is said of.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from typing import Any, Final

import numpy as np
import sympy
import z3

from schedules.actions import Kind
from schedules.errors import InvalidScheduleError
from schedules.families.family import Family
from schedules.rules import GreedyRule
from schedules.schedule import IntArray
from schedules.stamps import LINE, StampedOrder
from theory.errors import UnsupportedFormError
from theory.laws.bound_guesses import least_form
from theory.laws.own_orders import Row, beside_runs, small_runs, subject_of_order, whole
from theory.laws.own_slots import NEWEST
from theory.laws.plain_functions import require_plain_family
from theory.laws.stamp_terms import bound, reading
from theory.laws.stamped_columns import turns
from theory.laws.stamped_families import COLUMNS
from theory.laws.static_orders.order import Order, Spot
from theory.laws.static_orders.symbols import M, p, s, term
from theory.laws.static_orders.versions import Updates, applied_once
from theory.smt.solver import Outcome, Statement, Term, decide, merge, undecided
from theory.verdicts import Verdict

_ANY_SIZE: Final = StampedOrder(LINE, forward=lambda at: (at.x,), backward=lambda at: (at.x,))
"""An order that has every size, as a rule has."""

_BOUNDED: Final = ("staleness", "in-flight")

LEAST: Final = (1, 2, 3)
"""Numbers of ranks that are tried as the least one."""

READ: Final = 9
"""Numbers of ranks of which bounds are read."""

MOST_STATES: Final = 100
"""Of two neighbouring stages that are looked at."""

_P, _M, _S, _U, _A, _T = z3.Ints("p M s u a t")
_TERMS: Final = {p: _P, M: _M, s: _S}


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
    >>> row.proved, [one.bound for one in row.invariants if one.name == "in-flight"]
    (True, ['Min(M, p, 2*p - 2*s - 1)'])
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
    bounds, played = _bounded(family, rule, least, here)
    found = []
    for name in COLUMNS:
        limit, extra = "", list[Outcome]()
        if name == "staleness" and family.policy.name == "flush":
            limit = "0"
        elif name in bounds:
            reached = name == "staleness"  # of which what is in flight does not depend
            limit = str(bounds[name])
            extra = [one for one in played if reached or one.name != "reached"]
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
    newest = policy.name in NEWEST
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


@dataclass(frozen=True)
class _Play:
    """How many a stage lets in, L(s), and in how many slots a microbatch comes back, w(s).

    Attributes
    ----------
    narrow : bool
        It is proved that no stage lets in more than w(s).
    """

    family: Family
    rule: GreedyRule
    here: tuple[Term, ...]
    narrow: bool = False

    @property
    def own_slot(self) -> bool:
        """Whether what ends in a slot feeds others in it."""
        return bool(self.rule.finished(0, 0))

    @property
    def free(self) -> bool:
        """Whether there are no bounds."""
        return not _bounds(self.family, _S)

    @property
    def back(self) -> sympy.Expr:
        """w(s)."""
        return p - s if self.own_slot else 2 * (p - s) - 1

    @property
    def backwards(self) -> bool:
        """Whether they are preferred from the start."""
        return self.rule.prefer_first is Kind.B

    @property
    def mixed(self) -> bool:
        """Whether forwards that a stage lets in may come after a backward that is preferred."""
        return self.backwards and not self.narrow

    @property
    def goes_on(self) -> bool:
        """Whether it then goes on with forwards."""
        return self.mixed and self.rule.prefer_after[Kind.F] is Kind.F

    def lets(self, stage: Term) -> Term:
        """L(s); without bounds a number that is never reached."""
        return _least_of(_bounds(self.family, stage) or [2 * _P])

    def back_at(self, stage: Term) -> Term:
        """w(s) of a stage."""
        return term(self.back, {**_TERMS, s: stage})

    def more(self, stage: Term) -> Term:
        """Whether forwards come after a backward."""
        return z3.And(self.backwards, self.lets(stage) > self.back_at(stage))

    def first(self, stage: Term) -> Term:
        """How many forwards come before the first backward."""
        return z3.If(self.more(stage), self.back_at(stage), self.lets(stage))


def _bounded(
    family: Family, rule: GreedyRule, least: int, here: tuple[Term, ...]
) -> tuple[dict[str, sympy.Expr], list[Outcome]]:
    """The most in flight at stage s, the largest staleness, and what says it.

    Nothing if bounds have no short form.
    """
    play = _Play(family, rule, here)
    narrow = decide(Statement("early", "", here, play.lets(_S) <= play.back_at(_S)))
    play = replace(play, narrow=narrow.verdict is Verdict.PROVED)
    forms = (sympy.oo, sympy.oo) if play.free else _let_in(play.lets(_S), least)
    if forms is None:
        return {}, []
    every = family.policy.interval

    def most(own: sympy.Expr) -> sympy.Expr:
        return sympy.Min(own, sympy.Max(M - 1, sympy.Min(M, play.back)) if play.goes_on else M)

    def stale(own: sympy.Expr) -> sympy.Expr:
        windows = sympy.Min(sympy.floor(M / every) - 1, sympy.ceiling((own - 1) / every))
        return windows if every > 1 else most(own) - 1

    in_turn = play.mixed and not play.goes_on
    own = tuple(sympy.Min(form, play.back) if in_turn else form for form in forms)
    bounds = {"in-flight": _at_each(map(most, own)), "staleness": _at_each(map(stale, own))}
    return bounds, [_as_needed(decide(one)) for one in (*_conditions(play, forms), *_reached(play))]


def _conditions(play: _Play, forms: tuple[sympy.Expr, sympy.Expr]) -> Iterator[Statement]:
    """On which it depends how many are in flight."""
    lets, here = play.lets, play.here
    below, above = (*here, _U >= 0, _U < _S), (*here, _U > _S, _U < _P)
    stated = z3.If(_S == 0, *(term(form.subs(sympy.oo, 2 * p), _TERMS) for form in forms))
    alike = z3.BoolVal(play.own_slot) == reading(play.rule.finished)(_T, _T)
    yield Statement("alike", "all slots are alike", (_T >= 0,), alike)
    yield Statement("so many", "what is let in is the bound", here, stated == lets(_S))
    passes = lets(_U) >= play.first(_S)
    yield Statement("pass", "lower stages let the first ones pass", below, passes)
    less = z3.Not(play.more(_S))
    freely = z3.Or(less, lets(_U) >= play.back_at(_U))
    if play.goes_on:
        says = "stages below one that goes on with forwards let these pass"
        pass_ = z3.Or(z3.And(freely, lets(_U) >= lets(_S)), lets(_U) > lets(_S), less)
        yield Statement("below", says, below, pass_)
    elif play.mixed:
        yield _neighbours(play.rule, play.own_slot)
        says = "no stage above one that lets in more is held up"
        yield Statement("above", says, above, freely)


def _reached(play: _Play) -> Iterator[Statement]:
    """Fewer backwards than an update needs are before the forward that is to be most stale."""
    every, rule = play.family.policy.interval, play.rule
    if every == 1 or (play.free and (play.goes_on or not play.backwards)):
        return  # M alone is a bound
    largest = play.lets(_S) if play.goes_on else play.first(_S)
    turns_ = play.backwards or play.narrow or rule.prefer_after[Kind.B] is Kind.F
    here = (*play.here, _U >= -1, _U < _S)
    falls = z3.Or(_U < 0, play.first(_U) > play.first(_S))
    whole_ = Statement("reached", "each stage lets in fewer than those below", here, falls)
    if turns_ and not play.goes_on and decide(whole_).verdict is Verdict.PROVED:
        yield whole_
        return
    next_ = z3.Or(
        z3.And(turns_, z3.Or(_U < 0, play.lets(_U) > largest)), play.goes_on and play.more(_S)
    )
    goal = z3.Or((largest - 1) % every == 0, z3.And(largest % every == 0, next_))
    says = "so many updates are behind a forward that few backwards are before"
    yield Statement("reached", says, here, goal)


def _as_needed(found: Outcome) -> Outcome:
    """A condition that is not met says nothing of the rule: what follows from it is open."""
    if found.verdict is not Verdict.REFUTED:
        return found
    at = ", ".join(f"{name} = {number}" for name, number in found.witness.items() if number >= 0)
    return undecided(found, f"it is proved where {found.says}, which is not so at {at}")


def _let_in(lets: Term, least: int) -> tuple[sympy.Expr, sympy.Expr] | None:
    """How many stage 0 lets in, and how many stage s does: short forms, as yet a guess."""
    every = [(ranks, stage) for ranks in range(least, least + READ) for stage in range(ranks)]
    sizes = [[(_P, z3.IntVal(ranks)), (_S, z3.IntVal(stage))] for ranks, stage in every]
    wanted = np.array([z3.simplify(z3.substitute(lets, *size)).as_long() for size in sizes])
    ranks, stage = np.array(every).T
    at = {"p": ranks, "M": 0 * ranks, "s": stage}

    def form(where: Any) -> sympy.Expr | None:
        some = wanted[where], {name: numbers[where] for name, numbers in at.items()}
        return _linear(*some) or least_form(*some) or least_form(*some, wider=True)

    alike = form(stage >= 0)
    found = (alike, alike) if alike is not None else (form(stage == 0), form(stage > 0))
    return None if None in found else found


def _linear(wanted: IntArray, at: Mapping[str, IntArray]) -> sympy.Expr | None:
    """A linear form in p and s, whatever its numbers."""
    columns = np.stack([at["p"], at["s"], 1 + at["M"]], axis=1)
    numbers = np.rint(np.linalg.lstsq(columns, wanted, rcond=None)[0]).astype(int)
    fits = bool((columns @ numbers == wanted).all())
    return sum(int(n) * one for n, one in zip(numbers, (p, s, 1), strict=True)) if fits else None


def _at_each(forms: Iterable[sympy.Expr]) -> sympy.Expr:
    """A form for stage 0, and one for every stage s: one for all if they are alike."""
    first, other = forms
    apart = sympy.Piecewise((first.subs(s, 0), sympy.Eq(s, 0)), (other, True))
    return other if first == other else apart


def _neighbours(rule: GreedyRule, own_slot: bool) -> Statement:
    """What is between two stages, of which one prefers a backward after a forward.

    Those that one has passed forwards and the other has not, and so many backwards, are in flight
    at the lower stage alone. Forwards come to the lower one, and backwards to the upper one, at any
    time. States that occur are searched for; that these are all is proved.
    """
    forwards, backwards = z3.Ints("forwards backwards")
    low, high, comes, returns = z3.Bools("low high comes returns")  # whether F was the last

    def does(last: Term, forward: Term, backward: Term) -> tuple[Term, Term]:
        prefers = z3.If(
            last, *(z3.BoolVal(rule.prefer_after[one] is Kind.F) for one in (Kind.F, Kind.B))
        )
        goes = z3.And(forward, z3.Or(z3.Not(backward), prefers))
        return goes, z3.And(backward, z3.Not(goes))

    one, back = does(low, comes, backwards > 0)
    passed = forwards + z3.If(one, 1, 0)
    two, ready = does(high, (passed if own_slot else forwards) > 0, returns)
    state = (forwards, backwards, low, high)
    later = (
        passed - z3.If(two, 1, 0),
        backwards + z3.If(ready, 1, 0) - z3.If(back, 1, 0),
        z3.Or(one, z3.And(low, z3.Not(back))),
        z3.Or(two, z3.And(high, z3.Not(ready))),
    )
    begin = (z3.IntVal(0), z3.IntVal(0), z3.BoolVal(True), z3.BoolVal(True))
    found, waiting = {begin}, [begin]
    while waiting and len(found) < MOST_STATES:
        here = [*zip(state, waiting.pop(), strict=True)]
        for choice in product((z3.BoolVal(False), z3.BoolVal(True)), repeat=2):
            put_in = [*here, *zip((comes, returns), choice, strict=True)]
            then = tuple(z3.simplify(z3.substitute(one, *put_in)) for one in later)
            if then not in found:
                found.add(then)
                waiting.append(then)
    known = z3.Or(*(z3.And(*map(operator.eq, state, one)) for one in found))
    between = forwards + backwards <= (1 if own_slot else 2) + z3.If(high, 0, 1)
    says = "between two stages are as many as their bounds differ by, or one after a backward"
    goal = z3.And(between, z3.substitute(known, *zip(state, later, strict=True)))
    return Statement("neighbours", says, (known,), goal)


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
