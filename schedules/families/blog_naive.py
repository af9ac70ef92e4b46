"""The naive pipeline of the from-scratch blog: one whole batch, stage after stage.

Source: see `schedules.families.blog`. Its code asserts a single microbatch and posts every message
by itself.

Known, with F = B = 1: makespan 2p, of which each rank works 2.
"""

from __future__ import annotations

from typing import Final

from schedules.errors import ParameterError
from schedules.families.blog import one_by_one, require_stages
from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule


def build(stages: int, microbatches: int = 1) -> Schedule:
    """Generate one step for p ≥ 2 stages and M = 1.

    Raises
    ------
    ParameterError
        A parameter outside its domain.

    Examples
    --------
    >>> schedule = build(2)
    >>> print(*schedule.rank(0))
    0F0 0SEND_F0 0RECV_B0 0B0
    >>> print(*schedule.rank(1))
    1RECV_F0 1F0 1B0 1SEND_B0
    """
    FAMILY.checked(stages, microbatches, {})
    require_stages(FAMILY.name, stages)
    if microbatches != 1:
        raise ParameterError(
            f"the batch is not cut: M = 1, found M = {microbatches}",
            f"family {FAMILY.name}",
            "take M = 1 (`-m 1`), or the family blog-gpipe",
        )
    orders = [one_by_one(s, stages, range(1), range(1)) for s in range(stages)]
    return Schedule.from_orders(FAMILY.name, orders, microbatches, FAMILY.policy)


FAMILY: Final = Family(
    name="blog-naive",
    source="from-scratch PyTorch blog, naive pipeline",
    summary="one whole batch, stage after stage, with its messages; M = 1",
    policy=WeightPolicy("flush"),
    build=build,
    figures=Figures(
        makespan="2*p",
        work="2",
        peak="1",
    ),
    whole_batch=True,
)
