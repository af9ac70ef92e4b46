"""The rule that lets an average over finitely many indices change places with an expectation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from theory.kernel.atoms import atoms
from theory.kernel.means import Average, Mean, Operator, is_average
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation
from theory.kernel.theorem import Checked, Given, missing
from theory.kernel.vectors import Scalar
from theory.verdicts import Verdict

MEANS: Final = frozenset({Operator, Average})
"""All kinds of means there are; another class could call anything a mean."""


__all__ = ["MEANS", "Average", "Swap", "is_average"]


@dataclass(frozen=True)
class Swap:
    """A fact with an average and an expectation next to each other, in the other order.

    A finite sum with fixed weights may be taken inside or outside of any expectation. Two
    expectations do not commute in general, so one of the two has to be an `Average`. They run over
    two variables, which they name where something depends on both.

    Attributes
    ----------
    of : str
        The fact.
    average : Average
    under : Operator
        The expectation, or another average.
    """

    of: str
    average: Average
    under: Operator

    @property
    def uses(self) -> tuple[str, ...]:
        """The fact."""
        return (self.of,)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is the fact, up to the order of these two."""
        absent = missing(self.uses, given)
        if absent:
            return absent
        if type(self.under) not in MEANS:
            return Checked(Verdict.UNKNOWN, f"{type(self.under).__name__} is no mean of the kernel")
        if type(self.average) is not Average:
            return Checked(
                Verdict.UNKNOWN,
                f"{self.average.name} is no average over finitely many indices, and expectations "
                "need not commute",
            )
        shared = set(self.average.random) & set(self.under.random)
        apart = self.average.over and self.under.over and self.average.over != self.under.over
        if shared and not apart:
            return Checked(
                Verdict.UNKNOWN,
                f"{min(shared)} is random to both {self._names()}: say by `over` which variable "
                "each of them binds, and that they are two",
            )
        fact = given.facts[self.of]
        if goal.kind != fact.kind or not is_zero(self.inside(goal.gap) - self.inside(fact.gap)):
            return Checked(Verdict.UNKNOWN, f"not {self.of} with {self._names()} swapped")
        return Checked(Verdict.PROVED, f"{self._names()} swapped in {self.of}")

    def inside(self, form: Scalar) -> Scalar:
        """The average is put inside wherever it stands right outside of the expectation."""
        nests = {
            mean: self.under.of(self.average.of(mean.args[2].args[2]))
            for mean in atoms(form, Mean)
            if _is(mean, self.average) and _is(mean.args[2], self.under)
        }
        return form.xreplace(nests)

    def _names(self) -> str:
        return f"{self.average.name} and {self.under.name}"


def _is(node: Any, operator: Operator) -> bool:
    """Whether a node is a mean under this operator: of its name, and random in the same names."""
    if not isinstance(node, Mean):
        return False
    name, marks, _ = node.args
    return str(name) == operator.name and set(map(str, marks)) == operator.marks
