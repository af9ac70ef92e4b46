"""GPipe: all forwards, then all backwards, one update a step.

Source: Huang et al., NeurIPS 2019 (fill and drain). Backwards run in microbatch order.
"""

from __future__ import annotations

from typing import Final

from schedules.actions import Kind
from schedules.families.family import Family, from_rule
from schedules.policies import WeightPolicy
from schedules.rules import StaticOrder
from schedules.schedule import Schedule

ORDER: Final = StaticOrder(
    {
        Kind.F: lambda s, m, p, M, choose: m,
        Kind.B: lambda s, m, p, M, choose: M + m,
    }
)


def build(stages: int, microbatches: int) -> Schedule:
    """Generate one GPipe step for p ≥ 1 stages and M ≥ 1 microbatches.

    Raises
    ------
    ParameterError, SizeError
        A parameter outside its domain, or more actions than this package agrees to build.

    Examples
    --------
    >>> [str(action) for action in build(1, 2).rank(0)]
    ['0F0', '0F1', '0B0', '0B1']
    """
    return from_rule(FAMILY, stages, microbatches)


FAMILY: Final = Family(
    name="gpipe",
    source="Huang et al. 2019",
    summary="all forwards, all backwards, then one update: no staleness, a bubble",
    policy=WeightPolicy("flush"),
    build=build,
    rule=ORDER,
    affine=True,
)
