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

>>> from schedules.timeline import timeline
>>> for row in timeline(build(2, 3)).rows():
...     print(row)
0F0 0F1 0F2 3F0 3I0 3W0 3F1 3I1 3W1 0I0 0W0 3F2 3I2 3W2 0I1 0W1 0I2 0W2 .
. 1F0 2F0 1F1 2F1 2I0 2W0 1F2 1I0 1W0 2F2 2I1 2W1 1I1 2I2 1I2 1W1 2W2 1W2
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy
from schedules.stamps import VEE, At, Block, Stamp, StampedOrder, place

DOWN: Final = (("F down",), ("I down",), ("W down",))
UP: Final = (("F up",), ("I up",), ("W up",))


def blocks(at: At) -> list[Block]:
    """The nine steps of a rank."""
    r, left = at.rank, at.p - at.rank
    n = at.most(at.M, 2 * at.p - 1)
    forward_down, backward_down = DOWN[:1], DOWN[1:]
    return [
        (forward_down, 2 * left - 1),
        ([*UP[:1], *forward_down], r),
        (UP, left),
        ([*DOWN, *UP], n - 2 * at.p + r + 1),
        ([*backward_down, *UP], left - 1),
        ([*DOWN[1:2], *UP[1:2]], r),
        (backward_down, left),
        (UP[2:], r),
        (DOWN[2:], r),
    ]


def _stamp(kind: str) -> Callable[[At], Stamp]:
    """Places, from r on: no rank pauses between its first and its last action."""

    def stamp(at: At) -> Stamp:
        down, up = (place(blocks(at), f"{kind} {way}", at.x, at.choose) for way in ("down", "up"))
        return (at.rank + at.choose(at.lane == 0, down[0], up[0]),)

    return stamp


ORDER: Final = StampedOrder(VEE, _stamp("F"), _stamp("I"), _stamp("W"))


FAMILY: Final = Family(
    name="zbv",
    source="Qi et al. 2023, section 6",
    summary="two stages a rank in a V, split backwards: no bubble if F = I = W",
    policy=WeightPolicy("flush"),
    rule=ORDER,
    stages=lambda ranks, values: 2 * ranks,
    figures=Figures(
        makespan="6*M + p - 1",
        work="6*M",
        peak="2*p",
        where="M >= 2*p - 1",
    ),
)

build: Final = FAMILY.build
