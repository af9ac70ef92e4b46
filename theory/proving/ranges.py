"""Multipliers that may be many things: at points a range of numbers, and plain formulas in all.

A certificate with squares may exist for many multipliers, and then nothing settles which. The set
of them is convex, so what one of them may be is a range at every point. A plain formula that lies
in all of these ranges is taken for it, and the next one's ranges are those that are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import ceil, floor, inf, log2, prod
from typing import Any, Final

import numpy as np

from theory.proving.affine import Exact, at_free, solution_of
from theory.proving.forms import Element, Form
from theory.proving.points import at
from theory.proving.problem import Problem
from theory.proving.scales import Scales, scales_of
from theory.proving.semidefinite import Outcome, Program, Range, inside, least_and_most, without

POINTS: Final = 8
"""At how many points a range is found."""
FACTORS: Final = 3
"""How many numbers a formula is a product of powers of."""
POWERS: Final = (1, -1, 2, -2)
LARGEST: Final = 16
"""Numerators and denominators of a formula's constant."""
FLAT: Final = 1e-8
"""What of a range is nothing, in floating point."""
NEAR: Final = 4
"""How many times the least that it must be a formula's constant may be."""
WIDER: Final = 1e-4
"""By how much a range may be wider, as it is found in floating point."""


@dataclass(frozen=True)
class Formulas:
    """Formulas that a multiplier may be: a constant times powers of numbers.

    Attributes
    ----------
    problem : Problem
    numbers : tuple of elements
        Of the theorem, and sums of them that it speaks of.
    scales : Scales
        How these scale.
    """

    problem: Problem
    numbers: tuple[Element, ...]
    scales: Scales

    @classmethod
    def of(cls, problem: Problem, forms: Sequence[Form]) -> Formulas:
        """Formulas for multipliers of these forms."""
        return cls(problem, tuple(_numbers(problem)), scales_of(problem, forms))

    @cached_property
    def _usable(self) -> list[tuple[Element, Any, Any]]:
        """Numbers that are not 0 at a point, what they are there, and how they scale."""
        values = [[at(one, point) for point in self.problem.points] for one in self.numbers]
        return [
            (one, np.array([float(v or 0) for v in row]), np.array(self.scales.of(one)))
            for one, row in zip(self.numbers, values, strict=True)
            if all(row)
        ]

    def plainest(
        self, program: Program, forms: Mapping[int, Form], near: float = inf
    ) -> tuple[int, Element, list[float]] | None:
        """One of some multipliers, a formula for it, and what that is at the points.

        None if none is plain, or there are none; `forms` says what is multiplied, by its place.
        Nowhere is it more than `near` times the least that it must be: what is much more somewhere,
        such as a constant for L²γ², is too much beyond the points.
        """
        ranges = {place: least_and_most(program, place) for place in forms}
        known = {place: found for place, found in ranges.items() if found is not None}
        for count in range(FACTORS + 1):
            for place, found in known.items():
                for one, more in self._within(found, forms[place], count, near):
                    if more <= near:
                        return place, one, [float(at(one, p) or 0) for p in self.problem.points]
        return None

    def _within(
        self, found: Sequence[Range], form: Form, count: int, near: float
    ) -> Iterator[tuple[Element, float]]:
        """Constants times powers of so many numbers, in a range at each point.

        Where they are to be near the least, one point is spared: small numbers are not exact there.
        """
        one, goal = self.problem.split.field.one, self.problem.reduced_goal
        aim = np.subtract(self.scales.of_form(goal), self.scales.of_form(form))
        spared = 0 if near == inf or len(found) == 1 else 1
        if count == 0 and all(low <= 0 <= high for low, high in found):
            yield self.problem.split.field.zero, 0.0
        for chosen in combinations(self._usable, count):
            for powers in product(POWERS, repeat=count):
                scale = sum((p * s for (*_, s), p in zip(chosen, powers, strict=True)), 0 * aim)
                if (scale != aim).any():
                    continue
                values = [v**p for (_, v, _), p in zip(chosen, powers, strict=True)]
                sizes = np.prod([np.ones(len(found)), *values], axis=0)
                ratios = [(low / s, high / s) for (low, high), s in zip(found, sizes, strict=True)]
                low, high = (sorted(end) for end in zip(*map(sorted, ratios), strict=True))
                low, high = low[-1 - spared], high[spared]
                roomy = low > 0 and _plainest(near / 2 * low, min(high, near * low))
                constant = roomy or _plainest(low, high)
                if constant is not None:
                    lows = (max(low, FLAT * high) for low, high in found)
                    times = sorted(
                        float(constant) * s / b for b, s in zip(lows, sizes, strict=True)
                    )
                    more = times[-1 - spared]
                    product_of = (n**p for (n, _, _), p in zip(chosen, powers, strict=True))
                    whole = prod(product_of, start=one * constant.numerator / constant.denominator)
                    yield whole, more


def rounded(exact: Exact, outcome: Outcome, program: Program) -> Iterator[list[Element]]:
    """Exact multipliers, each a plain formula in the range that the ones before it leave."""
    left, fixed = inside(program, outcome), dict[int, Element]()
    if not outcome.places:
        return
    formulas = Formulas.of(exact.problem, exact.forms)
    while True:
        solution = solution_of(exact, [], fixed)
        if solution is None:
            return
        open_to = [k for k in range(exact.forms_before) if solution.depends(k)]
        if not open_to:
            if not solution.free:
                yield [at_free(solution, k, {}, exact) for k in range(len(exact.forms))]
            return
        chosen = formulas.plainest(left, {k: exact.forms[k] for k in open_to})
        if chosen is None:
            return
        k, fixed[k], values = chosen
        left = without(left, k, values)


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
