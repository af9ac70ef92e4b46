"""Looped BFS: several stages a rank, every microbatch through one before the next.

Source: Lamy-Poirier, "Breadth-First Pipeline Parallelism", MLSys 2023 (arXiv 2211.05953). The
backwards in reverse microbatch order are PyTorch 2.13's.

Rule, for p ranks of v stages in a loop: a rank does the forwards of all M microbatches on its first
stage, then on its second …; then the backwards of all microbatches from M − 1 to 0 on its last
stage, then on the one before …

Known, for M ≥ p (F and B times of one stage):

- F = B = 1: makespan 2vM + 2(p − 1), interleaved 1F1B's for every M ≥ p;
- every rank holds all vM activations.

>>> print(*build(2, 2).rank(0))
0F0 0F1 2F0 2F1 2B1 2B0 0B1 0B0
"""

from __future__ import annotations

from typing import Final

from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.families.interleaving import (
    CHUNKS,
    DEFAULTS,
    chunked,
)
from schedules.policies import WeightPolicy
from schedules.stamps import LOOP, At, Number, StampedOrder


def _when(at: At) -> Number:
    """Chunks of M < p microbatches are p apart: a chunk begins behind the last rank before."""
    return at.lane * at.most(at.M, at.p) + at.x + at.rank


def _last(at: At) -> Number:
    return at.values["chunks"] * at.most(at.M, at.p) + at.M + at.p


ORDER: Final = StampedOrder(
    LOOP,
    forward=lambda at: (_when(at),),
    backward=lambda at: (2 * _last(at) - _when(at),),
    defaults=DEFAULTS,
)
"""The same way back."""


FAMILY: Final = Family(
    name="looped-bfs",
    source="Lamy-Poirier 2023",
    summary="several stages a rank, all microbatches through one before the next: GPipe in a loop",
    policy=WeightPolicy("flush"),
    rule=ORDER,
    parameters=(CHUNKS,),
    stages=chunked,
    figures=Figures(
        makespan="2*chunks*M + 2*(p - 1)",
        work="2*chunks*M",
        peak="chunks*M",
        where="M >= p",
    ),
)

build: Final = FAMILY.build
