"""Potentials with weights that the statement does not tell: found by the search, kept beside it.

Σ S(k) ≤ a·F(0) follows from S(k) + a·(F + c·V)(k + 1) ≤ a·(F + c·V)(k) for whatever c ≥ 0, where
V ≥ 0 begins with 0. Which c is asked of the search: it may use that V rises, as often as it likes.
F(n) ≤ qⁿ·F(0) follows from (F + c·V)(k + 1) ≤ q·(F + c·V)(k), and q·V(k) ≤ V(k + 1) is what the
search may use. Nothing rests on that; the line with this c is one like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakKeyDictionary

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.relations import Relation, le, put_in
from theory.kernel.rules import Found
from theory.kernel.stored import entries_of, formula
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar
from theory.notation.plan import Plan, Statement

WEIGHTS: Final = "weights"
"""Under which name the data file keeps them, in the entry of the line."""

TOLD: Final[WeakKeyDictionary[Theorem, tuple[str, dict[str, str]]]] = WeakKeyDictionary()
"""Of theorems with such a line, its name and the weights."""

Make = Callable[[Mapping[str, Relation]], Theorem]
"""The theorem with lines, by their names."""


@dataclass(frozen=True)
class Weighed:
    """What one iteration gains, but for sequences of which it may have a part.

    Attributes
    ----------
    name : str
        Of the line.
    line : Relation
    beside : tuple of sympy functions
        Sequences that begin with 0, and are at least 0.
    index : sympy symbol
    named : mapping of str to sympy symbol
        Of which weights may be made.
    make : callable
    ratio : sympy expression
        What is left of it in an iteration, as of what the line is about.
    most : mapping of sympy function to sympy expression
        What is assumed that they are at most in the next iteration; themselves, if nothing is.
    along : callable, optional
        The theorem by induction along the sum with these weights; None where lines are summed.
    """

    name: str
    line: Relation
    beside: tuple[Scalar, ...]
    index: Scalar
    named: Mapping[str, Scalar]
    make: Make
    ratio: Scalar = sympy.S.One
    most: Mapping[Scalar, Scalar] = field(default_factory=dict)
    along: Callable[[Mapping[Scalar, Scalar]], Theorem] | None = None

    @property
    def rising(self) -> dict[Scalar, str]:
        """What the line is called that says of a sequence that it rises; it is no fact."""
        return {one: f"{one} would rise" for one in self.beside}

    def asked(self) -> Theorem:
        """The theorem in which the line is searched for as if they rose."""
        k = self.index
        falls = {
            name: le(self.ratio * one(k), self.most.get(one, one(k + 1)))
            for one, name in self.rising.items()
        }
        return self.make({**falls, self.name: self.line})

    def with_weights(self, weights: Mapping[str, str]) -> Theorem:
        """The theorem with a part of each, by the names of the sequences: formulas as text."""
        k, (left, right) = self.index, (self.line.lhs, self.line.rhs)
        shares = {
            one: _read(weights.get(str(one), "0"), self.named, self.name) for one in self.beside
        }
        if self.along is not None:
            made = self.along({one: share for one, share in shares.items() if share != 0})
        else:
            for one, share in shares.items():
                left, right = left + share * one(k + 1), right + share * one(k)
            made = self.make({self.name: le(left, right)})
        TOLD[made] = self.name, dict(weights)
        return made


def _read(text: str, named: Mapping[str, Scalar], where: str) -> Scalar:
    """A weight from its text.

    Raises
    ------
    TheoryError
        It is no formula of what the theorem names.
    """
    try:
        return formula(text, named)
    except (ValueError, TypeError, ArithmeticError, MemoryError, RecursionError) as error:
        reason = str(error)
    except SyntaxError as error:
        reason = error.msg
    raise TheoryError(f"a stored weight cannot be read: {reason:.120}", where, "certify again")


def with_moves(plan: Plan) -> Plan:
    """The plan with ‖x[k] − x[k − 1]‖² as a sequence, where the iterate before is named."""
    longer = plan.copied()
    for one in plan.moved:
        near = next((old for old, late in one.older.items() if late == 1), None)
        value = None if near is None else (one[one.index] - near) ** 2
        if value is not None and all(sympy.expand(v - value) != 0 for v in plan.sequences.values()):
            name = f"‖{one.name}[{one.index}] - {one.name}[{one.index} - 1]‖²"
            longer.sequences[sympy.Function(name, nonnegative=True)] = value
    return longer


def beginning_with_nothing(goal: Relation, plan: Plan) -> tuple[Scalar, ...]:
    """Sequences of which the statement does not speak, that are at least 0, and 0 at the start.

    That is assumed, or V is made of what was before the start: ‖x[k] − x[k − 1]‖².
    """
    said = {call.func for call in atoms(goal.gap, AppliedUndef)}
    known = [one.relation for one in plan.assumed]
    older = {
        name: one[one.index] for one in plan.moved for late in one.older for name in late.names
    }

    def starts(one: Scalar, value: Scalar | None) -> bool:
        gone = value is not None and older and sympy.expand(put_in(value, {}, older)) == 0
        nothing = (r.gap.subs(one(0), 0) == 0 and r.gap.coeff(one(0)) != 0 for r in known)
        return bool(gone or any(nothing))

    own = dict(plan.sequences)
    calls = {call.func for one in known for call in atoms(one.gap, AppliedUndef)}
    found = [*own, *sorted(calls - own.keys(), key=str)]
    return tuple(
        one
        for one in found
        if one not in said and one(plan.index).is_nonnegative and starts(one, own.get(one))
    )


def stored_weights(statement: Statement, name: str) -> dict[str, str]:
    """The weights that the data file beside a claim keeps for a line, as text; {} if none."""
    if not isinstance(statement.rule, Found):
        return {}
    with suppress(TheoryError):
        for entry in entries_of(statement.rule.path, statement.id, name):
            kept = entry.get(WEIGHTS)
            if isinstance(kept, Mapping):
                return {str(one): str(text) for one, text in kept.items()}
    return {}
