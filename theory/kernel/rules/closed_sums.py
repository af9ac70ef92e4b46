"""The rule for a sum in closed form: Σ_{j<n} g(j) = S(n) if S(0) = 0 and S(n + 1) − S(n) = g(n)."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation
from theory.kernel.rules.series import pinned
from theory.kernel.signs import undefined
from theory.kernel.theorem import Checked, Given
from theory.kernel.vectors import Scalar
from theory.verdicts import Verdict


@dataclass(frozen=True)
class ClosedSum:
    """A sum over 0 … count − 1 equals its closed form, by induction on the count.

    The goal reads ``Sum(g, (index, 0, count - 1)) == S``, and the count is a symbol for a
    nonnegative integer, the index one for any of 0, 1, 2, …: what is simplified for even ones only
    holds for them only. A g that contains the count differs from every S(index + 1) − S(index).

    Attributes
    ----------
    index, count : sympy symbols
    """

    index: Scalar
    count: Scalar

    @property
    def uses(self) -> tuple[str, ...]:
        """No facts."""
        return ()

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the two sides agree for every count."""
        fixed = pinned(self.index, given)
        hole = undefined(goal)
        if fixed or hole:
            return fixed or Checked(Verdict.UNKNOWN, hole)
        total = goal.lhs
        limits = ((self.index, 0, self.count - 1),)
        if goal.kind != "==" or not isinstance(total, sympy.Sum) or total.args[1:] != limits:
            return Checked(Verdict.UNKNOWN, f"the left side is no sum over {self.index}")
        counts = self.count.is_Symbol and self.count.is_integer and self.count.is_nonnegative
        if not counts or goal.rhs.has(self.index):
            return Checked(
                Verdict.UNKNOWN, f"{self.count} is no count, or {self.index} is not bound"
            )
        start = goal.rhs.subs(self.count, 0)
        step = goal.rhs.subs(self.count, self.index + 1) - goal.rhs.subs(self.count, self.index)
        if start.is_finite is not True or not is_zero(start):
            return Checked(Verdict.UNKNOWN, "the closed form of the empty sum is not 0")
        if not is_zero(step - total.function):
            return Checked(Verdict.UNKNOWN, "the closed form does not grow by the next term")
        return Checked(Verdict.PROVED, f"sum in closed form, by induction on {self.count}")
