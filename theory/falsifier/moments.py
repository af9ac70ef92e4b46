"""Polynomials of second degree in a state: how their means move, and how small they can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, Final

import sympy

from theory.falsifier.fraction_code import compiled
from theory.falsifier.iterations import Iteration
from theory.kernel.vectors import Scalar

LARGEST: Final = 10
"""Parts of a state."""

Monomial = tuple[Scalar, ...]
"""At most two parts of the state, in order."""


@dataclass(frozen=True)
class Moments:
    """How means of products of a state move.

    Attributes
    ----------
    monomials : tuple of Monomial
        All of degree 2 at most, the empty one first.
    then : tuple of mapping of Monomial to expression
        What each of them is the mean of in the next iteration, in monomials of this one.
    values : mapping of str to mapping of Monomial to expression
        What sequences are.
    """

    monomials: tuple[Monomial, ...]
    then: tuple[Mapping[Monomial, Scalar], ...]
    values: Mapping[str, Mapping[Monomial, Scalar]]

    @classmethod
    def of(cls, one: Iteration) -> Moments | None:
        """Those of an iteration; None where it is not affine, or a sequence not quadratic."""
        if (
            not one.state
            or len(one.state) > LARGEST
            or one.goal.gap.free_symbols & {*one.state, one.index}
        ):
            return None
        monomials = tuple(
            m for degree in range(3) for m in combinations_with_replacement(one.state, degree)
        )
        place = {s: n for n, s in enumerate(one.state)}
        try:
            if any(_degree(form, one.state) > 1 for then in one.then for form in then):
                return None
            then = tuple(
                _terms(
                    sympy.Add(*(sympy.Mul(*(b[place[s]] for s in m)) for b in one.then))
                    / len(one.then),
                    one.state,
                )
                for m in monomials
            )
            values = {name: _terms(form, one.state) for name, form in one.values.items()}
        except sympy.PolynomialError:
            return None
        if any(len(m) > 2 for form in values.values() for m in form):
            return None
        return cls(monomials, then, values)


def _degree(form: Scalar, state: tuple[Scalar, ...]) -> int:
    return int(sympy.Poly(form, *state).total_degree())


def _terms(form: Scalar, state: tuple[Scalar, ...]) -> dict[Monomial, Scalar]:
    found = {}
    for powers, factor in sympy.Poly(form, *state).terms():
        if factor != 0:
            found[tuple(s for s, n in zip(state, powers, strict=True) for _ in range(n))] = factor
    return found


@dataclass(frozen=True)
class Square:
    """A polynomial of second degree in the state, at places that name all else."""

    size: int
    entries: Mapping[tuple[int, int], int]
    factors: Callable[..., Any]

    @classmethod
    def of(cls, gap: Scalar, state: tuple[Scalar, ...], arguments: list[Scalar]) -> Square | None:
        """That of a gap; None if it is none."""
        try:
            terms = _terms(gap, state)
        except sympy.PolynomialError:
            return None
        if any(len(m) > 2 for m in terms):
            return None
        place = {s: n for n, s in enumerate(state)}
        last = len(state)
        entries = {}
        for number, monomial in enumerate(terms):
            i, j = sorted((*(place[s] for s in monomial), last, last)[:2])
            entries[i, j] = number
        return cls(last + 1, entries, compiled(arguments, [*terms.values()]))

    def least(self, place: tuple[Fraction, ...]) -> Fraction | None:
        """The least value over all states; None if there is none."""
        values = self.factors(*place)
        rows = [[Fraction(0)] * self.size for _ in range(self.size)]
        for (i, j), number in self.entries.items():
            rows[i][j] = rows[j][i] = values[number] / (1 if i == j else 2)
        for n, pivot in enumerate(rows[:-1]):
            if pivot[n] < 0 or (pivot[n] == 0 and any(pivot[n:])):
                return None
            for below in rows[n + 1 :] if pivot[n] else ():
                factor = below[n] / pivot[n]
                below[:] = [x - factor * y for x, y in zip(below, pivot, strict=True)]
        return rows[-1][-1]
