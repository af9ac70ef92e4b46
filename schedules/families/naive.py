"""Naive model parallelism: one microbatch at a time, an update after each.

Source: the RPD paper's figure 1(a); PipeDream's rule with NOAM = 1 gives the same timeline.
"""

from __future__ import annotations

from typing import Final

from schedules.families.family import Family
from schedules.policies import WeightPolicy
from schedules.stamps import LINE, StampedOrder

ORDER: Final = StampedOrder(
    LINE,
    forward=lambda at: (at.x, at.rank),
    backward=lambda at: (at.x, 2 * at.p - 1 - at.rank),
)
"""Microbatch by microbatch: down the stages and up again."""


FAMILY: Final = Family(
    name="naive",
    source="RPD paper, figure 1(a)",
    summary="one microbatch at a time: no local staleness, p − 1 of p ranks idle",
    policy=WeightPolicy("stash"),
    rule=ORDER,
    affine=True,
)

build: Final = FAMILY.build
