"""PipeSGD: data-parallel training in which every gradient is applied one iteration late.

Source: Li, Kadav, Durdanovic, Samet and Graf, "Pipe-SGD: A Decentralized Pipelined SGD Framework
for Distributed Deep Net Training", NeurIPS 2018, as SAPipe (Chen et al., NeurIPS 2022) states it:
section 2 and Algorithm 1, lines highlighted in orange.

Rule and figures: `schedules.families.data_parallel`, with all layers stale. This is `sapipe` with
``stale`` = ``layers``.

Known: forward t reads a version that lacks the gradient of iteration t − 1, so that local staleness
is 1 from the second iteration on, at every layer.

>>> from schedules.versions import versions
>>> found = versions(build(2, 6, layers=1))
>>> found.read.tolist(), found.local_staleness.tolist()
([[0, 0, 0, 0, 1, 1]], [[0, 0, 1, 1, 1, 1]])
"""

from __future__ import annotations

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

ORDER: Final = stamped(lambda at: at.values["layers"], {"layers": DEFAULT_LAYERS})


FAMILY: Final = Family(
    name="pipesgd",
    source="Li et al. 2018 (Pipe-SGD); Chen et al. 2022 (SAPipe), Algorithm 1",
    summary="data-parallel workers, every gradient applied one iteration late; p divides M",
    policy=POLICY,
    rule=ORDER,
    parameters=(Parameter("layers", f"layers of the model (default {DEFAULT_LAYERS})"),),
    figures=FIGURES,
    unequal_ranks=UNEQUAL_RANKS,
    stages=layer_count,
    multiple="p",
)

build: Final = FAMILY.build
