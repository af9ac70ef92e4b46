"""Invariants of an order whose start times multiply p and m, from what is proved of these.

It is that of a greedy rule, or one by stamps that do not grow along what computations need. As
stamps such start times are too hard for the queries of `theory.laws.stamped`. Their own proof
says of all sizes what most invariants need: every need is met in an earlier slot, a stage does one
action a slot, and forwards and backwards come in microbatch order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import sympy
import z3

from schedules.closed_forms.affine import LET_IN, Piecewise
from schedules.closed_forms.let_in import Part
from schedules.families.family import Family
from schedules.policies import WeightPolicy
from theory.laws.delays.domains import a_microbatch, a_stage, domain, many_let_in
from theory.laws.delays.let_in import held, stale
from theory.laws.delays.shape import as_expression, held_in_small_runs, prove_in_flight
from theory.laws.delays.staleness import largest_in_small_runs, prove_largest
from theory.laws.delays.symbols import Microbatch, Times, affine_term
from theory.laws.own_orders import (
    Invariant,
    Row,
    beside_runs,
    small_runs,
    subject_of_order,
    whole,
)
from theory.laws.stamped import Lanes
from theory.laws.stamped_families import COLUMNS
from theory.laws.static_orders.order import of_stamps
from theory.laws.static_orders.slots import Law, played
from theory.laws.static_orders.symbols import M, p, s
from theory.laws.static_orders.versions import Updates, applied_once
from theory.smt.solver import Outcome, Statement, decide, merge, undecided
from theory.verdicts import Verdict, weakest

NEWEST: Final = ("stash", "latest", "predict")
"""Policies under which a forward reads the newest version of its stage."""

LATER: Final = 3
"""How many least p are tried."""


def row_of_slots(family: Family, law: Law) -> Row:
    """The seven invariants of a rule, from its start times, which are proved.

    Parameters
    ----------
    family : Family
        With a greedy rule, or stamps without parameters.
    law : Law

    Examples
    --------
    >>> from schedules.families import get_family
    >>> from theory.laws.static_orders.slots import law
    >>> family = get_family("pipedream")
    >>> {one.outcome.verdict.name for one in row_of_slots(family, law("pipedream")).invariants}
    {'PROVED'}
    """
    first = law.times.size.least
    rows = (_row(family, law, least) for least in range(first, first + LATER))
    return max(rows, key=lambda row: row.proofs)


def in_parts(rows: Sequence[tuple[Part, Row]]) -> Row:
    """What holds of a rule whose bound has a form only where p leaves a rest, part by part.

    A row is of the rule that has the form at every p: a counterexample counts where p leaves this
    rest, and the invariant is open where none does.
    """
    if not all(row.domain for _, row in rows):
        return next(row for _, row in rows if not row.domain)
    found = []
    for name in COLUMNS:
        own = [(part, one) for part, row in rows for one in row.invariants if one.name == name]
        own = [(part, _of_part(part, one)) for part, one in own]
        worst = weakest(one.outcome.verdict for _, one in own)
        chosen = next(one for _, one in own if one.outcome.verdict is worst)
        bounds = {part.where: one.bound for part, one in own}
        if len({*bounds.values()}) > 1:
            text = "; ".join(f"{bound} where {where}" for where, bound in bounds.items())
            chosen = replace(chosen, bound=text)
        found.append(chosen)
    return Row("; ".join(part.words(row.domain) for part, row in rows), tuple(found))


def _of_part(part: Part, one: Invariant) -> Invariant:
    refuted = one.outcome.verdict is Verdict.REFUTED
    if not refuted or part.here(one.outcome.witness["p"]):
        return one
    why = f"a rule with this bound at every p breaks it, and where {part} nothing is known"
    return replace(one, outcome=undecided(one.outcome, why))


def _row(family: Family, law: Law, least: int) -> Row:
    """What holds from a least p on."""
    order, found = played(law), []
    runs = small_runs(family, order, least)
    for one in _said(family, law, least):
        cut = one.name == "update-once"  # a window that M cuts short has no update
        own = [run for run in runs if not cut or whole(family, run)]
        found.append(beside_runs(one.name, one.outcome, own, one.bound, family))
    return Row(subject_of_order(family, order, least).words, tuple(found))


def _said(family: Family, law: Law, least: int) -> Iterator[Invariant]:
    policy, times = family.policy, replace(law.times, size=replace(law.times.size, least=least))
    flush, newest = policy.name == "flush", policy.name in NEWEST and policy.interval == 1
    N = times.guess.let_in
    few = None if N is None else held(N, family.in_flight)
    most = few or held_in_small_runs(family, family.admission, least)
    worst = None
    if newest and not times.depends_on_microbatches:
        worst = stale(few) if few else largest_in_small_runs(family, family.admission, least)
    behind: list[Outcome] = []
    if policy.name == "double-buffer" and most is not None:
        behind = [prove_in_flight(times, most), decide(_a_window_behind(times, most, policy))]
    for name in COLUMNS:
        extra, bound, open_ = [], "", False
        if name == "stash":
            kept = policy.name in NEWEST and policy.keeps_forward_version
            open_, extra = not (flush or kept or behind), behind
        elif name == "update-once" and not flush:
            subject = subject_of_order(family, played(law), least)
            order = of_stamps(Lanes(played(law), subject.size))
            extra = [decide(one) for one in applied_once(order, Updates(policy))]
        elif name == "staleness" and flush:
            bound = "0"
        elif name == "staleness" and behind:  # window 0 reads what is there, and 1 the same
            bound, extra = str(sympy.Min(1, sympy.floor(M / policy.interval) - 1)), behind
        elif name == "staleness":
            open_ = worst is None
            if worst is not None:  # before so many forwards the stage has had no update
                bound = _text(worst, times, M - 1)
                extra = [prove_largest(times, worst, per_microbatch=True)]
        elif name == "in-flight":
            open_ = most is None
            if most is not None:
                bound, extra = _text(most, times, M), [prove_in_flight(times, most)]
        outcome = merge(name, COLUMNS[name], [*law.proof, *extra])
        if open_ or not law.proof:
            why = "start times do not say it"
            outcome = Outcome(name, COLUMNS[name], Verdict.UNKNOWN, {}, why, 0, ())
        yield Invariant(name, bound, outcome)


def _a_window_behind(times: Times, most: Piecewise, policy: WeightPolicy) -> Statement:
    """So few are in flight that the gradients of the window before last are applied.

    Before F of x stand n ≥ x − K of its stage's backwards, so ⌊n/K⌋ ≥ ⌊x/K⌋ − 1 updates.
    """
    size, stage, m = times.size, z3.Int("s"), Microbatch.named("m")
    number = many_let_in(replace(size, many=size.let_in))  # what N is, a period too
    return Statement(
        "a window behind",
        "as many are in flight as an update applies, and one more, or fewer",
        (*domain(size), *number, a_stage(size, stage), a_microbatch(size, m)),
        affine_term(most, size.values(stage, m)) <= policy.interval + 1,
    )


def _text(form: Piecewise, times: Times, most: sympy.Expr) -> str:
    """The form, or what M allows."""
    N = times.guess.let_in
    names = {"s": s, "p": p, "M": M, LET_IN: N and N.to_sympy()}
    return str(sympy.Min(as_expression(form, names), most))
