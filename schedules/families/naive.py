"""Naive model parallelism: one microbatch at a time, an update after each.

Source: the RPD paper's figure 1(a); PipeDream's rule with NOAM = 1 gives the same timeline.
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
        Kind.F: lambda s, m, p, M, choose: 2 * m,
        Kind.B: lambda s, m, p, M, choose: 2 * m + 1,
    }
)


def build(stages: int, microbatches: int) -> Schedule:
    """Generate the naive schedule for p ≥ 1 stages and M ≥ 1 microbatches.

    Raises
    ------
    ParameterError, SizeError
        A parameter outside its domain, or more actions than this package agrees to build.

    Examples
    --------
    >>> [str(action) for action in build(2, 1).rank(1)]
    ['1F0', '1B0']
    """
    return from_rule(FAMILY, stages, microbatches)


FAMILY: Final = Family(
    name="naive",
    source="RPD paper, figure 1(a)",
    summary="one microbatch at a time: no local staleness, p − 1 of p ranks idle",
    policy=WeightPolicy("stash"),
    build=build,
    rule=ORDER,
    affine=True,
)
