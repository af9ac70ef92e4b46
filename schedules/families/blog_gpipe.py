"""GPipe of the from-scratch blog: all forwards, then all backwards from the last microbatch on.

Source: see `schedules.families.blog`. Its code asserts at least two microbatches, posts every
message by itself and runs the backwards in reverse microbatch order.

Known, with F = B = 1: makespan 2(M + p − 1), as GPipe in microbatch order; M activations a stage.
"""

from __future__ import annotations

from typing import Final

from schedules.families.blog import one_by_one, require_several_microbatches, require_stages
from schedules.families.family import Family, require_room
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule


def build(stages: int, microbatches: int) -> Schedule:
    """Generate one step for p ≥ 2 stages and M ≥ 2 microbatches.

    Raises
    ------
    ParameterError, SizeError
        A parameter outside its domain, or more actions than this package agrees to build.

    Examples
    --------
    >>> print(*build(2, 2).rank(0))
    0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B1 0B1 0RECV_B0 0B0
    """
    FAMILY.checked(stages, microbatches, {})
    require_stages(FAMILY.name, stages)
    require_several_microbatches(FAMILY.name, microbatches)
    require_room(FAMILY.name, stages, microbatches)
    forwards, backwards = range(microbatches), range(microbatches - 1, -1, -1)
    orders = [one_by_one(s, stages, forwards, backwards) for s in range(stages)]
    return Schedule.from_orders(FAMILY.name, orders, microbatches, FAMILY.policy)


FAMILY: Final = Family(
    name="blog-gpipe",
    source="from-scratch PyTorch blog, GPipe pipeline",
    summary="GPipe with backwards in reverse microbatch order and its messages",
    policy=WeightPolicy("flush"),
    build=build,
    figures=Figures(
        makespan="2*(M + p - 1)",
        work="2*M",
        peak="M",
    ),
)
