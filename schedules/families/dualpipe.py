"""DualPipe: two pipelines in opposite directions, forwards overlapped with backwards.

Source: DeepSeek-AI, "DeepSeek-V3 Technical Report" (arXiv 2412.19437), section 3.2.1 and figure 5;
the eight steps below and their counts are those of DeepSeek's published implementation (github.com
/deepseek-ai/DualPipe), which also asks for M ≥ 2p.

Rule, for an even p and the rank at distance h from its nearer end (h < p/2). Its *near* direction
is the one whose stage h it holds, its *far* direction the one whose stage p−1−h it holds; near and
far change places between the two halves of the ranks. `F` and `B` are followed by the direction,
``W`` is the oldest weight gradient still owed by either direction, ``&`` joins overlapped actions:

===== ================= =====================================================================
step  times             what
===== ================= =====================================================================
1     2(p/2 − h − 1)    F near
2     h + 1             F near, F far
3     p/2 − h − 1       I far, W, F far
4     M/2 − p + h + 1   F near & B far, F far & B near
5     p/2 − h − 1       B far, F far & B near
6     h + 1             B far, B near; in the second half of these 2(h + 1), I alone
7     p/2 − h − 1       W, I near
8     h + 1             W
===== ================= =====================================================================

The two middle ranks do the very first pair of step 4 one after the other, not overlapped.

Ours, not published: the numbers of the microbatches (the first M/2 are pipeline 0's), and that a
timeline plays an overlapped pair one action after the other, F first.

Known, with B = I + W. The published bubble is (p/2 − 1)(F&B + B − 3W), F&B the time of a pair:

- where a pair is one action that hands both results on when it ends, the rank that idles longest
  idles exactly that if F = I ≥ W, whatever F&B from B to F + B; for p > 2, less if
  I > F ≥ W and more if F > I ≥ W;
- a timeline of this schedule, in which the F of a pair hands its result on before the B begins,
  has makespan 3M + p/2 − 1 for F = I = W = 1 and B = 2: half of the published p − 2;
- every rank holds two stages, each in two weight copies over all ranks, and p + 1 activations.

The two copies of a stage are two weight copies: their gradients have to be summed between the last
backward and the update. That collective is not an action of this order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from schedules.actions import Action, Kind
from schedules.errors import ParameterError
from schedules.families.bidirectional import opposite_directions, require_even_stages
from schedules.families.family import Family, require_room
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy
from schedules.schedule import Group, Schedule

NEAR: Final = 0
FAR: Final = 1

Part = tuple[Kind, int]
Step = tuple[Part, ...]
"""One action, or the two of an overlapped pair; the direction of a W is not looked at."""


def steps(near_stage: int, stages: int, microbatches: int) -> list[Step]:
    """The program of the rank that holds stage h of its near direction, without microbatches.

    Examples
    --------
    >>> [[kind.name for kind, _ in step] for step in steps(0, 2, 4)[:5]]
    [['F'], ['F'], ['F'], ['B'], ['F', 'B']]
    """
    inner = stages // 2 - near_stage - 1
    outer = near_stage + 1
    forward_near, forward_far = (Kind.F, NEAR), (Kind.F, FAR)
    backward_near, backward_far = (Kind.B, NEAR), (Kind.B, FAR)
    weight = (Kind.W, NEAR)
    near_with_far: Step = (forward_near, backward_far)
    far_with_near: Step = (forward_far, backward_near)
    main = [near_with_far, far_with_near] * (microbatches // 2 - stages + outer)
    if not inner:
        main[:1] = _apart(main[0])
    drain = [backward_far, backward_near] * outer
    drain[outer:] = [(Kind.I, direction) for _, direction in drain[outer:]]
    return [
        *_apart([forward_near] * (2 * inner)),
        *_apart([forward_near, forward_far] * outer),
        *_apart([(Kind.I, FAR), weight, forward_far] * inner),
        *main,
        *([(backward_far,), far_with_near] * inner),
        *_apart(drain),
        *_apart([weight, (Kind.I, NEAR)] * inner),
        *_apart([weight] * outer),
    ]


def _apart(parts: Sequence[Part]) -> list[Step]:
    return [(part,) for part in parts]


def rank_order(rank: int, stages: int, microbatches: int) -> tuple[list[Action], list[Group]]:
    """The actions of one rank, and which of them are overlapped."""
    second_half = rank >= stages // 2
    near_stage = stages - 1 - rank if second_half else rank
    stage_of = (near_stage, stages - 1 - near_stage)
    pipeline_of = (int(second_half), int(not second_half))
    first_of = [pipeline * (microbatches // 2) for pipeline in pipeline_of]
    next_forward, next_backward = first_of.copy(), first_of.copy()
    owed: deque[Action] = deque()
    order: list[Action] = []
    groups = []
    for step in steps(near_stage, stages, microbatches):
        if len(step) > 1:
            groups.append(Group(rank, len(order), len(step), "overlap"))
        for kind, direction in step:
            if kind is Kind.W:
                order.append(owed.popleft())
                continue
            counter = next_forward if kind is Kind.F else next_backward
            m, stage, pipeline = counter[direction], stage_of[direction], pipeline_of[direction]
            counter[direction] += 1
            order.append(Action(kind, stage, m, pipeline))
            if kind is Kind.I:
                owed.append(Action(Kind.W, stage, m, pipeline))
    return order, groups


def build(stages: int, microbatches: int) -> Schedule:
    """Generate DualPipe for an even number p of stages and an even number M ≥ 2p of microbatches.

    Raises
    ------
    ParameterError, SizeError
        A parameter outside its domain, or more actions than this package agrees to build.

    Examples
    --------
    >>> print(*build(2, 4).rank(0))
    0F0 1F2 0F1 1B2 1F3 0B0 1B3 0I1 0W1
    """
    FAMILY.checked(stages, microbatches, {})
    require_even_stages(FAMILY.name, stages)
    if microbatches % 2 or microbatches < 2 * stages:
        raise ParameterError(
            f"M (microbatches) is even and at least 2p = {2 * stages}, found M = {microbatches}",
            f"family {FAMILY.name}",
            f"take M = {max(2 * stages, microbatches + microbatches % 2)}",
        )
    require_room(FAMILY.name, stages, microbatches)
    ranks = [rank_order(rank, stages, microbatches) for rank in range(stages)]
    return Schedule.from_orders(
        FAMILY.name,
        [order for order, _ in ranks],
        microbatches,
        FAMILY.policy,
        placement=opposite_directions(stages),
        groups=[group for _, groups in ranks for group in groups],
    )


FAMILY: Final = Family(
    name="dualpipe",
    source="DeepSeek-V3 Technical Report 2024, section 3.2.1",
    summary="two overlapped pipelines in opposite directions, two weight copies; p, M even, M ≥ 2p",
    policy=WeightPolicy("flush"),
    build=build,
    multiple=2,
    figures=Figures(
        makespan="3*M + p/2 - 1",
        work="3*M",
        peak="p + 1",
    ),
)
