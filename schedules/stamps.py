"""Orders given by stamps: a rank does what it has to do in the order of numbers stated as data.

Legend: p ranks, M microbatches, stage s. A rank holds one or several *lanes*: a stage of a
pipeline each, as a `Shape` says. In every lane the microbatches of its pipeline are numbered
x = 0, 1, …; F, B (or I and W, where the backward is split) of number x have a stamp each.

A stamp says where an action stands on its rank, and is chosen so that it also grows from rank to
rank along what computations need: then the order is causal for all sizes, and that is one question
about the formulas (`theory.laws.stamped`). They are written with arithmetic operators, `At.choose`
and `At.divide`, so that the same data serve arrays here and solver terms there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from schedules.actions import Kind
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.schedule import Group, IntArray, Schedule

Number = Any
"""An integer, an array of them, or a solver term."""

Stamp = tuple[Number, ...]
"""Compared from the first number on; equal first numbers on a rank are one overlapped unit."""


@dataclass(frozen=True)
class At:
    """One microbatch in one lane of one rank.

    Attributes
    ----------
    p, M : number
        Ranks and microbatches.
    values : mapping of str to number
        Parameters, by name.
    lane, rank, stage : number
    x : number
        Which of the microbatches of its pipeline, from 0.
    choose : callable
        ``choose(test, yes, no)``.
    divide : callable
        ``divide(number, divisor)``: quotient, rounded down, and remainder.
    """

    p: Number
    M: Number
    values: Mapping[str, Number]
    lane: Number
    rank: Number
    stage: Number
    x: Number
    choose: Callable[[Any, Number, Number], Number]
    divide: Callable[[Number, Number], tuple[Number, Number]]

    def most(self, one: Number, other: Number) -> Number:
        """The larger of two numbers."""
        return self.choose(one > other, one, other)

    def number(self, x: Number) -> At:
        """Another microbatch in the same lane."""
        return replace(self, x=x)


@dataclass(frozen=True)
class Shape:
    """Which stages a rank holds.

    Attributes
    ----------
    lanes : callable
        ``lanes(values)``: how many every rank has.
    stage : callable
        ``stage(lane, rank, p, choose)``.
    pipelines : bool
        Whether lanes are pipelines with a copy of the weights each; else stages of one pipeline.
    """

    lanes: Callable[[Mapping[str, Number]], Number]
    stage: Callable[[Number, Number, Number, Callable[..., Number]], Number]
    pipelines: bool = False

    def stages(self, p: Number, values: Mapping[str, Number]) -> Number:
        """Stages of one pipeline."""
        return p if self.pipelines else self.lanes(values) * p

    def placement(self, p: int, values: Mapping[str, int]) -> Placement:
        """Where they run, and which weights they use."""
        lanes, stages = self.lanes(values), self.stages(p, values)
        ranks = [[0] * stages for _ in range(lanes if self.pipelines else 1)]
        for lane in range(lanes):
            for rank in range(p):
                stage = self.stage(lane, rank, p, _choose)
                ranks[lane if self.pipelines else 0][stage] = rank
        return Placement(
            tuple(map(tuple, ranks)), tuple((copy,) * stages for copy in range(len(ranks)))
        )


def _choose(test: bool, yes: int, no: int) -> int:
    return yes if test else no


LINE: Final = Shape(lambda values: 1, lambda lane, rank, p, choose: rank)
"""Stage s on rank s."""

LOOP: Final = Shape(lambda values: values["chunks"], lambda lane, rank, p, choose: lane * p + rank)
"""Stage s on rank s mod p: from the last rank back to the first; lanes are chunks."""

VEE: Final = Shape(
    lambda values: 2, lambda lane, rank, p, choose: choose(lane == 0, rank, 2 * p - 1 - rank)
)
"""Stages 0 … p − 1 down the ranks, p … 2p − 1 up again."""

OPPOSITE: Final = Shape(
    lambda values: 2,
    lambda lane, rank, p, choose: choose(lane == 0, rank, p - 1 - rank),
    pipelines=True,
)
"""Pipeline 0 has stage s on rank s, pipeline 1 on rank p − 1 − s, each with weights of its own."""


Accept = Callable[[str, int, int, Mapping[str, int]], Mapping[str, int]]
"""``accept(family, p, M, values)`` → what the stamps use besides, or an error."""


def _identity(at: At) -> Number:
    return at.x


def _any_size(family: str, p: int, M: int, values: Mapping[str, int]) -> Mapping[str, int]:
    return {}


@dataclass(frozen=True)
class StampedOrder:
    """A program order given by stamps.

    Attributes
    ----------
    shape : Shape
    forward, backward : callable
        ``forward(at)``: stamp of F, and of B or I.
    weight : callable or None
        Stamp of W, where the backward is split.
    split : callable
        ``split(at)``: whether it is, in a family that splits some of them.
    microbatch : callable
        The microbatch that has number x in its lane.
    accept : callable
        ``accept(family, p, M, values)``: further values that the stamps use, or an error for a
        size that the family does not have.
    defaults : mapping of str to int
        Of the parameters.
    """

    shape: Shape
    forward: Callable[[At], Stamp]
    backward: Callable[[At], Stamp]
    weight: Callable[[At], Stamp] | None = None
    split: Callable[[At], Any] = lambda at: True
    microbatch: Callable[[At], Number] = _identity
    accept: Accept = _any_size
    defaults: Mapping[str, int] = field(default_factory=dict)


Unit = tuple[str, ...]
"""Names of actions that are overlapped, mostly of one."""

Block = tuple[Sequence[Unit], Number]
"""Units one after the other, and how many times over; no name twice."""


def place(blocks: Sequence[Block], name: str, x: Number, choose: Callable[..., Number]) -> Stamp:
    """Place of the x-th action of a name among blocks one after the other: unit and part of it.

    Examples
    --------
    >>> blocks = [([("F",)], 2), ([("F", "B")], 3), ([("B",)], 2)]
    >>> [place(blocks, "F", x, _choose) for x in range(3)], place(blocks, "B", 3, _choose)
    ([(0, 0), (1, 0), (2, 0)], (8, 0))
    """
    begin: Number = 0
    seen: Number = 0
    found: list[tuple[Number, Number, int]] = []
    for units, times in blocks:
        length, offset = sum(map(len, units)), 0
        for unit in units:
            if name in unit:
                at = begin + length * (x - seen) + offset
                seen = seen + times
                found.append((seen, at, unit.index(name)))
            offset += len(unit)
        begin = begin + length * times
    *others, (_, at, part) = found
    which: Number = part
    for end, earlier, index in reversed(others):
        at, which = choose(x < end, earlier, at), choose(x < end, index, which)
    return at, which


def run_stamped(
    name: str,
    policy: WeightPolicy,
    order: StampedOrder,
    p: int,
    M: int,
    values: Mapping[str, int],
) -> Schedule:
    """Lay an order out: every action of every lane, each rank's by stamp.

    Parameters
    ----------
    name : str
        Of the family.
    policy : WeightPolicy
    order : StampedOrder
    p, M : int
        Lanes that are pipelines have M/lanes microbatches each.
    values : mapping
        Its parameters, all of them.

    Raises
    ------
    ParameterError
        The order does not accept the size.

    Examples
    --------
    >>> from schedules.families.zb_h1 import ORDER
    >>> print(*run_stamped("example", WeightPolicy("flush"), ORDER, 2, 2, {}).rank(0))
    0F0 0F1 0I0 0W0 0I1 0W1
    """
    known, shape = {**values, **order.accept(name, p, M, values)}, order.shape
    lanes = shape.lanes(known)
    each = M // lanes if shape.pipelines else M
    lane, rank, x = (axis.ravel() for axis in np.indices((lanes, p, each)))
    stage = shape.stage(lane, rank, p, np.where)
    at = At(p, M, known, lane, rank, stage, x, np.where, np.divmod)
    pairs = len(x)
    split = np.broadcast_to(np.asarray(order.weight is not None and order.split(at)), pairs)
    parts = [(order.forward(at), np.full(pairs, Kind.F), np.arange(pairs))]
    parts.append((order.backward(at), np.where(split, Kind.I, Kind.B), np.arange(pairs)))
    if order.weight is not None:
        parts.append((order.weight(at), np.full(pairs, Kind.W), np.flatnonzero(split)))
    first = np.concatenate([np.broadcast_to(stamp[0], pairs)[own] for stamp, _, own in parts])
    second = [
        np.broadcast_to(stamp[1] if len(stamp) > 1 else 0, pairs)[own] for stamp, _, own in parts
    ]
    who = np.concatenate([own for _, _, own in parts])
    sorted_ = np.lexsort((np.concatenate(second), first, rank[who]))
    who = who[sorted_]
    return Schedule(
        name=name,
        kind=_column(np.concatenate([kind[own] for _, kind, own in parts])[sorted_]),
        stage=_column(stage[who]),
        microbatch=_column(np.broadcast_to(order.microbatch(at), pairs)[who]),
        pipeline=_column(lane[who] if shape.pipelines else np.zeros_like(who)),
        offsets=_column(np.searchsorted(rank[who], np.arange(p + 1))),
        microbatches=M,
        placement=shape.placement(p, known),
        policy=policy,
        parameters=dict(values),
        groups=tuple(_overlapped(rank[who], first[sorted_])),
    )


def _column(values: IntArray) -> IntArray:
    column = values.astype(np.int64)
    column.setflags(write=False)
    return column


def _overlapped(rank: IntArray, first: IntArray) -> list[Group]:
    """What stands together because its stamps begin alike."""
    apart = np.flatnonzero((np.diff(rank) != 0) | (np.diff(first) != 0)) + 1
    begins = np.concatenate([[0], apart])
    counts = np.diff(np.append(begins, len(rank)))
    offsets = np.searchsorted(rank, rank[begins])
    several = counts > 1
    return [
        Group(int(rank[begin]), int(begin - offset), int(count), "overlap")
        for begin, offset, count in zip(
            begins[several], offsets[several], counts[several], strict=True
        )
    ]
