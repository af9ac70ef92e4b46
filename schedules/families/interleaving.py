"""What families with several stages a rank, placed in a loop, share.

Legend: p ranks, v chunks (stages a rank), M microbatches, stages 0 … vp−1 with stage s on rank
s mod p; chunk c of rank r is stage cp + r.

A rank takes its (chunk, microbatch) pairs in *rounds*: the microbatches of a round pass one chunk,
then the next. Its work is then a queue for each kind of action, and a schedule says by how many
*turns* one queue lags behind another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from schedules.actions import Kind
from schedules.errors import ParameterError
from schedules.families.family import Family, Parameter
from schedules.placement import Placement
from schedules.schedule import IntArray, Schedule

DEFAULT_CHUNKS: Final = 2
CHUNKS: Final = Parameter("chunks", f"stages a rank v (default {DEFAULT_CHUNKS})")


def chunked(ranks: int, values: Mapping[str, int]) -> int:
    """Stages of a family with `CHUNKS`."""
    return ranks * values.get(CHUNKS.name, DEFAULT_CHUNKS)


BACKWARD: Final = (Kind.B, Kind.I, Kind.W)
"""Kinds that go through the chunks of a rank from the last to the first."""


@dataclass(frozen=True, eq=False)
class RankOrder:
    """What one rank does, in program order, as columns of equal length."""

    kind: IntArray
    stage: IntArray
    microbatch: IntArray


@dataclass(frozen=True)
class Loop:
    """The size of a looped pipeline.

    Attributes
    ----------
    ranks, chunks, microbatches : int
        p, v and M.
    round_size : int
        Microbatches that pass a chunk before the rank turns to the next; divides M.
    """

    ranks: int
    chunks: int
    microbatches: int
    round_size: int

    @property
    def queue(self) -> int:
        """Actions of one kind on a rank: vM."""
        return self.chunks * self.microbatches

    def warm_up(self, rank: int, per_hop: int) -> int:
        """Forwards of a rank before its first backward, the one right before it not counted.

        A round through all chunks but the last, and `per_hop` more for every rank between this
        one and the last; never more than there are.

        Examples
        --------
        >>> [Loop(4, 2, 8, 4).warm_up(rank, per_hop=2) for rank in range(4)]
        [10, 8, 6, 4]
        """
        ahead = (self.chunks - 1) * self.round_size + per_hop * (self.ranks - 1 - rank)
        return min(ahead, self.queue)

    def chunk_and_microbatch(self, places: IntArray) -> tuple[IntArray, IntArray]:
        """Chunk and microbatch at given places of the queue of forwards.

        Examples
        --------
        >>> chunk, microbatch = Loop(2, 2, 4, 2).chunk_and_microbatch(np.arange(8))
        >>> chunk.tolist(), microbatch.tolist()
        ([0, 0, 1, 1, 0, 0, 1, 1], [0, 1, 0, 1, 2, 3, 2, 3])
        """
        passes, within = np.divmod(places, self.round_size)
        rounds, chunk = np.divmod(passes, self.chunks)
        return chunk, rounds * self.round_size + within


def even_rounds(family: str, ranks: int, chunks: int, microbatches: int) -> Loop:
    """Divide M microbatches into max(1, ⌊M/p⌋) rounds of equal size, p or more but for M < p.

    Raises
    ------
    ParameterError
        M is not a multiple of the number of rounds.

    Examples
    --------
    >>> even_rounds("interleaved-1f1b", 4, 2, 10).round_size
    5
    """
    rounds = max(1, microbatches // ranks)
    if microbatches % rounds:
        raise ParameterError(
            f"M (microbatches) is a multiple of the number of rounds, max(1, ⌊M/p⌋); found "
            f"M = {microbatches}, p = {ranks} and so {rounds} rounds",
            f"family {family}",
            f"take M = {ranks * rounds} or {ranks * (rounds + 1)}, multiples of p",
        )
    return Loop(ranks, chunks, microbatches, microbatches // rounds)


def in_turns(lags: Mapping[Kind, int], queue: int) -> tuple[IntArray, IntArray]:
    """Merge one queue a kind: turn t does the action at place t − lag of each, in order F B I W.

    Parameters
    ----------
    lags : mapping of Kind to int
        Turns by which the kind's queue lags, ≥ 0.
    queue : int
        Length of every queue.

    Returns
    -------
    kind, place : ndarray of int, shape (len(lags) · queue,)

    Examples
    --------
    >>> kind, place = in_turns({Kind.F: 0, Kind.B: 1}, 3)
    >>> print(*(f"{Kind(k).name}{n}" for k, n in zip(kind.tolist(), place.tolist())))
    F0 F1 B0 F2 B1 B2
    """
    place = np.tile(np.arange(queue), len(lags))
    kind = np.repeat(np.array(list(lags), dtype=np.int64), queue)
    turn = place + np.repeat(np.array(list(lags.values()), dtype=np.int64), queue)
    order = np.lexsort((kind, turn))
    return kind[order], place[order]


def depth_first(loop: Loop, rank: int, lags: Mapping[Kind, int]) -> RankOrder:
    """The order of a rank whose queues go round by round: forwards up the chunks, others down."""
    kind, place = in_turns(lags, loop.queue)
    chunk, microbatch = loop.chunk_and_microbatch(place)
    chunk = np.where(np.isin(kind, BACKWARD), loop.chunks - 1 - chunk, chunk)
    return RankOrder(kind, chunk * loop.ranks + rank, microbatch)


def looped(family: Family, loop: Loop, orders: Sequence[RankOrder]) -> Schedule:
    """Put the orders of all ranks together; the number of chunks is the only parameter."""

    def column(parts: Sequence[IntArray]) -> IntArray:
        joined = np.concatenate(parts).astype(np.int64, copy=False)
        joined.setflags(write=False)
        return joined

    kind = column([order.kind for order in orders])
    lengths = np.array([0, *(len(order.kind) for order in orders)])
    return Schedule(
        name=family.name,
        kind=kind,
        stage=column([order.stage for order in orders]),
        microbatch=column([order.microbatch for order in orders]),
        pipeline=column([np.zeros(len(kind), dtype=np.int64)]),
        offsets=column([np.cumsum(lengths)]),
        microbatches=loop.microbatches,
        placement=Placement.loop(loop.ranks, loop.chunks),
        policy=family.policy,
        parameters={"chunks": loop.chunks},
    )
