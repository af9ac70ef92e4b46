"""What may be squared together, and what its products are as linear forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations_with_replacement
from operator import add
from typing import Any, Final

import sympy
from sympy.core.symbol import Str

from theory.kernel.means import Mean
from theory.kernel.vectors import ZERO, Gram, Scalar, Vector, vector
from theory.proving.forms import ABSENT, Element, Form, Monomial
from theory.proving.problem import Problem

LARGEST: Final = 16
"""Vectors and scalars in one block."""

Under = tuple[tuple[Any, Any], ...]
"""Means, the outermost first: their names, and what is random to each."""


@dataclass(frozen=True, eq=False)
class Averaged(Vector):
    """A vector of which the mean of the square is taken.

    Attributes
    ----------
    under : tuple
        By which means.
    """

    under: Under = ()


@dataclass(frozen=True)
class Block:
    """Things whose squares may be taken.

    Attributes
    ----------
    parts : tuple of (expression, str)
        A scalar and the name of a vector that it multiplies, or ``""`` for the scalar alone.
    products : mapping of (int, int) to (monomial, element)
        For i ≤ j, the inner product of two of them.
    alone : frozenset of (int, int)
        Products that no other product is a multiple of.
    under : tuple
        The means of their squares that are taken, if any.
    """

    parts: tuple[tuple[Scalar, str], ...]
    products: dict[tuple[int, int], tuple[Monomial, Element]]
    alone: frozenset[tuple[int, int]]
    under: Under = ()

    def combination(self, factors: Sequence[tuple[int, Scalar]]) -> Vector | Scalar:
        """What is squared, from numbers of parts and their factors."""
        if self.parts[0][1]:
            pieces = (vector(self.parts[k][1]) * (self.parts[k][0] * f) for k, f in factors)
            total = reduce(add, pieces, ZERO)
            return Averaged(total.terms, self.under) if self.under else total
        return sympy.Add(*(self.parts[k][0] * factor for k, factor in factors))

    def form(self, factors: dict[int, Element], one: Element) -> Form:
        """The square of a combination as a linear form."""
        total: dict[Monomial, Element] = {}
        for i, left in factors.items():
            for j, right in factors.items():
                monomial, coefficient = self.products[min(i, j), max(i, j)]
                total[monomial] = total.get(monomial, 0 * one) + left * right * coefficient
        return {monomial: element for monomial, element in total.items() if element}


def blocks_of(problem: Problem) -> list[Block]:
    """Vectors, with the scalars that multiply them, scalars, and vectors under each mean."""
    chosen = [(_of_vectors(problem), ()), (_of_scalars(problem), ()), *_under_means(problem)]
    return [_block(problem, parts, u) for parts, u in chosen if 0 < len(parts) <= LARGEST]


def _under_means(problem: Problem) -> Iterator[tuple[list[tuple[Scalar, str]], Under]]:
    """All vectors, under each mean of an inner product; nested means first."""
    nodes = [problem.split.atoms.nodes[n] for n in problem.split.outside]
    found: dict[Under, None] = {}
    for node in nodes:
        means: Under = ()
        while isinstance(node, Mean):
            means = (*means, (node.args[0], node.args[1]))
            node = node.args[2]
        if means and isinstance(node, Gram):
            found[means] = None
    names = sorted({name for node in nodes for g in node.atoms(Gram) for name in g.names})
    for under in sorted(found, key=lambda one: (-len(one), str(one))):
        yield [(sympy.S.One, name) for name in names], under


def _of_vectors(problem: Problem) -> list[tuple[Scalar, str]]:
    """The names of vectors; times a scalar c where c² times their squares occur."""
    split = problem.split
    nodes = split.atoms.nodes
    names = {name for node in nodes if isinstance(node, Gram) for name in node.names}
    if not any(isinstance(nodes[n], Gram) for n in split.outside):
        return []
    parts: list[tuple[Scalar, str]] = [(sympy.S.One, name) for name in sorted(names)]
    for monomial in problem.monomials:
        grams = [
            n
            for n, p in zip(split.outside, monomial, strict=True)
            if p and isinstance(nodes[n], Gram)
        ]
        others = [
            (n, p) for n, p in zip(split.outside, monomial, strict=True) if p and n not in grams
        ]
        if len(grams) == 1 and others and all(p % 2 == 0 for _, p in others):
            scalar = sympy.Mul(*(nodes[n] ** (p // 2) for n, p in others))
            one, other = nodes[grams[0]].names
            if one == other and (scalar, one) not in parts:
                parts.append((scalar, one))
    return parts


def _of_scalars(problem: Problem) -> list[tuple[Scalar, str]]:
    """1 and the scalars outside of the field whose squares occur."""
    split = problem.split
    squared = {
        n
        for monomial in problem.monomials
        for n, power in zip(split.outside, monomial, strict=True)
        if power == 2 and sum(monomial) == 2
    }
    nodes = split.atoms.nodes
    return [(sympy.S.One, ""), *((nodes[n], "") for n in sorted(squared))] if squared else []


def _block(problem: Problem, parts: list[tuple[Scalar, str]], under: Under) -> Block:
    products: dict[tuple[int, int], tuple[Monomial, Element]] = {}
    for i, j in combinations_with_replacement(range(len(parts)), 2):
        products[i, j] = _product(problem, parts[i], parts[j], under)
    monomials = [monomial for monomial, _ in products.values()]
    inside = {problem.split.one} if parts[0][1] else set()
    alone = {
        pair
        for pair, (monomial, _) in products.items()
        if monomials.count(monomial) == 1 and monomial not in inside
    }
    return Block(tuple(parts), products, frozenset(alone), under)


def _product(
    problem: Problem, left: tuple[Scalar, str], right: tuple[Scalar, str], under: Under
) -> tuple[Monomial, Element]:
    """A monomial and its factor in the field; what occurs nowhere has a monomial of its own."""
    split = problem.split
    nodes = split.atoms.nodes
    powers: dict[Scalar, int] = {}
    for scalar in (left[0], right[0]):
        for factor in sympy.Mul.make_args(scalar):
            base, exponent = factor.as_base_exp()
            if not exponent.is_Integer:  # a power by itself, such as a^n
                base, exponent = factor, sympy.S.One
            if base != 1:
                powers[base] = powers.get(base, 0) + int(exponent)
    if left[1]:
        entry = Gram(Str(left[1]), Str(right[1]))
        for name, random in reversed(under):
            entry = Mean(name, random, entry)
        powers[entry] = powers.get(entry, 0) + 1
    if any(base not in nodes for base in powers):
        spelled = sympy.Mul(*(base**power for base, power in powers.items()))
        return (ABSENT, spelled), split.field.one  # type: ignore[return-value]
    monomial, coefficient = [0] * len(split.outside), split.field.one
    for base, power in powers.items():
        number = nodes.index(base)
        if number in split.inside:
            coefficient *= split.field.gens[split.inside.index(number)] ** power
        else:
            monomial[split.outside.index(number)] += power
    return tuple(monomial), coefficient
