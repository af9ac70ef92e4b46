"""The problem that an order is synthesised for, in whole numbers.

Every stage does F, I and W of every microbatch once: backwards are split, as a fused backward is
an I with its W right behind it. A rank does one thing at a time. F(s, m) follows F(s − 1, m) and
I(s, m) follows I(s + 1, m) by the time of the message; I(s, m) follows F(s, m), W(s, m) follows
I(s, m).

- memory: a rank keeps the activations of (s, m) from the start of F to the end of W, beside what
  it always keeps: optimizer, gradients, and as many weight versions as the staleness allows;
- staleness: weights are updated after each `window` microbatches, where the last W of the window
  ends. A forward of window t waits until its stage has had the updates of windows 0 … t − 1 − K.

Microbatches are alike, so nothing is lost if every stage takes them in ascending order in F, in I
and in W. Take any order, and let the k-th F (I, W) of each stage be that of microbatch k instead.
What the k-th one needs is there: when k + 1 of them have begun, what these need had been done k + 1
times. Memory counts how many F have begun and how many W have ended, which stays. Staleness: of
the first k + 1 forwards one is of a gradient that is applied k-th or later; what that forward
finds, the k-th, which comes no earlier, finds too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import gcd

import numpy as np

from schedules.actions import Kind
from schedules.errors import ParameterError
from schedules.links import Crossings
from schedules.placement import Placement
from schedules.planning.costs import Costs
from schedules.policies import WeightPolicy

KINDS = (Kind.F, Kind.I, Kind.W)


class NoRoomError(ParameterError):
    """No order fits into the memory."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What an order has to keep to; see the module.

    Attributes
    ----------
    costs : Costs
        Layers on the stages.
    placement : Placement
        One pipeline.
    microbatches, window : int
        The window divides the microbatches.
    memory, staleness : int or None
        Bytes of every rank; None is without limit.

    Raises
    ------
    ParameterError
        The window does not divide the microbatches.
    NoRoomError
        Some rank cannot hold one microbatch.
    """

    costs: Costs
    placement: Placement
    microbatches: int
    window: int
    memory: int | None = None
    staleness: int | None = None

    def __post_init__(self) -> None:
        if self.microbatches % self.window:
            raise ParameterError(
                f"windows of equal size make up the microbatches, found {self.microbatches} "
                f"microbatches and windows of {self.window}",
                "--window",
                "take a divisor",
            )
        least = self.least_memory
        if self.memory is not None and least > self.memory:
            raise NoRoomError(
                f"every rank holds at least one microbatch beside its weights, which takes {least} "
                f"bytes with this partition, found a cap of {self.memory}",
                "--memory",
                f"allow {least} bytes, or take more ranks",
            )

    @property
    def stages(self) -> int:
        """Number of stages."""
        return self.placement.stages

    @property
    def ranks(self) -> tuple[int, ...]:
        """Rank of every stage."""
        return self.placement.ranks[0]

    @property
    def windows(self) -> int:
        """Number of updates of each stage."""
        return self.microbatches // self.window

    @property
    def lag(self) -> int:
        """Updates that a forward may miss: the staleness, as far as there are windows."""
        most = self.windows - 1
        return most if self.staleness is None else min(self.staleness, most)

    @property
    def policy(self) -> WeightPolicy:
        """When weights are updated."""
        if self.windows == 1:
            return WeightPolicy("flush")
        return WeightPolicy("stash", self.window)

    @cached_property
    def grain(self) -> int:
        """Ticks in a unit of the problem: the largest that keeps all times whole."""
        times = chain(self.costs.durations.values(), *self._message_ticks)
        return gcd(*times) or 1

    @cached_property
    def durations(self) -> dict[Kind, tuple[int, ...]]:
        """By kind and stage, in units of the problem."""
        taken = self.costs.durations
        return {
            kind: tuple(taken[kind, s] // self.grain for s in range(self.stages)) for kind in KINDS
        }

    @cached_property
    def up(self) -> tuple[int, ...]:
        """Time of an activation from stage s to s + 1."""
        return tuple(time // self.grain for time in self._message_ticks[0])

    @cached_property
    def down(self) -> tuple[int, ...]:
        """Time of a gradient from stage s + 1 to s."""
        return tuple(time // self.grain for time in self._message_ticks[1])

    @cached_property
    def activations(self) -> tuple[int, ...]:
        """Bytes of one microbatch, by stage."""
        return tuple(size.activations for size in self.costs.sizes.of(self.stages))

    @cached_property
    def fixed(self) -> tuple[int, ...]:
        """Bytes that every rank always keeps."""
        kept = [0] * (max(self.ranks) + 1)
        for s, size in enumerate(self.costs.sizes.of(self.stages)):
            versions = (self.lag + 1) * size.weights
            kept[self.ranks[s]] += versions + size.optimizer + size.gradients
        return tuple(kept)

    @property
    def least_memory(self) -> int:
        """Bytes without which there is no order; with them there is, one microbatch at a time."""
        kept = list(self.fixed)
        for s, size in enumerate(self.activations):
            kept[self.ranks[s]] += size
        return max(kept)

    def free(self, rank: int) -> int | None:
        """Bytes of a rank for activations; None is without limit."""
        return None if self.memory is None else self.memory - self.fixed[rank]

    def room(self, s: int) -> int:
        """Most microbatches that a stage keeps, if it were alone on its rank."""
        free = self.free(self.ranks[s])
        if free is None or not self.activations[s]:
            return self.microbatches
        return min(self.microbatches, free // self.activations[s])

    def stages_of(self, rank: int) -> list[int]:
        """The stages of a rank."""
        return [s for s in range(self.stages) if self.ranks[s] == rank]

    def needs(self, kind: Kind, s: int) -> Iterator[tuple[Kind, int, int]]:
        """What an action needs of its microbatch: kind, stage, and time of the message."""
        if kind is Kind.F and s:
            yield Kind.F, s - 1, self.up[s - 1]
        if kind is Kind.I:
            yield Kind.F, s, 0
            if s + 1 < self.stages:
                yield Kind.I, s + 1, self.down[s]
        if kind is Kind.W:
            yield Kind.I, s, 0

    def message_of(self, kind: Kind, s: int) -> int:
        """Time of the message that an action sends; 0 if none."""
        if kind is Kind.F and s + 1 < self.stages:
            return self.up[s]
        return self.down[s - 1] if kind is Kind.I and s else 0

    @cached_property
    def _message_ticks(self) -> tuple[list[int], list[int]]:
        lower = np.arange(self.stages - 1)
        ranks = np.array(self.ranks, dtype=np.int64)
        both = []
        for source, target in ((ranks[:-1], ranks[1:]), (ranks[1:], ranks[:-1])):
            crossed = Crossings(lower, source, target)
            ticks = self.costs.message_time(crossed) if len(lower) else lower
            both.append(np.where(source == target, 0, ticks).tolist())
        return both[0], both[1]


def lower_bound(problem: Problem) -> int:
    r"""A makespan that no order is below, by counting, in units of the problem.

    - The first forward takes time to reach a rank, which then has all its work to do; behind the
      last I there, gradients still go down to stage 0, whose W follows.
    - From F to W a microbatch passes the stages above. So many at a time as memory holds take
      turns; so do windows, as many at a time as the staleness allows.

    Examples
    --------
    >>> from schedules.planning.costs import split
    >>> from schedules.planning.layers import parse_layers
    >>> head = "layer,forward,input_gradient,weight_gradient,activation_bytes,parameter_bytes"
    >>> layers = parse_layers(f"{head}\na,1,1,1,1,0\nb,1,1,1,1,0\n")
    >>> placement = Placement.one_stage_a_rank(2)
    >>> costs = split(layers, placement)
    >>> (
    ...     lower_bound(Problem(costs, placement, 8, 8)),
    ...     lower_bound(Problem(costs, placement, 8, 8, 1)),
    ... )
    (25, 40)
    """
    forward, inputs, weights = (problem.durations[kind] for kind in KINDS)
    head, back, tail = [0], [0], [weights[0]]
    for s in range(1, problem.stages):
        head.append(head[-1] + forward[s - 1] + problem.up[s - 1])
        back.append(back[-1] + problem.down[s - 1] + inputs[s - 1])
        tail.append(max(weights[s], problem.down[s - 1] + inputs[s - 1] + tail[-1]))
    bounds = []
    for rank in set(problem.ranks):
        own = problem.stages_of(rank)
        before_w = sum(forward[s] + inputs[s] for s in own) * problem.microbatches
        every_w = sum(weights[s] for s in own) * problem.microbatches
        first, last = min(head[s] for s in own), min(tail[s] for s in own)
        bounds += [first + before_w + every_w, first + before_w + last]

    def span(s: int, count: int) -> int:
        """Least time from the first F of so many microbatches at stage s to their last W."""
        above = (
            head[j] - head[s] + count * (forward[j] + inputs[j]) + back[j] - back[s]
            for j in range(s, problem.stages)
        )
        return max(max(above) + weights[s], count * (forward[s] + inputs[s] + weights[s]))

    for s in range(problem.stages):
        bounds.append(head[s] + -(-problem.windows // (problem.lag + 1)) * span(s, problem.window))
        room = problem.room(s)
        bounds.append(head[s] + -(-problem.microbatches // room) * span(s, 1))
    return max(bounds)
