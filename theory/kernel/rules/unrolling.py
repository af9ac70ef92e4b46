"""The rule that solves a linear recurrence: what is added is multiplied by all later ratios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import sympy

from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation, eq
from theory.kernel.rules.series import no_sequence, pinned, varying
from theory.kernel.signs import undefined
from theory.kernel.theorem import Checked, Given, missing
from theory.kernel.vectors import Scalar
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Unroll:
    """From a(k + 1) = r(k)·a(k) + b(k + 1) and a(0) = c + b(0) to a(n), for every n ≥ 0.

    a(n) = P(0, n)·c + Σ_{k=0}^{n} P(k, n − k)·b(k), where P(j, m) is the product of the m ratios
    r(j), …, r(j + m − 1). By induction on n: r(n)·P(k, n − k) = P(k, n + 1 − k), and b(n + 1) has
    the empty product in front. No ratio has to differ from 0.

    Attributes
    ----------
    of : str
        The recurrence, for every k.
    start : str
        What a(0) is.
    empty, longer : str
        P(k, 0) = 1, and P(j, k + 1) = r(j + k)·P(j, k), for every j and k.
    index, other : sympy symbols
        k and j.
    count : sympy symbol
        n.
    sequence, product : sympy functions
        a and P.
    """

    of: str
    start: str
    empty: str
    longer: str
    index: Scalar
    other: Scalar
    count: Scalar
    sequence: Scalar
    product: Scalar

    iterates: ClassVar[bool] = True

    @property
    def uses(self) -> tuple[str, ...]:
        """The recurrence, its start, and what the product is."""
        return (self.of, self.start, self.empty, self.longer)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is that solution."""
        absent = (
            missing(self.uses, given)
            or no_sequence(self.sequence, self.product)
            or self._unfit(given)
        )
        if absent:
            return absent
        read = self._read(given)
        if isinstance(read, str):
            return Checked(Verdict.UNKNOWN, read)
        solution = eq(self.sequence(self.count), read)
        hole = undefined(solution) or undefined(goal)
        if hole:
            return Checked(Verdict.UNKNOWN, hole)
        if goal.kind != "==" or not is_zero(goal.gap - solution.gap):
            return Checked(Verdict.UNKNOWN, f"the recurrence unrolls to {solution}")
        return Checked(Verdict.PROVED, f"{self.of}, unrolled by induction")

    def _unfit(self, given: Given) -> Checked | None:
        """Why these indices or facts are not about every k, j and n, or None."""
        problem = pinned(self.index, given) or pinned(self.other, given)
        changing = (varying(given.facts[name], given) for name in self.uses)
        problem = problem or next((found for found in changing if found), None)
        if problem:
            return problem
        declared = {*given.theorem.symbols, *given.theorem.scalars}
        bound = {self.index, self.other}
        if bound & declared:
            return Checked(Verdict.UNKNOWN, "k and j are indices that nothing else names")
        whole = self.count.is_Symbol and self.count.is_integer and self.count.is_nonnegative
        if not whole or self.count in bound:
            return Checked(Verdict.UNKNOWN, f"{self.count} is no number of iterations")
        return None

    def _read(self, given: Given) -> Scalar | str:
        """The solution, or why the facts are not a recurrence with its products."""
        k, j, P = self.index, self.other, self.product
        fact, start = given.facts[self.of], given.facts[self.start]
        form = sympy.expand(fact.rhs)
        ratio = form.coeff(self.sequence(k))
        rest = sympy.expand(form - ratio * self.sequence(k))
        known = fact.kind == "==" and fact.lhs == self.sequence(k + 1)
        if not known or j in fact.gap.free_symbols or ratio.has(sympy.Sum):
            return f"{self.of} is no linear recurrence of {self.sequence}"
        if start.kind != "==" or start.lhs != self.sequence(0):
            return f"{self.start} does not say what {self.sequence(0)} is"
        if given.facts[self.empty] != eq(P(k, 0), 1):
            return f"{self.empty} does not say that {P(k, 0)} is 1"
        longer = given.facts[self.longer]
        wanted = eq(P(j, k + 1), ratio.subs(k, j + k) * P(j, k))
        if (longer.lhs, longer.kind) != (wanted.lhs, "==") or not is_zero(longer.gap - wanted.gap):
            return f"{self.longer} does not say {wanted}"
        added = rest.subs(k, k - 1)
        total = sympy.Sum(P(k, self.count - k) * added, (k, 0, self.count))
        return P(0, self.count) * (start.rhs - added.subs(k, 0)) + total
