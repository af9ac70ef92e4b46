"""The finite domains on which families are run, every size of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from schedules.errors import ParameterError
from schedules.families import get_family
from schedules.schedule import Schedule

Size = Mapping[str, int]
"""p, M and the family's parameters, by name."""

MORE_RANKS: Final = 2
"""Ranks that the larger grid has besides."""


@dataclass(frozen=True)
class Limit:
    """A part of a grid, in words and as a test."""

    words: str
    admits: Callable[[Size], bool]


ALL: Final = Limit("", lambda size: True)


@dataclass(frozen=True)
class Grid:
    """Sizes of a family: every p, M and parameter value up to a most, where the family accepts it.

    Attributes
    ----------
    ranks, microbatches : int
        Largest p and M; they begin at 1.
    values : tuple of (str, range)
        Parameters and their values.
    """

    ranks: int
    microbatches: int
    values: tuple[tuple[str, range], ...] = ()

    def larger(self) -> Grid:
        """More ranks, twice the microbatches."""
        ranks, microbatches = self.ranks + MORE_RANKS, 2 * self.microbatches
        return replace(self, ranks=ranks, microbatches=microbatches)

    def schedules(self, family: str) -> Iterator[tuple[Size, Schedule]]:
        """Build every size that the family accepts, the smallest first.

        Examples
        --------
        >>> [dict(size) for size, _ in Grid(2, 4).schedules("chimera")]
        [{'p': 2, 'M': 2}, {'p': 2, 'M': 4}]
        """
        build, values = get_family(family).build, dict(self.values)
        for p in range(1, self.ranks + 1):
            for M in range(1, self.microbatches + 1):
                for chosen in product(*values.values()):
                    parameters = dict(zip(values, chosen, strict=True))
                    try:
                        schedule = build(p, M, **parameters)
                    except ParameterError:  # not a size of this family
                        continue
                    yield {"p": p, "M": M, **parameters}, schedule

    @property
    def words(self) -> str:
        """The grid as part of a sentence.

        Examples
        --------
        >>> Grid(4, 9, (("chunks", range(1, 4)), ("stash", range(1)))).words
        'p ≤ 4, M ≤ 9, 1 ≤ chunks ≤ 3, stash = 0'
        """
        axes = [f"p ≤ {self.ranks}", f"M ≤ {self.microbatches}"]
        for name, axis in self.values:
            several = f"{axis[0]} ≤ {name} ≤ {axis[-1]}"
            axes.append(several if len(axis) > 1 else f"{name} = {axis[0]}")
        return ", ".join(axes)
