"""Roots of constants that stand together everywhere, as one: of √((1 − p)/(pb)) sympy makes three.

Three roots of numbers that are tied, as p and 1 − p are, leave no rational point and an equation
that is linear in nothing; one root r has r²pb = 1 − p.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.means import Mean
from theory.kernel.relations import Relation, eq
from theory.kernel.rules import Combine
from theory.kernel.vectors import Gram, Scalar, Vector

NAME = "\0one root"
"""What the equation of the root is called, which is no fact: the root is put back."""

_Powers = dict[Scalar, int]
"""Twice the exponents of what stands under roots."""


@dataclass(frozen=True)
class Radical:
    """A root of a quotient for roots that stand together everywhere.

    Attributes
    ----------
    root : sympy symbol
        What stands for it.
    powers : mapping of expression to int
        What it is the root of: 1 or -1 for what is above or below.
    """

    root: Scalar
    powers: Mapping[Scalar, int]

    @property
    def equation(self) -> Relation:
        """What the square of the root is."""
        above, below = (
            sympy.Mul(*(base for base, power in self.powers.items() if power == side))
            for side in (1, -1)
        )
        return eq(self.root**2 * below, above)

    def relation(self, said: Relation) -> Relation:
        """A relation with the root as a number."""
        return Relation(self._put(said.lhs), said.kind, self._put(said.rhs))

    def certificate(self, found: Combine) -> Combine:
        """A certificate with the roots that were there before."""
        return replace(
            found,
            facts={name: self._back(one) for name, one in found.facts.items() if name != NAME},
            squares=tuple((self._back(c), self._squared(one)) for c, one in found.squares),
            plus=tuple(map(self._back, found.plus)),
            domain=tuple(name for name in found.domain if name != NAME),
        )

    def told(self, why: str) -> str:
        """A reason with what the root is of in place of its name."""
        shown = sympy.sstr(sympy.sqrt(sympy.Mul(*(b**power for b, power in self.powers.items()))))
        return re.sub(rf"\b{re.escape(self.root.name)} = ", f"{shown} = ", why)

    def _put(self, form: Scalar) -> Scalar:
        halves = _halves(form)
        if halves.keys() == self.powers.keys():
            rest = (base ** ((halves[base] - power) // 2) for base, power in self.powers.items())
            return sympy.Mul(self.root, _others(form), *rest)
        if form.args and not form.is_Atom:
            return form.func(*map(self._put, form.args)) if _roots(form) else form
        return form

    def _back(self, form: Scalar) -> Scalar:
        root = sympy.Mul(*(base ** sympy.Rational(power, 2) for base, power in self.powers.items()))
        return sympy.sympify(form).subs(self.root, root)

    def _squared(self, one: Scalar | Vector) -> Scalar | Vector:
        if not isinstance(one, Vector):
            return self._back(one)
        return replace(one, terms=tuple((name, self._back(c)) for name, c in one.terms))


def radical(relations: Iterable[Relation]) -> Radical | None:
    """Roots that stand together in all of the relations, if there are such.

    Examples
    --------
    >>> from theory.kernel.relations import le
    >>> a, p, b = sympy.symbols("a p b", positive=True)
    >>> found = radical([le(a * (1 + sympy.sqrt((1 - p) / (p * b))), 1), le(p, 1)])
    >>> print(found.equation, "and", found.relation(le(sympy.sqrt((1 - p) / (p * b)), 1)))
    b*p*r**2 == 1 - p and r <= 1
    >>> radical([le(sympy.sqrt(p / b), sympy.sqrt(p))])
    """
    groups, names = list[_Powers](), set[str]()
    for said in relations:
        for side in (said.lhs, said.rhs):
            groups += _groups(side)
            names |= {one.name for one in side.free_symbols}
    for group in groups:
        others = [one for one in groups if one.keys() != group.keys()]
        if len(group) > 1 and not any(one.keys() & group.keys() for one in others):
            name = next(
                n for n in ("r", *(f"r_{k}" for k in range(len(names) + 1))) if n not in names
            )
            signs = {base: 1 if power > 0 else -1 for base, power in group.items()}
            return Radical(sympy.Symbol(name, nonnegative=True), signs)
    return None


def _groups(form: Scalar) -> list[_Powers]:
    """Roots that are multiplied with one another, product by product."""
    halves = _halves(form)
    inner = (*halves, *_others(form).args) if halves else form.args if _roots(form) else ()
    return [halves] * bool(halves) + [group for one in inner for group in _groups(one)]


def _halves(form: Scalar) -> _Powers:
    """What square roots in a product are of, with twice their exponents."""
    factors = [one for one in sympy.Mul.make_args(form) if _is_root(one)]
    return {one.base: int(2 * one.exp) for one in factors}


def _others(form: Scalar) -> Scalar:
    return sympy.Mul(*(one for one in sympy.Mul.make_args(form) if not _is_root(one)))


def _is_root(one: Scalar) -> bool:
    known = one.is_Pow and one.exp.is_Rational and one.exp.q == 2
    return bool(known and one.base.free_symbols and not one.base.atoms(AppliedUndef, Gram, Mean))


def _roots(form: Scalar) -> bool:
    return any(_is_root(one) for one in form.atoms(sympy.Pow))
