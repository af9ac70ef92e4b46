"""Interleaved zero bubble: interleaved 1F1B with the backward split in two.

Source: PyTorch 2.13, ``ScheduleInterleavedZeroBubble``, which takes ZB1P of Qi et al., "Zero Bubble
Pipeline Parallelism", ICLR 2024 (arXiv 2401.10241) to several stages a rank.

Rule, for p ranks of v stages in a loop: rounds and queues are those of `interleaved-1f1b`, the
weight gradients W in the order of the input gradients I. Rank r does w = min((v−1)k + p−1−r, vM)
forwards, one a hop instead of two; then a forward and an I in turn, then the remaining I; W comes
behind every I from number r on (counted from 0), r places behind it, and the last r at the end.

Known, for p dividing M (times of one stage):

- F = I = W = 1: makespan 3vM + p − 1, so every rank idles p − 1;
- every rank holds vp activations between F and W, and rank r vp − r between F and I;
- with v = 1 it is `zb-h1`.

>>> print(*build(2, 2).rank(1))
1F0 1F1 3F0 3I0 3F1 3I1 3W0 1I0 3W1 1I1 1W0 1W1
"""

from __future__ import annotations

from typing import Final

from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.families.interleaving import (
    CHUNKS,
    DEFAULTS,
    ahead,
    chunked,
    even_rounds,
    from_last,
    turn,
)
from schedules.policies import WeightPolicy
from schedules.stamps import LOOP, StampedOrder

ORDER: Final = StampedOrder(
    LOOP,
    forward=lambda at: (3 * turn(at, at.lane) + at.rank,),
    backward=lambda at: (3 * (turn(at, from_last(at)) + ahead(at, 1)) + at.rank + 1,),
    weight=lambda at: (3 * (turn(at, from_last(at), at.rank) + ahead(at, 1)) + at.rank + 2,),
    accept=even_rounds,
    defaults=DEFAULTS,
)
"""F, I and W a turn; rank r is a third of a turn behind the rank before it."""


FAMILY: Final = Family(
    name="interleaved-zero-bubble",
    source="PyTorch 2.13, after Qi et al. 2023 (ZB1P)",
    summary="interleaved 1F1B with split backwards, weight gradients in the gaps",
    policy=WeightPolicy("flush"),
    rule=ORDER,
    parameters=(CHUNKS,),
    stages=chunked,
    multiple="p",
    figures=Figures(
        makespan="3*chunks*M + p - 1",
        work="3*chunks*M",
        peak="chunks*p",
        where="Eq(Mod(M, p), 0)",
    ),
)

build: Final = FAMILY.build
