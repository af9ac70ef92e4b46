"""`RoundClosed`: the closed forms of a law whose start times repeat, and how they read as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
import z3

from schedules.actions import Kind
from schedules.closed_forms.affine import Affine, Piecewise
from schedules.closed_forms.counts import Region
from schedules.closed_forms.start_times import StartTimes
from theory.laws.delays.domains import (
    a_microbatch,
    a_stage,
    domain,
    product_facts,
    products_in_order,
)
from theory.laws.delays.guarded_sums import VARIABLE
from theory.laws.delays.polynomials import by_parity
from theory.laws.delays.round_law import RoundLaw, in_p, p_
from theory.laws.delays.round_sums import Piece, Pieces
from theory.laws.delays.rounds import Part
from theory.laws.delays.symbols import Microbatch, Times
from theory.smt.solver import Outcome, Statement, decide

i_, j_, r_, M_ = sympy.symbols("i j r M", integer=True)


@dataclass(frozen=True)
class RoundClosed:
    """What `Closed` is where all microbatches are alike.

    Attributes
    ----------
    start_times : StartTimes
    law : RoundLaw
    largest : Piecewise
        The largest local staleness of a run, in ``s`` and ``p``.
    in_flight : Piecewise
    """

    start_times: StartTimes
    law: RoundLaw
    largest: Piecewise
    in_flight: Piecewise

    @property
    def domain(self) -> str:
        """The values that it is stated for."""
        counts = self.law.counts
        every = counts.period.to_sympy()
        last = sympy.sstr(M_ - counts.stop.to_sympy())
        return (
            f"p >= {counts.least}, 0 <= i < p, 0 <= j < p, m = ({every})*q + r, 0 <= r < {every}, "
            f"q >= {counts.first}, m < {last}"
        )

    @property
    def makespan(self) -> sympy.Expr:
        """End of B(0, M − 1)."""
        return makespan_of(self.start_times)

    @property
    def least(self) -> int:
        """The least p that the law is stated for."""
        return self.law.counts.least

    def places(self, p: int) -> int:
        """How many microbatches have an r of their own."""
        return int(self.law.counts.period.at({"p": p}))

    def numbers(self) -> dict[str, sympy.Expr]:
        """Extremes and mean, as formulas in p."""
        k, every = self.law.counts.step, self.law.counts.period.to_sympy()
        mean = {
            a: sympy.cancel(in_p(one, 2 * k, a) / (p_ * every)) for a, one in self.law.mean.items()
        }
        return {
            "max": by_parity({a: in_p(one, k, a) for a, one in self.law.largest.items()}),
            "min": by_parity({a: in_p(one, k, a) for a, one in self.law.least.items()}),
            "mean": by_parity({a: sympy.expand(one) for a, one in mean.items()}),
        }

    def to_json(self) -> dict[str, Any]:
        """The closed forms by the keys of ``derive``."""
        from theory.laws.delays.closed import described

        k = self.law.counts.step
        index, recorded = (list(_cases(one, k)) for one in (self.law.index, self.law.recorded))
        return {
            "start_times": described(self.start_times),
            "delay": _differences(index, recorded),
            "index": [_row(when, value, i_) for when, value in index],
            "recorded": [_row(when, value, j_) for when, value in recorded],
            **{name: sympy.sstr(form) for name, form in self.numbers().items()},
            "whole_run_max": None,
            "whole_run_least_m": None,
            "local_staleness": list(self._staleness()),
            "makespan": sympy.sstr(self.makespan),
            "bubble": sympy.sstr(sympy.factor(1 - 2 * M_ / self.makespan)),
            "in_flight": self.in_flight.renamed({"s": "i"}).described(),
            "local_staleness_whole_run": self.largest.renamed({"s": "i"}).described(),
        }

    def _staleness(self) -> Iterator[dict[str, str]]:
        """M minus the updates of its own stage that F of m counts."""
        own = {"u": "x"}
        counts = self.law.counts
        for part in counts.parts[Kind.F, Region.AT]:
            borders = tuple(one.renamed(own) for one in part.borders)
            value = -_beyond(part, counts.period).subs(sympy.Symbol("u", integer=True), i_)
            yield _row(_when(borders), value, i_)

    def at(self, p: int, **stages: int) -> dict[str, Any]:
        """Numbers at p, and at i, j and r where these are given."""
        values: dict[str, Any] = {"p": p, **stages}
        if {"i", "j", "r"} <= stages.keys():
            both = (
                _value(pieces, self.law.counts.step, p, stages[name], stages["r"])
                for pieces, name in ((self.law.index, "i"), (self.law.recorded, "j"))
            )
            values["delay"] = int(next(both) - next(both))
        numbers = {name: form.subs(p_, p) for name, form in self.numbers().items()}
        return values | {n: int(one) if one.is_Integer else str(one) for n, one in numbers.items()}


def makespan_of(times: StartTimes) -> sympy.Expr:
    """End of B(0, M − 1), where start times repeat after several microbatches."""
    every = times.period.to_sympy()
    last = {"s": 0, "q": sympy.floor((M_ - 1) / every), "r": sympy.Mod(M_ - 1, every), "M": M_}
    names = {sympy.Symbol(name, integer=True): value for name, value in last.items()}
    forms = [
        (piece.value.to_sympy().subs(names) + 1, _test(piece.guard, names))
        for piece in times.backward.pieces
    ]
    return sympy.Piecewise(*forms)


def _value(pieces: Pieces, k: int, p: int, x: int, r: int) -> Fraction:
    at = {"x": x, "r": r, "p": p}
    [piece] = (one for one in pieces if all(side.at(at) >= 0 for side in one.borders))
    value = piece.values[p % k, x % k]
    point = [(VARIABLE[name], number) for name, number in at.items()]
    return Fraction(str(value.evaluate(point)))


def _beyond(part: Part, period: Affine) -> sympy.Expr:
    numerator = part.numerator.to_sympy().subs(sympy.Symbol("x", integer=True), i_)
    quotient = -numerator if part.divisor < 0 else sympy.floor(numerator / part.divisor)
    return quotient + part.whole * period.to_sympy()


def _cases(pieces: Pieces, k: int) -> Iterator[tuple[sympy.Expr, sympy.Expr]]:
    """Conditions and values, in x, r and p; residues only where values differ."""
    for piece in pieces:
        for when, value in _by_residues(piece, k):
            yield sympy.And(_when(piece.borders), when), value


def _by_residues(piece: Piece, k: int) -> Iterator[tuple[sympy.Expr, sympy.Expr]]:
    forms = {key: _expression(value) for key, value in piece.values.items()}
    x_ = sympy.Symbol("x", integer=True)
    if len(set(forms.values())) == 1:
        yield sympy.true, forms[0, 0]
        return
    for a, b in product(range(k), repeat=2):
        yield sympy.And(sympy.Eq(sympy.Mod(p_, k), a), sympy.Eq(sympy.Mod(x_, k), b)), forms[a, b]


def _expression(value: Any) -> sympy.Expr:
    names = {sympy.Symbol(name): sympy.Symbol(name, integer=True) for name in VARIABLE}
    return value.as_expr().xreplace(names)


def _when(borders: tuple[Affine, ...]) -> sympy.Expr:
    return sympy.And(*(_test(one, {}) for one in borders))


def _test(guard: Affine | None, names: Mapping[Any, Any]) -> sympy.Expr:
    return sympy.true if guard is None else guard.to_sympy().subs(names) >= 0


def _row(when: sympy.Expr, value: sympy.Expr, stage: sympy.Symbol) -> dict[str, str]:
    name = {sympy.Symbol("x", integer=True): stage}
    return {"when": sympy.sstr(when.subs(name)), "expr": sympy.sstr(sympy.expand(value.subs(name)))}


def _differences(
    index: list[tuple[sympy.Expr, sympy.Expr]], recorded: list[tuple[sympy.Expr, sympy.Expr]]
) -> list[dict[str, str]]:
    x_ = sympy.Symbol("x", integer=True)
    rows = []
    for (one, a), (other, b) in product(index, recorded):
        when = sympy.And(one.subs(x_, i_), other.subs(x_, j_))
        if when != sympy.false:
            value = sympy.expand(a.subs(x_, i_) - b.subs(x_, j_))
            rows.append({"when": sympy.sstr(when), "expr": sympy.sstr(value)})
    return rows


def prove_makespan(times: Times) -> Outcome:
    """No action ends later than B(0, M − 1)."""
    size, s, m = times.size, z3.Int("s"), Microbatch.named("m")
    last = Microbatch.named("last", size.microbatches - 1)
    end = times.backward(z3.IntVal(0), last)
    return decide(
        Statement(
            "makespan",
            "no action ends later than B(0, M − 1)",
            (
                *domain(size),
                a_stage(size, s),
                a_microbatch(size, m),
                *product_facts(size, last),
                *products_in_order(size, m, last),
            ),
            z3.And(times.forward(s, m) < end, times.backward(s, m) <= end),
        )
    )
