"""Which facts a certificate needs: linear programs at a few points of the domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
from scipy.optimize import linprog

SMALL: Final = 1e-7
"""Multipliers below this, relative to the largest, are taken for 0."""

Vector = Sequence[Fraction]


@dataclass(frozen=True)
class Column:
    """Something that may be multiplied.

    Attributes
    ----------
    name : str
        A fact, or ``""`` for what is nonnegative itself.
    free : bool
        Whether its multiplier may be negative.
    values : tuple of arrays
        Its coefficients, an array a point.
    cost : float
    """

    name: str
    free: bool
    values: tuple[Any, ...]
    cost: float = 1.0

    def priced(self, prices: tuple[float, float]) -> Column:
        """The column at the price of a fact, or of what is nonnegative itself."""
        return replace(self, cost=prices[0 if self.name else 1])


def scaled(vectors: Sequence[Vector]) -> tuple[Any, ...]:
    """Coefficients as arrays."""
    return tuple(np.array([float(value) for value in vector]) for vector in vectors)


def support(goal: Sequence[Any], columns: Sequence[Column]) -> list[int] | None:
    """Numbers of columns that give the goal at every point, none of which can be left out.

    None if some point has no certificate from these columns.
    """
    chosen = _joint(goal, columns, range(len(columns)))
    if chosen is None:
        return None
    for number in sorted(chosen, key=lambda n: -columns[n].cost):
        fewer = [n for n in chosen if n != number]
        if _joint(goal, columns, fewer) is not None:
            chosen = fewer
    return chosen


def infeasible_at(goal: Sequence[Any], columns: Sequence[Column]) -> int | None:
    """The first point that has no certificate, or None."""
    for place, vector in enumerate(goal):
        alone = [replace(c, values=(c.values[place],)) for c in columns]
        if _joint([vector], alone, range(len(columns))) is None:
            return place
    return None


def _joint(
    goal: Sequence[Any], columns: Sequence[Column], chosen: Sequence[int]
) -> list[int] | None:
    """The columns used by multipliers that are small at the point where they are largest."""
    kept = list(chosen)
    if not kept or not len(goal[0]):
        return None if any(np.abs(vector).max(initial=0) > 0 for vector in goal) else []
    count, times = len(kept), len(goal)
    equations, sides, scales = [], [], np.ones((times, count))
    for place, vector in enumerate(goal):
        matrix = np.stack([columns[n].values[place] for n in kept], axis=1)
        rows = np.abs(np.column_stack([matrix, vector])).max(axis=1)
        keep = rows > 0
        if not keep.any():
            continue
        matrix, right = matrix[keep] / rows[keep, None], vector[keep] / rows[keep]
        largest = np.abs(matrix).max(axis=0)
        scales[place] = np.where(largest > 0, largest, 1)
        block = np.zeros((len(right), count * (times + 1)))
        block[:, place * count : (place + 1) * count] = matrix / scales[place]
        equations.append(block)
        sides.append(right)
    if not equations:
        return []
    bounds = [(None, None) if columns[n].free else (0, None) for n in kept] * times
    bounds += [(0, None)] * count
    above = np.zeros((2 * count * times, count * (times + 1)))
    for place in range(times):
        for k in range(count):
            for sign in (0, 1):
                row = 2 * (place * count + k) + sign
                above[row, place * count + k] = 1 - 2 * sign
                above[row, count * times + k] = -1
    costs = np.zeros(count * (times + 1))
    costs[count * times :] = [columns[n].cost for n in kept]
    result = linprog(
        costs,
        A_ub=above,
        b_ub=np.zeros(len(above)),
        A_eq=np.concatenate(equations),
        b_eq=np.concatenate(sides),
        bounds=bounds,
        method="highs",
    )
    if result.status != 0:
        return None
    sizes = result.x[count * times :]
    return [n for n, size in zip(kept, sizes, strict=True) if size > SMALL * max(1.0, sizes.max())]
