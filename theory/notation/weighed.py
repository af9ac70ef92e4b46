"""Potentials with weights that the statement does not tell: found by the search, kept beside it.

Σ S(k) ≤ a·F(0) follows from S(k) + a·(F + c·V)(k + 1) ≤ a·(F + c·V)(k) for whatever c ≥ 0, where
V ≥ 0 begins with 0. Which c is asked of the search: it may use that V rises, as often as it likes.
F(n) ≤ qⁿ·F(0) follows from (F + c·V)(k + 1) ≤ q·(F + c·V)(k), and q·V(k) ≤ V(k + 1) is what the
search may use. Where x̂ is an x of the last τ iterations a line may have a part of ‖x − x̂‖² less
τ²·‖x⁺ − x‖², of which nothing is left when iterations are summed. Nothing rests on what the search
may use; the line with this c is one like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Any, Final
from weakref import WeakKeyDictionary

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.relations import Relation, le, put_in
from theory.kernel.rules import Found
from theory.kernel.stored import entries_of, formula
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar, vector
from theory.notation.names import plainly, text
from theory.notation.plan import Plan, Statement

WEIGHTS: Final = "weights"
"""Under which name the data file keeps them, in the entry of the line."""

TOLD: Final[WeakKeyDictionary[Theorem, tuple[str, dict[str, str]]]] = WeakKeyDictionary()
"""Of theorems with such a line, its name and the weights."""

Make = Callable[[Mapping[str, Relation]], Theorem]
"""The theorem with lines, by their names."""


@dataclass(frozen=True)
class Part:
    """What a line may have a share of, as it comes to nothing over all iterations.

    Attributes
    ----------
    asked : Relation
        What the search may use as if it were so in every iteration.
    more : Relation
        What a share of it adds to the line, on the left and on the right.
    """

    asked: Relation
    more: Relation

    @classmethod
    def rising(cls, one: Scalar, k: Scalar, ratio: Scalar, most: Scalar) -> Part:
        """Of a sequence that begins with 0, and is at least 0: that it rises, or keeps a ratio."""
        return cls(le(ratio * one(k), most), le(one(k + 1), one(k)))

    @classmethod
    def so(cls, said: Relation) -> Part:
        """Of what is so over all iterations."""
        return cls(said, le(said.rhs, said.lhs))


@dataclass(frozen=True)
class Weighed:
    """What one iteration gains, but for parts of which it may have a share.

    Attributes
    ----------
    name : str
        Of the line.
    line : Relation
    parts : mapping of str to Part
        By the name of a sequence.
    named : mapping of str to sympy symbol
        Of which weights may be made.
    make : callable
    along : callable, optional
        The theorem by induction along the sum with these weights; None where lines are summed.
    """

    name: str
    line: Relation
    parts: Mapping[str, Part]
    named: Mapping[str, Scalar]
    make: Make
    along: Callable[[Mapping[str, Scalar]], Theorem] | None = None

    @property
    def lines(self) -> dict[str, str]:
        """What the line is called that says what the search may use, by part; it is no fact."""
        return {name: f"{name} as if in every iteration" for name in self.parts}

    def asked(self) -> Theorem:
        """The theorem in which the line is searched for as if these were so."""
        said = {line: self.parts[name].asked for name, line in self.lines.items()}
        return self.make({**said, self.name: self.line})

    def with_weights(self, weights: Mapping[str, str]) -> Theorem:
        """The theorem with a share of each part: formulas as text."""
        left, right = self.line.lhs, self.line.rhs
        shares = {name: _read(weights.get(name, "0"), self.named, self.name) for name in self.parts}
        if self.along is not None:
            made = self.along({name: share for name, share in shares.items() if share != 0})
        else:
            for name, share in shares.items():
                more = self.parts[name].more
                left, right = left + share * more.lhs, right + share * more.rhs
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


def with_moves(plan: Plan, goal: Relation) -> tuple[Plan, dict[str, Part]]:
    """The plan with sequences of how far stale iterates are, and of moves, and what is near.

    What is one iteration old is no part: ‖x[k] − x[k − 1]‖² begins with 0. Where a sequence of an
    author's has such a name there is nothing of this: it may be any sequence.
    """
    longer, parts = plan.copied(), dict[str, Part]()
    k = plan.index
    calls = {one.func for form in (*plan.forms, goal.gap) for one in atoms(form, AppliedUndef)}
    if any(str(one).startswith("‖") for one in calls - plan.sequences.keys()):
        return longer, parts
    late = [(old, one[k], late) for one in plan.moved for old, late in one.older.items()]
    late += [(old, now, delay) for _, old, now, delay in plan.delays]
    for old, now, delay in late:
        then = next((then for one, then in plan.iterates if one == plainly(now)), None)
        if then is None:
            continue
        away = _sequence(longer, f"‖{text(now)} - {text(old)}‖²", (now - old) ** 2)
        if delay != 1:
            moves = _sequence(longer, f"‖move of {text(now)}‖²", (then - now) ** 2)
            parts[str(away)] = Part.so(le(away(k), delay**2 * moves(k)))
    return longer, parts


def with_distances(plan: Plan, goal: Relation) -> Plan:
    """The plan with sequences of how far iterates are from what stays, of which a sum says nothing.

    Of Σ F(k) ≤ c(K): where steps fall, what it is at the start has no weight.
    """
    longer = plan.copied()
    if atoms(goal.lhs, sympy.Sum) and not atoms(goal.rhs, AppliedUndef):
        for (now, _), name in product(plan.iterates, sorted(plan.fixed)):
            _sequence(longer, f"‖{text(now)} - {name}‖²", (now - vector(name)) ** 2)
    return longer


def assumed_parts(plan: Plan, limits: Any) -> dict[str, Part]:
    """What is assumed of means, or of their sums over all iterations, which no outcome says."""
    parts = dict[str, Part]()
    for one in plan.assumed:
        said = one.relation
        sums = {s: s.function for s in atoms(said.gap, sympy.Sum) if s.limits == limits}
        outside = said.gap.xreplace(dict.fromkeys(sums, sympy.S.Zero))
        each = Relation(said.lhs.xreplace(sums), said.kind, said.rhs.xreplace(sums))
        calls = atoms(each.gap, AppliedUndef)
        meant = all(c.func in plan.sequences and c.args == (plan.index,) for c in calls)
        if said.kind == "<=" and calls and meant and (not sums or outside == 0):
            parts[one.name] = Part.so(each)
    return parts


def _sequence(plan: Plan, name: str, value: Scalar) -> Scalar:
    """The sequence of a plan with this value, made if there is none."""
    same = (one for one, v in plan.sequences.items() if sympy.expand(v - value) == 0)
    one = next(same, None) or sympy.Function(name, nonnegative=True)
    plan.sequences.setdefault(one, value)
    return one


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
