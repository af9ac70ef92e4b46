"""Semidefinite programs at points of the domain, by clarabel where it is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import sqrt
from typing import Any

import numpy as np
from scipy import sparse

from theory.proving.support import SMALL, Column

TRACE = 1e-2
"""What a square costs beside a multiplier."""
MISSING = 1e6
"""What it costs to fall short of a sum of squares: with it, a lone solution is met as well."""
CLOSE = 1e-5
"""By how much squares may fall short in floating point."""
GROWTH = 50
"""By how much numbers may grow where a column is left out: an infimum that is not attained grows."""
RANK = 1e-4
"""Eigenvalues below this, relative to the largest, are taken for 0."""


@dataclass(frozen=True)
class Program:
    """Multipliers and squares that give the goal.

    Attributes
    ----------
    goal : sequence of arrays
        An array a point.
    columns : sequence of Column
    rows : mapping of monomial to int
    products : mapping of (int, int) to monomial
        Of what may be squared, i ≤ j.
    weights : sequence of mapping of (int, int) to float
        Factors of these products, a mapping a point.
    """

    goal: Sequence[Any]
    columns: Sequence[Column]
    rows: Mapping[Any, int]
    products: Mapping[tuple[int, int], Any]
    weights: Sequence[Mapping[tuple[int, int], float]]


@dataclass(frozen=True)
class Outcome:
    """What certificates at all points have in common.

    Attributes
    ----------
    columns : list of int
    places : list of int
        What is squared.
    rank : int
        How many squares there are.
    matrices : list of arrays
        The squares as a matrix, one a point.
    """

    columns: list[int]
    places: list[int]
    rank: int
    matrices: list[Any]


def available() -> bool:
    """Whether the solver is installed."""
    return find_spec("clarabel") is not None


def common(program: Program) -> Outcome | None:
    """Columns of which none can be left out, and the squares beside them; None if there are none."""
    chosen = list(range(len(program.columns)))
    solutions = _solved(program, chosen)
    if solutions is None:
        return None
    chosen = _used(chosen, solutions)
    for number in sorted(chosen, key=lambda n: -program.columns[n].cost):
        fewer = [n for n in chosen if n != number]
        without = _solved(program, fewer)
        if without is not None and _size(without) <= GROWTH * _size(solutions):
            chosen, solutions = fewer, without
    if len(solutions[0][0]) != len(chosen):
        solutions = _solved(program, chosen) or solutions
    places: set[int] = set()
    rank = 0
    for _, matrix in solutions:
        values = np.linalg.eigvalsh(matrix)
        top = max(values.max(initial=0), SMALL)
        rank = max(rank, int((values > RANK * top).sum()))
        places |= {k for k in range(len(matrix)) if matrix[k, k] > RANK * top}
    return Outcome(chosen, sorted(places), rank, [matrix for _, matrix in solutions])


def _size(solutions: Sequence[tuple[Any, Any]]) -> float:
    return max(float(np.abs(part).max(initial=0)) for pair in solutions for part in pair)


def _used(chosen: list[int], solutions: Sequence[tuple[Any, Any]]) -> list[int]:
    sizes = np.max([np.abs(values) for values, _ in solutions], axis=0) if chosen else []
    return [n for n, size in zip(chosen, sizes, strict=True) if size > 1e-6]


def _solved(program: Program, chosen: list[int]) -> list[tuple[Any, Any]] | None:
    solutions = []
    for place in range(len(program.goal)):
        solution = _solved_at(program, chosen, place)
        if solution is None:
            return None
        solutions.append(solution)
    return solutions


def _solved_at(program: Program, chosen: list[int], place: int) -> tuple[Any, Any] | None:
    import clarabel

    extra = dict.fromkeys(m for m in program.products.values() if m not in program.rows)
    rows = {**program.rows, **{m: len(program.rows) + k for k, m in enumerate(extra)}}
    pairs = sorted(program.products, key=lambda pair: (pair[1], pair[0]))
    size = 1 + max(j for _, j in pairs)
    count = len(chosen)
    matrix = np.zeros((len(rows), count + len(pairs) + 1))
    right = np.zeros(len(rows))
    size_of_goal = max(np.abs(program.goal[place]).max(initial=0), 1e-12)
    right[: len(program.goal[place])] = program.goal[place] / size_of_goal
    for k, n in enumerate(chosen):
        matrix[: len(program.columns[n].values[place]), k] = program.columns[n].values[place]
    for k, (i, j) in enumerate(pairs):
        weight = program.weights[place][i, j]
        matrix[rows[program.products[i, j]], count + k] += weight * (1 if i == j else sqrt(2))
    sizes = np.maximum(np.abs(matrix[:, :count]).max(axis=0, initial=0), 1e-12)
    matrix[:, :count] /= sizes
    signed = [k for k, n in enumerate(chosen) if not program.columns[n].free]
    below = np.zeros((len(signed) + 1 + len(pairs), count + len(pairs) + 1))
    for row, k in enumerate(signed):
        below[row, k] = -1
    below[len(signed), -1] = -1
    below[len(signed) + 1 :, count:-1] = -np.eye(len(pairs))
    below[len(signed) + 1 :, -1] = [-float(i == j) for i, j in pairs]
    costs = np.array(
        [0.0 if program.columns[n].free else program.columns[n].cost for n in chosen]
        + [TRACE if i == j else 0.0 for i, j in pairs]
        + [MISSING]
    )
    cones = [clarabel.ZeroConeT(len(rows))]
    cones += [clarabel.NonnegativeConeT(len(signed) + 1)]
    cones += [clarabel.PSDTriangleConeT(size)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    width = count + len(pairs) + 1
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((width, width)),
        costs,
        sparse.csc_matrix(np.concatenate([matrix, below])),
        np.concatenate([right, np.zeros(len(below))]),
        cones,
        settings,
    )
    result = solver.solve()
    values = np.array(result.x)
    usable = str(result.status) in ("Solved", "AlmostSolved", "InsufficientProgress")
    if not usable or values[-1] > CLOSE * max(1.0, np.abs(values).max()):
        return None
    square = np.zeros((size, size))
    for k, (i, j) in enumerate(pairs):
        square[i, j] = square[j, i] = values[count + k] / (1 if i == j else sqrt(2))
    return values[:count], square
