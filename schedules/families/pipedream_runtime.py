"""PipeDream as its runtime executes it: the static order of 1F1B, never flushed.

Source: Narayanan et al., "PipeDream: Generalized Pipeline Parallelism for DNN Training", SOSP 2019
(1F1B and weight stashing); the static order is that of its published runtime.

Rule, for stage s of p:

- warm-up: min(p − s − 1, M) forwards;
- steady: a forward and a backward in turn, while forwards are left;
- drain: the remaining backwards.

The weights are updated after every backward; B uses the version that its F read. This is the order
of `1f1b`. The family `pipedream` is the RPD paper's greedy rule instead: in its steady state the
same, but while it starts up its middle stages run more forwards ahead.

Known:

- mismatch and local staleness of microbatch m are min(m, p − 1 − s), drain included;
- stage s keeps min(p − s, M) microbatches' activations, and as many weight versions, or
  max(0, M − p + s) + 2 of them if that is less: with few microbatches, updates begin late;
- makespan (M + p − 1)(F + B): every rank works M/(M + p − 1) of the time, whatever F and B are.

>>> from schedules.versions import versions
>>> versions(build(3, 5)).mismatch.tolist()
[[0, 1, 2, 2, 2], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0]]
"""

from __future__ import annotations

from typing import Final

from schedules.families.family import Family
from schedules.families.one_f_one_b import ORDER
from schedules.policies import WeightPolicy

FAMILY: Final = Family(
    name="pipedream-runtime",
    source="Narayanan et al. 2019 (PipeDream), the order of its runtime",
    summary="1F1B without a flush: p − s − 1 forwards ahead, stashed weights, an update a backward",
    policy=WeightPolicy("stash"),
    rule=ORDER,
    affine=True,
)

build: Final = FAMILY.build
