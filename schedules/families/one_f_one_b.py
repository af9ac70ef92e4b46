"""1F1B with a flush: GPipe's bubble with the activations of at most p − s microbatches.

Source: Fan et al., "DAPPLE", PPoPP 2021 (arXiv 2007.01045); Narayanan et al., "Memory-Efficient
Pipeline-Parallel DNN Training", ICML 2021 (arXiv 2006.09503), there PipeDream-Flush.

Rule, for stage s of p:

- warm-up: min(p − s − 1, M) forwards;
- steady: a forward and a backward in turn, while forwards are left;
- drain: the remaining backwards.

PyTorch 2.13 has it with M ≥ p only. The order that its `Schedule1F1B` states numbers the forwards
of the last rank from 1; what it executes, and this family, numbers them from 0.

Known:

- stage s holds min(p − s, M) microbatches;
- F = B = 1: makespan 2(M + p − 1), a bubble of (p−1)/(M + p − 1), both GPipe's.

>>> from schedules.timeline import timeline
>>> for row in timeline(build(3, 4)).rows():
...     print(row)
F0 F1 F2 . . B0 F3 B1 . B2 . B3
. F0 F1 . B0 F2 B1 F3 B2 . B3 .
. . F0 B0 F1 B1 F2 B2 F3 B3 . .
"""

from __future__ import annotations

from typing import Final

from schedules.families.family import Family
from schedules.policies import WeightPolicy
from schedules.stamps import LINE, At, Number, StampedOrder


def _round(at: At) -> Number:
    """In which F of x is done: as it comes in the warm-up, then one after each backward."""
    ahead = at.p - at.rank
    return at.choose(at.x < ahead, at.x, 2 * at.x - ahead + 1)


ORDER: Final = StampedOrder(
    LINE,
    forward=lambda at: (2 * _round(at) + at.rank,),
    backward=lambda at: (2 * (2 * at.x + at.p - at.rank) + at.rank,),
)
"""Forward m runs behind backward m − (p − s), in a round of its own; every round has two numbers,
and every stage one more, as a forward may be in the round of the one before it."""


FAMILY: Final = Family(
    name="1f1b",
    source="Fan et al. 2021 (DAPPLE); Narayanan et al. 2021 (PipeDream-Flush)",
    summary="a forward and a backward in turn: GPipe's bubble, at most p − s microbatches held",
    policy=WeightPolicy("flush"),
    rule=ORDER,
    affine=True,
)

build: Final = FAMILY.build
