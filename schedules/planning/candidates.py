"""Which schedules a plan chooses from: every family of pipelines with values of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Final

from schedules.families import FAMILIES

MOST_CHUNKS: Final = 8

WHOLE_MODEL_A_RANK: Final = (
    "its ranks are workers that each hold the whole model, and exchange gradients in no time here"
)

LEFT_OUT: Final[Mapping[str, str]] = {
    "pipesgd": WHOLE_MODEL_A_RANK,
    "sapipe": WHOLE_MODEL_A_RANK,
}
"""Families that are no choice, and why."""

Values = Callable[["Size"], set[int]]


@dataclass(frozen=True)
class Size:
    """What values depend on: ranks p, microbatches M, number of layers."""

    ranks: int
    microbatches: int
    layers: int


def _up_to(size: Size, *values: int) -> set[int]:
    return {value for value in values if 1 <= value <= size.microbatches}


GRID: Final[Mapping[str, Mapping[str, Values]]] = {
    "pipedream": {"noam": lambda at: set(range(1, at.ranks + 1))},
    "localsgd": {"replicas": lambda at: {at.ranks}, "local_steps": lambda at: {1, 2, 4}},
    **{
        name: {"chunks": lambda at: set(range(2, min(MOST_CHUNKS, at.layers // at.ranks) + 1))}
        for name in ("interleaved-1f1b", "looped-bfs", "interleaved-zero-bubble")
    },
    "pipedream-2bw": {"window": lambda at: _up_to(at, at.ranks, 2 * at.ranks, at.microbatches)},
    **{
        name: {"update_interval": lambda at: _up_to(at, 1, at.ranks, at.microbatches)}
        for name in ("pipemare", "xpipe", "asyncpp")
    },
    "amdp": {
        "admission": lambda at: {1, min(2, at.ranks), at.ranks},
        "pipelines": lambda at: {1, max(1, at.ranks // 2)},
        "stage_cap": lambda at: {0, 1},
        "stash": lambda at: {0, 1},
    },
}
"""Values of parameters that are tried, all combinations; what is left out keeps its default."""


def candidates(size: Size) -> Iterator[tuple[str, dict[str, int]]]:
    """Families and parameters, each once; some may not fit p and M, which building them says.

    Examples
    --------
    >>> [given for name, given in candidates(Size(2, 8, 6)) if name == "looped-bfs"]
    [{'chunks': 2}, {'chunks': 3}]
    """
    for name in FAMILIES:
        if name in LEFT_OUT:
            continue
        grid = GRID.get(name, {})
        for values in product(*(sorted(of(size)) for of in grid.values())):
            yield name, dict(zip(grid, values, strict=True))
