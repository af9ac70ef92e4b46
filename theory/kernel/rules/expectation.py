"""Rules of expectations: they are monotone and linear, and a mean of means is a mean."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from theory.kernel.means import Mean, Operator, with_vectors
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation
from theory.kernel.theorem import Checked, Given, missing
from theory.kernel.vectors import Gram, Scalar, Vector
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Expect:
    """Both sides of a fact under an expectation.

    Attributes
    ----------
    of : str
        The fact, which holds for every outcome.
    under : Operator
    """

    of: str
    under: Operator

    @property
    def uses(self) -> tuple[str, ...]:
        """The fact."""
        return (self.of,)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is the mean of the fact."""
        absent = missing(self.uses, given)
        if absent:
            return absent
        fact = given.facts[self.of]
        if goal.kind != fact.kind or not is_zero(goal.gap - self.under.of(fact.gap)):
            return Checked(Verdict.UNKNOWN, f"not the mean of {self.of}")
        return Checked(Verdict.PROVED, f"mean of {self.of}")


@dataclass(frozen=True)
class Total:
    """A fact of iteration k under the expectation of everything, in the notation of sequences.

    The theorem's `sequences` say what F(k) is the mean of; F(k + 1) is that of the points that its
    `following` names. Conditional means disappear (tower property).

    Attributes
    ----------
    of : str
        The fact; it holds at every iteration.
    index : sympy symbol
        k.
    """

    of: str
    index: Scalar

    @property
    def uses(self) -> tuple[str, ...]:
        """The fact."""
        return (self.of,)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is the fact in that notation."""
        absent = missing(self.uses, given)
        if absent:
            return absent
        fact = given.facts[self.of]
        form, left = self._rewritten(fact.gap, given)
        if left:
            return Checked(Verdict.UNKNOWN, f"no sequence stands for the mean of {left}")
        if goal.kind != fact.kind or not is_zero(goal.gap - form):
            return Checked(Verdict.UNKNOWN, f"not the mean of {self.of} in this notation")
        return Checked(Verdict.PROVED, f"total expectation of {self.of}")

    def _rewritten(self, gap: Scalar, given: Given) -> tuple[Scalar, Scalar | None]:
        """The gap in sequences; and the first random factor that no sequence stands for."""
        table = self._table(given)
        constants = set(given.theorem.symbols)
        total = sympy.S.Zero
        for term in sympy.Add.make_args(sympy.expand(gap)):
            factors = sympy.Mul.make_args(term)
            fixed = [part for part in factors if _is_constant(part, constants)]
            random = sympy.Mul(*(part for part in factors if not _is_constant(part, constants)))
            random = random.args[2] if isinstance(random, Mean) else random
            if random != 1 and random not in table:
                return total, random
            total += sympy.Mul(*fixed) * table.get(random, sympy.S.One)
        return total, None

    def _table(self, given: Given) -> dict[Scalar, Scalar]:
        """What each random atom becomes."""
        vectors: dict[str, Vector] = {}
        values: dict[Scalar, Scalar] = {}
        for now, then in given.theorem.following:
            values[now.value] = then.value
            for old, new in ((now.position, then.position), (now.gradient, then.gradient)):
                vectors.update(dict.fromkeys(old.names, new))
        table = {}
        for sequence, value in given.theorem.sequences.items():
            table[value] = sequence(self.index)
            later = with_vectors(value, vectors).xreplace(values)
            if later != value:
                table[later] = sequence(self.index + 1)
        return table


def _is_constant(factor: Scalar, constants: set[Scalar]) -> bool:
    return factor.free_symbols <= constants and not factor.atoms(Gram, Mean)
