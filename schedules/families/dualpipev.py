"""DualPipeV: DualPipe folded into a V, on half the ranks and with one copy of the weights.

Source: DeepSeek's published implementation (github.com/deepseek-ai/DualPipe); the order is that of
PyTorch 2.13, ``ScheduleDualPipeV``, which asks for M ≥ 2p.

Rule, for p ranks: rank r holds the stages r, on the way down the V, and 2p − 1 − r, on the way up,
and does what rank r of `dualpipe` does on 2p ranks with 2M microbatches. The two directions of
DualPipe become the two ways of one pipeline, so every microbatch goes both ways, and the turn at
rank p − 1 stands for the middle between the two halves of the ranks.

Known, with F = I ≥ W, B = I + W and F&B, from B to F + B, the time of an overlapped pair:

- where a pair is one action that hands both results on when it ends, the rank that idles longest
  idles (p − 1)(F&B + B − 3W): DualPipe's bubble on 2p ranks;
- a timeline of this schedule plays a pair one action after the other, F first. Its makespan is
  6M + p − 1 for F = I = W = 1 and B = 2;
- every rank holds 2p + 1 activations of a stage.

>>> schedule = build(1, 2)
>>> print(*schedule.rank(0))
0F0 1F0 0F1 1B0 1F1 0B0 1B1 0I1 0W1
>>> schedule.groups
(Group(rank=0, first=4, count=2, kind='overlap'),)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from schedules.errors import ParameterError
from schedules.families.dualpipe import Steps, stamped
from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy
from schedules.stamps import VEE


def _accept(
    family: str, ranks: int, microbatches: int, values: Mapping[str, int]
) -> Mapping[str, int]:
    if microbatches < 2 * ranks:
        raise ParameterError(
            f"M (microbatches) is at least the number of stages 2p = {2 * ranks}, found "
            f"M = {microbatches}",
            f"family {family}",
            f"take M = {2 * ranks} or more",
        )
    return {}


ORDER: Final = stamped(lambda at: Steps(at, 2 * at.p, at.M), VEE, _accept)


FAMILY: Final = Family(
    name="dualpipev",
    source="DeepSeek-AI 2025 (DualPipe repository); PyTorch 2.13",
    summary="DualPipe folded into a V: half the ranks, one weight copy; M ≥ 2p",
    policy=WeightPolicy("flush"),
    rule=ORDER,
    stages=lambda ranks, values: 2 * ranks,
    figures=Figures(
        makespan="6*M + p - 1",
        work="6*M",
        peak="2*p + 1",
    ),
)

build: Final = FAMILY.build
