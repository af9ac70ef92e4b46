"""PipeMare: asynchronous 1F1B with one weight version, so that F and B may use different weights.

Source: Yang et al., "PipeMare: Asynchronous Pipeline Parallel DNN Training", MLSys 2021 (arXiv
1910.05124); run in PipeDream's order, as in Ajanthan et al., ICML 2025, who
also drop the stash in one variant of their method. PipeMare's corrections of step size and
discrepancy are the optimizer's business and no part of the order.

Rule: the order of `pipedream-runtime`; a stage updates after every `update_interval` = K backwards.
F reads the newest version of its stage, B the newest at its own time.

Known, with L = p − 1 − s:

- one weight version a stage;
- mismatch = local staleness = ⌊m/K⌋ − ⌊max(0, m − L)/K⌋: B uses another version than F wherever
  that is not 0;
- activations and makespan as for `pipedream-runtime`.

The paper's model does an F and a B of a stage in every step, and so states twice the forward delay:
(2(P − i) + 1)/N minibatches of N microbatches at stage i = 1 … P, where L/K = (P − i)/N here, in
which F and B take turns. The backward delay is 0 in both.

>>> from schedules.versions import versions
>>> found = versions(build(2, 4))
>>> found.read[0].tolist(), found.used[0].tolist()
([0, 0, 1, 2], [0, 1, 2, 3])
"""

from __future__ import annotations

from typing import Final

from schedules.families.asynchronous import FIGURES, updated_every
from schedules.families.family import Family, Parameter
from schedules.policies import WeightPolicy

ORDER: Final = updated_every("update_interval")


FAMILY: Final = Family(
    name="pipemare",
    source="Yang et al. 2021 (PipeMare)",
    summary="1F1B without a flush and without a stash: one weight version, B uses the newest",
    policy=WeightPolicy("latest"),
    rule=ORDER,
    parameters=(Parameter("update_interval", "microbatches an update K (default 1)"),),
    figures=FIGURES,
    interval="update_interval",
)

build: Final = FAMILY.build
