"""Certificates with squares: semidefinite programs for their form, exact LDLᵀ for their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations, combinations_with_replacement
from typing import Any, Final

import numpy as np
import sympy

from theory.kernel.rules.algebra import Combine
from theory.proving.affine import Condition, Exact, at_free, solution_of, unmixed, valued
from theory.proving.blocks import Block, blocks_of
from theory.proving.elimination import replaced
from theory.proving.exact import Solution
from theory.proving.forms import Element, Form, Monomial
from theory.proving.linear import PRICES, Draft, columns_of, completed, too_long
from theory.proving.patterns import null_vectors
from theory.proving.points import at
from theory.proving.problem import Problem
from theory.proving.ranges import POINTS, rounded
from theory.proving.semidefinite import (
    Outcome,
    Program,
    available,
    common,
    tightest,
)
from theory.proving.support import scaled

ORDERS: Final = 6
"""In how many orders the squares are completed."""

Matrix = dict[tuple[int, int], Element]


def with_squares(problem: Problem, settled: bool = False) -> Iterator[Combine | str]:
    """Certificates that a semidefinite program suggests; or those alone that their rank settles."""
    blocks = [] if problem.goal.kind == "==" or not problem.points else blocks_of(problem)
    if not blocks:
        return
    if not available():
        yield "squares may be needed, and clarabel, which finds them, is not installed"
        return
    for block in blocks:
        yield from _with_block(problem, block, settled)


def _with_block(problem: Problem, block: Block, settled: bool) -> Iterator[Combine | str]:
    program, kept, names, terms = program_of(problem, block)
    tried: list[list[int]] = []
    for latest in (0, len(names)):
        outcome = None if program is None else common(program, latest)
        if outcome is None:
            yield f"no multipliers and squares{problem.described(0)}"
            return
        if outcome.columns not in tried:
            tried.append(outcome.columns)
            chosen = [kept[n] for n in outcome.columns]
            exact = exact_of(problem, block, chosen, names, terms, outcome)
            yield from _drafts(exact, outcome)
            if program is not None and not settled:
                left = [
                    n for n, k in enumerate(kept) if k == len(names) + _constant(problem, terms)
                ]
                more = replace(outcome, columns=sorted({*outcome.columns, *left}))
                chosen = [kept[n] for n in more.columns]
                slack = exact_of(problem, block, chosen, names, terms, more)
                yield from _tight(slack, more, program)
            wider, apart = unmixed(exact)
            solution = solution_of(wider, apart) if apart else None
            if solution is not None and not solution.free:
                values = [at_free(solution, k, {}, wider) for k in range(len(wider.forms))]
                yield from _drafted(wider, values)
    if not settled:
        yield from _rounded(replace(problem, count=POINTS), block)


def exact_of(
    problem: Problem,
    block: Block,
    chosen: Sequence[int],
    names: Sequence[str],
    terms: Sequence[Monomial],
    outcome: Outcome,
) -> Exact:
    """The unknowns of a certificate from chosen columns, as they are solved for exactly."""
    facts = [names[n] for n in chosen if n < len(names)]
    used = [terms[n - len(names)] for n in chosen if n >= len(names)]
    one = problem.split.field.one
    pairs = [(i, j) for k, i in enumerate(outcome.places) for j in outcome.places[k:]]
    entries = [pair for pair in pairs if pair not in block.alone]
    forms: list[Form] = [problem.reduced_facts[name] for name in facts]
    forms += [{monomial: one} for monomial in used]
    for i, j in entries:
        monomial, coefficient = block.products[i, j]
        forms.append({monomial: replaced(coefficient * (1 if i == j else 2), problem.solved)})
    return Exact(problem, block, facts, used, entries, forms, outcome.places)


def program_of(
    problem: Problem, block: Block
) -> tuple[Program | None, list[int], list[str], list[Monomial]]:
    """The program, which columns it has, and the names of facts and the terms behind them."""
    names, terms, columns = columns_of(problem)
    goal = problem.at_points(problem.reduced_goal)
    if goal is None or columns is None:
        return None, [], names, terms
    squares = {block.products[k, k][0] for k in range(len(block.parts))} - {problem.split.one}
    kept = [
        n for n in range(len(columns)) if n < len(names) or terms[n - len(names)] not in squares
    ]
    rows = {monomial: row for row, monomial in enumerate(problem.monomials)}
    products = {pair: monomial for pair, (monomial, _) in block.products.items()}
    weights = [
        {pair: float(at(element, point) or 0) for pair, (_, element) in block.products.items()}
        for point in problem.points
    ]
    return (
        Program(
            scaled(goal), [columns[n].priced(PRICES[0]) for n in kept], rows, products, weights
        ),
        kept,
        names,
        terms,
    )


def _drafts(exact: Exact, outcome: Outcome) -> Iterator[Combine | str]:
    solutions = 0
    for values in values_of(exact, outcome):
        solutions += 1
        yield from _drafted(exact, values)
    if not solutions:
        yield (
            "squares are found at single points, but no formula of theirs in the parameters; a "
            "line that chooses weights helps, such as "
            "T.have((u + v) ** 2 <= (1 + a) * u**2 + (1 + 1 / a) * v**2)"
        )


def _drafted(exact: Exact, values: Sequence[Element]) -> Iterator[Combine | str]:
    places = exact.places
    matrix = {(i, j): valued(exact.entry(i, j), values) for i in places for j in places}
    for order in _orders(places):
        squares = _ldl(matrix, order)
        if squares is not None:
            yield completed(exact.problem, _draft(exact, values, squares))


def _draft(
    exact: Exact, values: Sequence[Element], squares: list[tuple[Element, dict[int, Element]]]
) -> Draft:
    scalar, one = exact.problem.split.scalar, exact.problem.split.field.one
    count = len(exact.facts)
    return Draft(
        dict(zip(exact.facts, values[:count], strict=True)),
        dict(zip(exact.terms, values[count : exact.forms_before], strict=True)),
        [
            (d, exact.block.combination([(k, scalar(f)) for k, f in factors.items()]))
            for d, factors in squares
        ],
        [exact.block.form(factors, one) for _, factors in squares],
    )


def _orders(places: Sequence[int]) -> list[tuple[int, ...]]:
    """A few orders of elimination."""
    forward = tuple(places)
    turned = [forward[k:] + forward[:k] for k in range(len(forward))]
    return list(dict.fromkeys([*turned, forward[::-1]]))[:ORDERS]


def _ldl(matrix: Matrix, order: Sequence[int]) -> list[tuple[Element, dict[int, Element]]] | None:
    """Coefficients and factors of squares whose sum the matrix is, or None."""
    squares = []
    rest = dict(matrix)
    for number, place in enumerate(order):
        pivot, later = rest[place, place], order[number + 1 :]
        row = {other: rest[place, other] for other in later if rest[place, other]}
        if (not pivot and row) or too_long((pivot, *row.values())):
            return None
        if pivot:
            factors = {other: entry / pivot for other, entry in row.items()}
            for i, j in combinations_with_replacement(row, 2):
                rest[i, j] = rest[j, i] = rest[i, j] - row[i] * factors[j]
            squares.append(_without_fractions(pivot, {place: pivot.field.one, **factors}))
    return squares


def _without_fractions(
    coefficient: Element, factors: dict[int, Element]
) -> tuple[Element, dict[int, Element]]:
    """The same square with factors that are polynomials: they are defined everywhere."""
    field = coefficient.field
    common = reduce(lambda a, b: a.lcm(b), (e.denom for e in factors.values()), field.ring.one)
    times = field(common)
    return coefficient / times**2, {k: e * times for k, e in factors.items()}


def values_of(exact: Exact, outcome: Outcome) -> Iterator[list[Element]]:
    """Exact multipliers; those that are left free are fixed by the rank that the squares have."""
    for conditions in _rank_conditions(exact, outcome):
        solution = solution_of(exact, conditions)
        if solution is None:
            continue
        if not solution.free:
            yield [at_free(solution, k, {}, exact) for k in range(len(exact.forms))]
            return
        if len(solution.free) == 1:
            for root in _roots(exact, solution, outcome.rank + 1):
                free = {solution.free[0]: root}
                yield [at_free(solution, k, free, exact) for k in range(len(exact.forms))]


def _rounded(problem: Problem, block: Block) -> Iterator[Combine | str]:
    """Certificates with plain multipliers, where many would do."""
    program, kept, names, terms = program_of(problem, block)
    outcome = None if program is None else common(program)
    if program is not None and outcome is not None:
        chosen = [kept[n] for n in outcome.columns]
        exact = exact_of(problem, block, chosen, names, terms, outcome)
        for values in rounded(exact, outcome, program):
            yield from _drafted(exact, values)


def _constant(problem: Problem, terms: Sequence[Monomial]) -> int:
    """The place of 1 among the terms; −1 if it is none."""
    return terms.index(problem.split.one) if problem.split.one in terms else -1


def _tight(exact: Exact, outcome: Outcome, program: Program) -> Iterator[Combine | str]:
    """Certificates of which most is left over, where the goal says less than they give.

    There the squares vanish somewhere, and that settles what multipliers are.
    """
    left = {
        len(exact.facts) + k
        for k, monomial in enumerate(exact.terms)
        if monomial == exact.problem.split.one
    }
    solved = tightest(program, outcome, left) if left else None
    if solved is None:
        return
    matrices = [np.zeros_like(one) for one in outcome.matrices]
    for whole, (_, inner) in zip(matrices, solved, strict=True):
        whole[np.ix_(outcome.places, outcome.places)] = inner
    for values in values_of(exact, replace(outcome, matrices=matrices)):
        yield from _drafted(exact, values)


def is_semidefinite(exact: Exact, values: Sequence[Element]) -> bool:
    """Whether the squares are sums of squares at the points, in floating point."""
    for point in exact.problem.points:
        entries = [
            [at(valued(exact.entry(i, j), values), point) for j in exact.places]
            for i in exact.places
        ]
        if any(entry is None for row in entries for entry in row):
            return False
        matrix = np.array(entries, dtype=float)
        if np.linalg.eigvalsh(matrix).min() < -1e-9 * np.abs(matrix).max(initial=0):
            return False
    return True


def _rank_conditions(exact: Exact, outcome: Outcome) -> Iterator[list[Condition]]:
    """Equations for the matrix: none, then vectors that it sends to 0, then an entry that is 1."""
    yield []
    one = exact.problem.split.field.one
    seen = [
        ({(i, j): factor for j, factor in factors.items()}, 0 * one)
        for factors in null_vectors(exact.problem, exact.places, outcome)
        for i in exact.places
    ]
    if seen:
        yield seen
    for place in exact.places:
        if exact.entry(place, place)[1]:
            yield [*seen, ({(place, place): one}, one)]


def _roots(exact: Exact, solution: Solution, size: int) -> Iterator[Element]:
    """Values of the free unknown at which a minor vanishes, from the determinant's factors."""
    free, field = solution.free[0], exact.problem.split.field
    ring = field.ring.clone(symbols=(*field.symbols, sympy.Dummy("t")))
    at_zero = [at_free(solution, k, {free: field.zero}, exact) for k in range(len(exact.forms))]
    at_one = [at_free(solution, k, {free: field.one}, exact) for k in range(len(exact.forms))]

    def row(i: int, minor: Sequence[int]) -> list[Any]:
        lows, highs = ([valued(exact.entry(i, j), v) for j in minor] for v in (at_zero, at_one))
        rises = [high - low for low, high in zip(lows, highs, strict=True)]
        below = reduce(lambda a, b: a.lcm(b), (e.denom for e in (*lows, *rises)), field.ring.one)
        return [_in_ring(ring, below, pair) for pair in zip(lows, rises, strict=True)]

    seen: list[Element] = []
    for minor in list(combinations(exact.places, size))[:ORDERS]:
        minor_of = determinant([row(i, minor) for i in minor])
        for factor, _ in minor_of.factor_list()[1] if minor_of else ():
            if factor.degree(ring.gens[-1]) == 1:
                start, slope = (
                    field.ring.from_dict({p[:-1]: c for p, c in factor.terms() if p[-1] == degree})
                    for degree in (0, 1)
                )
                value = -field(start) / field(slope)
                if value not in seen:
                    seen.append(value)
                    yield value


def _in_ring(ring: Any, below: Any, parts: Sequence[Element]) -> Any:
    """Elements times a common denominator, as coefficients of powers of the last generator."""
    shares = ((k, one.numer * below.exquo(one.denom)) for k, one in enumerate(parts))
    return ring.from_dict({(*p, k): c for k, share in shares for p, c in share.terms()})


def determinant(rows: Sequence[Sequence[Any]]) -> Any:
    """Of a small matrix of polynomials, row by row: nothing is divided."""
    if not rows:
        return 1
    known: dict[tuple[int, ...], Any] = {(): rows[0][0].ring.one}
    for row in rows:
        wider: dict[tuple[int, ...], Any] = {}
        for columns, minor in known.items():
            for j, entry in enumerate(row):
                if entry and j not in columns:
                    sign = (-1) ** sum(j < other for other in columns)
                    key = tuple(sorted((*columns, j)))
                    wider[key] = wider.get(key, 0) + sign * entry * minor
        known = wider
    return known.get(tuple(range(len(rows))), 0)
