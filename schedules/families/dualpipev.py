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
"""

from __future__ import annotations

from collections import deque
from typing import Final

from schedules.actions import Action, Kind
from schedules.errors import ParameterError
from schedules.families.dualpipe import steps
from schedules.families.family import Family, require_room
from schedules.families.figures import Figures
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.schedule import Group, Schedule


def rank_order(rank: int, ranks: int, microbatches: int) -> tuple[list[Action], list[Group]]:
    """The actions of one rank, and which of them are overlapped."""
    stage_of = (rank, 2 * ranks - 1 - rank)
    next_forward, next_backward = [0, 0], [0, 0]
    owed: deque[Action] = deque()
    order: list[Action] = []
    groups = []
    for step in steps(rank, 2 * ranks, 2 * microbatches):
        if len(step) > 1:
            groups.append(Group(rank, len(order), len(step), "overlap"))
        for kind, way in step:
            if kind is Kind.W:
                order.append(owed.popleft())
                continue
            counter = next_forward if kind is Kind.F else next_backward
            m, stage = counter[way], stage_of[way]
            counter[way] += 1
            order.append(Action(kind, stage, m))
            if kind is Kind.I:
                owed.append(Action(Kind.W, stage, m))
    return order, groups


def build(ranks: int, microbatches: int) -> Schedule:
    """Generate one step for p ≥ 1 ranks of two stages and M ≥ 2p microbatches.

    Overlapped actions form a `Group` of kind ``"overlap"``.

    Raises
    ------
    ParameterError, SizeError
        A parameter outside its domain, or more actions than this package agrees to build.

    Examples
    --------
    >>> schedule = build(1, 2)
    >>> print(*schedule.rank(0))
    0F0 1F0 0F1 1B0 1F1 0B0 1B1 0I1 0W1
    >>> schedule.groups
    (Group(rank=0, first=4, count=2, kind='overlap'),)
    """
    FAMILY.checked(ranks, microbatches, {})
    if microbatches < 2 * ranks:
        raise ParameterError(
            f"M (microbatches) is at least the number of stages 2p = {2 * ranks}, found "
            f"M = {microbatches}",
            f"family {FAMILY.name}",
            f"take M = {2 * ranks} or more",
        )
    require_room(FAMILY.name, 2 * ranks, microbatches)
    p, M = int(ranks), int(microbatches)
    parts = [rank_order(rank, p, M) for rank in range(p)]
    return Schedule.from_orders(
        FAMILY.name,
        [order for order, _ in parts],
        M,
        FAMILY.policy,
        placement=Placement.v_shape(p),
        groups=[group for _, groups in parts for group in groups],
    )


FAMILY: Final = Family(
    name="dualpipev",
    source="DeepSeek-AI 2025 (DualPipe repository); PyTorch 2.13",
    summary="DualPipe folded into a V: half the ranks, one weight copy; M ≥ 2p",
    policy=WeightPolicy("flush"),
    build=build,
    stages=lambda ranks, values: 2 * ranks,
    figures=Figures(
        makespan="6*M + p - 1",
        work="6*M",
        peak="2*p + 1",
    ),
)
