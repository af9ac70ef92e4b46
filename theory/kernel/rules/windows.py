"""The rule of sums over the last iterations, and what such a sum is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation, le
from theory.kernel.rules.ranges import is_constant
from theory.kernel.rules.series import counts, no_sequence, pinned
from theory.kernel.theorem import Checked, Given, missing
from theory.kernel.vectors import Scalar
from theory.verdicts import Verdict


def window(term: Scalar, j: Scalar, k: Scalar, length: Scalar) -> Scalar:
    """Σ over the last iterations before k: fewer than `length` while k is below, none at 0."""
    return sympy.Sum(term, (j, sympy.Max(0, k - length), k - 1))


def is_bound(j: Scalar, k: Scalar, given: Given) -> bool:
    """Whether j is an index 0, 1, 2, … that nothing outside of sums names, and is not k."""
    theorem = given.theorem
    free = {one for _, said in theorem.relations for one in said.gap.free_symbols}
    declared = {*theorem.symbols, *theorem.scalars, *theorem.indices}
    return j != k and j not in free | declared and pinned(j, given) is None


def is_window(node: Any, k: Scalar) -> bool:
    """Whether a sum is one over the last iterations before k, of sequences at its own index."""
    if not isinstance(node, sympy.Sum):
        return False
    j, first, last = node.limits[0]
    starts = [one for one in first.args if one != 0] if isinstance(first, sympy.Max) else []
    if last != k - 1 or len(starts) != 1 or j == k:
        return False
    length = sympy.expand(k - starts[0])
    own = all(call.args == (j,) for call in atoms(node.function, AppliedUndef))
    return own and not {j, k} & (length.free_symbols | node.function.free_symbols - {j})


@dataclass(frozen=True)
class Windows:
    """Sums of the last τ terms of a sequence that is nonnegative; before its start there are none.

    Two goals, for a(j) ≥ 0:

    - ``Σ_{k<count} Σ_{j=max(0,k−τ)}^{k−1} a(j) ≤ τ·Σ_{k<count} a(k)``: a term is one of the last τ
      in at most τ iterations, and each of them comes later;
    - ``Σ_{j=max(0,k−τ)}^{k−1} a(j) ≤ τ·M``, where a fact `each` says a(k) ≤ M for every k, and M
      is constant.

    Attributes
    ----------
    sequence : sympy function
        a.
    index, inner : sympy symbols
        k and j.
    length : sympy expression
        τ, a constant integer of at least 0.
    count : sympy expression, optional
        The number of iterations, for the first goal.
    each : str
        The bound of every term, for the second.
    """

    sequence: Scalar
    index: Scalar
    inner: Scalar
    length: Scalar
    count: Scalar | None = None
    each: str = ""

    iterates: ClassVar[bool] = True

    @property
    def uses(self) -> tuple[str, ...]:
        """The bound of every term."""
        return (self.each,) if self.each else ()

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is one of the two."""
        problem = missing(self.uses, given) or no_sequence(self.sequence)
        problem = problem or pinned(self.index, given)
        if problem:
            return problem
        found = self.stated(given)
        if isinstance(found, str):
            return Checked(Verdict.UNKNOWN, found)
        if goal.kind != "<=" or not is_zero(goal.gap - found.gap):
            return Checked(Verdict.UNKNOWN, f"these windows give {found}")
        return Checked(Verdict.PROVED, f"each {self.sequence} is in {self.length} windows at most")

    def stated(self, given: Given) -> Relation | str:
        """The goal that it reaches, or why it reaches none."""
        k, j, a, length = self.index, self.inner, self.sequence, sympy.sympify(self.length)
        if not is_bound(j, k, given):
            return f"{j} is no index of its own"
        whole = length.is_integer and length.is_nonnegative and is_constant(length, given.theorem)
        if not whole or {j, k} & length.free_symbols:
            return f"{length} is no constant integer of at least 0"
        if not a(j).is_nonnegative:
            return f"{a} is not declared nonnegative"
        total = window(a(j), j, k, length)
        if self.each:
            return self._of_each(total, length, given)
        if self.count is None or not counts(self.count, k) or j in self.count.free_symbols:
            return f"{self.count} is no number of iterations"
        over = (k, 0, self.count - 1)
        return le(sympy.Sum(total, over), length * sympy.Sum(a(k), over))

    def _of_each(self, total: Scalar, length: Scalar, given: Given) -> Relation | str:
        fact, here = given.facts[self.each], self.sequence(self.index)
        size = sympy.expand(fact.gap + here)
        if fact.kind != "<=" or self.count is not None or not is_constant(size, given.theorem):
            return f"{self.each} does not bound every {here} by one constant"
        return le(total, length * size)
