"""Delays where every rank is a worker with all layers, and none waits for another.

An action starts at the slot with the number of computations that stand before it, and an update
stands in the last slot before it. The update of layer i with the gradient of iteration t, of worker
w, is number p·(L·t + a(i)) + w of the history, for L layers, and F of layer j counts
p·(L·(t − 1) + c(j)) of them; in the last iteration all is updated at once. What a, c and the slots
are, is guessed from one worker's runs and proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement, product
from typing import Any, Final

import numpy as np
import sympy
import z3

from schedules.actions import Kind
from schedules.closed_forms.affine import ONE, Affine, Piecewise
from schedules.closed_forms.fit import fit
from schedules.delays import history, next_update
from schedules.errors import ParameterError
from schedules.families.family import Family
from schedules.linearization import Linearization, get_linearization
from schedules.schedule import IntArray
from schedules.stamps import At
from schedules.timeline import Timeline, timeline
from schedules.versions import complete_tables, update_after
from theory.laws.delays.guarded_sums import border, decided, one_polynomial, summed
from theory.laws.proved_delays import NO_FORMS, StepDelays, Values
from theory.laws.stamp_terms import higher, neighbours, products
from theory.laws.stamped import Lanes
from theory.laws.timetable_proofs import Symbolic, merged
from theory.laws.timetables import KINDS, stamp
from theory.smt.solver import Statement, Term

_ITERATIONS: Final = 4
"""Of a run that is guessed from; the first and the last are unlike the others."""

_LAYERS: Final = range(1, 8)

_BASES: Final = (("s", "m"), ("s", "m", "p"))

_COUNTED: Final = "updates stand where it is said, and every F counts those in front of it"


@dataclass(frozen=True)
class Workers:
    """Delays of the gradients of every iteration but the first and the last.

    Attributes
    ----------
    forms : mapping of str to Piecewise
        Over the layer s, layers m and the other parameter p: slots of F, B (of I), W in an
        iteration, of the update U in the next one; a and c.
    other : str
        Name of the parameter p, ``"layers"`` where there is none.
    workers_count : bool
        Whether a gradient counts the updates of its slot, also those of workers before its own.
    """

    forms: Mapping[str, Piecewise]
    other: str
    workers_count: bool

    def at(self, name: str, at: At) -> Term:
        """A form for a solver."""
        sizes = {"m": at.values["layers"], "p": at.values[self.other]}
        return self.forms[name].at({"s": at.lane, **sizes}, z3.If) + z3.IntVal(0)

    def to_json(self, chosen: Values) -> dict[str, Any]:
        """As plain data."""
        p, w, L = sympy.symbols("p w layers", integer=True)
        own = w * int(self.workers_count)
        mine, theirs = (self._cases(name, stage) for name, stage in (("a", "i"), ("c", "j")))
        cases = [
            (sympy.And(here, there), p * (L + a - c) + own)
            for (here, a), (there, c) in product(mine, theirs)
        ]
        first, last = (self._counted_at(layer) for layer in (0, L - 1))
        mean = p * (L + (L - 1) / sympy.Integer(2) - self._counted() / L)
        workers = (p - 1) * int(self.workers_count)
        forms = {
            "max": p * (2 * L - 1 - first) + workers,
            "min": p * (L - last),
            "mean": mean + workers / sympy.Integer(2),
        }
        texts = {name: sympy.sstr(sympy.expand(one.subs(chosen))) for name, one in forms.items()}
        once = sympy.Symbol("M", integer=True) < 2 * p
        # Behind the first iteration all have the same largest delay, but those of one slot alone.
        whole = sympy.Piecewise((p * L - p + workers, once), (sympy.expand(forms["max"]), True))
        whole = sympy.piecewise_fold(whole.subs(chosen))
        rows = [[sympy.sstr(one.subs(chosen)) for one in case] for case in cases]
        delay = [dict(zip(("when", "expr"), row, strict=True)) for row in rows if row[0] != "False"]
        of = "layer i, in every iteration but the first and the last"
        return {
            "delay": delay,
            "delay_of": f"worker w, {of}" if self.workers_count else of,
            "equivalent_delay": None,
            "whole_run_max": sympy.sstr(whole) if self.workers_count else None,
            **texts,
        }

    def _cases(self, name: str, stage: str) -> list[tuple[Any, Any]]:
        return self._read(self.forms[name], stage)

    def _read(self, form: Piecewise, stage: str) -> list[tuple[Any, Any]]:
        """As sympy reads it."""
        names = {"s": stage, "m": "layers", "p": self.other}
        symbols = {name: sympy.Symbol(name, integer=True) for name in names.values()}
        read = partial(sympy.sympify, locals=symbols)
        return [(read(one["when"]), read(one["expr"])) for one in form.renamed(names).described()]

    def _counted_at(self, layer: Any) -> sympy.Expr:
        """What F of a layer counts; no F of a layer behind counts less."""
        cases = [(form, when) for when, form in self._cases("c", "j")]
        return sympy.Piecewise(*cases).subs(sympy.Symbol("j", integer=True), layer)

    def _counted(self) -> sympy.Expr:
        """The sum over all layers."""
        layers, other = sympy.symbols(["layers", self.other], integer=True)
        named = dict(zip(sympy.symbols("r p"), (layers, other), strict=True))
        forms = [one.as_expr().subs(named) for one in _sums(self.forms["c"])]
        if forms[0].subs(other, 0) == forms[1].subs(other, 0):
            return forms[1]
        return sympy.Piecewise((forms[0], sympy.Eq(other, 0)), (forms[1], True))


def worker_delays(lanes: Lanes, family: Family, linearization: str) -> StepDelays:
    """Guess slots, places and counts, and prove them."""
    lines = get_linearization(linearization)
    found = from_runs(family, lines)
    if found is None:
        return StepDelays(linearization, None, (), NO_FORMS)
    proof = merged("delay", _COUNTED, by_iterations(lanes, found, lines))
    return StepDelays(linearization, found, (proof,))


def from_runs(family: Family, lines: Linearization) -> Workers | None:
    """What fits runs of one worker; None where no form does."""
    others = [one.name for one in family.parameters if one.name != "layers"]
    if len(others) > 1:
        return None
    other = others[0] if others else "layers"
    tables: dict[str, list[IntArray]] = {}
    for layers, value in product(_LAYERS, (0, *_LAYERS)):
        given = {"layers": layers} | ({other: value} if others else {})
        try:
            rows = _rows(family, given, lines)
        except ParameterError:
            continue
        sizes = [np.arange(layers), np.full(layers, layers), np.full(layers, given[other])]
        for name, row in rows.items():
            tables.setdefault(name, []).append(np.stack([*sizes, row]))
    forms = {name: _fitted(np.concatenate(rows, axis=1)) for name, rows in tables.items()}
    known = {name: form for name, form in forms.items() if form is not None}
    if len(known) < len(forms):
        return None
    return Workers(known, other, lines.backward_counts)


def _fitted(table: IntArray) -> Piecewise | None:
    *columns, target = table
    return fit(dict(zip("smp", columns, strict=True)), target, _BASES)


def _rows(family: Family, given: Mapping[str, int], lines: Linearization) -> dict[str, IntArray]:
    """The forms at every layer, from the second iteration of a run."""
    line = timeline(family.build(1, _ITERATIONS, **given))
    past, tables, updates = history(line, lines), complete_tables(line.schedule), _updates(line)
    L = given["layers"]
    slot = (line.end[updates] - 1)[next_update(line.schedule, updates, tables.gradient)]
    starts = (tables.forward, tables.backward, tables.gradient)
    rows = {kind: line.start[of][:, 1] - 3 * L for kind, of in zip(KINDS, starts, strict=True)}
    return rows | {
        "U": slot[:, 1] - 6 * L,
        "a": past.position[:, 1] - L,
        "c": past.recorded[:, 1],
    }


def _updates(line: Timeline) -> IntArray:
    return np.flatnonzero(update_after(line.schedule))


def _sums(counted: Piecewise) -> list[Any]:
    """Σ over layers x of c, for r layers and the other parameter p: for p = 0, and for p ≥ 1.

    Raises
    ------
    UnsupportedFormError
        One of both is no polynomial.
    """
    x, r, p = (Affine(((name, 1),)) for name in "xrp")
    layers = frozenset(map(border, (x, r.plus(x, -1).plus(ONE, -1))))
    terms = decided(counted.renamed({"s": "x", "m": "r"}), layers)
    inside = {*map(border, (r.plus(ONE, -1), p, r.plus(p, -1)))}
    domains = (frozenset({*inside, border(one)}) for one in (p.plus(p, -2), p.plus(ONE, -1)))
    return [one_polynomial(summed(terms, "x", domain), domain) for domain in domains]


@dataclass(frozen=True)
class _Symbolic:
    """What is asked of an order by iterations."""

    lanes: Lanes
    found: Workers
    lines: Linearization

    def two(self) -> tuple[At, At, tuple[Term, ...]]:
        """Two numbers of two layers of two workers, and what is known of them."""
        whole, divide = Symbolic(self.lanes), self.lanes.size.divisions()
        one = whole.one(z3.Int("lane"), "rank", "x", divide)
        other = whole.one(z3.Int("lane_2"), "rank_2", "y", divide)
        times = [one.x, other.x, self.times(one), z3.IntVal(0), z3.IntVal(1)]
        L = one.values["layers"]
        facts = (*products(times, L), *neighbours(times, L))
        return one, other, (*whole.known(divide, one, other), *facts)

    def times(self, at: At) -> Term:
        """How many iterations there are."""
        return self.lanes.order.shape.microbatches(at)

    def slot(self, kind: str, at: At) -> Term:
        """Of a computation, or of the update with a gradient."""
        number, L = self.found.at(kind, at), at.values["layers"]
        if kind != "U":
            return 3 * (at.x * L) + number
        return z3.If(
            at.x + 1 == self.times(at), 3 * (self.times(at) * L) - 1, 3 * (at.x * L + L) + number
        )

    def block(self, at: At) -> Term:
        """The place of an update among those of its worker."""
        L = at.values["layers"]
        final = at.lane if self.lines.ascending else L - 1 - at.lane
        return at.x * L + z3.If(at.x + 1 == self.times(at), final, self.found.at("a", at))


def by_iterations(lanes: Lanes, found: Workers, lines: Linearization) -> Iterator[Statement]:
    """Slots, places and counts are what is said."""
    of, order = _Symbolic(lanes, found, lines), lanes.order
    one, two, known = of.two()
    L, last = one.values["layers"], one.x + 1 == of.times(one)
    own = (*known, one.rank == two.rank)
    for kind, other in combinations_with_replacement(KINDS, 2):
        stamps = stamp(order, kind, one), stamp(order, other, two)
        slots = of.slot(kind, one), of.slot(other, two)
        same = z3.And(one.x == two.x, one.lane == two.lane) if kind == other else z3.BoolVal(False)
        goal = z3.And(
            higher(*stamps) == (slots[0] > slots[1]),
            z3.Implies(slots[0] == slots[1], same),
            slots[0] >= 0,
            slots[0] < 3 * (of.times(one) * L),
        )
        says = "a computation stands behind as many as its slot says"
        yield Statement(f"slot {kind} {other}", says, own, goal)
    update = order.beside[Kind.U](one)
    for kind in KINDS:
        goal = higher(update, stamp(order, kind, two)) == (of.slot(kind, two) <= of.slot("U", one))
        says = "an update stands behind the computation of its slot, and in front of the next"
        yield Statement(f"slot U {kind}", says, own, goal)
    keys = [
        (of.slot("U", at), at.lane if lines.ascending else -at.lane, at.rank) for at in (one, two)
    ]
    blocks = [(of.block(at), at.rank) for at in (one, two)]
    same = z3.And(one.x == two.x, one.lane == two.lane)
    goal = z3.And(
        higher(*keys) == higher(*blocks),
        z3.Implies(blocks[0][0] == blocks[1][0], same),
        *(blocks[0][0] >= one.x * L, blocks[0][0] < one.x * L + L),
        True
        if found.workers_count
        else z3.Implies(z3.Not(last), (keys[0][0] > keys[1][0]) == (blocks[0][0] > blocks[1][0])),
    )
    yield Statement("place", "updates stand where it is said", known, goal)
    begin, slot = of.slot("F", one), of.slot("U", two)
    counts = lines.counted(two.lane, one.lane, by_forward=True)
    seen = z3.Or(slot < begin, z3.And(slot == begin, counts))
    recorded = z3.If(one.x >= 1, one.x * L - L + found.at("c", one), 0)
    goal = z3.And(seen == (of.block(two) < recorded), recorded >= 0, recorded <= one.x * L)
    yield Statement("recorded", "forwards count the updates in front of a place", known, goal)
    some = (*known, one.lane <= two.lane)
    goal = found.at("c", one) <= found.at("c", two)
    yield Statement("least", "an F counts no less than those of layers before it", some, goal)
