"""Interleaved 1F1B: several stages a rank, which divide 1F1B's bubble by their number.

Source: Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using
Megatron-LM", SC 2021 (arXiv 2104.04473), section 2.2.2. There p divides M; the rounds for other M
are those of PyTorch 2.13.

Rule, for p ranks of v stages in a loop: M microbatches form R = max(1, ⌊M/p⌋) rounds of k = M/R,
which has to be an integer. A rank queues its forwards round by round, the k microbatches of a round
through its first stage, then its second …, and its backwards likewise from its last stage to its
first. Rank r does w = min((v−1)k + 2(p−1−r), vM) forwards, then a forward and a backward in turn
while forwards are left, then the remaining backwards.

Known, for p dividing M (F and B times of one stage):

- F = B = 1: makespan 2vM + 2(p − 1), a bubble of (p−1)/(vM + p − 1);
- rank r holds min((v−1)p + 2(p−1−r) + 1, vM) activations of a stage;
- the second forward a hop pays only where messages take time: with one a hop, as in `1f1b`, the
  makespan would be the same without message time, in less memory.

>>> print(*build(2, 2).rank(0))
0F0 0F1 2F0 2F1 2B0 2B1 0B0 0B1
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
    forward=lambda at: (2 * (turn(at, at.lane) + at.rank),),
    backward=lambda at: (2 * (turn(at, from_last(at)) + ahead(at, 2) + at.rank) + 1,),
    accept=even_rounds,
    defaults=DEFAULTS,
)
"""A forward and a backward a turn; rank r is r turns behind rank 0."""


FAMILY: Final = Family(
    name="interleaved-1f1b",
    source="Narayanan et al. 2021 (Megatron-LM)",
    summary="1F1B with several stages a rank: a smaller bubble for more activations",
    policy=WeightPolicy("flush"),
    rule=ORDER,
    parameters=(CHUNKS,),
    stages=chunked,
    multiple="p",
    figures=Figures(
        makespan="2*chunks*M + 2*(p - 1)",
        work="2*chunks*M",
        peak="Min((chunks - 1)*p + 2*(p - 1 - r) + 1, chunks*M)",
        where="Eq(Mod(M, p), 0)",
    ),
)

build: Final = FAMILY.build
