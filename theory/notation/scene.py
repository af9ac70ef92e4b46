"""What a theorem turns out to name: points, vectors, and what is random to each mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.relations import Relation
from theory.kernel.theorem import Hypothesis
from theory.kernel.vectors import Point, Scalar
from theory.notation.interpolation import Meeting
from theory.notation.names import Function, Pending


@dataclass(frozen=True)
class Scene:
    """What a theorem turns out to name.

    Attributes
    ----------
    points : tuple of Point
    names : tuple of str
        Of vectors.
    randoms : mapping of str to frozenset of str
        By mean, the names that are random to it.
    means : frozenset of str
        The same means, and those of theorems that are cited.
    still : frozenset of str
        Vectors that stand in equations with any vector, and are given to other means.
    rest : frozenset of str
        Those among them that are 0 at every outcome.
    meetings : tuple of Meeting
        Where bounds of smooth and convex functions meet.
    idle : frozenset of Point
        Iterates at which no function is looked at.
    """

    points: tuple[Point, ...]
    names: tuple[str, ...]
    randoms: Mapping[str, frozenset[str]]
    means: frozenset[str] = frozenset()
    still: frozenset[str] = frozenset()
    rest: frozenset[str] = frozenset()
    meetings: tuple[Meeting, ...] = ()
    idle: frozenset[Point] = frozenset()

    def points_of(self, f: Function) -> tuple[Point, ...]:
        """The points at which a function is looked at."""
        return tuple(o for o in self.points if o.function == f.name and o not in self.idle)

    def random(self, mean: str) -> frozenset[str]:
        """What is random to a mean."""
        return self.randoms.get(mean, frozenset())

    def resolved(self, form: Scalar) -> Scalar:
        """An expression with means of the kernel."""
        known = form.replace(
            lambda node: isinstance(node, Pending),
            lambda node: node.operator(
                self.random(str(node.args[1])) or node.random, self.still
            ).of(node.args[-1]),
        )
        return known.replace(lambda node: isinstance(node, sympy.Sum), shifted)

    def hypothesis(self, said: Hypothesis) -> Hypothesis:
        """A hypothesis with means of the kernel; itself, where nothing changes."""
        known = self.relation(said.relation)
        return said if known == said.relation else replace(said, relation=known)

    def relation(self, said: Relation) -> Relation:
        """A relation with means of the kernel."""
        return Relation(self.resolved(said.lhs), said.kind, self.resolved(said.rhs))


def shifted(total: Any) -> Any:
    """A sum of terms F(k + 1) as one of terms F(k).

    Examples
    --------
    >>> k, K, F = *sympy.symbols("k K"), sympy.Function("F")
    >>> shifted(sympy.Sum(F(k + 1), (k, 0, K - 1)))
    Sum(F(k), (k, 1, K))
    """
    if len(total.limits) != 1:
        return total
    ((i, first, last),) = total.limits
    moves = {call.args[0] - i for call in atoms(total.function, AppliedUndef) if call.has(i)}
    if len(moves) != 1 or not (move := moves.pop()).is_Integer or move <= 0:
        return total
    return sympy.Sum(total.function.subs(i, i - move), (i, first + move, last + move))
