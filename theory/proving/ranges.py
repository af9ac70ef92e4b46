"""Multipliers that may be many things: at points a range of numbers, and plain formulas in all.

A certificate with squares may exist for many multipliers, and then nothing settles which. The set
of them is convex, so what one of them may be is a range at every point. A plain formula that lies
in all of these ranges is taken for it, and the next one's ranges are those that are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import ceil, floor, log2
from typing import Final

from theory.proving.affine import Exact, at_free, solution_of
from theory.proving.forms import Element
from theory.proving.points import at
from theory.proving.problem import Problem
from theory.proving.semidefinite import Outcome, Program, Range, inside, least_and_most, without

POINTS: Final = 8
"""At how many points a range is found."""
FACTORS: Final = 3
"""How many numbers a formula is a product of powers of."""
POWERS: Final = (1, -1, 2, -2)
LARGEST: Final = 16
"""Numerators and denominators of a formula's constant."""
WIDER: Final = 1e-4
"""By how much a range may be wider, as it is found in floating point."""


def rounded(exact: Exact, outcome: Outcome, program: Program) -> Iterator[list[Element]]:
    """Exact multipliers, each a plain formula in the range that the ones before it leave."""
    problem, left, fixed = exact.problem, inside(program, outcome), dict[int, Element]()
    while True:
        solution = solution_of(exact, [], fixed)
        if solution is None:
            return
        open_to = [k for k in range(exact.forms_before) if solution.depends(k)]
        if not open_to:
            if not solution.free:
                yield [at_free(solution, k, {}, exact) for k in range(len(exact.forms))]
            return
        ranges = {k: least_and_most(left, k) for k in open_to}
        known = {k: found for k, found in ranges.items() if found is not None}
        tried = ((count, k) for count in range(FACTORS + 1) for k in known)
        plain = ((k, one) for count, k in tried for one in _within(problem, known[k], count))
        chosen = next(plain, None)
        if chosen is None:
            return
        k, fixed[k] = chosen[0], chosen[1]
        left = without(left, k, [float(at(fixed[k], point) or 0) for point in problem.points])


def formulas(problem: Problem, found: Sequence[Range]) -> Iterator[Element]:
    """Formulas that lie in a range at each point, the plainest first."""
    for count in range(FACTORS + 1):
        yield from _within(problem, found, count)


def _within(problem: Problem, found: Sequence[Range], count: int) -> Iterator[Element]:
    """Constants times powers of so many numbers."""
    one, numbers = problem.split.field.one, _numbers(problem)
    values = [[at(number, point) for point in problem.points] for number in numbers]
    usable = [k for k, row in enumerate(values) if all(row)]
    if count == 0 and all(low <= 0 <= high for low, high in found):
        yield problem.split.field.zero
        return
    for chosen in combinations(usable, count):
        for powers in product(POWERS, repeat=count):
            sizes = [1.0] * len(found)
            for k, power in zip(chosen, powers, strict=True):
                sizes = [s * float(v or 0) ** power for s, v in zip(sizes, values[k], strict=True)]
            ratios = [(low / s, high / s) for (low, high), s in zip(found, sizes, strict=True)]
            constant = _plainest(max(min(r) for r in ratios), min(max(r) for r in ratios))
            if constant is not None:
                form = one * constant.numerator / constant.denominator
                for k, power in zip(chosen, powers, strict=True):
                    form = form * numbers[k] ** power
                yield form


def _plainest(low: float, high: float) -> Fraction | None:
    """A plain number between two: a power of 2 in the middle, or the least denominator.

    Examples
    --------
    >>> _plainest(2.3, 8.1), _plainest(-3.8, -2.2), _plainest(0.201, 0.202)
    (Fraction(4, 1), Fraction(-3, 1), None)
    """
    if low > high or low <= 0 <= high:
        return None
    if high < 0:
        opposite = _plainest(-high, -low)
        return None if opposite is None else -opposite
    low, high = low * (1 - WIDER), high * (1 + WIDER)
    middle = log2(low) / 2 + log2(min(high, LARGEST * low)) / 2
    for power in (floor(middle), ceil(middle)):
        if low <= 2.0**power <= high and 2.0 ** abs(power) <= LARGEST:
            return Fraction(2) ** power
    for below in range(1, LARGEST + 1):
        above = -int(-low * below // 1)
        if above <= min(high * below, LARGEST):
            return Fraction(above, below)
    return None


def _numbers(problem: Problem) -> list[Element]:
    """The theorem's numbers, and sums of them that it speaks of, such as τ + 1."""
    field, split = problem.split.field, problem.split
    constant = [split.atoms.nodes[number] in problem.parameters for number in split.inside]
    found = [one for one, plain in zip(field.gens, constant, strict=True) if plain]
    polynomials = [one.numer for one in problem.within.values()]
    polynomials += [one.denom for one in problem.reduced_goal.values()]
    for polynomial in polynomials:
        for factor, _ in polynomial.factor_list()[1]:
            whole = all(plain or not any(p) for plain, *p in zip(constant, *factor, strict=True))
            if whole and len(factor) > 1 and field(factor) not in found:
                found.append(field(factor))
    return found
