"""Delays of an order by stamps where a stage updates after every K gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import sympy
import z3

from schedules.closed_forms.affine import Affine, Piece, Piecewise
from schedules.closed_forms.fit import fit
from schedules.families.family import Family
from schedules.linearization import get_linearization
from theory.laws.delays.pace import Pace
from theory.laws.delays.windows import BEGUN, COUNTED, Windows, by_windows
from theory.laws.exact_starts import Exact
from theory.laws.proved_delays import NO_FORMS, StepDelays
from theory.laws.static_orders.versions import Updates
from theory.laws.step_delays import Known, timed
from theory.laws.timetable_proofs import merged
from theory.laws.timetables import Run
from theory.smt.solver import Statement
from theory.verdicts import Verdict


def window_delays(known: Known, family: Family, updates: Updates, linearization: str) -> StepDelays:
    """Guess the pace and prove it, of a line whose B is not split."""
    older = updates.policy.name == "double-buffer" and updates.at_least_p
    lines, interval = get_linearization(linearization), sympy.Symbol(family.interval, integer=True)
    (exact, proof), pace = timed(known), from_runs(known.runs)
    if exact is None or pace is None:
        return StepDelays(linearization, None, (), NO_FORMS)
    proof.append(merged("delay", COUNTED, [*at_pace(exact, pace), *by_windows(pace, lines)]))
    whole = merged("whole-run", BEGUN, beginning(exact, pace))
    proved = whole.verdict is Verdict.PROVED
    found = Windows(pace, lines, interval, updates.at_least_p, older, proved)
    return StepDelays(linearization, found, (*proof, *[whole] * proved))


def from_runs(runs: Sequence[Run]) -> Pace | None:
    """What fits small runs; None where no form does."""
    tables: dict[str, list[Any]] = {"F": [], "B": []}
    for run in runs:
        at = run.at
        columns = [at.x, at.rank, np.full(at.x.shape, at.p)]
        tables["F"].append(np.stack([*columns, run.starts["F"]])[:, at.x >= at.p])
        tables["B"].append(np.stack([*columns, run.starts["B"]]))
    forms = []
    for rows in tables.values():
        *columns, target = np.concatenate(rows, axis=1)
        form = fit(dict(zip("msp", columns, strict=True)), target, [("m", "s", "p")])
        if form is None or len(form.pieces) != 1:
            return None
        forms.append(form.pieces[0].value)
    forward, backward = forms
    slots = forward.coefficient("m")
    if (backward.coefficient("m"), backward.coefficient("s")) != (slots, -1) or slots < 1:
        return None
    each = Affine((("m", slots),))
    steady = Piecewise((Piece(None, forward.plus(each, -1)),))
    rest = backward.plus(each, -1).plus(Affine((("s", -1),)), -1)
    return Pace(slots, steady, rest, Affine((("p", 1),)))


def at_pace(exact: Exact, pace: Pace) -> Iterator[Statement]:
    """Starts are those of the pace, and a stage has its gradients in the order of microbatches."""
    whole, divide, p = exact.whole, exact.lanes.size.divisions(), exact.lanes.size.p
    one, y = whole.one(z3.IntVal(0), "rank", "x", divide), z3.Int("y")
    begin, end = exact.start("F", one), exact.over(one) - 1
    known, first = whole.known(divide, one), pace.first.at({"p": p})
    says = "from microbatch p on F starts at the pace, and all gradients are there at theirs"
    last = pace.slots * one.x - one.rank + pace.backward.at({"p": p})
    goal = z3.And(end == last, z3.Implies(one.x >= first, begin == pace.start(one.rank, one.x, p)))
    yield Statement("pace", says, known, goal)
    says = "a stage has its gradients in the order of microbatches"
    known = (*whole.known(divide, one), y >= 0, y < one.x)
    yield Statement("in turn", says, known, exact.over(one.number(y)) < exact.over(one))


def beginning(exact: Exact, pace: Pace) -> Iterator[Statement]:
    """An F that does not start at the pace starts before any update, as those of stage 0 do."""
    whole, divide, p = exact.whole, exact.lanes.size.divisions(), exact.lanes.size.p
    one, u, K = whole.one(z3.IntVal(0), "rank", "x", divide), z3.Int("u"), z3.Int("K")
    begin = exact.start("F", one)
    sooner = begin < pace.slots * (K - 1) - u + pace.backward.at({"p": p})
    steady = z3.And(one.rank > 0, begin == pace.start(one.rank, one.x, p))
    known = (*whole.known(divide, one), one.x < pace.first.at({"p": p}), K >= 1, u >= 0, u < p)
    yield Statement("begun", BEGUN, known, z3.Or(steady, sooner))
