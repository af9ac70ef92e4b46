"""`Values`: what takes the place of a theorem's symbols and vectors where it is cited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import add

import sympy

from theory.kernel.atoms import atoms
from theory.kernel.relations import Relation, put_in, with_scalars
from theory.kernel.vectors import ZERO, Gram, Point, Scalar, Vector, vector


@dataclass(frozen=True)
class Values:
    """Expressions for symbols and vectors for vectors' names, all put in at once.

    Attributes
    ----------
    scalars : mapping of sympy symbol to expression
    vectors : mapping of str to Vector

    Examples
    --------
    >>> a, b = sympy.symbols("a b", positive=True)
    >>> Values({a: b, b: a}, {}).scalar(a - 2 * b)
    -2*a + b
    """

    scalars: Mapping[Scalar, Scalar]
    vectors: Mapping[str, Vector]

    def scalar(self, form: Scalar) -> Scalar:
        """An expression at these values."""
        return put_in(sympy.sympify(form), self.scalars, self.vectors)

    def vector(self, one: Vector) -> Vector:
        """A vector at these values; those in its factors count too."""
        put = (self.vectors.get(n, vector(n)) * self.scalar(f) for n, f in one.terms)
        return reduce(add, put, ZERO)

    def point(self, one: Point) -> Point:
        """A point at these values."""
        value = with_scalars(one.value, self.scalars)
        return Point(self.vector(one.position), value, self.vector(one.gradient), one.function)

    def relation(self, one: Relation) -> Relation:
        """A relation at these values."""
        return _replaced(one, tuple(self.scalars.items()), tuple(self.vectors.items()))

    @property
    def put(self) -> frozenset[Scalar | str]:
        """The symbols and the names of vectors that they bring in."""
        brought = [*self.scalars.values(), *self.vectors.values()]
        return frozenset(name for one in brought for name in named(one))

    @property
    def factors(self) -> tuple[Scalar, ...]:
        """The factors in the vectors."""
        return tuple(factor for one in self.vectors.values() for _, factor in one.terms)


def named(one: Scalar | Vector) -> set[Scalar | str]:
    """The symbols and the names of vectors in something, factors of vectors included.

    Examples
    --------
    >>> a = sympy.Symbol("a", real=True)
    >>> sorted(named(a * vector("u")), key=str)
    [a, 'u']
    """
    if isinstance(one, Vector):
        return {*one.names, *(name for _, factor in one.terms for name in named(factor))}
    form = sympy.sympify(one)
    return {*form.free_symbols, *(name for entry in atoms(form, Gram) for name in entry.names)}


@lru_cache(maxsize=2**14)
def _replaced(
    relation: Relation,
    scalars: tuple[tuple[Scalar, Scalar], ...],
    vectors: tuple[tuple[str, Vector], ...],
) -> Relation:
    return relation.replaced(dict(scalars), dict(vectors))
