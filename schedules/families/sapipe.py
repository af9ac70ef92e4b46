"""SAPipe: data-parallel training in which the first layers' gradients are one iteration late.

Source: Chen et al., "SAPipe: Staleness-Aware Pipeline for Data Parallel DNN Training", NeurIPS
2022, section 3.1: the first k layers are updated with 1-step staleness, the others without; without
delay compensation and weight prediction ("vanilla SAPipe", Algorithm 1).

Rule and figures: `schedules.families.data_parallel`. ``stale`` = 0 is synchronous data parallelism,
``stale`` = ``layers`` is `pipesgd`. How many layers have to be stale so that computation never
waits for communication: `staleproof partial-staleness`; never none, hence the default of 1.

Known: local staleness is 1 at the first ``stale`` layers from the second iteration on, else 0.

>>> from schedules.versions import versions
>>> found = versions(build(1, 3, layers=2, stale=1))
>>> found.read.tolist(), found.local_staleness.tolist()
([[0, 0, 1], [0, 1, 2]], [[0, 1, 1], [0, 0, 0]])
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from schedules.families.data_parallel import (
    DEFAULT_LAYERS,
    FIGURES,
    POLICY,
    UNEQUAL_RANKS,
    layer_count,
    stamped,
)
from schedules.families.family import Family, Parameter

DEFAULT_STALE: Final = 1


ORDER: Final = stamped(
    lambda at: at.values["stale"], {"layers": DEFAULT_LAYERS, "stale": DEFAULT_STALE}
)


FAMILY: Final = Family(
    name="sapipe",
    source="Chen et al. 2022 (SAPipe), section 3.1",
    summary="data-parallel workers, only the first layers one iteration late; p divides M",
    policy=POLICY,
    rule=ORDER,
    parameters=(
        Parameter("layers", f"layers of the model (default {DEFAULT_LAYERS})"),
        Parameter("stale", f"stale layers, from the first on (default {DEFAULT_STALE})", 0),
    ),
    figures=replace(FIGURES, staleness="Min(1, M/p - 1, Max(0, stale - s))"),
    unequal_ranks=UNEQUAL_RANKS,
    stages=layer_count,
    multiple="p",
)

build: Final = FAMILY.build
