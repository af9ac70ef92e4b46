"""Solver terms for the closed forms of `schedules.closed_forms`.

A microbatch is m = q·P + r, where start times repeat after P microbatches. The product p·q is never
multiplied out: a microbatch carries it along under a name of its own, and going on from q to q + c
shifts it by c·p. P is affine in p, so that P·q is known too, or a symbol N, of whose product with q
as much is said as of p's. So queries stay linear.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import z3

from schedules.actions import Kind
from schedules.closed_forms.affine import (
    LET_IN,
    ONE,
    PRODUCT,
    ROUNDS,
    Affine,
    Period,
    Piecewise,
    Quotient,
)
from schedules.closed_forms.start_times import LEAST_STAGES, StartTimes
from theory.smt.solver import Term


@dataclass(frozen=True)
class Microbatch:
    """A symbolic microbatch m = q·P + r together with p·q; without a `place` r, P is 1."""

    index: Term
    product: Term
    round: Term = None
    place: Term = None

    @classmethod
    def named(cls, name: str, index: Term = None) -> Microbatch:
        """A fresh microbatch symbol, or a term; what belongs to it gets symbols of its own."""
        own = z3.Int(name) if index is None else index
        return cls(own, *z3.Ints(f"p*{name} {name}_q {name}_r"))

    @classmethod
    def first(cls) -> Microbatch:
        """Microbatch 0."""
        return cls(*[z3.IntVal(0)] * 4)


@dataclass(frozen=True)
class Size:
    """The symbols p ≥ `least` (stages) and M (microbatches), and the period of start times."""

    p: Term
    microbatches: Term
    period: Period = ONE
    least: int = LEAST_STAGES
    many: Quotient | None = None

    @classmethod
    def symbolic(cls, guess: StartTimes | None = None) -> Size:
        """Fresh symbols."""
        every = () if guess is None else (guess.period, guess.least, guess.many)
        return cls(z3.Int("p"), z3.Int("M"), *every)

    @property
    def let_in(self) -> Quotient | None:
        """N, if start times have it as a symbol."""
        return self.period if isinstance(self.period, Quotient) else self.many

    @property
    def every(self) -> Term:
        """The period P."""
        return self.period.at({"p": self.p, **self._let_in})

    @property
    def _let_in(self) -> dict[str, Term]:
        return {} if self.let_in is None else {LET_IN: z3.Int(LET_IN)}

    def shift(self, m: Microbatch, by: int) -> Microbatch:
        """The microbatch m + by."""
        if self.period == ONE:
            return Microbatch(m.index + by, m.product + by * self.p)
        for _ in range(abs(by)):
            m = self._beside(m, forwards=by > 0)
        return m

    def _beside(self, m: Microbatch, *, forwards: bool) -> Microbatch:
        """The next microbatch or the one before."""
        sign, over = (1, m.place + 1 >= self.every) if forwards else (-1, m.place <= 0)
        return Microbatch(
            m.index + sign,
            z3.If(over, m.product + sign * self.p, m.product),
            z3.If(over, m.round + sign, m.round),
            z3.If(over, z3.IntVal(0) if forwards else self.every - 1, m.place + sign),
        )

    def values(self, stage: Term, m: Microbatch) -> dict[str, Term]:
        """Bindings of the symbols of an `Affine`."""
        known = {"s": stage, "m": m.index, "p": self.p, "M": self.microbatches}
        if self.period == ONE:
            return {**known, PRODUCT: m.product, **self._let_in}
        return {**known, ROUNDS: m.product, "q": m.round, "r": m.place, **self._let_in}


@dataclass(frozen=True)
class Times:
    """Start times as functions on solver terms."""

    size: Size
    guess: StartTimes

    @property
    def depends_on_microbatches(self) -> bool:
        """Whether M occurs in a start time, or in what says which one it is."""
        forms = [
            form
            for times in (self.guess.forward, self.guess.backward)
            for piece in times.pieces
            for form in (*piece.conditions, piece.value)
        ]
        return any(form.coefficient("M") for form in forms)

    def at(self, kind: Kind, stage: Term, m: Microbatch) -> Term:
        """Slot of F(stage, m) or B(stage, m)."""
        form = self.guess.forward if kind is Kind.F else self.guess.backward
        return form.at(self.size.values(stage, m), z3.If)

    @cached_property
    def forward(self) -> Callable[[Term, Microbatch], Term]:
        """Slot of F."""
        return lambda stage, m: self.at(Kind.F, stage, m)

    @cached_property
    def backward(self) -> Callable[[Term, Microbatch], Term]:
        """Slot of B."""
        return lambda stage, m: self.at(Kind.B, stage, m)


def affine_term(form: Affine | Piecewise, values: dict[str, Term]) -> Term:
    """A closed form as a solver term."""
    return form.at(values) if isinstance(form, Affine) else form.at(values, z3.If)
