"""ZB-H1: 1F1B with the backward split in two, a third of its bubble in the same memory.

Source: Qi et al., "Zero Bubble Pipeline Parallelism", ICLR 2024 (arXiv 2401.10241), section 2.1
and figure 3 (top). The input gradient I is done as soon as 1F1B would do the backward, and the
weight gradients start late enough for every stage to hold the same number of microbatches.

The paper gives the idea and a figure; the rule as a formula is our reading of them, held to the
published figures below.

Rule, for p stages: round x = 0, 1, … of stage s is F of microbatch x, then I of x − (p−1−s), then
W of x − (p−1), each if that microbatch exists.

Known, for M ≥ p:

- if W takes no longer than F, the stage that waits longest waits (p−1)(F + I − W) between its
  first and its last action, as published (1F1B: (p−1)(F + I + W)); if W takes longer, more;
- with F = I = W = 1 the makespan is 3M + p − 1: every rank idles p − 1, a third of 1F1B's bubble;
- each stage holds p microbatches between F and W, and p − s between F and I; 1F1B holds p − s, so
  the largest over the stages is the same.

>>> from schedules.timeline import timeline
>>> for row in timeline(build(2, 3)).rows():
...     print(row)
F0 F1 . I0 W0 F2 I1 W1 I2 W2
. F0 I0 F1 I1 W0 F2 I2 W1 W2
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from schedules.errors import ParameterError
from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy
from schedules.stamps import LINE, StampedOrder


def warm_up(
    family: str, stages: int, microbatches: int, values: Mapping[str, int], hops: int = 1
) -> Mapping[str, int]:
    """Refuse fewer microbatches than fill the warm-up.

    Raises
    ------
    ParameterError
        With the least number.
    """
    least = hops * (stages - 1) + 1
    if microbatches < least:
        raise ParameterError(
            f"with p = {stages} stages the warm-up holds {least} microbatches, found "
            f"M = {microbatches}",
            f"family {family}",
            f"take M ≥ {least}, or fewer stages",
        )
    return {}


def lagged(hops: int) -> StampedOrder:
    """Round x of a stage: F of x, I of x − `hops`·(p−1−s), then W of x − `hops`·(p−1).

    Three numbers a round, and one more a stage: a forward goes down a hop in less than a round,
    an I up again too.

    Examples
    --------
    >>> lagged(1).accept("example", 3, 3, {})
    {}
    """
    return StampedOrder(
        LINE,
        forward=lambda at: (3 * at.x + at.rank,),
        backward=lambda at: (3 * (at.x + hops * (at.p - 1 - at.rank)) + at.rank + 1,),
        weight=lambda at: (3 * (at.x + hops * (at.p - 1)) + at.rank + 2,),
        accept=partial(warm_up, hops=hops),
    )


ORDER: Final = lagged(1)


FAMILY: Final = Family(
    name="zb-h1",
    source="Qi et al. 2023, section 2.1",
    summary="1F1B with split backwards: a third of its bubble, the same peak; M ≥ p",
    policy=WeightPolicy("flush"),
    rule=ORDER,
    figures=Figures(
        makespan="3*M + p - 1",
        work="3*M",
        peak="p",
    ),
)

build: Final = FAMILY.build
