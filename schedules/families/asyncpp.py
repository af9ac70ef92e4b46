"""AsyncPP: PipeDream's order and stash with an update after every K microbatches.

Source: Ajanthan et al., "Nesterov Method for Asynchronous Pipeline Parallel Optimization", ICML
2025, section 2.2. The method of that paper is a step rule; its schedule is this one.

Rule: the order of `pipedream-runtime`; a stage updates after every `update_interval` = K backwards,
each of which uses the version that its F read.

Known, with L = p − 1 − s:

- local staleness = mismatch = ⌊m/K⌋ − ⌊max(0, m − L)/K⌋, which for m ≥ L is

  - ⌊L/K⌋ if m mod K ≥ L mod K, as for the last microbatch of every window,
  - ⌊L/K⌋ + 1 otherwise;

- the paper's equation (5), ⌊(2L + 1)/(2K)⌋ in 0-based stages, is ⌊L/K⌋: the delay of all m ≥ L if K
  divides L, thus for K = 1, and otherwise the smaller of two;
- activations and makespan as for `pipedream-runtime`.

>>> from schedules.versions import versions
>>> versions(build(4, 8, update_interval=2)).local_staleness[0].tolist()
[0, 0, 1, 1, 2, 1, 2, 1]
"""

from __future__ import annotations

from typing import Final

from schedules.families.asynchronous import FIGURES, updated_every
from schedules.families.family import Family, Parameter
from schedules.policies import WeightPolicy

ORDER: Final = updated_every("update_interval")


FAMILY: Final = Family(
    name="asyncpp",
    source="Ajanthan et al. 2025 (AsyncPP)",
    summary="1F1B without a flush, stashed weights, an update every K microbatches",
    policy=WeightPolicy("stash"),
    rule=ORDER,
    parameters=(Parameter("update_interval", "microbatches an update K (default 1)"),),
    figures=FIGURES,
    interval="update_interval",
)

build: Final = FAMILY.build
