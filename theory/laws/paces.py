"""Starts that grow by as much with every microbatch, of one pipeline, one stage a rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import z3

from schedules.closed_forms.affine import Affine
from schedules.closed_forms.fit import fit
from theory.laws.exact_starts import Exact
from theory.laws.timetables import Run
from theory.smt.solver import Statement

BEGUN: Final = "an F that starts otherwise counts no update, and those of the first stage do so"


@dataclass(frozen=True)
class Pace:
    """When stages start microbatch m ≥ p, and at which slots gradients are there.

    Attributes
    ----------
    slots : int
        a, of each microbatch.
    forward : Affine
        F of stage s starts at a·m + `forward`, over s and p.
    backward : Affine
        The last slot of B is a·m − s + `backward`, over p.
    """

    slots: int
    forward: Affine
    backward: Affine

    def start(self, s: Any, m: Any, p: Any) -> Any:
        """When F starts."""
        return self.slots * m + self.forward.at({"s": s, "p": p})

    def ahead(self, j: Any, p: Any) -> Any:
        """By how much F of stage j starts behind the end of B of stage 0, of one microbatch."""
        return self.forward.at({"s": j, "p": p}) - self.backward.at({"p": p})


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
    return Pace(
        slots, forward.plus(each, -1), backward.plus(each, -1).plus(Affine((("s", -1),)), -1)
    )


def at_pace(exact: Exact, pace: Pace) -> Iterator[Statement]:
    """Starts are those of the pace, and a stage has its gradients in the order of microbatches."""
    whole, divide, p = exact.whole, exact.lanes.size.divisions(), exact.lanes.size.p
    one, y = whole.one(z3.IntVal(0), "rank", "x", divide), z3.Int("y")
    begin, end = exact.start("F", one), exact.over(one) - 1
    known = whole.known(divide, one)
    says = "from microbatch p on F starts at the pace, and all gradients are there at theirs"
    last = pace.slots * one.x - one.rank + pace.backward.at({"p": p})
    goal = z3.And(end == last, z3.Implies(one.x >= p, begin == pace.start(one.rank, one.x, p)))
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
    known = (*whole.known(divide, one), one.x < p, K >= 1, u >= 0, u < p)
    yield Statement("begun", BEGUN, known, z3.Or(steady, sooner))
