"""Delays of a step that one flush ends: where the update of every stage stands in the history.

No forward records an update, as all of them begin before the first; so every entry of a row is
the place of its own update. Where no backward is split and a stage has one copy, B(i + 1, m) ends
before B(i, m) for every m, and updates come from the last stage to the first, whatever the slots
are. Else the slots decide (`theory.laws.exact_starts`). The places are guessed from small runs:
numbers from 0 on, below how many there are, that grow as the ends do are the places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
import sympy
import z3

from schedules.closed_forms.affine import Affine, Piece, Piecewise
from schedules.closed_forms.fit import fit
from schedules.dependencies import MISSING
from schedules.families.family import Family
from schedules.linearization import Linearization, get_linearization
from schedules.rules import GreedyRule
from schedules.schedule import IntArray
from schedules.stamps import LINE, LOOP, OPPOSITE, At, Number, Shape, StampedOrder
from theory.laws.exact_starts import Exact, causes, told_by_number
from theory.laws.proved_delays import NO_FORMS, StepDelays, Values
from theory.laws.stamp_terms import higher, products
from theory.laws.stamped import Lanes
from theory.laws.timetable_guesses import late, timetable
from theory.laws.timetable_proofs import in_time, merged
from theory.laws.timetables import Places as Numbers
from theory.laws.timetables import Run, Start, duration, queues
from theory.smt.solver import Outcome, Statement, Term

_KEPT: Final = "nothing in it starts before what it needs has ended"
_STARTS: Final = "everything starts at 0 or when something ends that it waits for"
_PLACED: Final = "every F begins before the first update, and updates stand where it is said"


@dataclass(frozen=True)
class Known:
    """An order, small runs of it, and a timetable that is proved, with its end."""

    lanes: Lanes
    order: StampedOrder
    runs: Sequence[Run]
    start: Start | None
    end: Term


Track = tuple[int, bool]
"""A lane, and whether a stage is in the first half of its pipeline, where two are opposite."""

_BASES: Final = (("s", "p"), ("s", "m", "p"))
_IN_A_LOOP: Final = (("s", "V"), ("s", "m", "p", "V"))


@dataclass(frozen=True)
class Places:
    """Where the update of a stage stands among those of a step.

    Attributes
    ----------
    shape : Shape
        Of the family's order.
    forms : mapping of Track to Piecewise
        Over the stage s, its rank m, p, and the number of stages V.
    """

    shape: Shape
    forms: Mapping[Track, Piecewise]

    def at(self, at: At) -> Number:
        """Of the stage of a microbatch, for arrays as for solver terms."""
        values, (last, *others) = _values(self.shape, at), reversed([*self.forms.items()])
        found = last[1].at(values, at.choose)
        for track, form in others:
            found = at.choose(_on(self.shape, at, track), form.at(values, at.choose), found)
        return found

    @property
    def count(self) -> sympy.Expr:
        """How many updates a step has."""
        p, chunks = sympy.symbols("p chunks", integer=True)
        return p * self.shape.lanes({"chunks": chunks})

    def to_json(self, chosen: Values) -> dict[str, Any]:
        """As plain data; the places of the updates are all numbers below how many there are."""
        last = self.count.subs(chosen) - 1
        forms = {"max": last, "min": 0 * last, "mean": last / 2, "whole_run_max": last}
        texts = {name: sympy.sstr(sympy.expand(form)) for name, form in forms.items()}
        copies = " of pipeline k" if self.shape.name == OPPOSITE.name else ""
        found = {"delay": self.cases(chosen), "delay_of": f"every microbatch{copies}"}
        return {**found, "equivalent_delay": None, **texts}

    def cases(self, chosen: Values) -> list[dict[str, str]]:
        """As ``{"when", "expr"}`` texts over the stage i, p, parameters and the pipeline k."""
        i, p, k, chunks = sympy.symbols("i p k chunks", integer=True)
        rows = []
        for (lane, near), form in self.forms.items():
            when = list[Any]()
            if self.shape.name == OPPOSITE.name:
                when = [sympy.Eq(k, lane), i < p / 2 if near else i >= p / 2]
            elif len(self.forms) > 1:
                when = [i < p if lane == 0 else i >= p]
            # Other ranks and their stages change places: each is the other's mirror image.
            loop = self.shape.name == LOOP.name
            rank = sympy.Mod(i, p) if loop else self.shape.stage(lane, i, p, _choose)
            stages = self.shape.stages(p, {"chunks": chunks})
            values = {"s": i, "m": rank, "p": p, "V": stages}
            for piece in form.pieces:
                guard = [] if piece.guard is None else [piece.guard.at(values) >= 0]
                rows.append((sympy.And(*when, *guard), piece.value.at(values)))
                when += map(sympy.Not, guard)
        texts = (map(sympy.sstr, (sympy.sympify(one).subs(chosen) for one in row)) for row in rows)
        return [dict(zip(("when", "expr"), row, strict=True)) for row in texts]


def _choose(test: bool, yes: Number, no: Number) -> Number:
    return yes if test else no


def _values(shape: Shape, at: At) -> dict[str, Number]:
    stages = shape.stages(at.p, at.values)
    return {"s": at.stage, "m": at.rank, "p": at.p, "M": 0 * at.p, "V": stages}


def _on(shape: Shape, at: At, track: Track) -> Any:
    lane, near = track
    if shape.name != OPPOSITE.name:
        return at.lane == lane
    half = 2 * at.stage < at.p
    there, half = at.lane == lane, half if near else 2 * at.stage >= at.p
    return z3.And(there, half) if z3.is_expr(half) else there & half


def backwards(shape: Shape, linearization: str) -> StepDelays:
    """From the last stage to the first: one copy a stage, and no backward split."""
    form = Affine((("V", 1), ("s", -1)), -1)
    places = Places(shape, {(0, True): Piecewise((Piece(None, form),))})
    return StepDelays(linearization, places, (merged("delay", _PLACED, by_causes()),))


def of_a_flush(family: Family, linearization: str) -> StepDelays | None:
    """Delays of a rule with one stage a rank, at every size that it has, whatever its slots are.

    None where slots decide, or no flush ends a step.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> of_a_flush(get_family("pipedream"), "ascending") is None
    True
    >>> found = of_a_flush(get_family("1f1b"), "ascending")
    >>> found and found.to_json()["delay"]
    [{'when': 'True', 'expr': '-i + p - 1'}]
    """
    rule = family.rule
    whole = isinstance(rule, GreedyRule) or (
        isinstance(rule, StampedOrder)
        and rule.shape.name == LINE.name
        and not (rule.weight or rule.beside or rule.overlap)
    )
    if not (whole and family.generated and family.policy.name == "flush"):
        return None
    return backwards(LINE, linearization)


def from_runs(
    order: StampedOrder, runs: Sequence[Run], linearization: Linearization
) -> Places | None:
    """Places that fit small runs; None where no form does."""
    loop = order.shape.name == LOOP.name
    lanes = 1 if loop else order.shape.lanes({})
    halves = (True, False) if order.shape.name == OPPOSITE.name else (True,)
    tables = [_table(order, run, linearization) for run in runs]
    forms: dict[Track, Piecewise] = {}
    for track in product(range(lanes), halves):
        parts = []
        for at, place in tables:
            own = np.broadcast_to(loop | np.asarray(_on(order.shape, at, track)), place.shape)
            values = [
                np.broadcast_to(one, place.shape) for one in _values(order.shape, at).values()
            ]
            parts.append(np.stack([*values, place])[:, own])
        *columns, place = np.concatenate(parts, axis=1)
        named = dict(zip("smpMV" if loop else "smp", columns, strict=False))
        form = fit(named, place, _IN_A_LOOP if loop else _BASES)
        if form is None:
            return None
        forms[track] = form
    return Places(order.shape, forms)


def _table(order: StampedOrder, run: Run, linearization: Linearization) -> tuple[At, IntArray]:
    """One row a stage of a pipeline, and where its update stands."""
    at, over = run.at, run.starts["B"] + duration(order, "B", run.at)
    if "W" in run.starts:
        over = np.where(run.starts["W"] == MISSING, over, run.starts["W"] + 1)
    first = np.flatnonzero(at.x == 0)
    lane, rank, stage = (one[first] for one in (at.lane, at.rank, at.stage))
    ends = over.reshape(len(first), -1).max(axis=1)
    place = np.empty(len(first), dtype=np.int64)
    place[np.lexsort((rank, _passed(stage, linearization), ends))] = np.arange(len(first))
    return At(at.p, at.M, at.values, lane, rank, stage, 0 * lane, at.choose, at.divide), place


def _passed(stage: Number, linearization: Linearization) -> Number:
    return stage if linearization.ascending else -stage


def step_delays(known: Known, linearization: str) -> StepDelays:
    """Guess the places of updates and prove them, of an order whose stamps are proved causal."""
    order, runs = known.order, known.runs
    if order.weight is None and order.shape.pipelines == "one":
        return backwards(order.shape, linearization)
    lines = get_linearization(linearization)
    if not lines.backward_counts:
        why = "places are proved where a backward counts the updates of its slot"
        return StepDelays(linearization, None, (), why)
    if not told_by_number(order, runs[0].at):
        why = "some backwards of a loop are split, and numbers in its queue do not tell which"
        return StepDelays(linearization, None, (), why)
    places, (exact, proof) = from_runs(order, runs, lines), timed(known)
    if exact is None or places is None:
        return StepDelays(linearization, None, (), NO_FORMS)
    proof.append(merged("delay", _PLACED, by_slots(exact, places, lines)))
    return StepDelays(linearization, places, tuple(proof))


def timed(known: Known) -> tuple[Exact | None, list[Outcome]]:
    """A timetable that is what every run does, and its proof; None where none fits small runs."""
    lanes, order, runs = known.lanes, known.order, known.runs
    rows, start, proof = queues(order, runs), known.start, list[Outcome]()
    if start is not None and late(order, runs, start):
        start = timetable(order, runs, [run.length for run in runs], exact=True)
        proof += [merged("timetable", _KEPT, in_time(lanes, start, known.end))] if start else []
    if start is None or rows is None:
        return None, []
    numbers = Numbers(order, rows)
    exact = Exact(lanes, (start,), numbers, causes(numbers, [(run,) for run in runs]))
    return exact, [*proof, merged("start times", _STARTS, exact.statements())]


def by_causes() -> Iterator[Statement]:
    """One copy a stage, no backward split: ends fall from stage to stage, whatever slots are."""
    end, after, last, later, u, i = z3.Ints("end after last later u i")
    says = "where the last B of stage u + 1 has ended, that of stage u has not"
    known = (later == after, end >= after + 1, last >= end)
    yield Statement("falls", says, known, last >= later + 1)
    middle = z3.Int("middle")
    says = "so updates of stages u < i come later, by induction on i − u"
    known = (u < i, middle >= later + (i - u - 1), last >= middle + 1)
    yield Statement("place", says, known, last >= later + (i - u))
    begin, final, back = z3.Ints("begin final back")
    says = "every F begins before the last stage's of its microbatch has ended, so before its B"
    known = (begin <= final, final + 1 <= back, back + 1 <= last)
    yield Statement("begun", says, known, begin < last - 1)


def by_slots(exact: Exact, places: Places, linearization: Linearization) -> Iterator[Statement]:
    """Updates stand where it is said, and no forward records one."""
    whole, each = exact.whole, list(exact.lanes.each())
    shape, size = exact.lanes.order.shape, exact.lanes.size
    count = shape.stages(size.p, size.values) * (2 if shape.pipelines == "lanes" else 1)
    for (number, lane), (second, twin) in product(enumerate(each), repeat=2):
        divide = size.divisions()
        second_lane = twin if z3.is_int_value(twin) else z3.Int("lane_2")
        one = whole.one(lane, "rank", "x", divide)
        two = whole.one(second_lane, "rank_2", "y", divide)
        ends, stands = [exact.end(at) for at in (one, two)], [places.at(at) for at in (one, two)]
        keys = [
            (end, _passed(at.stage, linearization), at.rank)
            for end, at in zip(ends, (one, two), strict=True)
        ]
        same = z3.And(one.lane == two.lane, one.rank == two.rank)
        goal = z3.And(
            higher(*keys) == (stands[0] > stands[1]),
            z3.Implies(stands[0] == stands[1], same),
            *(z3.And(place >= 0, place < count) for place in stands),
            exact.over(one) <= ends[0],
            exact.start("F", one) < ends[1] - 1,
        )
        known = whole.known(divide, one, two)
        if shape.name == LOOP.name:
            known += tuple(products([one.lane, two.lane, z3.IntVal(0)], size.p))
        says = "updates stand where it is said, and every F begins before the first"
        yield Statement(f"place {number}, {second}", says, known, goal)
