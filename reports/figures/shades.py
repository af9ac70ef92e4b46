"""How several stages of a rank, and several pipelines, are told apart in a timeline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

MOST_DOTS: Final = 4
"""Pipelines 0 to 4 have so many dots; the next one starts again at none."""

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Hue:
    """A colour and how much white its lightest shade has, from 0 to 1."""

    name: str
    colour: str
    palest: float

    def shade(self, shade: int, count: int) -> Colour:
        """The colour of one of `count` shades; 0 has no white, the last one most.

        Examples
        --------
        >>> Hue("grey", "#000000", 0.5).shade(1, 3)
        (0.25, 0.25, 0.25)
        """
        white = self.palest * shade / max(count - 1, 1)
        red, green, blue = (part + (1 - part) * white for part in rgb(self.colour))
        return red, green, blue


@dataclass(frozen=True)
class Shades:
    """What a timeline's shades and dots mean.

    Attributes
    ----------
    stages : dict
        Rank → its stages, the darkest first.
    pipelines : int
    shade_is_pipeline : bool
        Whether the shade says the pipeline too, as where two pipelines run in opposite directions.
    """

    stages: dict[int, tuple[int, ...]]
    pipelines: int
    shade_is_pipeline: bool

    @property
    def count(self) -> int:
        """Number of shades: the most stages of one rank."""
        return max(map(len, self.stages.values()), default=1)

    def shade(self, rank: int, stage: int) -> int:
        """0 for the darkest."""
        return self.stages[rank].index(stage)

    @property
    def dotted(self) -> bool:
        """Whether dots tell pipelines apart."""
        return self.pipelines > 1 and not self.shade_is_pipeline

    def dots(self, pipeline: int) -> int:
        """How many dots a pipeline's bars have."""
        return pipeline % (MOST_DOTS + 1) if self.dotted else 0

    def legend(self) -> list[tuple[int, str]]:
        """Dots and words, for all that colours do not say."""
        if self.shade_is_pipeline:
            names = "0 and 1" if self.pipelines == 2 else f"0 to {self.pipelines - 1}"
            return [(0, f"dark to light: pipelines {names}, with the stages named after each rank")]
        entries = []
        if self.count > 1:
            entries.append((0, "dark to light: the stages named after each rank"))
        turns = MOST_DOTS + 1
        for pipeline in range(1, min(self.pipelines, turns)):
            same = [str(other) for other in range(pipeline, self.pipelines, turns)]
            names = ", ".join(same if len(same) < 4 else [*same[:2], "…"])
            entries.append((pipeline, f"pipeline {names}"))
        return entries


def shades_of(held: Iterable[tuple[int, int, int]]) -> Shades:
    """Give every rank's stages their shades, from what (rank, pipeline, stage) occur.

    Examples
    --------
    >>> shades_of([(0, 0, 0), (0, 0, 3), (1, 0, 1), (1, 0, 2)]).stages
    {0: (0, 3), 1: (1, 2)}
    >>> shades_of([(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]).shade_is_pipeline
    True
    """
    triples = sorted(set(held))
    stages: dict[int, tuple[int, ...]] = {}
    for rank, _, stage in triples:
        if stage not in stages.get(rank, ()):
            stages[rank] = (*stages.get(rank, ()), stage)
    pipelines = max((pipeline for _, pipeline, _ in triples), default=0) + 1
    same = all(stages[rank].index(stage) == pipeline for rank, pipeline, stage in triples)
    return Shades(stages, pipelines, pipelines > 1 and same)


def rgb(colour: str) -> Colour:
    """Take ``#rrggbb`` apart, into parts from 0 to 1.

    Examples
    --------
    >>> rgb("#FF0000")
    (1.0, 0.0, 0.0)
    """
    red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return red, green, blue
