"""ZB-H2: split backwards and twice the warm-up, so that no stage waits once it has begun.

Source: Qi et al., "Zero Bubble Pipeline Parallelism", ICLR 2024 (arXiv 2401.10241), section 2.2
and figure 3 (bottom).

The paper gives the idea and a figure; the rule as a formula is our reading of them, held to the
published figures below.

Rule, for p stages: round x = 0, 1, … of stage s is F of microbatch x, then I of x − 2(p−1−s), then
W of x − 2(p−1), each if that microbatch exists: the rule of ZB-H1 with all lags doubled.

Known, for M ≥ 2p − 1:

- if W takes no longer than F and I, the stage that waits longest waits (p−1)(F + I − 2W) between
  its first and its last action, as published;
- with F = I = W = 1 that is 0: stage s works from slot s to slot 3M + s without a pause, a
  parallelogram. One step alone still takes 3M + p − 1, as long as ZB-H1: the skew of p − 1 slots
  is gained only if the next step begins on stage 0 while stage p − 1 still works, that is, if
  nothing waits for all stages between two steps (the paper validates the update afterwards);
- each stage holds 2p − 1 microbatches between F and W, and 2(p−1−s) + 1 between F and I.

>>> from schedules.timeline import timeline
>>> for row in timeline(build(2, 3)).rows():
...     print(row)
F0 F1 F2 I0 W0 I1 W1 I2 W2 .
. F0 I0 F1 I1 F2 I2 W0 W1 W2
"""

from __future__ import annotations

from typing import Final

from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.families.zb_h1 import lagged
from schedules.policies import WeightPolicy

ORDER: Final = lagged(2)


FAMILY: Final = Family(
    name="zb-h2",
    source="Qi et al. 2023, section 2.2",
    summary="no pause within any stage, for 2p − 1 microbatches in flight; M ≥ 2p − 1",
    policy=WeightPolicy("flush"),
    rule=ORDER,
    figures=Figures(
        makespan="3*M + p - 1",
        work="3*M",
        peak="2*p - 1",
    ),
)

build: Final = FAMILY.build
