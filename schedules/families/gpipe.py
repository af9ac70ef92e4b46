"""GPipe: all forwards, then all backwards, one update a step.

Source: Huang et al., NeurIPS 2019 (fill and drain). Backwards run in microbatch order.
"""

from __future__ import annotations

from typing import Final

from schedules.families.family import Family
from schedules.policies import WeightPolicy
from schedules.stamps import LINE, StampedOrder

ORDER: Final = StampedOrder(
    LINE,
    forward=lambda at: (at.x + at.rank,),
    backward=lambda at: (at.M + at.x + 2 * (at.p - 1) - at.rank,),
)
"""The slots, where each action takes one."""


FAMILY: Final = Family(
    name="gpipe",
    source="Huang et al. 2019",
    summary="all forwards, all backwards, then one update: no staleness, a bubble",
    policy=WeightPolicy("flush"),
    rule=ORDER,
    affine=True,
)

build: Final = FAMILY.build
