"""In which durations a makespan is one sum: guessed from small runs.

A makespan is the largest sum over a path, so it is a maximum of sums in F, B or I, and W. Each sum
that small runs have is taken with the cone of all durations, of whole numbers up to `MOST`, at
which every one of these runs is as long: their sums, with coefficients of 0 or more, are a region.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, permutations, product
from math import gcd
from typing import Final

import numpy as np
import sympy

from schedules.closed_forms.fit import exact_affine
from schedules.dependencies import MISSING
from schedules.schedule import IntArray
from schedules.stamps import LOOP, OPPOSITE
from theory.laws.figure_forms import SYMBOLS
from theory.laws.figure_runs import at_size, size_of
from theory.laws.stated_figures import Stated
from theory.laws.timetables import KINDS, Run, at_costs

Costs = tuple[int, int, int]
"""Of F, of B or I, and of W."""

MOST: Final = 2
"""The largest duration that a region is made of."""

_FEW: Final = 16
"""Sizes that are looked at."""

_APART: Final = 1 << 12
"""So many times one duration is another when paths are told apart: more than actions of a path."""


@dataclass(frozen=True)
class Region:
    """Durations at which a makespan is one sum.

    Attributes
    ----------
    inside : tuple of Costs
        What they are sums of, and more of them.
    counts : tuple of sympy expression
        How often each duration counts in the makespan.
    """

    inside: tuple[Costs, ...]
    counts: tuple[sympy.Expr, ...]

    @property
    def kinds(self) -> int:
        """How many durations there are."""
        return len(self.counts)

    @cached_property
    def corners(self) -> tuple[Costs, ...]:
        """Those that are no sums of others."""
        return tuple(_extreme(self.inside))

    @property
    def whole(self) -> bool:
        """Whether it has all dimensions."""
        return bool(self.inside) and bool(
            np.linalg.matrix_rank(np.array(self.corners)) == self.kinds
        )

    @property
    def words(self) -> str:
        """As comparisons."""
        corners = [corner[: self.kinds] for corner in self.corners]
        return _words(corners, ("F", "I", "W") if self.kinds == 3 else ("F", "B"))

    def without(self, corners: Collection[Costs]) -> Region:
        """The region of what is left."""
        return replace(self, inside=tuple(one for one in self.inside if one not in corners))

    def span(self, corner: Costs) -> sympy.Expr:
        """The makespan of durations."""
        return sympy.Add(*(one * n for one, n in zip(corner, self.counts, strict=False)))


def regions(stated: Stated) -> list[Region]:
    """Those with different makespans that have all dimensions, the largest first."""
    kinds = 3 if stated.order.weight is not None else 2
    runs = sorted(stated.runs(), key=lambda run: run.at.M * run.at.p)
    runs = [run for run in runs if run.at.p >= 2][: 4 * _FEW : 4]
    tried = [one for one in product(range(MOST + 1), repeat=kinds) if gcd(*one) == 1]
    lengths = {one: _lengths(stated, runs, one) for one in tried}
    found = []
    for counts, table in _sums(stated, runs, tried):
        inside = [one for one in tried if (table @ one == lengths[one]).all()]
        found.append(Region(tuple(map(_costs, inside)), counts))
    return sorted((one for one in found if one.whole), key=lambda one: -len(one.inside))


def _costs(of: Sequence[int]) -> Costs:
    forward, backward, weight = (*of, 0)[:3]
    return forward, backward, weight


def counted_runs(stated: Stated, costs: Sequence[int]) -> list[tuple[Run, ...]]:
    """Runs, and for each duration how often it counts on a longest path to every start.

    Of paths that are as long, one with the most of the first duration is taken, then of the second.
    """
    named = dict(zip(KINDS, (*_told_apart(costs, range(len(costs))), 0), strict=False))
    return [
        tuple(replace(run, starts=starts) for starts in _parts(run.starts, len(costs)))
        for run in stated.runs(named)
    ]


def _parts(starts: Mapping[str, IntArray], kinds: int) -> Iterator[dict[str, IntArray]]:
    for part in range(kinds):
        yield {
            kind: np.where(of == MISSING, MISSING, of // _APART**part % _APART)
            for kind, of in starts.items()
        }


def _told_apart(costs: Sequence[int], ranking: Sequence[int]) -> list[int]:
    """Durations with next to nothing added, which tells paths apart that are as long."""
    pairs = zip(costs, ranking, strict=True)
    return [cost * _APART ** len(costs) + _APART**part for cost, part in pairs]


def _lengths(stated: Stated, runs: Sequence[Run], costs: Sequence[int]) -> IntArray:
    named = dict(zip(KINDS, (*costs, 0), strict=False))
    return np.array([at_costs(stated.order, run, named).length for run in runs], dtype=np.int64)


def _sums(
    stated: Stated, runs: Sequence[Run], tried: Sequence[tuple[int, ...]]
) -> Iterator[tuple[tuple[sympy.Expr, ...], IntArray]]:
    """How often durations count on longest paths: formulas, and numbers at every size."""
    seen = set()
    kinds = len(tried[0])
    for costs, ranking in product(tried, permutations(range(kinds))):
        lengths = _lengths(stated, runs, _told_apart(costs, ranking))
        table = np.stack([lengths // _APART**part % _APART for part in ranking], axis=1)
        if table.tobytes() not in seen:
            seen.add(table.tobytes())
            counts = [_formula(stated, runs, column) for column in table.T]
            found = tuple(one for one in counts if one is not None)
            if len(found) == kinds:
                yield found, table


def _formula(stated: Stated, runs: Sequence[Run], numbers: IntArray) -> sympy.Expr | None:
    p, M, chunks = (SYMBOLS[name] for name in ("p", "M", "chunks"))
    others = {LOOP.name: (M * chunks, p * chunks), OPPOSITE.name: (M, sympy.floor(M / p))}
    forms = {str(one): one for one in (p, *others.get(stated.order.shape.name, (M,)))}
    columns = {
        name: np.array([int(at_size(form, size_of(run))) for run in runs])
        for name, form in forms.items()
    }
    every = np.ones(len(runs), dtype=np.bool_)
    found = exact_affine(columns, numbers, every, tuple(forms))
    return None if found is None else sympy.sympify(found.at(forms))


def _extreme(inside: Sequence[Costs]) -> list[Costs]:
    """Those that are no sum of others, with coefficients of 0 or more."""
    return [
        one
        for one in inside
        if not any(_is_sum(one, some) for some in _bases([two for two in inside if two != one]))
    ]


def _bases(of: Sequence[Costs]) -> Iterator[sympy.Matrix]:
    for number in range(1, len(of[0]) + 1) if of else ():
        for some in combinations(of, number):
            matrix = sympy.Matrix(some).T
            if matrix.rank() == number:
                yield matrix


def _is_sum(one: Costs, basis: sympy.Matrix) -> bool:
    """Whether it is a sum of columns, with coefficients of 0 or more."""
    wanted = sympy.Matrix(one)
    found = (basis.T * basis).inv() * basis.T * wanted
    return basis * found == wanted and all(c >= 0 for c in found)


def _words(corners: Sequence[tuple[int, ...]], names: Sequence[str]) -> str:
    """The cone as comparisons, such as ``F >= W and I >= 2*W and W >= 0``."""
    kinds = len(names)
    found = []
    for some in combinations(corners, kinds - 1):
        matrix = sympy.Matrix(some)
        if matrix.rank() < kinds - 1:
            continue
        [normal] = matrix.nullspace()
        normal = normal * sympy.ilcm(*(one.q for one in normal))
        normal = normal / sympy.igcd(*normal)
        sides = [sum(a * b for a, b in zip(normal, one, strict=True)) for one in corners]
        if all(side <= 0 for side in sides):
            normal = -normal
        elif any(side < 0 for side in sides):
            continue
        left = _side([max(one, 0) for one in normal], names)
        found.append(f"{left} >= {_side([max(-one, 0) for one in normal], names)}")
    return " and ".join(sorted(set(found), key=lambda one: (one.endswith(" 0"), one)))


def _side(coefficients: Sequence[int], names: Sequence[str]) -> str:
    terms = zip(coefficients, names, strict=True)
    return " + ".join(name if c == 1 else f"{c}*{name}" for c, name in terms if c) or "0"
