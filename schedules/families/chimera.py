"""Chimera: two 1F1B pipelines in opposite directions that fill each other's gaps.

Source: Li and Hoefler, "Chimera: Efficiently Training Large-Scale Neural Networks with
Bidirectional Pipelines", SC 2021 (arXiv 2107.06925): two pipelines, two weight copies, p even,
units of p microbatches joined by direct concatenation. The order is generated, not read off a
figure: the paper's claim that the merge has no conflict is the timetable below.

Rule, for p stages: of the p microbatches of unit u, pipeline 0 (stage s on rank s) takes the first
p/2 and pipeline 1 (stage s on rank p−1−s) the others. The j-th of either has

- F of stage s in slot 2pu + 2j + s,
- B of stage s in slot 2pu + 2j + 2p − 1 − s,

which is 1F1B at every stage, with the microbatches of one pipeline two slots apart. As p is even
the two pipelines of a rank use slots of different parity while they do the same kind, so no slot
is taken twice; a rank's program order is the order of its slots.

Known, for M = Kp, where a rank works 2M or 3M slots:

- F = B = 1: makespan 2M + p − 2. Every rank idles p − 2 slots in all, the paper's p/2 − 1 in the
  forwards and p/2 − 1 in the backwards, however many units: a bubble of (p−2)/(2M + p − 2);
- F = 1, B = 2: makespan 3M + (p − 2)(K + 1). The count of p/2 − 1 forwards and p/2 − 1 backwards,
  3(p/2 − 1) slots, does not hold: one unit already idles 2(p − 2), and every unit joined to it
  p − 2 more. For that case the paper has two other ways to join units (forward doubling, backward
  halving), which are not built here;
- a rank holds from p/2 + 1 (rank 0 and rank p − 1) to p activations (the two middle ranks).

The two copies of a stage are two weight copies: their gradients have to be summed between the last
backward and the update. That collective is not an action of this order.

>>> from schedules.timeline import timeline
>>> for row in timeline(build(4, 4)).rows():
...     print(row)
0F0 0F1 . 3F2 3B2 3F3 3B3 0B0 . 0B1
. 1F0 2F2 1F1 2F3 2B2 1B0 2B3 1B1 .
. 1F2 2F0 1F3 2F1 2B0 1B2 2B1 1B3 .
0F2 0F3 . 3F0 3B0 3F1 3B1 0B2 . 0B3
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from schedules.errors import ParameterError
from schedules.families.bidirectional import require_even_stages
from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy
from schedules.stamps import OPPOSITE, At, Number, StampedOrder


def _unit(at: At) -> tuple[Number, Number]:
    """Unit u and index j of a pipeline's x-th microbatch, p/2 of which it has in every unit."""
    unit, index = at.divide(at.x, at.divide(at.p, 2)[0])
    return unit, index


def _begin(at: At) -> Number:
    unit, index = _unit(at)
    return 2 * (unit * at.p + index)


def _microbatch(at: At) -> Number:
    unit, index = _unit(at)
    return unit * at.p + at.lane * at.divide(at.p, 2)[0] + index


def _accept(
    family: str, stages: int, microbatches: int, values: Mapping[str, int]
) -> Mapping[str, int]:
    require_even_stages(family, stages)
    if microbatches % stages:
        raise ParameterError(
            f"M (microbatches) is a multiple of p: units of p = {stages}, found M = {microbatches}",
            f"family {family}",
            f"take M = {stages * (microbatches // stages + 1)}",
        )
    return {}


ORDER: Final = StampedOrder(
    OPPOSITE,
    forward=lambda at: (_begin(at) + at.stage,),
    backward=lambda at: (_begin(at) + 2 * at.p - 1 - at.stage,),
    microbatch=_microbatch,
    accept=_accept,
)
"""The timetable: stamps are slots."""


FAMILY: Final = Family(
    name="chimera",
    source="Li and Hoefler 2021",
    summary="two 1F1B pipelines in opposite directions, two weight copies; p even, p divides M",
    policy=WeightPolicy("flush"),
    rule=ORDER,
    multiple="p",
    figures=Figures(
        makespan="2*M + p - 2",
        work="2*M",
        peak="p/2 + 1 + Min(r, p - 1 - r)",
    ),
)

build: Final = FAMILY.build
