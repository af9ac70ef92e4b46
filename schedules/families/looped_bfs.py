"""Looped BFS: several stages a rank, every microbatch through one before the next.

Source: Lamy-Poirier, "Breadth-First Pipeline Parallelism", MLSys 2023 (arXiv 2211.05953). The
backwards in reverse microbatch order are PyTorch 2.13's.

Rule, for p ranks of v stages in a loop: a rank does the forwards of all M microbatches on its first
stage, then on its second …; then the backwards of all microbatches from M − 1 to 0 on its last
stage, then on the one before …

Known, for M ≥ p (F and B times of one stage):

- F = B = 1: makespan 2vM + 2(p − 1), interleaved 1F1B's for every M ≥ p;
- every rank holds all vM activations.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from schedules.actions import Kind
from schedules.families.family import Family, require_room
from schedules.families.figures import Figures
from schedules.families.interleaving import (
    CHUNKS,
    DEFAULT_CHUNKS,
    Loop,
    RankOrder,
    chunked,
    depth_first,
    looped,
)
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule


def rank_order(loop: Loop, rank: int) -> RankOrder:
    """All forwards of a rank, then its backwards: the same way back."""
    forwards = depth_first(loop, rank, {Kind.F: 0})
    return RankOrder(
        kind=np.repeat(np.array([Kind.F, Kind.B]), loop.queue),
        stage=np.concatenate([forwards.stage, forwards.stage[::-1]]),
        microbatch=np.concatenate([forwards.microbatch, forwards.microbatch[::-1]]),
    )


def build(ranks: int, microbatches: int, chunks: int = DEFAULT_CHUNKS) -> Schedule:
    """Generate one step for p ≥ 1 ranks and M ≥ 1 microbatches.

    Parameters
    ----------
    ranks, microbatches : int
    chunks : int
        Stages a rank, v ≥ 1.

    Raises
    ------
    ParameterError, SizeError
        A parameter outside its domain, or more actions than this package agrees to build.

    Examples
    --------
    >>> print(*build(2, 2).rank(0))
    0F0 0F1 2F0 2F1 2B1 2B0 0B1 0B0
    """
    chunks = FAMILY.checked(ranks, microbatches, {"chunks": chunks})["chunks"]
    require_room(FAMILY.name, ranks * chunks, microbatches)
    # One round of all microbatches: a stage is done with them before the next begins.
    loop = Loop(int(ranks), chunks, int(microbatches), round_size=int(microbatches))
    return looped(FAMILY, loop, [rank_order(loop, rank) for rank in range(loop.ranks)])


FAMILY: Final = Family(
    name="looped-bfs",
    source="Lamy-Poirier 2023",
    summary="several stages a rank, all microbatches through one before the next: GPipe in a loop",
    policy=WeightPolicy("flush"),
    build=build,
    parameters=(CHUNKS,),
    stages=chunked,
    figures=Figures(
        makespan="2*chunks*M + 2*(p - 1)",
        work="2*chunks*M",
        peak="chunks*M",
        where="M >= p",
    ),
)
