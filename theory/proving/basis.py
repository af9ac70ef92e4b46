"""Vectors of which norms are named as vectors of a basis: ‖y − x‖ as ‖d‖, and y as x + d.

A root of ⟨y, y⟩ − 2⟨x, y⟩ + ⟨x, x⟩ ties four atoms, a root of ⟨d, d⟩ ties two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import sympy

from theory.kernel.means import Mean
from theory.kernel.relations import Relation, put_in
from theory.kernel.rules import Combine
from theory.kernel.vectors import ZERO, Scalar, Vector, vector
from theory.notation.names import text
from theory.notation.norms import lengths


@dataclass(frozen=True)
class Basis:
    """Another basis of the same vectors.

    Attributes
    ----------
    there : mapping of str to Vector
        Vectors that are replaced, in the basis.
    back : mapping of str to Vector
        Vectors of the basis that are new, in those that they replace.
    """

    there: Mapping[str, Vector]
    back: Mapping[str, Vector]

    def relation(self, said: Relation) -> Relation:
        """A relation of the vectors of the basis."""
        left, right = (put_in(side, {}, self.there) for side in (said.lhs, said.rhs))
        return Relation(left, said.kind, right)

    def certificate(self, found: Combine) -> Combine:
        """A certificate in the vectors that were there before."""
        return replace(
            found,
            facts={name: self._before(one) for name, one in found.facts.items()},
            squares=tuple((self._before(c), self._squared(one)) for c, one in found.squares),
            plus=tuple(map(self._before, found.plus)),
        )

    def _before(self, form: Scalar) -> Scalar:
        return put_in(form, {}, self.back)

    def _squared(self, one: Scalar | Vector) -> Scalar | Vector:
        return _put(one, self.back) if isinstance(one, Vector) else self._before(one)


def basis(relations: Iterable[Relation]) -> Basis | None:
    """A basis with the vectors of which the relations name norms, if it is not theirs already.

    Where there are means, names say what is random, and nothing is replaced.

    Examples
    --------
    >>> from theory.kernel.relations import le
    >>> x, y = vector("x"), vector("y")
    >>> found = basis([le(sympy.sqrt((y - x) ** 2), 1)])
    >>> found.there, found.relation(le(x**2, 0)).lhs
    ({'x': Vector(terms=(('(x - y)', 1), ('y', 1)))}, <(x - y), (x - y)> + 2*<(x - y), y> + <y, y>)
    >>> basis([le(sympy.sqrt(x**2), 1)])
    """
    said = [*relations]
    if any(one.gap.has(Mean) for one in said):
        return None
    there: dict[str, Vector] = {}
    back: dict[str, Vector] = {}
    named = sorted(lengths(said), key=lambda one: (len(one.terms), text(one)))
    kept = {one.terms[0][0] for one in named if len(one.terms) == 1}
    for one in named:
        now = _put(one, there)
        free = (n for n, c in now.terms if n not in kept and sympy.sympify(c).is_number)
        pivot = next(free, None) if len(now.terms) > 1 else None
        if pivot is None:
            continue
        new = f"({text(one)})"
        factor = dict(now.terms)[pivot]
        value = (vector(new) - now + factor * vector(pivot)) * (1 / sympy.sympify(factor))
        there = {name: _put(old, {pivot: value}) for name, old in there.items()} | {pivot: value}
        back[new] = one
        kept.add(new)
    return Basis(there, back) if there else None


def _put(one: Vector, values: Mapping[str, Vector]) -> Vector:
    return sum((values.get(name, vector(name)) * c for name, c in one.terms), ZERO)
