"""Semidefinite programs at points of the domain, by clarabel where it is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from importlib.util import find_spec
from math import inf, sqrt
from typing import Any, Final

import numpy as np
from scipy import sparse

from theory.proving.support import SMALL, Column

TRACE: Final = 1e-2
"""What a square costs beside a multiplier, unless only what is left over counts."""
LEFT: Final = 1e2
"""What is gained by what is left over, where that is all that counts."""
MISSING: Final = (1e6, 1e4, 1e2)
"""What it costs to fall short of a sum of squares: with it, a lone solution is met as well.

Lower ones are taken where the solver cannot go on with higher ones.
"""
CLOSE: Final = 1e-5
"""By how much squares may fall short in floating point."""
CURVED: Final = 1e-7
"""What squares of numbers cost where one of them is to be as large as it can be."""
GROWTH: Final = 50
"""By how much numbers may grow where a column is left out: towards a missed infimum they grow."""
LARGE: Final = 1e-5
"""Multipliers below this are taken for 0 where a price is least."""
RANK: Final = 1e-4
"""Eigenvalues below this, relative to the largest, are taken for 0."""
USABLE: Final = ("Solved", "AlmostSolved", "InsufficientProgress")
"""What the solver says of a result that is worth looking at."""

Range = tuple[float, float]
"""The least and the most that a number may be."""
Solved = tuple[Any, Any]
"""Multipliers, and the matrix of the squares, at one point."""


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
    trace : float
        What a square costs beside a multiplier.
    """

    goal: Sequence[Any]
    columns: Sequence[Column]
    rows: Mapping[Any, int]
    products: Mapping[tuple[int, int], Any]
    weights: Sequence[Mapping[tuple[int, int], float]]
    trace: float = TRACE


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


def common(program: Program, latest: int = 0) -> Outcome | None:
    """Columns of which none can be left out, and squares; None if there is no certificate.

    What costs most is left out first; or, among the first `latest` columns, what stands first,
    behind all the others: the lines of a proof stand last, and are written to be used.
    """
    chosen = list(range(len(program.columns)))
    solutions = _at_all(program, chosen)
    if solutions is None:
        return None
    sizes = np.max([np.abs(values) for values, _ in solutions], axis=0)
    used = [n for n, size in zip(chosen, sizes, strict=True) if size > 1e-6]
    solved = None if latest else _at_all(program, used)
    chosen, solutions = (chosen, solutions) if solved is None else (used, solved)
    order = sorted(chosen, key=lambda n: (n < latest, n if latest else -program.columns[n].cost))
    waiting = [order]
    while waiting:  # several at once: most can go, and where all of them can, each of them can
        block = waiting.pop()
        fewer = [n for n in chosen if n not in block]
        without = _at_all(program, fewer)
        if without is not None and _size(without) <= GROWTH * _size(solutions):
            chosen, solutions = fewer, without
        elif len(block) > 1:
            half = len(block) // 2
            waiting += [block[half:], block[:half]]
    return _outcome(chosen, [matrix for _, matrix in solutions])


def cheapest(program: Program, place: int) -> tuple[Outcome | None, list[float]]:
    """Columns and squares at the least price, and the multiplier of one column at each point."""
    solutions = _at_all(program, list(range(len(program.columns))))
    if solutions is None:
        return None, []
    sizes = np.max([np.abs(values) for values, _ in solutions], axis=0)
    used = [n for n, size in enumerate(sizes) if size > LARGE]
    numbers = [
        float(values[place] * _size_of(goal) / _size_of(program.columns[place].values[number]))
        for number, (goal, (values, _)) in enumerate(zip(program.goal, solutions, strict=True))
    ]
    return _outcome(used, [matrix for _, matrix in solutions]), numbers


def _size_of(values: Any) -> float:
    return max(float(np.abs(values).max(initial=0)), 1e-12)


def _outcome(chosen: list[int], matrices: list[Any]) -> Outcome:
    places: set[int] = set()
    rank = 0
    for matrix in matrices:
        values = np.linalg.eigvalsh(matrix)
        least = RANK * max(values.max(initial=0), SMALL)
        rank = max(rank, int((values > least).sum()))
        places |= {k for k in range(len(matrix)) if matrix[k, k] > least}
    return Outcome(chosen, sorted(places), rank, matrices)


def tightest(program: Program, outcome: Outcome, left: Set[int]) -> list[Solved] | None:
    """Multipliers and squares of which most is left over, in these of the columns."""
    inner = inside(program, outcome)
    if not outcome.places:
        return None
    columns = [replace(one, cost=-LEFT * (n in left)) for n, one in enumerate(inner.columns)]
    inner, found = replace(inner, columns=columns, trace=0.0), list[Solved]()
    for number, goal in enumerate(inner.goal):
        solved = _at(inner, list(range(len(columns))), number)
        if solved is None:
            return None
        sizes = np.array([_size_of(column.values[number]) for column in inner.columns])
        found.append((solved[0] * _size_of(goal) / sizes, solved[1] * _size_of(goal)))
    return found


def least_and_most(program: Program, place: int) -> list[Range] | None:
    """What the multiplier of one column may be at each point; None if some point has none."""
    found, chosen, free = [], list(range(len(program.columns))), program.columns[place].free
    for number, goal in enumerate(program.goal):
        ends = []
        for sign in (1.0, -1.0):
            costs = [
                replace(one, cost=sign * (n == place)) for n, one in enumerate(program.columns)
            ]
            aim = replace(program, columns=costs, trace=0.0)
            solved = _at(aim, chosen, number, short=False)
            ends.append(-sign * inf if solved is None else float(solved[0][place]))
        if ends == [-inf, inf] or (ends[0] == -inf and not free):
            return None
        size = _size_of(goal) / _size_of(program.columns[place].values[number])
        found.append((ends[0] * size, max(ends) * size))
    return found


def without(program: Program, place: int, values: Sequence[float]) -> Program:
    """The program where one multiplier is settled: a number a point."""
    column = program.columns[place]
    shares = zip(program.goal, column.values, values, strict=True)
    gone = replace(column, values=tuple(np.zeros_like(one) for one in column.values))
    columns = [gone if n == place else one for n, one in enumerate(program.columns)]
    return replace(program, goal=[g - v * x for g, v, x in shares], columns=columns)


def inside(program: Program, outcome: Outcome) -> Program:
    """The program with the columns and places of an outcome alone."""
    place = {k: n for n, k in enumerate(outcome.places)}
    pairs = {
        pair: (place[pair[0]], place[pair[1]]) for pair in program.products if {*pair} <= {*place}
    }
    return replace(
        program,
        columns=[program.columns[n] for n in outcome.columns],
        products={new: program.products[old] for old, new in pairs.items()},
        weights=[{new: one[old] for old, new in pairs.items()} for one in program.weights],
    )


def _size(solutions: Sequence[Solved]) -> float:
    return max(float(np.abs(part).max(initial=0)) for pair in solutions for part in pair)


def _at_all(program: Program, chosen: list[int]) -> list[Solved] | None:
    solutions = []
    for place in range(len(program.goal)):
        solution = _at(program, chosen, place)
        if solution is None:
            return None
        solutions.append(solution)
    return solutions


def _at(program: Program, chosen: list[int], place: int, short: bool = True) -> Solved | None:
    """Unknowns are multipliers, the upper triangle of the squares, and what they fall short by.

    Without `short` they do not fall short, and no number is larger than it needs to be.
    """
    import clarabel

    pairs = sorted(program.products, key=lambda pair: (pair[1], pair[0]))
    count = len(chosen)
    matrix, right = _equations(program, chosen, place, pairs)
    if not short:
        matrix, right = np.pad(matrix, ((0, 1), (0, 0))), np.append(right, 0.0)
        matrix[-1, -1] = 1.0
    signed = [k for k, n in enumerate(chosen) if not program.columns[n].free]
    below = np.zeros((len(signed) + 1 + len(pairs), count + len(pairs) + 1))
    below[range(len(signed)), signed] = -1
    below[len(signed), -1] = -1
    below[len(signed) + 1 :, count:-1] = -np.eye(len(pairs))
    below[len(signed) + 1 :, -1] = [-float(i == j) for i, j in pairs]
    costs = [0.0 if program.columns[n].free and short else program.columns[n].cost for n in chosen]
    costs += [program.trace * (i == j) for i, j in pairs] + [0.0]
    side = 1 + max(j for _, j in pairs)
    cones = [
        clarabel.ZeroConeT(len(right)),
        clarabel.NonnegativeConeT(len(signed) + 1),
        clarabel.PSDTriangleConeT(side),
    ]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    for costs[-1] in MISSING if short else (0.0,):
        result = clarabel.DefaultSolver(
            sparse.csc_matrix((0.0 if short else CURVED) * np.eye(len(costs))),
            np.array(costs),
            sparse.csc_matrix(np.concatenate([matrix, below])),
            np.concatenate([right, np.zeros(len(below))]),
            cones,
            settings,
        ).solve()
        if str(result.status) in USABLE:
            break
    values = np.array(result.x)
    most = CLOSE * max(1.0, np.abs(values).max())
    if str(result.status) not in USABLE[: None if short else 2] or values[-1] > most:
        return None
    square = np.zeros((side, side))
    for k, (i, j) in enumerate(pairs):
        square[i, j] = square[j, i] = values[count + k] / (1 if i == j else sqrt(2))
    return values[:count], square


def _equations(
    program: Program, chosen: list[int], place: int, pairs: Sequence[tuple[int, int]]
) -> tuple[Any, Any]:
    """One equation a monomial; multipliers and the goal are scaled to about 1."""
    absent = dict.fromkeys(m for m in program.products.values() if m not in program.rows)
    rows = {**program.rows, **{m: len(program.rows) + k for k, m in enumerate(absent)}}
    matrix = np.zeros((len(rows), len(chosen) + len(pairs) + 1))
    right = np.zeros(len(rows))
    goal = program.goal[place]
    right[: len(goal)] = goal / max(np.abs(goal).max(initial=0), 1e-12)
    for k, n in enumerate(chosen):
        values = program.columns[n].values[place]
        matrix[: len(values), k] = values / max(np.abs(values).max(initial=0), 1e-12)
    for k, (i, j) in enumerate(pairs):
        weight = program.weights[place][i, j] * (1 if i == j else sqrt(2))
        matrix[rows[program.products[i, j]], len(chosen) + k] += weight
    return matrix, right
