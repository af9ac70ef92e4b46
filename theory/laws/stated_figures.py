"""Figures of an order by stamps, proved by a timetable (`theory.laws.timetables`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Final

import sympy
import z3

from schedules.families import FAMILIES
from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.stamps import LOOP, OPPOSITE, TURNS, WORKERS, At, Number, StampedOrder
from theory.errors import UnsupportedFormError
from theory.laws.delays.built import built
from theory.laws.figure_forms import SYMBOLS, FiguresLaw, Forms, read
from theory.laws.figure_runs import at_size, beside_runs, size_of
from theory.laws.own_orders import subject_of
from theory.laws.proved_delays import StepDelays
from theory.laws.round_delays import by_rounds, of_a_round, round_delays
from theory.laws.stamped import Lanes, Size
from theory.laws.stamped_bounds import BOUND, CHUNKS, ROUNDS, Formulas, as_term
from theory.laws.stamped_families import COLUMNS, STAMPED, Subject, queried
from theory.laws.static_orders.symbols import K, M, p, s
from theory.laws.step_delays import Known, step_delays
from theory.laws.timetable_guesses import numbers, reached, timetable
from theory.laws.timetable_proofs import (
    kept,
    merged,
    queue_of_workers,
    statements,
    unhindered,
    unproved,
)
from theory.laws.timetables import UNIT, Run, Start, at_costs, run_of
from theory.laws.window_delays import window_delays
from theory.laws.worker_delays import worker_delays
from theory.smt.solver import Outcome, Statement, Term
from theory.verdicts import Verdict, weakest

RANKS: Final = range(1, 9)
"""Values of p that a timetable is guessed from, twice as large where p is even."""

_OF_VERSIONS: Final = ("stash", "staleness", "update-once")

_MAKESPAN: Final = "a timetable ends there, and one rank needs so long"

_NO_DELAYS: Final = "they are proved where one flush ends a step, or updates have an interval"

_ROUNDS: Final = "every round is the first one again, when all of the one before is over"

ROUND_COUNT: Final = sympy.ceiling(SYMBOLS["M"] / (SYMBOLS["replicas"] * SYMBOLS["local_steps"]))

_WORK: Final = "every rank works in so many slots"

_ALIKE: Final = "ranks do the same together, so that none waits for another"

PEAK: Final = "every rank r keeps at most its peak of activations, and reaches it"


@dataclass(frozen=True)
class Stated:
    """Figures of an order by stamps, from a least p on."""

    family: Family
    figures: Figures
    forms: Forms
    least: int = 1

    @cached_property
    def order(self) -> StampedOrder:
        """As the family states it."""
        if not isinstance(self.family.rule, StampedOrder):
            raise UnsupportedFormError(
                "figures are proved of orders by stamps and of programs", "FAMILY.rule", "state one"
            )
        return self.family.rule

    @property
    def timed(self) -> StampedOrder:
        """What timetables are of: where ranks wait for all of a round, a round."""
        return of_a_round(self.order) if self.order.shape.name == TURNS.name else self.order

    @cached_property
    def subject(self) -> Subject:
        """Sizes that the family accepts."""
        known, order = FAMILIES.get(self.family.name), self.order
        if known is not None and isinstance(known.rule, StampedOrder):
            same = (known.rule.accept, known.rule.sizes) == (order.accept, order.sizes)
            if same and (known.policy, known.interval) == (
                self.family.policy,
                self.family.interval,
            ):
                return STAMPED[known.name]
        return subject_of(self.family)

    @cached_property
    def lanes(self) -> Lanes:
        """The order at sizes for which the figures are claimed."""
        size = self.subject.size
        if self.order.shape.name == OPPOSITE.name:
            rounds = ((size.M, size.p, factor) for factor, _ in size.factors)
            size = replace(size, whole=(*size.whole, *rounds))
        if self.order.shape.name == TURNS.name:
            size = replace(size, suppose=(*size.suppose, size.values["jobs"] >= size.M))
        where = read(self.figures.where)
        if where == sympy.Eq(sympy.Mod(SYMBOLS["M"], SYMBOLS["p"]), 0):
            p, M = size.p, ROUNDS * size.p
            values = {**size.values, "round_size": p}
            suppose = (p >= 1, ROUNDS >= 1, CHUNKS >= 1)
            size = Size(p, M, suppose, values, whole=((M, p, ROUNDS),), factors=((ROUNDS, p),))
        elif where != sympy.true:
            if not isinstance(where, sympy.Ge):
                raise UnsupportedFormError(
                    f"figures are claimed for all sizes or from one on, found {where}",
                    "FAMILY.figures",
                    "write `where` as 'M >= p', or leave it out",
                )
            least = self.term(where.lhs, size) >= self.term(where.rhs, size)
            size = replace(size, suppose=(*size.suppose, least))
        return Lanes(self.timed, replace(size, suppose=(*size.suppose, size.p >= self.least)))

    def law(self, linearization: str) -> FiguresLaw:
        """What is proved, part by part."""
        flush = self.family.policy.name == "flush"
        if not self._small:
            raise UnsupportedFormError(
                f"figures are claimed where {self.figures.where}, of no small size",
                "FAMILY.figures",
                "claim them for sizes that are run, such as where='M >= p'",
            )
        proof = tuple(beside_runs(one, self._small, self.forms) for one in self._proof())
        claim = Outcome("work", _WORK, Verdict.UNKNOWN, {}, "")  # Proved as a step of the makespan.
        work = beside_runs(claim, self._small, self.forms)
        proof += (work,) if work.verdict is Verdict.REFUTED else ()
        delays = StepDelays(linearization, None, (), _NO_DELAYS)
        if weakest(one.verdict for one in proof) is Verdict.PROVED:
            delays = self._delays(linearization)
        return FiguresLaw(self.family.name, self.domain, self.forms, proof, delays, flush)

    def _delays(self, linearization: str) -> StepDelays:
        if self.order.shape.name == WORKERS.name:
            return worker_delays(self.lanes, self.family, linearization)
        known = Known(self.lanes, self.timed, self._small, self._start, self.end)
        if self.order.shape.name == TURNS.name:
            return round_delays(known, linearization)
        if self.family.policy.name == "flush":
            return step_delays(known, linearization)
        if self.family.interval and self.subject.updates is not None:
            return window_delays(known, self.family, self.subject.updates, linearization)
        return StepDelays(linearization, None, (), _NO_DELAYS)

    @cached_property
    def _small(self) -> list[Run]:
        where = read(self.figures.where)
        claimed = (one for one in self._sizes() if one["p"] >= self.least and at_size(where, one))
        runs = (run_of(self.family, self.timed, one) for one in claimed)
        return [run for run in runs if run is not None]

    @cached_property
    def _start(self) -> Start | None:
        ends = [int(at_size(self.forms.makespan, size_of(run))) for run in self._small]
        return timetable(self.timed, self._small, ends)

    @property
    def domain(self) -> str:
        """The sizes, in words."""
        where = read(self.figures.where)
        if where == sympy.true:
            return self.subject.words
        if self.lanes.size.factors and where.has(sympy.Mod):
            return "p ≥ 1, chunks ≥ 1 and M a multiple of p"
        least = sympy.sstr(where.rhs).replace("*", "").replace("-", "−")
        return f"{self.subject.words}, {where.lhs} ≥ {least}"

    def _proof(self) -> Iterator[Outcome]:
        yield built(self.family)
        interval = self.family.interval
        names = {SYMBOLS["p"]: p, SYMBOLS["M"]: M, SYMBOLS["s"]: s}
        own = sympy.Symbol(interval, integer=True) if interval else K
        late: Formulas = {BOUND: self.forms.staleness.subs(names | {own: K})}
        late = {"K": own, **late} if interval else late
        workers = self.order.shape.name == WORKERS.name
        newest = self.family.policy.name == "latest"  # B uses what it finds, by design
        columns = ["causal", "exclusive", *_OF_VERSIONS[newest:], *["deadlock-free"] * workers]
        for column in columns:
            formulas = late if column == "staleness" else {}
            found = queried(self.order, self.subject, self.family.name, column, formulas)
            yield replace(unproved(found), name=column, says=COLUMNS[column])
        end, work = self.end, self.term(self.forms.work)
        if self.order.shape.name == TURNS.name:
            yield merged("rounds", _ROUNDS, self._rounds())
        if workers:
            yield merged("makespan", _ALIKE, unhindered(self.lanes, end, work))
            yield merged("peak activations", PEAK, self._peak(queue_of_workers, lambda at: 0))
            return
        runs, start = self._small, self._start
        claim = statements(self.lanes, start, end, work) if start else ()
        yield merged("makespan", _MAKESPAN, claim)
        queue, ended = numbers(self.timed, runs), reached(self.timed, runs)
        peaks = self._peak(queue, ended) if queue and ended else ()
        yield merged("peak activations", PEAK, peaks)

    def _peak(self, number: Start, ended: Callable[[At], Number]) -> Iterator[Statement]:
        return kept(self.lanes, number, lambda r: self.term(self.forms.peak, r=r), ended)

    @property
    def end(self) -> Term:
        """The makespan, of one round."""
        return self.term(self.forms.makespan.subs(ROUND_COUNT, 1))

    def _rounds(self) -> Iterator[Statement]:
        """What is said of a run adds up over its rounds, or is that of the fullest."""
        yield from by_rounds(Lanes(self.order, self.subject.size), self.lanes, self.end)
        M, (more, R, others) = SYMBOLS["M"], sympy.symbols("more R others")
        for form in (self.forms.makespan.subs(ROUND_COUNT, R), self.forms.work):
            both = form.subs({M: M + more, R: R + others}, simultaneous=True)
            rest = both - form - form.subs({M: more, R: others}, simultaneous=True)
            adds = z3.BoolVal(sympy.expand(rest) == 0)
            yield Statement("sum", "lengths of rounds add up", (self.subject.size.p >= 1,), adds)
        size, r = self.lanes.size, z3.Int("r")
        full = replace(size, M=size.values["jobs"])
        peaks = [
            self.term(self.forms.peak, one, r=r) for one in (full, replace(size, M=z3.Int("all")))
        ]
        known = (*size.suppose, z3.Int("all") >= full.M)
        says = "no more is kept in a run than in a full round"
        yield Statement("fullest", says, known, peaks[0] == peaks[1])

    def runs(self, costs: Mapping[str, int] = UNIT) -> Iterator[Run]:
        """Small sizes for which the figures are claimed."""
        return (at_costs(self.timed, run, costs) for run in self._small)

    def _sizes(self) -> Iterator[dict[str, int]]:
        if self.order.shape.name == TURNS.name:
            for p, more in product(RANKS, (0, 1, RANKS.stop, 2 * RANKS.stop)):
                for microbatches in (1, p, 2 * p + 1, 4 * p + 3):
                    size = {"p": p, "M": microbatches}
                    yield {**size, "replicas": p + more, "local_steps": microbatches}
            return
        factor = 1 + (self.order.shape.name == OPPOSITE.name)
        free = range(1, 4) if self.order.shape.name == LOOP.name else [0]
        for ranks, chunks in product(RANKS, free):
            stages = factor * ranks
            counts = {1, 2, *(k * stages + more for k in range(1, 6) for more in (-1, 0, 1, 2, 4))}
            for microbatches in sorted(counts - {0}):
                yield {"p": stages, "M": microbatches} | ({"chunks": chunks} if chunks else {})

    def term(self, form: sympy.Expr, size: Size | None = None, **more: Term) -> Term:
        """A formula at these sizes."""
        size = size or self.lanes.size
        known = {**size.values, "p": size.p, "M": size.M, **more}
        form = form.subs({SYMBOLS["p"]: p, SYMBOLS["M"]: M})  # positive
        return as_term(form, self.subject.written, known, size.divisions())
