"""Certificates with squares: semidefinite programs for their form, exact LDLᵀ for their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations_with_replacement
from operator import add
from typing import Any

import sympy

from theory.kernel.rules.algebra import Combine
from theory.kernel.vectors import ZERO, Gram, Scalar, Vector, vector
from theory.proving.elimination import added
from theory.proving.exact import RIGHT, Solution, solve
from theory.proving.forms import Element, Form, Monomial
from theory.proving.linear import Draft, columns_of, completed
from theory.proving.problem import Problem
from theory.proving.semidefinite import Program, available, common
from theory.proving.support import Column, scaled

Name = str | Scalar
"""What a square is made of: the name of a vector, a scalar atom, or 1."""


@dataclass(frozen=True)
class Block:
    """What may be squared together, and the monomials of its products.

    Attributes
    ----------
    names : tuple
    products : dict of (int, int) to monomial
        For i ≤ j.
    """

    names: tuple[Name, ...]
    products: dict[tuple[int, int], Monomial]


def with_squares(problem: Problem) -> Iterator[Combine | str]:
    """Certificates that a semidefinite program suggests."""
    blocks = blocks_of(problem)
    if problem.goal.kind == "==" or not blocks or not problem.points:
        return
    if not available():
        yield "squares may be needed, and the search for them needs the extra: staleproof[sdp]"
        return
    for block in blocks:
        yield from _with_block(problem, block)


def blocks_of(problem: Problem) -> list[Block]:
    """Vectors whose inner products occur, and scalars whose squares do."""
    split = problem.split
    nodes = [split.atoms.nodes[number] for number in split.outside]
    grams = {node: k for k, node in enumerate(nodes) if isinstance(node, Gram)}
    unit = [tuple(int(k == j) for j in range(len(nodes))) for k in range(len(nodes))]
    blocks = []
    names = sorted({name for node in grams for name in node.names})
    if names:
        products = {}
        for i, j in combinations_with_replacement(range(len(names)), 2):
            entry = Gram(sympy.core.symbol.Str(names[i]), sympy.core.symbol.Str(names[j]))
            products[i, j] = unit[grams[entry]] if entry in grams else (i, j, "absent")
        blocks.append(Block(tuple(names), products))
    squared = sorted({k for m in problem.monomials for k, p in enumerate(m) if p == 2 and sum(m) == 2})
    if squared:
        powers = [split.one, *(unit[k] for k in squared)]
        products = {
            (i, j): tuple(a + b for a, b in zip(powers[i], powers[j], strict=True))
            for i, j in combinations_with_replacement(range(len(powers)), 2)
        }
        blocks.append(Block((sympy.S.One, *(nodes[k] for k in squared)), products))
    return blocks


def _with_block(problem: Problem, block: Block) -> Iterator[Combine | str]:
    names, terms, columns = columns_of(problem)
    goal = problem.at_points(problem.reduced_goal)
    if goal is None or columns is None:
        return
    squares = {block.products[k, k] for k in range(len(block.names))}
    kept = [n for n in range(len(columns)) if n < len(names) or terms[n - len(names)] not in squares]
    rows = {monomial: row for row, monomial in enumerate(problem.monomials)}
    program = Program(scaled(goal), [columns[n] for n in kept], rows, block.products)
    outcome = common(program)
    if outcome is None:
        yield f"no multipliers and squares at {problem.described(0)}"
        return
    chosen = [kept[n] for n in outcome.columns]
    facts = [names[n] for n in chosen if n < len(names)]
    used = [terms[n - len(names)] for n in chosen if n >= len(names)]
    yield from _exact(problem, block, facts, used, outcome)


def _exact(
    problem: Problem, block: Block, facts: list[str], terms: list[Monomial], outcome: Any
) -> Iterator[Combine | str]:
    """Multipliers from what is no product of the block, then the squares from the rest."""
    one = problem.split.field.one
    forms: list[Form] = [problem.reduced_facts[name] for name in facts]
    forms += [{monomial: one} for monomial in terms]
    places = outcome.places
    inside = {block.products[tuple(sorted((i, j)))] for i in places for j in places}
    outer = [{m: e for m, e in form.items() if m not in inside} for form in forms]
    goal = {m: e for m, e in problem.reduced_goal.items() if m not in inside}
    solution = solve(outer, goal)
    if solution is None:
        yield "multipliers change their form inside the domain"
        return
    for values in _values(problem, block, forms, solution, outcome):
        rest: Form = problem.reduced_goal
        for form, value in zip(forms, values, strict=True):
            rest = added(rest, form, -value)
        for order in _orders(places):
            squares = _ldl(rest, block, order, one)
            if squares is None:
                continue
            draft = Draft(
                dict(zip(facts, values[: len(facts)], strict=True)),
                dict(zip(terms, values[len(facts) :], strict=True)),
                [(d, _combination(problem, block, factors)) for d, factors in squares],
            )
            draft.forms = [_square_form(block, factors, one) for _, factors in squares]
            yield completed(problem, draft)


def _orders(places: Sequence[int]) -> list[tuple[int, ...]]:
    """A few orders of elimination."""
    forward = tuple(places)
    turned = [forward[k:] + forward[:k] for k in range(len(forward))]
    return list(dict.fromkeys([*turned, forward[::-1]]))[:5]


def _ldl(
    rest: Form, block: Block, order: Sequence[int], one: Element
) -> list[tuple[Element, dict[int, Element]]] | None:
    """Coefficients and factors of squares whose sum the form is, or None."""
    squares = []
    for place in order:
        pivot = rest.get(block.products[place, place])
        row = {
            other: rest[product]
            for other in range(len(block.names))
            if other != place and (product := block.products[tuple(sorted((place, other)))]) in rest
        }
        if not pivot:
            if row:
                return None
            continue
        factors = {place: one, **{other: value / pivot / 2 for other, value in row.items()}}
        rest = added(rest, _square_form(block, factors, one), -pivot)
        squares.append(_without_fractions(pivot, factors))
    return None if rest else squares


def _without_fractions(
    coefficient: Element, factors: dict[int, Element]
) -> tuple[Element, dict[int, Element]]:
    """The same square with factors that are polynomials: they are defined everywhere."""
    field = coefficient.field
    common = reduce(lambda a, b: a.lcm(b), (e.denom for e in factors.values()), field.ring.one)
    times = field(common)
    return coefficient / times**2, {k: e * times for k, e in factors.items()}


def _square_form(block: Block, factors: dict[int, Element], one: Element) -> Form:
    total: dict[Monomial, Element] = {}
    for i, left in factors.items():
        for j, right in factors.items():
            product = block.products[tuple(sorted((i, j)))]  # type: ignore[index]
            total[product] = total.get(product, 0 * one) + left * right
    return {product: element for product, element in total.items() if element}


def _combination(problem: Problem, block: Block, factors: dict[int, Element]) -> Vector | Scalar:
    scalars = {k: problem.split.scalar(element) for k, element in factors.items()}
    if isinstance(block.names[0], str):
        parts = (vector(str(block.names[k])) * factor for k, factor in scalars.items())
        return reduce(add, parts, ZERO)
    return sympy.Add(*(block.names[k] * factor for k, factor in scalars.items()))


def _values(
    problem: Problem, block: Block, forms: list[Form], solution: Solution, outcome: Any
) -> Iterator[list[Element]]:
    """Multipliers; one that is left free is fixed by the rank that the squares have."""
    field = problem.split.field
    count = len(forms)
    if not solution.free:
        yield [solution.values[k].get(RIGHT, field.zero) for k in range(count)]
        return
    if len(solution.free) > 1:
        return
    free = solution.free[0]
    for candidate in _roots(problem, block, forms, solution, outcome):
        yield [
            candidate
            if k == free
            else solution.values[k].get(RIGHT, field.zero)
            + solution.values[k].get(free, field.zero) * candidate
            for k in range(count)
        ]


def _roots(
    problem: Problem, block: Block, forms: list[Form], solution: Solution, outcome: Any
) -> Iterator[Element]:
    """Values of the free multiplier at which a minor vanishes, from the determinant's factors."""
    free = solution.free[0]
    field = problem.split.field
    constant, slope = dict(problem.reduced_goal), {}
    for k, form in enumerate(forms):
        if k == free:
            slope = dict(added(slope, form, -field.one))
            continue
        values = solution.values[k]
        constant = dict(added(constant, form, -values.get(RIGHT, field.zero)))
        slope = dict(added(slope, form, -values.get(free, field.zero)))
    t = sympy.Dummy("t")
    scalar = problem.split.scalar

    def entry(i: int, j: int) -> Scalar:
        product = block.products[tuple(sorted((i, j)))]  # type: ignore[index]
        value = scalar(constant.get(product, field.zero)) + t * scalar(slope.get(product, field.zero))
        return value if i == j else value / 2

    size = outcome.rank + 1
    seen: list[Scalar] = []
    for minor in _minors(outcome.places, size):
        matrix = sympy.Matrix([[entry(i, j) for j in minor] for i in minor])
        numerator, _ = sympy.fraction(sympy.together(matrix.det(method="berkowitz")))
        for factor, _ in sympy.factor_list(sympy.expand(numerator), t)[1]:
            polynomial = sympy.Poly(factor, t)
            if polynomial.degree() == 1:
                root = sympy.cancel(-polynomial.nth(0) / polynomial.nth(1))
                if root not in seen:
                    seen.append(root)
                    atoms = problem.split.atoms
                    form = problem.split.form(atoms.element(root))
                    if form is not None and set(form) <= {problem.split.one}:
                        yield form.get(problem.split.one, field.zero)


def _minors(places: Sequence[int], size: int) -> list[tuple[int, ...]]:
    from itertools import combinations

    return list(combinations(places, size))[:6]
