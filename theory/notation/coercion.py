"""Formulas as the kernel takes them: ``<=``, ``>=`` and ``equal`` become relations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.elementary import ELEMENTARY
from theory.kernel.normal import linear_sums
from theory.kernel.relations import Relation, eq, le
from theory.kernel.vectors import Scalar, Vector


@dataclass(frozen=True)
class VectorEquation:
    """Two vectors that are the same; it is used as an equation of inner products."""

    left: Vector
    right: Vector


def equal(left: Any, right: Any) -> Relation | VectorEquation:
    """An equation of two scalars, or of two vectors.

    Examples
    --------
    >>> a = sympy.Symbol("a", real=True)
    >>> print(equal(a, 1))
    a == 1
    """
    if isinstance(left, Vector) and isinstance(right, Vector):
        return VectorEquation(left, right)
    return eq(left, right)


def relation(said: Any, where: str) -> Relation:
    """The relation of the kernel for an inequality or equation.

    Raises
    ------
    TheoryError
        It is none, or one that sympy has decided itself.

    Examples
    --------
    >>> a = sympy.Symbol("a", positive=True)
    >>> print(relation(a >= 2, "here"))
    2 <= a
    """
    if isinstance(said, Relation):
        return said
    if isinstance(said, sympy.LessThan):
        return le(said.lhs, said.rhs)
    if isinstance(said, sympy.GreaterThan):
        return le(said.rhs, said.lhs)
    if isinstance(said, sympy.Equality):
        return eq(said.lhs, said.rhs)
    if said is True or said is False or said in (sympy.true, sympy.false):
        raise TheoryError(
            f"sympy has decided this formula by itself: {bool(said)}",
            where,
            "write le(left, right) or equal(left, right), which keep both sides; == compares "
            "Python objects",
        )
    raise TheoryError(
        f"a formula is an inequality or an equation, found {said!s:.80}",
        where,
        "write left <= right, left >= right or equal(left, right)",
    )


def slack(said: Any) -> tuple[Scalar, Relation] | None:
    """For a strict inequality, its gap as a positive constant, and the equation that says so.

    Examples
    --------
    >>> b = sympy.Symbol("b", nonnegative=True)
    >>> symbol, stated = slack(b < 1)
    >>> symbol.is_positive, str(stated)
    (True, '1 == b + gap(1 - b)')
    """
    if isinstance(said, (sympy.StrictLessThan, sympy.StrictGreaterThan)):
        low, high = said.lts, said.gts
        gap = gap_of(high - low)
        return gap, eq(high, low + gap)
    return None


def gap_of(way: Scalar) -> Scalar:
    """What a number is called that is above 0 by a strict inequality."""
    return sympy.Symbol(f"gap({sympy.sstr(way)})", positive=True)


def sides(gap: Scalar, kind: str) -> Relation:
    """A relation of this gap whose sides have no minus signs.

    Examples
    --------
    >>> a, b = sympy.symbols("a b")
    >>> print(sides(a - 2 * b, "<="))
    2*b <= a
    """
    form = sympy.expand(linear_sums(gap))
    terms = sympy.Add.make_args(form)
    below = [-term for term in terms if term.could_extract_minus_sign()]
    above = [term for term in terms if not term.could_extract_minus_sign()]
    make = eq if kind == "==" else le
    return make(sympy.Add(*below), sympy.Add(*above))


def is_parameters(said: Relation) -> bool:
    """Whether a relation is about constants alone, such as γ ≤ 1/L.

    Examples
    --------
    >>> from theory.kernel import le, vector
    >>> L = sympy.Symbol("L", positive=True)
    >>> is_parameters(le(L, 2)), is_parameters(le(vector("g") ** 2, L))
    (True, False)
    """
    return all(isinstance(one, ELEMENTARY) for one in atoms(said.gap, sympy.Function))
