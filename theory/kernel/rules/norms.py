"""Rules of norms: the triangle inequality, that of Cauchy and Schwarz, and roots of squares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add

import sympy

from theory.kernel.means import Operator
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation, le
from theory.kernel.rules.algebra import first_undefined
from theory.kernel.rules.averages import MEANS
from theory.kernel.signs import nonnegative, undefined
from theory.kernel.theorem import Checked, Given, missing
from theory.kernel.vectors import ZERO, Scalar, Vector, square
from theory.smt.queries import remembered
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Triangle:
    """A sum of vectors is at most as long as their lengths together; both sides squared.

    From ‖v‖² ≤ s² for every part to ‖Σ c v‖² ≤ (Σ c s)². Factors and sizes must be nonnegative on
    the domain; a vector that is subtracted is written with its sign, ‖−v‖ being ‖v‖.

    Attributes
    ----------
    parts : tuple of (str, expression, Vector, expression)
        A fact ‖v‖² ≤ s², c, v and s.
    domain : tuple of str
        Facts under which factors and sizes are nonnegative, besides the domains of the symbols.
    """

    parts: tuple[tuple[str, Scalar, Vector, Scalar], ...]
    domain: tuple[str, ...] = ()

    @property
    def uses(self) -> tuple[str, ...]:
        """The facts, and those that bound the domain."""
        return (*(name for name, *_ in self.parts), *self.domain)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is that inequality."""
        absent = missing(self.uses, given)
        if absent:
            return absent
        if not _lemma_holds():
            return Checked(Verdict.UNKNOWN, "the triangle inequality is not proved")
        problem = self._problem(goal, given)
        if problem:
            return Checked(Verdict.UNKNOWN, problem)
        whole = reduce(add, (vector * factor for _, factor, vector, _ in self.parts), ZERO)
        size = sympy.Add(*(factor * size for _, factor, _, size in self.parts))
        instance = le(square(whole), size**2)
        if goal.kind != "<=" or not is_zero(goal.gap - instance.gap):
            return Checked(Verdict.UNKNOWN, f"the triangle inequality would be {instance}")
        return Checked(Verdict.PROVED, "triangle inequality")

    def _problem(self, goal: Relation, given: Given) -> str:
        under = [given.facts[name] for name in self.domain]
        unclear = undefined(goal, under)
        if unclear:
            return unclear
        for name, factor, vector, size in self.parts:
            hole = first_undefined((given.facts[name], factor, vector, size), under)
            if hole:
                return hole
            if not is_zero(given.facts[name].gap - (sympy.sympify(size) ** 2 - square(vector))):
                return f"{name} does not bound ‖{vector}‖² by ({size})²"
            for value in (factor, size):
                outcome = nonnegative(sympy.sympify(value), under)
                if outcome.verdict is not Verdict.PROVED:
                    return f"{outcome.says} is not shown: {outcome.note}"
        return ""


@dataclass(frozen=True)
class Schwarz:
    """The Cauchy–Schwarz inequality, ⟨u, v⟩² ≤ ‖u‖²·‖v‖², of vectors or of their means.

    Under a mean it is (E⟨u, v⟩)² ≤ E‖u‖²·E‖v‖²; of quantities, (E ab)² ≤ E a²·E b², and with b = 1
    Jensen's (E a)² ≤ E a².

    Attributes
    ----------
    first, second : Vector or expression
        Two vectors, or two quantities.
    under : Operator, optional
    """

    first: Vector | Scalar
    second: Vector | Scalar
    under: Operator | None = None

    @property
    def uses(self) -> tuple[str, ...]:
        """No facts."""
        return ()

    def stated(self) -> Relation:
        """The inequality."""
        return le(
            self.mean(self.first, self.second) ** 2,
            self.mean(self.first, self.first) * self.mean(self.second, self.second),
        )

    def mean(self, one: Vector | Scalar, other: Vector | Scalar) -> Scalar:
        """The mean of a product, or the product where there is no mean."""
        product = one @ other if isinstance(one, Vector) else sympy.sympify(one) * other
        return product if self.under is None else self.under.of(product)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is that inequality."""
        if isinstance(self.first, Vector) is not isinstance(self.second, Vector):
            return Checked(Verdict.UNKNOWN, "a vector and a number have no product that is one")
        if self.under is not None and type(self.under) not in MEANS:
            return Checked(Verdict.UNKNOWN, f"{type(self.under).__name__} is no mean of the kernel")
        hole = first_undefined((goal, self.first, self.second), ())
        if hole:
            return Checked(Verdict.UNKNOWN, hole)
        stated = self.stated()
        if goal.kind != "<=" or not is_zero(goal.gap - stated.gap):
            return Checked(Verdict.UNKNOWN, f"the Cauchy–Schwarz inequality would be {stated}")
        return Checked(Verdict.PROVED, "Cauchy–Schwarz inequality")


@dataclass(frozen=True)
class Root:
    """From l² ≤ s² to l ≤ s, for s ≥ 0: l is the root of a squared norm, and may be 0.

    Attributes
    ----------
    of : str
        A fact whose gap is s² − l².
    domain : tuple of str
        Facts under which s is nonnegative and what is under a root is.
    """

    of: str
    domain: tuple[str, ...] = ()

    @property
    def uses(self) -> tuple[str, ...]:
        """The fact, and those that bound the domain."""
        return (self.of, *self.domain)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the fact is the square of the goal."""
        absent = missing(self.uses, given)
        if absent:
            return absent
        under = [given.facts[name] for name in self.domain]
        fact = given.facts[self.of]
        hole = first_undefined((goal, fact), under)
        if hole:
            return Checked(Verdict.UNKNOWN, hole)
        if goal.kind != "<=" or not is_zero(fact.gap - (goal.rhs**2 - goal.lhs**2)):
            return Checked(Verdict.UNKNOWN, f"{self.of} is not the square of {goal}")
        outcome = nonnegative(goal.rhs, under)
        if outcome.verdict is not Verdict.PROVED:
            return Checked(Verdict.UNKNOWN, f"{outcome.says} is not shown: {outcome.note}")
        return Checked(Verdict.PROVED, f"root of {self.of}")


@remembered
def _lemma_holds() -> bool:
    """For positive sizes; a size of 0 is their limit, and more parts are one after another."""
    from theory.kernel.lemmas import TRIANGLE
    from theory.kernel.prove import prove

    return prove(TRIANGLE).verdict is Verdict.PROVED
