"""Local staleness in closed form: in the steady state, and its maximum over a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import sympy
import z3

from schedules.closed_forms.affine import Piecewise
from schedules.closed_forms.counts import Apart, CountForm, Region
from schedules.closed_forms.fit import fit
from schedules.closed_forms.floor_sums import p_, x_
from schedules.closed_forms.start_times import SAMPLED_STAGES, build_from_rule
from schedules.families.family import Family
from schedules.versions import versions
from theory.laws.delays.counts import equals
from theory.laws.delays.domains import a_microbatch, a_stage, before, domain
from theory.laws.delays.matrix import Columns, Table
from theory.laws.delays.polynomials import floor_on_class
from theory.laws.delays.symbols import Microbatch, Times, affine_term
from theory.smt.solver import Outcome, Statement, Term, decide, merge


@dataclass(frozen=True)
class LocalStaleness:
    """Versions created at a stage between a forward and the update it leads to.

    Attributes
    ----------
    steady : mapping
        By the residues (of p, of the stage): a polynomial in p and ``x``, the stage.
    largest : Piecewise or None
        Maximum over all microbatches, start-up included, in ``s`` and ``p``.
    apart : tuple of Columns
        Stages whose steady value is another one; the first of them that applies is right.
    """

    steady: Table
    largest: Piecewise | None
    apart: tuple[Columns, ...] = ()

    @property
    def columns(self) -> tuple[Columns, ...]:
        """The steady values as a decision list that ends without a guard."""
        return (*self.apart, Columns(None, self.steady))


def guess_staleness(
    family: Family, counts: CountForm, admission: Callable[[int], int] | None
) -> LocalStaleness:
    """Steady value from the counts, largest value from small runs."""
    *apart, rest = (Columns(one.guard, _own(one, counts.period)) for one in counts.forwards())
    return LocalStaleness(rest.recorded, largest_in_small_runs(family, admission), tuple(apart))


def _own(one: Apart, q: int) -> Table:
    """Minus the updates beyond m of their own stage that forwards count."""
    own = one.numerator[Region.AT].renamed({"u": "x"})
    return {
        (a, b): sympy.expand(-floor_on_class(own, q, {"p": a, "x": b}))
        for a, b in product(range(q), repeat=2)
    }


def largest_in_small_runs(
    family: Family,
    admission: Callable[[int], int] | None,
    least: int = SAMPLED_STAGES.start,
) -> Piecewise | None:
    """The largest local staleness of each stage, in closed form."""
    stages: list[int] = []
    sizes: list[int] = []
    values: list[int] = []
    for p in range(least, least + len(SAMPLED_STAGES)):
        schedule = build_from_rule(family, p, 4 * p, admission)
        worst = versions(schedule).local_staleness.max(axis=1)
        stages += range(p)
        sizes += [p] * p
        values += worst.tolist()
    s, p_column = np.array(stages), np.array(sizes)
    columns = {"s": s, "p": p_column, "m": np.zeros_like(s)}
    return fit(columns, np.array(values), [("s", "p")])


def prove_staleness(times: Times, counts: CountForm, claimed: LocalStaleness) -> list[Outcome]:
    """Prove both parts; a missing largest value is UNKNOWN."""
    largest = prove_largest(times, claimed.largest, per_microbatch=counts.per_microbatch)
    return [_steady(counts, claimed), largest]


def prove_largest(times: Times, largest: Piecewise | None, *, per_microbatch: bool) -> Outcome:
    """Prove the largest local staleness of a run, start-up included."""
    if largest is None:
        return merge("largest-staleness", "no closed form was found", [])
    if per_microbatch:
        statements = [_bound(times, largest), _attained(times, largest)]
    else:
        statements = [_constant_in_step(times, largest)]
    says = "largest local staleness of a run, start-up included"
    return merge("largest-staleness", says, [decide(s) for s in statements])


def _steady(counts: CountForm, claimed: LocalStaleness) -> Outcome:
    q = counts.period
    p, x = z3.Ints("p x")
    outcomes = []
    for one, columns in zip(counts.forwards(), claimed.columns, strict=True):
        outcomes += _floors(one.numerator[Region.AT].at({"u": x, "x": x, "p": p}), columns, q)
    return merge("steady-staleness", "local staleness in the steady state", outcomes)


def _floors(numerator: Term, columns: Columns, q: int) -> list[Outcome]:
    """Whether minus a floor is what is claimed, at every stage and so where it is claimed."""
    p, x = z3.Ints("p x")
    outcomes = []
    for a, b in product(range(q), repeat=2):
        form = columns.recorded[a, b]
        value = z3.Int("value")
        outcomes.append(
            decide(
                Statement(
                    f"steady-staleness-{a}{b}",
                    "steady local staleness is minus the floor of the own-stage count",
                    (
                        p >= 2,
                        x >= 0,
                        x < p,
                        p % q == a,
                        x % q == b,
                        equals(value, form, {p_: p, x_: x}),
                    ),
                    z3.And(-value * q <= numerator, numerator < -value * q + q),
                )
            )
        )
    return outcomes


def _bound(times: Times, largest: Piecewise) -> Statement:
    """After F(s, m) at most `largest` of the updates up to that of m are still to come."""
    size, s, m = times.size, z3.Int("s"), Microbatch.named("m")
    worst = affine_term(largest, size.values(s, m))
    earlier, facts = _earlier(times, largest, m, worst)
    return Statement(
        "staleness-bound",
        "update m − w − 1 of a stage precedes its forward of m",
        (*domain(size), a_stage(size, s), a_microbatch(size, m), m.index >= worst + 1, *facts),
        times.backward(s, earlier) < times.forward(s, m),
    )


def _constant_in_step(times: Times, largest: Piecewise) -> Statement:
    """With one update at the end of a step every forward of it precedes that update."""
    size, s, m = times.size, z3.Int("s"), Microbatch.named("m")
    final = Microbatch(size.microbatches - 1, z3.Int("p*(M-1)"))
    return Statement(
        "staleness-flush",
        "no version is created between a forward and the step's update",
        (*domain(size), a_stage(size, s), a_microbatch(size, m)),
        z3.And(
            affine_term(largest, size.values(s, m)) == 0,
            times.forward(s, m) < times.backward(s, final),
        ),
    )


def _earlier(
    times: Times, largest: Piecewise, m: Microbatch, worst: Term
) -> tuple[Microbatch, tuple[Term, ...]]:
    """Microbatch m − w − 1, with its product where w is a number."""
    if all(not piece.value.terms for piece in largest.pieces) and len(largest.pieces) == 1:
        return times.size.shift(m, -largest.pieces[0].value.constant - 1), ()
    return before(times.size, m, worst + 1)


def _attained(times: Times, largest: Piecewise) -> Statement:
    """At m = w nothing of the stage has been updated before its forward."""
    size, s, m = times.size, z3.Int("s"), Microbatch.named("m")
    worst = affine_term(largest, size.values(s, m))
    first = Microbatch.first()
    return Statement(
        "staleness-attained",
        "microbatch m = w has no update of its stage before its forward",
        (*domain(size), a_stage(size, s), a_microbatch(size, m), m.index == worst),
        z3.And(worst >= 0, times.forward(s, m) < times.backward(s, first)),
    )
