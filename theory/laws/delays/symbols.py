"""Solver terms for the closed forms of `schedules.closed_forms`.

The product p·m is never multiplied out: a microbatch carries it along under a name of its own,
and shifting the microbatch by a constant c shifts the product by c·p. Queries stay linear.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import z3

from schedules.actions import Kind
from schedules.closed_forms.affine import PRODUCT, Affine, Piecewise
from schedules.closed_forms.start_times import StartTimes
from theory.smt.solver import Term


@dataclass(frozen=True)
class Microbatch:
    """A symbolic microbatch together with its product with p."""

    index: Term
    product: Term

    @classmethod
    def named(cls, name: str) -> Microbatch:
        """A fresh microbatch symbol; its product gets a symbol of its own."""
        return cls(z3.Int(name), z3.Int(f"p*{name}"))


@dataclass(frozen=True)
class Size:
    """The symbols p (stages) and M (microbatches)."""

    p: Term
    microbatches: Term

    @classmethod
    def symbolic(cls) -> Size:
        """Fresh symbols."""
        return cls(z3.Int("p"), z3.Int("M"))

    def shift(self, m: Microbatch, by: int) -> Microbatch:
        """The microbatch m + by."""
        return Microbatch(m.index + by, m.product + by * self.p)

    def values(self, stage: Term, m: Microbatch) -> dict[str, Term]:
        """Bindings of the symbols of an `Affine`."""
        return {"s": stage, "m": m.index, PRODUCT: m.product, "p": self.p, "M": self.microbatches}


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
            for form in (piece.guard, piece.value)
        ]
        return any(form is not None and form.coefficient("M") for form in forms)

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
