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

>>> print(*build(2, 4).rank(0))
0F0 1F2 0F1 1B2 1F3 0B0 1B3 0I1 0W1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from schedules.errors import ParameterError
from schedules.families.bidirectional import require_even_stages
from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy
from schedules.stamps import (
    OPPOSITE,
    Accept,
    At,
    Block,
    Number,
    Shape,
    Stamp,
    StampedOrder,
    place,
)

FN, FF, BN, BF, W = "F near", "F far", "B near", "B far", "W"


@dataclass(frozen=True)
class Steps:
    """The eight steps of the rank at distance h from its nearer end.

    Attributes
    ----------
    at : At
        A microbatch of either direction; x is its number in it.
    stages, each : number
        Stages of a pipeline, an even number, and microbatches of a direction.
    """

    at: At
    stages: Number
    each: Number

    @property
    def near(self) -> Any:
        """Whether the direction is the one that the rank holds the earlier stage of."""
        return self.at.stage < self.at.divide(self.stages, 2)[0]

    @property
    def hops(self) -> Number:
        """H."""
        return self.at.choose(self.near, self.at.stage, self.stages - 1 - self.at.stage)

    @property
    def inner(self) -> Number:
        """Times of steps 3, 5 and 7."""
        return self.at.divide(self.stages, 2)[0] - self.hops - 1

    @property
    def outer(self) -> Number:
        """Times of steps 2 and 8, and half of those of step 6."""
        return self.hops + 1

    @property
    def blocks(self) -> list[Block]:
        """The table above; where `inner` is 0 the first pair of step 4 is no pair."""
        inner, outer = self.inner, self.outer
        pairs = self.each - self.stages + outer
        apart = self.at.choose(inner == 0, 1, 0)
        return [
            ([(FN,)], 2 * inner),
            ([(FN,), (FF,)], outer),
            ([(BF,), (W,), (FF,)], inner),
            ([(FN,), (BF,), (FF, BN)], apart),
            ([(FN, BF), (FF, BN)], pairs - apart),
            ([(BF,), (FF, BN)], inner),
            ([(BF,), (BN,)], outer),
            ([(W,), (BN,)], inner),
            ([(W,)], outer),
        ]

    def either(self, near: str, far: str) -> Stamp:
        """Stamp of the action of one name in the near direction, of another one in the far."""
        one, other = (place(self.blocks, name, self.at.x, self.at.choose) for name in (near, far))
        unit, part = (self.at.choose(self.near, *both) for both in zip(one, other, strict=True))
        return unit + self.hops, part

    @property
    def drain(self) -> Number:
        """Place of a backward in step 6, where it is in it."""
        far = 2 * (self.at.x - (self.each - self.outer))
        return self.at.choose(self.near, far + 2 * self.inner + 1, far)

    @property
    def split(self) -> Any:
        """I and W, not B: far in step 3, either in the second half of step 6, near in step 7."""
        choose, x, late = self.at.choose, self.at.x, self.drain >= self.outer
        return choose(self.near, late, choose(x < self.inner, True, late))

    @property
    def weight(self) -> Stamp:
        """Stamp of W: weight gradients are owed, and made, in the order of the I."""
        choose, x = self.at.choose, self.at.x
        in_drain = self.inner + self.drain - self.outer
        begun = self.each - self.inner
        near = choose(x < begun, in_drain, self.inner + self.outer + x - begun)
        number = choose(self.near, near, choose(x < self.inner, x, in_drain))
        unit, part = place(self.blocks, W, number, choose)
        return unit + self.hops, part


def _accept(
    family: str, stages: int, microbatches: int, values: Mapping[str, int]
) -> Mapping[str, int]:
    require_even_stages(family, stages)
    if microbatches % 2 or microbatches < 2 * stages:
        raise ParameterError(
            f"M (microbatches) is even and at least 2p = {2 * stages}, found M = {microbatches}",
            f"family {family}",
            f"take M = {max(2 * stages, microbatches + microbatches % 2)}",
        )
    return {}


def stamped(steps: Callable[[At], Steps], shape: Shape, accept: Accept) -> StampedOrder:
    """The order of DualPipe or DualPipeV, from ``steps(at) -> Steps``."""
    return StampedOrder(
        shape,
        forward=lambda at: steps(at).either(FN, FF),
        backward=lambda at: steps(at).either(BN, BF),
        weight=lambda at: steps(at).weight,
        split=lambda at: steps(at).split,
        microbatch=lambda at: _microbatch(at) if shape is OPPOSITE else at.x,
        accept=accept,
        overlap=True,
    )


def _microbatch(at: At) -> Number:
    return at.lane * at.divide(at.M, 2)[0] + at.x


ORDER: Final = stamped(lambda at: Steps(at, at.p, at.divide(at.M, 2)[0]), OPPOSITE, _accept)


FAMILY: Final = Family(
    name="dualpipe",
    source="DeepSeek-V3 Technical Report 2024, section 3.2.1",
    summary="two overlapped pipelines in opposite directions, two weight copies; p, M even, M ≥ 2p",
    policy=WeightPolicy("flush"),
    rule=ORDER,
    multiple=2,
    figures=Figures(
        makespan="3*M + p/2 - 1",
        work="3*M",
        peak="p + 1",
    ),
)

build: Final = FAMILY.build
