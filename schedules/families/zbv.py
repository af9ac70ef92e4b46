"""ZB-V: zero bubble with two stages a rank, placed in a V.

Source: Qi et al., "Zero Bubble Pipeline Parallelism", ICLR 2024 (arXiv 2401.10241), section 6; the
steps below and their counts are those of PyTorch 2.13, ``ScheduleZBVZeroBubble``.

Rule, for p ranks and n = max(M, 2p − 1): rank r holds the stages r, on the way *down* the V, and
2p − 1 − r, on the way *up*. Every queue (kind and stage) takes its microbatches in order:

===== =============== ===================================================
step  times           what
===== =============== ===================================================
1     2(p − r) − 1    F down
2     r               F up, F down
3     p − r           F up, I up, W up
4     n − 2p + r + 1  F down, I down, W down, F up, I up, W up
5     p − r − 1       I down, W down, F up, I up, W up
6     r               I down, I up
7     p − r           I down, W down
8     r               W up
9     r               W down
===== =============== ===================================================

If M < 2p − 1, what belongs to the microbatches from M on is left out.

Known, for M ≥ 2p − 1:

- F = I = W = 1: makespan 6M + p − 1, and no rank pauses between its first and its last action. As
  for ZB-H2, the skew of p − 1 slots is gained only if nothing waits for all ranks between steps;
- every rank holds 2p activations of a stage between F and W, and between F and I.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from schedules.actions import Action, Kind
from schedules.families.family import Family, require_room
from schedules.families.figures import Figures
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule

DOWN: Final = 0
UP: Final = 1

Step = tuple[Kind, int]
"""A kind and a way through the V."""


def steps(rank: int, ranks: int, microbatches: int) -> list[Step]:
    """The program of a rank, without microbatches, for M ≥ 2p − 1.

    Examples
    --------
    >>> print(*(f"{kind.name}{way}" for kind, way in steps(0, 1, 2)))
    F0 F1 I1 W1 F0 I0 W0 F1 I1 W1 I0 W0
    """
    inner = ranks - rank
    backward_down = [(Kind.I, DOWN), (Kind.W, DOWN)]
    up = [(Kind.F, UP), (Kind.I, UP), (Kind.W, UP)]
    return [
        *[(Kind.F, DOWN)] * (2 * inner - 1),
        *[(Kind.F, UP), (Kind.F, DOWN)] * rank,
        *up * inner,
        *[(Kind.F, DOWN), *backward_down, *up] * (microbatches - 2 * ranks + rank + 1),
        *[*backward_down, *up] * (inner - 1),
        *[(Kind.I, DOWN), (Kind.I, UP)] * rank,
        *backward_down * inner,
        *[(Kind.W, UP)] * rank,
        *[(Kind.W, DOWN)] * rank,
    ]


def rank_order(rank: int, ranks: int, microbatches: int) -> list[Action]:
    """The actions of one rank."""
    stage_of = (rank, 2 * ranks - 1 - rank)
    taken: Counter[Step] = Counter()
    order = []
    for step in steps(rank, ranks, max(microbatches, 2 * ranks - 1)):
        kind, way = step
        if taken[step] < microbatches:
            order.append(Action(kind, stage_of[way], taken[step]))
        taken[step] += 1
    return order


def build(ranks: int, microbatches: int) -> Schedule:
    """Generate one step for p ≥ 1 ranks of two stages and M ≥ 1 microbatches.

    Raises
    ------
    ParameterError, SizeError
        A parameter outside its domain, or more actions than this package agrees to build.

    Examples
    --------
    >>> from schedules.timeline import timeline
    >>> for row in timeline(build(2, 3)).rows():
    ...     print(row)
    0F0 0F1 0F2 3F0 3I0 3W0 3F1 3I1 3W1 0I0 0W0 3F2 3I2 3W2 0I1 0W1 0I2 0W2 .
    . 1F0 2F0 1F1 2F1 2I0 2W0 1F2 1I0 1W0 2F2 2I1 2W1 1I1 2I2 1I2 1W1 2W2 1W2
    """
    FAMILY.checked(ranks, microbatches, {})
    require_room(FAMILY.name, 2 * ranks, microbatches)
    p, M = int(ranks), int(microbatches)
    return Schedule.from_orders(
        FAMILY.name,
        [rank_order(rank, p, M) for rank in range(p)],
        M,
        FAMILY.policy,
        placement=Placement.v_shape(p),
    )


FAMILY: Final = Family(
    name="zbv",
    source="Qi et al. 2023, section 6",
    summary="two stages a rank in a V, split backwards: no bubble if F = I = W",
    policy=WeightPolicy("flush"),
    build=build,
    stages=lambda ranks, values: 2 * ranks,
    figures=Figures(
        makespan="6*M + p - 1",
        work="6*M",
        peak="2*p",
        where="M >= 2*p - 1",
    ),
)
