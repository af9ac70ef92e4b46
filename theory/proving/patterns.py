"""Exact vectors behind numbers: what a matrix sends to 0, as functions of the point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from theory.proving.forms import Element
from theory.proving.problem import Problem
from theory.proving.semidefinite import RANK, Outcome

NEAR: Final = 3e-3
"""How near a number is to the simple one that it is taken for."""
LARGEST: Final = 12
"""Denominators and numerators of simple numbers."""
APART: Final = 1.5
"""By what factor numbers may differ from point to point where one of many will do."""

Law = tuple[tuple[int, int], ...]
"""Powers of generators, by their numbers."""


def null_vectors(
    problem: Problem, places: Sequence[int], outcome: Outcome
) -> list[dict[int, Element]]:
    """Vectors of the null space whose entries are numbers, or numbers times products of powers."""
    reduced = [_null_space(matrix[np.ix_(places, places)]) for matrix in outcome.matrices]
    if len({rows.shape for rows in reduced}) != 1 or not len(reduced[0]):
        return []
    vectors = []
    for row in range(len(reduced[0])):
        entries = [simple(problem, [rows[row][k] for rows in reduced]) for k in range(len(places))]
        known = [e for e in entries if e is not None]
        if len(known) == len(entries):
            vectors.append({k: e for k, e in zip(places, known, strict=True) if e})
    return vectors


def _null_space(matrix: Any) -> Any:
    """A basis in reduced echelon form."""
    values, vectors = np.linalg.eigh(matrix)
    rows = vectors[:, values <= RANK * max(values.max(initial=0), 1e-12)].T.copy()
    rank = 0
    for column in range(rows.shape[1]):
        if rank == len(rows):
            break
        pivot = rank + int(np.argmax(np.abs(rows[rank:, column])))
        if abs(rows[pivot, column]) < 1e-3:
            continue
        rows[[rank, pivot]] = rows[[pivot, rank]]
        rows[rank] /= rows[rank, column]
        for other in range(len(rows)):
            if other != rank:
                rows[other] -= rows[other, column] * rows[rank]
        rank += 1
    return rows


def simple(problem: Problem, values: Sequence[float]) -> Element | None:
    """The element behind a number at each point: a number, or one times a product of powers."""
    field = problem.split.field
    if max(map(abs, values)) < NEAR / 10:
        return field.zero
    constant = _fraction(values)
    if constant is not None:
        return field(constant.numerator) / constant.denominator
    return _power_law(problem, values)


def nearby(problem: Problem, values: Sequence[float], close: float) -> list[Element]:
    """Elements near a number at each point, the plainest first; none if all points are apart."""
    field, found = problem.split.field, list[Element]()
    if max(map(abs, values)) < NEAR / 100:
        return [field.zero]
    for law, sizes in _laws(problem, len(values)):
        ratios = [value / size for value, size in zip(values, sizes, strict=True)]
        low, high = min(ratios), max(ratios)
        if low * high > 0 and max(low / high, high / low) <= APART:
            constant = _plain((low + high) / 2, close)
            element = field(constant.numerator) / constant.denominator
            for k, a in law:
                element = element * field.gens[k] ** a
            found.append(element)
    return found


def _plain(value: float, close: float) -> Fraction:
    """The fraction of least denominator that is so near, relative to it."""
    guesses = (Fraction(value).limit_denominator(d) for d in range(1, 4 * LARGEST))
    near = (g for g in guesses if g and abs(float(g) - value) <= close * abs(value))
    return next(near, Fraction(value).limit_denominator(1000))


def _laws(problem: Problem, count: int) -> Iterator[tuple[Law, list[float]]]:
    """Products of at most two generators to small powers, and what they are at the points."""
    gens = range(len(problem.split.field.gens))
    points = [[float(x) for x in point] for point in problem.points]
    powers = (-2, -1, 1, 2)
    laws: list[Law] = [(), *(((k, a),) for k in gens for a in powers)]
    laws += [((k, a), (m, b)) for k in gens for m in range(k) for a in powers for b in powers]
    for law in laws:
        sizes = [float(np.prod([point[k] ** a for k, a in law])) for point in points if all(point)]
        if len(sizes) < count:
            return
        yield law, sizes


def _fraction(values: Sequence[float]) -> Fraction | None:
    """A simple number near all of these."""
    for value in values:
        guess = Fraction(value).limit_denominator(LARGEST)
        close = max(abs(other - float(guess)) for other in values) <= NEAR * abs(float(guess))
        if guess and abs(guess.numerator) <= LARGEST and close:
            return guess
    return None


def _power_law(problem: Problem, values: Sequence[float]) -> Element | None:
    """A product of one or two generators to small powers, times a simple number."""
    field = problem.split.field
    if min(map(abs, values)) < NEAR / 100:
        return None
    for law, sizes in _laws(problem, len(values)):
        constant = _fraction([v / s for v, s in zip(values, sizes, strict=True)])
        if constant is not None:
            element = field(constant.numerator) / constant.denominator
            for k, a in law:
                element = element * field.gens[k] ** a
            return element
    return None
