"""Induction on slots: a greedy rule picks in slot t exactly the actions whose formula is t.

The hypothesis for slot t says that exactly the actions with a formula below t have run, and in
slot t itself those of earlier stages with the formula t. It fixes the next forward a and the
next backward b of a stage, and with them everything that the rule looks at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import z3

from schedules.actions import Kind
from schedules.closed_forms.affine import LET_IN
from schedules.closed_forms.let_in import Part
from schedules.errors import FamilyFileError
from schedules.rules import GreedyRule
from theory.errors import UnsupportedFormError
from theory.laws.delays.domains import (
    Admission,
    InFlight,
    a_microbatch,
    a_stage,
    domain,
    product_facts,
    products_in_order,
)
from theory.laws.delays.symbols import Microbatch, Size, Times
from theory.laws.stamp_terms import bound, reading
from theory.smt.solver import Outcome, Statement, Term, decide
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Clause:
    """A preference of the rule and whether it ever decides between two ready kinds.

    Attributes
    ----------
    when : str
        ``"before the first B"``, ``"after B"`` or ``"after F"``.
    prefers : str
        F or B.
    decides : bool or None
        None if undecided.
    """

    when: str
    prefers: str
    decides: bool | None


@dataclass(frozen=True)
class _Slot:
    """What stage s sees when it chooses in slot t."""

    hypotheses: tuple[Term, ...]
    forward_ready: Term
    backward_ready: Term
    no_backward_yet: Term
    last_was_forward: Term
    forward_due: Term
    backward_due: Term


def greedy_statements(
    rule: GreedyRule, admission: Admission, times: Times, in_flight: InFlight = None
) -> list[Statement]:
    """The step of the induction, and that the bounds hold."""
    rule, admission, in_flight = _read(rule, admission, in_flight)
    slot = _slot(rule, admission, times, in_flight)
    prefers_forward = z3.If(
        slot.no_backward_yet,
        z3.BoolVal(rule.prefer_first is Kind.F),
        z3.If(
            slot.last_was_forward,
            z3.BoolVal(rule.prefer_after[Kind.F] is Kind.F),
            z3.BoolVal(rule.prefer_after[Kind.B] is Kind.F),
        ),
    )
    runs_forward = z3.And(slot.forward_ready, z3.Or(z3.Not(slot.backward_ready), prefers_forward))
    runs_backward = z3.And(slot.backward_ready, z3.Not(runs_forward))
    step = Statement(
        "slot-induction",
        "if exactly the actions with a formula below t have run, the rule picks in slot t "
        "exactly those whose formula is t",
        slot.hypotheses,
        z3.And(runs_forward == slot.forward_due, runs_backward == slot.backward_due),
    )
    size, known = times.size, _known(times.size, admission, in_flight)
    statements = [*_let_in(size, admission, in_flight), step]
    if admission is not None:
        at_zero = z3.IntVal(0)
        says = "no forward at stage 0 exceeds the bound on active microbatches"
        statements.append(_bounded("admission", says, at_zero, admission(size.p), times, known))
    if in_flight is not None:
        s = z3.Int("s")
        says = "no forward exceeds the bound on microbatches in flight at its stage"
        statements.append(_bounded("in-flight rule", says, s, in_flight(s, size.p), times, known))
    return statements


def prove_part(admission: Admission, part: Part) -> Outcome:
    """That a bound on active microbatches is a form where p leaves a rest."""
    assert admission is not None
    p = z3.Int("p")
    known = (p >= part.least, p % part.modulus == part.rest)
    says = f"the bound is {part.form} for {part}"
    try:
        rest = part.form.form.at({"p": p}) - part.form.divisor * bound(admission)(p)
        goal = z3.And(rest >= 0, rest < part.form.divisor)
        return decide(Statement("part", says, known, goal))
    except (FamilyFileError, UnsupportedFormError) as error:
        why = f"the bound is not written for symbols ({error.where}: {error.what})"
        return Outcome("part", says, Verdict.UNKNOWN, {}, why, 0)


def rule_clauses(
    rule: GreedyRule, admission: Admission, times: Times, in_flight: InFlight = None
) -> tuple[Clause, ...]:
    """Which preferences of the rule ever decide, for any p, M, stage and slot.

    A preference that never decides can be changed without changing the schedule.
    """
    rule, admission, in_flight = _read(rule, admission, in_flight)
    slot = _slot(rule, admission, times, in_flight)
    after = z3.Not(slot.no_backward_yet)
    conditions = (
        ("before the first B", rule.prefer_first, slot.no_backward_yet),
        ("after B", rule.prefer_after[Kind.B], z3.And(after, z3.Not(slot.last_was_forward))),
        ("after F", rule.prefer_after[Kind.F], z3.And(after, slot.last_was_forward)),
    )
    return tuple(
        Clause(when, kind.name, _decides(slot, when, condition))
        for when, kind, condition in conditions
    )


def _first_bound(size: Size, admission: Admission, in_flight: InFlight) -> Term:
    """How many microbatches are let in at stage 0, as the rule says it."""
    bounds = [] if admission is None else [admission(size.p)]
    bounds += [] if in_flight is None else [in_flight(z3.IntVal(0), size.p)]
    first, *others = bounds  # rounds of N are guessed of rules with a bound
    return z3.If(others[0] < first, others[0], first) if others else first


def _let_in(size: Size, admission: Admission, in_flight: InFlight) -> list[Statement]:
    """That N is the quotient that it is printed as, and below p, or from p on."""
    if size.let_in is None:
        return []
    N, d = _first_bound(size, admission, in_flight), size.let_in.divisor
    form = size.let_in.form.at({"p": size.p})
    few = size.many is None
    many = "at least one and fewer than p" if few else "p or more"
    says = f"N = {size.let_in} microbatches are let in, {many}"
    limits = z3.And(N >= 1, size.p > N) if few else size.p <= N
    goal = z3.And(d * N <= form, form < d * N + d, limits)
    return [Statement("let-in", says, (size.p >= size.least,), goal)]


def _known(size: Size, admission: Admission, in_flight: InFlight) -> tuple[Term, ...]:
    """The domain, and what N is."""
    if size.let_in is None:
        return domain(size)
    return (*domain(size), z3.Int(LET_IN) == _first_bound(size, admission, in_flight))


def _read(
    rule: GreedyRule, admission: Admission, in_flight: InFlight
) -> tuple[GreedyRule, Admission, InFlight]:
    """Functions of numbers as functions of terms."""
    finished = reading(rule.finished)

    def compared(ended: Term, slot: Term) -> Any:
        found = finished(ended, slot)
        if not (type(found) is bool or z3.is_bool(found)):
            raise UnsupportedFormError(
                f"`finished` compares two slots, found {found}", "rule", "write operator.lt"
            )
        return found

    read = replace(rule, finished=compared)
    return read, admission and bound(admission), in_flight and bound(in_flight)


def _decides(slot: _Slot, when: str, condition: Term) -> bool | None:
    both = z3.And(slot.forward_ready, slot.backward_ready)
    never = decide(Statement(when, "never decides", (*slot.hypotheses, condition), z3.Not(both)))
    return {Verdict.PROVED: False, Verdict.REFUTED: True}.get(never.verdict)


def _slot(
    rule: GreedyRule, admission: Admission, times: Times, in_flight: InFlight = None
) -> _Slot:
    size, s, t = times.size, z3.Int("s"), z3.Int("t")
    a, b = Microbatch.named("a"), Microbatch.named("b")
    forward, backward, count = times.forward, times.backward, size.microbatches

    def next_is(index: Microbatch, time: Callable[[Term, Microbatch], Term]) -> Term:
        """Before slot t exactly the microbatches below `index` have run."""
        return z3.And(
            index.index >= 0,
            index.index <= count,
            z3.Implies(index.index > 0, time(s, size.shift(index, -1)) < t),
            z3.Implies(index.index < count, time(s, index) >= t),
        )

    def done(time: Term, stage: Term) -> Term:
        """The action is recorded when stage s chooses in slot t, and counts as finished."""
        recorded = z3.Or(time < t, z3.And(time == t, stage < s))
        return z3.And(recorded, rule.finished(time, t))

    admitted: Term = z3.BoolVal(True)
    if admission is not None:
        admitted = a.index - b.index < admission(size.p)
    room: Term = z3.BoolVal(True)
    if in_flight is not None:
        room = a.index - b.index < in_flight(s, size.p)
    return _Slot(
        hypotheses=(
            *_known(size, admission, in_flight),
            a_stage(size, s),
            t >= 0,
            next_is(a, forward),
            next_is(b, backward),
            *product_facts(size, a),
            *product_facts(size, b),
            *products_in_order(size, a, b),
        ),
        forward_ready=z3.And(
            a.index < count, room, z3.If(s == 0, admitted, done(forward(s - 1, a), s - 1))
        ),
        backward_ready=z3.And(
            b.index < count,
            done(forward(s, b), s),
            z3.Or(s == size.p - 1, done(backward(s + 1, b), s + 1)),
        ),
        no_backward_yet=b.index == 0,
        last_was_forward=z3.And(
            a.index > 0, forward(s, size.shift(a, -1)) > backward(s, size.shift(b, -1))
        ),
        forward_due=z3.And(a.index < count, forward(s, a) == t),
        backward_due=z3.And(b.index < count, backward(s, b) == t),
    )


def _bounded(
    name: str, says: str, stage: Term, bound: Term, times: Times, known: tuple[Term, ...]
) -> Statement:
    """When F(stage, m) starts, fewer microbatches than the bound are past it and not their B."""
    size, m, done = times.size, Microbatch.named("m"), Microbatch.named("n")
    start = times.forward(stage, m)
    return Statement(
        name,
        says,
        (
            *known,
            a_stage(size, stage),
            a_microbatch(size, m),
            done.index >= 0,
            done.index <= m.index,
            *product_facts(size, done),
            *products_in_order(size, m, done),
            z3.Implies(done.index > 0, times.backward(stage, size.shift(done, -1)) < start),
            times.backward(stage, done) >= start,
        ),
        m.index - done.index < bound,
    )
