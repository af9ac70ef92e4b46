"""Makespan, bubble and activations in flight, in closed form and proved for all p and M."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import sympy
import z3

from schedules.actions import Kind, among
from schedules.closed_forms.affine import LET_IN, PRODUCT, Affine, Piece, Piecewise
from schedules.closed_forms.fit import fit
from schedules.closed_forms.let_in import read_bound
from schedules.closed_forms.start_times import (
    SAMPLED_STAGES,
    StartTimes,
    build_from_rule,
)
from schedules.families.family import Family
from schedules.schedule import IntArray, Schedule
from theory.laws.delays.domains import Admission, a_microbatch, a_stage, before, domain
from theory.laws.delays.symbols import Microbatch, Times, affine_term
from theory.smt.solver import Outcome, Statement, Term, decide, merge

p_, M_ = sympy.symbols("p M", integer=True)


_FAR: Final = 2**10
"""A p at which bounds have the order that they keep."""


@dataclass(frozen=True)
class Shape:
    """The outline of a schedule under unit durations.

    Attributes
    ----------
    lengths : tuple of (Affine or None, sympy expression)
        The makespan in p and M, as a decision list: where the form in p and M is ≥ 0, and last
        where none is.
    in_flight : Piecewise
        Bound on microbatches between their forward and their backward at stage ``s``, in ``s``,
        ``p`` and ``M``; the peak is this or M, whichever is less.
    """

    lengths: tuple[tuple[Affine | None, sympy.Expr], ...]
    in_flight: Piecewise

    @property
    def makespan(self) -> sympy.Expr:
        """In p and M."""
        return self._cases([length for _, length in self.lengths])

    @property
    def bubble(self) -> sympy.Expr:
        """Idle time over p · makespan: every rank works 2M slots."""
        return self._cases([sympy.factor(1 - 2 * M_ / length) for _, length in self.lengths])

    def _cases(self, forms: Sequence[sympy.Expr]) -> sympy.Expr:
        """One form for each part of the list; a `Piecewise` takes the first that applies."""
        if len(forms) == 1:
            return forms[0]
        at = {"p": p_, "M": M_}
        tests = [sympy.true if g is None else g.at(at) >= 0 for g, _ in self.lengths]
        return sympy.Piecewise(*zip(forms, tests, strict=True))


def guess_shape(family: Family, guess: StartTimes, admission: Admission) -> Shape | None:
    """Read the makespan off the last backward, and fit what small runs hold in flight."""
    held = held_in_small_runs(family, admission, guess.least)
    if held is None:
        return None
    lengths = [
        (piece.guard and _last(piece.guard), sympy.expand(_at_last_backward(piece.value) + 1))
        for piece in guess.backward.pieces
    ]
    return Shape(_reached(lengths), held)


def _reached(
    lengths: Sequence[tuple[Affine | None, sympy.Expr]],
) -> tuple[tuple[Affine | None, sympy.Expr], ...]:
    """The list without what applies at no small size; that it says the same is then proved."""
    p, M = np.indices((12, 60))
    at, left, kept = {"p": p + 2, "M": M + 1}, np.ones(p.shape, dtype=bool), []
    for guard, length in lengths:
        here = left if guard is None else left & (guard.at(at) >= 0)
        if here.any():
            kept.append((guard, length))
        left = left & ~here
    return (*kept[:-1], (None, kept[-1][1]))


def _last(guard: Affine) -> Affine:
    """A guard at stage 0 and microbatch M − 1, in p and M."""
    m = guard.coefficient("m")
    terms = {"p": guard.coefficient("p"), "M": guard.coefficient("M") + m}
    return Affine(tuple((name, c) for name, c in terms.items() if c), guard.constant - m)


def _at_last_backward(form: Affine) -> sympy.Expr:
    values = {"s": 0, "m": M_ - 1, "p": p_, "M": M_, PRODUCT: p_ * (M_ - 1)}
    return sympy.sympify(form.at(values))


def held_in_small_runs(
    family: Family, admission: Admission, least: int = SAMPLED_STAGES.start
) -> Piecewise | None:
    """The most in flight at each stage of small runs, in closed form."""
    rows: list[tuple[int, int, int, int]] = []
    for p in range(least, least + len(SAMPLED_STAGES)):
        for microbatches in (3 * p, 4 * p):
            schedule = build_from_rule(family, p, microbatches, admission)
            rows += [(s, p, microbatches, held) for s, held in enumerate(peak_in_flight(schedule))]
    s, p_column, big_m, target = np.array(rows, dtype=np.int64).T
    columns = {"s": s, "p": p_column, "M": big_m, "m": np.zeros_like(s)}
    found = fit(columns, target, [("s", "p"), ("s", "p", "M")])
    bound = None if admission is None else read_bound(admission)
    late = bound is not None and bound[0].divisor > 1 and bound[0].at({"p": _FAR}) < 2 * _FAR - 1
    if found is None or len(found.pieces) > 2 or late:  # of small p N may be no bound at all
        return _as_many_as_let_in(columns, target, admission) or found
    return found


def _as_many_as_let_in(
    columns: Mapping[str, IntArray], target: IntArray, admission: Admission
) -> Piecewise | None:
    """As many as are let in, or as PipeDream's stages have without a bound, if that fits.

    What is let in at each stage is read off those that have fewer.
    """
    free = Affine((("s", -2), ("p", 2)), -1)
    let_in = None if admission is None else read_bound(admission)
    bound = None if let_in is None else let_in[0].form
    if let_in is not None and let_in[0].divisor > 1:
        bound, columns = Affine(((LET_IN, 1),)), {**columns, LET_IN: let_in[0].at(columns)}
    if bound is None:
        few = target < free.at(columns)
        alone = fit({name: one[few] for name, one in columns.items()}, target[few], [("s", "p")])
        bound = alone.pieces[0].value if alone is not None and len(alone.pieces) == 1 else free
    found = least_of(bound, free)
    return found if (found.at(columns, np.where) == target).all() else None


def least_of(bound: Affine, *others: Affine) -> Piecewise:
    """The least of a bound and of one other form, or two."""
    pieces, forms = [Piece(None, bound)], [bound]
    for one in others:
        guard, also, *_ = *(form.plus(one, -1) for form in forms), None
        pieces, forms = [Piece(guard, one, also), *pieces], [one, *forms]
    return Piecewise(tuple(pieces))


def as_expression(form: Piecewise, names: Mapping[str, Any]) -> sympy.Expr:
    """A list in sympy's symbols, the least of forms as that."""
    values = [piece.value for piece in form.pieces]
    if len(values) < 4 and form == least_of(*values[::-1]):
        return sympy.Min(*(value.at(names) for value in values))
    tests = (sympy.And(*(c.at(names) >= 0 for c in one.conditions)) for one in form.pieces)
    return sympy.Piecewise(*zip((value.at(names) for value in values), tests, strict=True))


def peak_in_flight(schedule: Schedule) -> list[int]:
    """Most microbatches between F and B (or W) at each stage, by program order.

    Examples
    --------
    >>> from schedules.families import build
    >>> peak_in_flight(build("gpipe", 2, 3))
    [3, 3]
    """
    change = (schedule.kind == Kind.F).astype(int) - among(schedule.kind, (Kind.B, Kind.W))
    peaks = []
    for stage in range(schedule.stages):
        own = change[schedule.stage == stage]
        peaks.append(int(np.cumsum(own).max(initial=0)))
    return peaks


def prove_shape(times: Times, claimed: Shape) -> list[Outcome]:
    """Prove the makespan and the peak in flight for every p ≥ 2 and M ≥ 1."""
    return [
        decide(_makespan(times, claimed)),
        prove_in_flight(times, claimed.in_flight),
    ]


def prove_in_flight(times: Times, most: Piecewise) -> Outcome:
    """Prove the peak in flight, by stage."""
    says = "microbatches between forward and backward at a stage: so many, or M if that is less"
    parts = [decide(_bound(times, most)), decide(_attained(times, most))]
    return merge("in-flight", says, parts)


def _makespan(times: Times, claimed: Shape) -> Statement:
    """Every action ends by the claimed makespan, and the last backward at stage 0 ends at it."""
    size, s, m = times.size, z3.Int("s"), Microbatch.named("m")
    n = Microbatch(size.microbatches - 1, z3.Int("p*last"))
    monomials = {
        (0, 0): z3.IntVal(1),
        (1, 0): size.p,
        (0, 1): size.microbatches,
        (1, 1): n.product + size.p,
    }
    value: Term = z3.IntVal(0)
    for guard, length in reversed(claimed.lengths):
        terms = sympy.Poly(length, p_, M_).terms()
        own = z3.Sum(*(int(coefficient) * monomials[powers] for powers, coefficient in terms))
        at = {"p": size.p, "M": size.microbatches}
        value = own if guard is None else z3.If(guard.at(at) >= 0, own, value)
    steps = size.microbatches - 1 - m.index
    return Statement(
        "makespan",
        "all actions end by the makespan, and B(0, M − 1) ends at it",
        (
            *domain(size),
            a_stage(size, s),
            a_microbatch(size, m),
            n.product >= m.product + 2 * steps,
            z3.Implies(steps == 0, n.product == m.product),
            z3.Implies(steps >= 1, n.product >= m.product + size.p),
        ),
        z3.And(
            times.forward(s, m) < value,
            times.backward(s, m) < value,
            times.backward(z3.IntVal(0), n) + 1 == value,
        ),
    )


def _bound(times: Times, in_flight: Piecewise) -> Statement:
    """When F(s, m) starts, B(s, m − w) has started, so at most w are in flight."""
    size, s, m = times.size, z3.Int("s"), Microbatch.named("m")
    most = affine_term(in_flight, size.values(s, m))
    earlier, facts = _back(times, in_flight, m)
    return Statement(
        "in-flight-bound",
        "update m − w of a stage starts before its forward of m",
        (*domain(size), a_stage(size, s), a_microbatch(size, m)),
        z3.And(
            most >= 1,
            z3.Implies(
                z3.And(m.index >= most, *facts), times.backward(s, earlier) < times.forward(s, m)
            ),
        ),
    )


def _back(times: Times, in_flight: Piecewise, m: Microbatch) -> tuple[Microbatch, tuple[Term, ...]]:
    """Microbatch m − w, with its product where w is a number."""
    only = in_flight.pieces[0].value
    if len(in_flight.pieces) == 1 and not only.terms:
        return times.size.shift(m, -only.constant), ()
    return before(times.size, m, affine_term(in_flight, times.size.values(z3.Int("s"), m)))


def _attained(times: Times, in_flight: Piecewise) -> Statement:
    """The first min(w, M) forwards of a stage all precede its first backward."""
    size, s, m = times.size, z3.Int("s"), Microbatch.named("m")
    most = affine_term(in_flight, size.values(s, m))
    first = Microbatch.first()
    return Statement(
        "in-flight-attained",
        "the first w forwards of a stage precede its first backward",
        (*domain(size), a_stage(size, s), a_microbatch(size, m), m.index < most),
        times.forward(s, m) < times.backward(s, first),
    )
