"""The pace at which stages start microbatches, and which updates of its slot an event counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import sympy
import z3

from schedules.closed_forms.affine import LET_IN, Affine, Piecewise
from schedules.linearization import Linearization
from theory.smt.solver import Term

_P = sympy.Symbol("p", integer=True)
MANY: Final = sympy.Symbol(LET_IN, integer=True)
"""N, where start times have it."""

LET: Final = z3.Int(LET_IN)
"""The same in what is asked."""


@dataclass(frozen=True)
class Pace:
    """When stages start microbatches, and at which slots gradients are there.

    Attributes
    ----------
    slots : int
        a, of each microbatch.
    forward : Piecewise or None
        From microbatch `first` on F of stage s starts at a·m + `forward`, over s, p and N; None
        where every F is over before the first update.
    backward : Affine
        The last slot of B is a·m − s + `backward`, over p, and M where `forward` is None.
    first : Affine
        Over p and N.
    """

    slots: int
    forward: Piecewise | None
    backward: Affine
    first: Affine

    @property
    def begins(self) -> sympy.Expr:
        """The first microbatch, as it is printed."""
        return sympy.sympify(self.first.at({"p": _P, LET_IN: MANY}))

    @property
    def steady(self) -> Piecewise:
        """`forward`, where some F counts updates."""
        assert self.forward is not None, "F counts updates"
        return self.forward

    def start(self, s: Any, m: Any, p: Any) -> Any:
        """When F starts."""
        return self.slots * m + self.steady.at({"s": s, "p": p, LET_IN: LET}, _choose)

    def ahead(self, j: Any, p: Any) -> Any:
        """By how much F of stage j starts behind the end of B of stage 0, of one microbatch."""
        at = {"s": j, "p": p, LET_IN: LET}
        return self.steady.at(at, _choose) - self.backward.at({"p": p})

    def apart(self, j: sympy.Expr) -> list[tuple[Affine, Any]]:
        """The same for each part of the stages, and where it holds."""
        at = {"s": j, "p": _P, LET_IN: MANY}
        parts = []
        for piece in self.steady.pieces:
            ahead = piece.value.plus(self.backward, -1)
            parts.append((ahead, sympy.And(*(one.at(at) >= 0 for one in piece.conditions))))
        return parts


def _choose(test: Any, yes: Any, no: Any) -> Any:
    """Of solver terms, or of numbers."""
    return z3.If(test, yes, no) if z3.is_expr(test) else yes if test else no


def tie_of(lines: Linearization, *, by_forward: bool) -> int:
    """Which updates of its own slot an event counts: −1 of stages before, 1 behind, 0 none."""
    below, above = (lines.counted(u, 1, by_forward=by_forward) for u in (0, 2))
    return int(above) - int(below)


def one_more(lines: Linearization, u: Term, stage: Term, *, by_forward: bool) -> Term:
    """1 where an update of stage u counts in its own slot."""
    counts = lines.counted(u, stage, by_forward=by_forward)
    return z3.If(counts, 1, 0) if z3.is_expr(counts) else z3.IntVal(int(counts))
