"""The rule that takes the first and the last terms out of a sum."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation
from theory.kernel.rules.series import captured, pinned
from theory.kernel.signs import nonnegative, undefined
from theory.kernel.theorem import Checked, Given, missing
from theory.kernel.vectors import Scalar
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Split:
    """A sum equals its first terms, its last terms and the sum of what lies between.

    The goal reads ``Sum(g, (index, a, b)) == g(a) + … + Sum(g, (index, a + first, b - last)) + … +
    g(b)``. The sum must have at least as many terms as are taken out, for every value of its ends.
    Sums inside g have other indices than a and b name: these are put into g.

    Attributes
    ----------
    index : sympy symbol
    first, last : int
        How many terms are taken out at either end.
    domain : tuple of str
        Facts under which the sum has that many terms.
    """

    index: Scalar
    first: int = 0
    last: int = 0
    domain: tuple[str, ...] = ()

    @property
    def uses(self) -> tuple[str, ...]:
        """What bounds the domain."""
        return self.domain

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the two sides are the same terms."""
        problem = missing(self.uses, given) or pinned(self.index, given)
        if problem:
            return problem
        under = [given.facts[name] for name in self.domain]
        hole = undefined(goal, under)
        if hole:
            return Checked(Verdict.UNKNOWN, hole)
        total = goal.lhs
        if goal.kind != "==" or not isinstance(total, sympy.Sum) or len(total.limits) != 1:
            return Checked(Verdict.UNKNOWN, "the left side is no sum over one index")
        index, start, end = total.limits[0]
        if index != self.index:
            return Checked(Verdict.UNKNOWN, f"{self.index} is not the index of the sum")
        problem = captured(total.function, start, end)
        if problem:
            return problem
        taken = self.first + self.last
        enough = nonnegative(end - start + 1 - taken, under).verdict is Verdict.PROVED
        if self.first < 0 or self.last < 0 or not enough:
            return Checked(Verdict.UNKNOWN, f"the sum is not shown to have {taken} terms or more")
        parts = [total.function.subs(index, start + i) for i in range(self.first)]
        parts += [total.function.subs(index, end - i) for i in range(self.last)]
        between = (index, start + self.first, end - self.last)
        wanted = sympy.Add(*parts) + sympy.Sum(total.function, between)
        if not is_zero(goal.rhs - wanted):
            return Checked(Verdict.UNKNOWN, f"the terms are {wanted}")
        return Checked(Verdict.PROVED, f"{taken} terms taken out of a sum")
