"""Which action waits for which: the edges of the DAG, as integer arrays.

Program order is implicit in a `Schedule`; here are the other edges. One rule a kind:

- F(s, m) needs F(s−1, m): an activation;
- B(s, m) and I(s, m) need F(s, m), and the input gradient of (s+1, m) from its B or I;
- W(s, m) needs I(s, m);
- REDUCE(s, m), where it names a microbatch, needs the backward of m at stage 0: a barrier;
- the n-th BARRIER of a rank needs that every other rank has come to its n-th BARRIER: it needs the
  last action before that one that is no message, which may be the BARRIER number n − 1. Where
  there is nothing before it, a rank is there from the beginning. That is an edge for each pair of
  ranks and barrier. A BARRIER that some rank lacks never ends, which edges cannot say: see
  `barriers`.

Where messages carry an activation or a gradient, they stand between the two computations: SEND
needs its computation, RECV its SEND, and the other computation its RECV. A message of which one
half is missing carries nothing: the computations are joined as if it were not there.

A WAIT_SEND needs the SEND of its label that stands before it on its rank, and is over when that
message has arrived.

A receive is posted and its rank goes on: see `past_receives`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from schedules.actions import MESSAGES, WAITED_SENDS, Kind, among
from schedules.errors import SizeError
from schedules.schedule import IntArray, Schedule

MISSING = -1

RECENT = 2
"""Schedules whose tables are kept: each check of a schedule asks for them."""

SPARSE_PAIRS = 1_000_000
"""(stage, microbatch) pairs up to which tables are built however few the actions are."""

MOST_BARRIER_EDGES = 5_000_000
"""Edges of all barriers together that are built."""


class EdgeKind(IntEnum):
    """Why an edge of the DAG is there."""

    PROGRAM = 0
    DATA = 1
    MESSAGE = 2
    UPDATE = 3
    BARRIER = 4


@dataclass(frozen=True)
class Tables:
    """Flat index of the first action of each kind for every (stage, microbatch).

    Attributes
    ----------
    forward, backward, gradient : ndarray of int, shape (stages, microbatches)
        F; the B or I that produces the input gradient; the B or W that completes the weight
        gradient. `MISSING` where there is none.
    """

    forward: IntArray
    backward: IntArray
    gradient: IntArray


@dataclass(frozen=True)
class Edges:
    """Dependencies other than program order: ``target[k]`` waits for ``source[k]``."""

    source: IntArray
    target: IntArray
    kind: IntArray


@dataclass(frozen=True)
class Barriers:
    """Every BARRIER and its number.

    Attributes
    ----------
    index : ndarray of int
        Flat indices, ascending.
    number : ndarray of int
        n of the n-th BARRIER of its rank, from 0.
    count : ndarray of int, shape (ranks,)
        Barriers of every rank.
    """

    index: IntArray
    number: IntArray
    count: IntArray

    @property
    def shared(self) -> int:
        """Barriers that all ranks have: those numbered below end, the others never do."""
        return int(self.count.min(initial=len(self.index)))

    @property
    def endless(self) -> IntArray:
        """Flat indices of those that some rank lacks."""
        return np.asarray(self.index[self.number >= self.shared])

    def lacking(self, index: int) -> tuple[int, int]:
        """The first rank that lacks the counterpart of a BARRIER, and the number, from 1, of it."""
        number = int(self.number[np.searchsorted(self.index, index)])
        return int(np.argmax(self.count <= number)), number + 1


def barriers(schedule: Schedule) -> Barriers:
    r"""Number the barriers of a schedule.

    Examples
    --------
    >>> from schedules.actions import Action
    >>> from schedules.policies import WeightPolicy
    >>> stop = Action(Kind.BARRIER, 0)
    >>> made = Schedule.from_orders("made", [[stop], [stop, stop]], 1, WeightPolicy("flush"))
    >>> found = barriers(made)
    >>> found.number.tolist(), found.endless.tolist(), found.lacking(2)
    ([0, 0, 1], [2], (0, 2))
    """
    index = np.flatnonzero(schedule.kind == Kind.BARRIER)
    rank = schedule.rank_of_action[index]
    number = np.arange(len(index)) - np.searchsorted(rank, rank)
    return Barriers(index, number, np.bincount(rank, minlength=schedule.ranks))


def first_indices(schedule: Schedule, *kinds: Kind) -> IntArray:
    """Flat index of the first action of one of `kinds`, shape (stages, microbatches)."""
    require_table_room(schedule.name, schedule.stages, schedule.microbatches, len(schedule))
    table = np.full((schedule.stages, schedule.microbatches), MISSING, dtype=np.int64)
    chosen = np.flatnonzero(among(schedule.kind, kinds) & in_range(schedule))[::-1]
    table[schedule.stage[chosen], schedule.microbatch[chosen]] = chosen
    table.setflags(write=False)
    return table


def require_table_room(name: str, stages: int, microbatches: int, actions: int) -> None:
    """Refuse tables that are much larger than the schedule they describe.

    A complete schedule has at least two actions a (stage, microbatch), so memory stays linear
    in the number of actions.

    Raises
    ------
    SizeError
        More than `SPARSE_PAIRS` pairs, and fewer actions than pairs.

    Examples
    --------
    >>> require_table_room("big.csv", 999_999, 2, 3)
    Traceback (most recent call last):
    schedules.errors.SizeError: big.csv: a schedule of more than 1000000 (stage, microbatch) pairs
    has at least one action a pair, found 999999 stages × 2 microbatches = 1999998 pairs and 3
    actions; correct the largest stage number or the number of microbatches
    """
    pairs = stages * microbatches
    if pairs > max(SPARSE_PAIRS, actions):
        raise SizeError(
            f"a schedule of more than {SPARSE_PAIRS} (stage, microbatch) pairs has at least one "
            f"action a pair, found {stages} stages × {microbatches} microbatches = {pairs} pairs "
            f"and {actions} actions",
            name,
            "correct the largest stage number or the number of microbatches",
        )


@lru_cache(maxsize=RECENT)
def in_range(schedule: Schedule) -> NDArray[np.bool_]:
    """Which actions name a stage and a microbatch that exist."""
    stage, microbatch = schedule.stage, schedule.microbatch
    named = (stage >= 0) & (microbatch >= 0)
    found = named & (stage < schedule.stages) & (microbatch < schedule.microbatches)
    found.setflags(write=False)
    return np.asarray(found)


@lru_cache(maxsize=RECENT)
def tables(schedule: Schedule) -> Tables:
    """Where each forward, backward and weight gradient stands.

    Examples
    --------
    >>> from schedules.families import build
    >>> tables(build("naive", 2, 1)).forward.tolist()
    [[0], [2]]
    """
    return Tables(
        forward=first_indices(schedule, Kind.F),
        backward=first_indices(schedule, Kind.B, Kind.I),
        gradient=first_indices(schedule, Kind.B, Kind.W),
    )


def edges(schedule: Schedule) -> Edges:
    """All dependencies other than program order; what is missing or out of range has none."""
    index = tables(schedule)
    rank = schedule.rank_of_action
    parts: list[tuple[IntArray, IntArray, EdgeKind]] = []

    def connect(source: IntArray, target: IntArray, kind: EdgeKind) -> None:
        both = (source != MISSING) & (target != MISSING)
        parts.append((source[both], target[both], kind))

    def hand_on(source: IntArray, target: IntArray, sends: IntArray, receives: IntArray) -> None:
        carried = (sends != MISSING) & (receives != MISSING)
        connect(np.where(carried, MISSING, source), target, EdgeKind.DATA)
        connect(source, sends, EdgeKind.DATA)
        connect(sends, receives, EdgeKind.DATA)
        connect(receives, target, EdgeKind.DATA)

    input_gradient = first_indices(schedule, Kind.I)
    if among(schedule.kind, MESSAGES).any():
        forwards = first_indices(schedule, Kind.SEND_F), first_indices(schedule, Kind.RECV_F)
        gradients = first_indices(schedule, Kind.SEND_B), first_indices(schedule, Kind.RECV_B)
        hand_on(index.forward[:-1], index.forward[1:], forwards[0][:-1], forwards[1][1:])
        hand_on(index.backward[1:], index.backward[:-1], gradients[0][1:], gradients[1][:-1])
    else:
        connect(index.forward[:-1], index.forward[1:], EdgeKind.DATA)
        connect(index.backward[1:], index.backward[:-1], EdgeKind.DATA)
    connect(index.forward, index.backward, EdgeKind.DATA)
    connect(input_gradient, first_indices(schedule, Kind.W), EdgeKind.DATA)
    reductions = first_indices(schedule, Kind.REDUCE)
    if schedule.stages:
        last = np.broadcast_to(index.backward[0], reductions.shape)
        connect(last, reductions, EdgeKind.BARRIER)
    connect(*_of_barriers(schedule), EdgeKind.BARRIER)
    connect(*_of_waits(schedule), EdgeKind.MESSAGE)
    source = np.concatenate([part[0] for part in parts])
    target = np.concatenate([part[1] for part in parts])
    kind = np.concatenate([np.full(len(part[0]), part[2], dtype=np.int64) for part in parts])
    crosses = (rank[source] != rank[target]) & (kind == EdgeKind.DATA)
    kind[crosses] = EdgeKind.MESSAGE
    return Edges(source, target, kind)


def _of_waits(schedule: Schedule) -> tuple[IntArray, IntArray]:
    """Each send, and the wait for it behind it on its rank."""
    nothing = np.zeros(0, dtype=np.int64)
    if not among(schedule.kind, WAITED_SENDS.values()).any():
        return nothing, nothing
    rank = schedule.rank_of_action
    pairs = [
        (first_indices(schedule, send).ravel(), first_indices(schedule, wait).ravel())
        for send, wait in WAITED_SENDS.items()
    ]
    source, target = (np.concatenate(part) for part in zip(*pairs, strict=True))
    behind = (source != MISSING) & (source < target) & (rank[source] == rank[target])
    return source[behind], target[behind]


def _of_barriers(schedule: Schedule) -> tuple[IntArray, IntArray]:
    """What each BARRIER that all ranks have waits for on the other ranks."""
    found, ranks = barriers(schedule), schedule.ranks
    if not len(found.index) or not found.shared:
        return found.index[:0], found.index[:0]
    _require_barrier_room(schedule, found.shared)
    meeting = np.flatnonzero(found.number < found.shared)
    # One row a barrier, one column a rank.
    order = np.lexsort((meeting, found.number[meeting]))
    met = found.index[meeting[order]].reshape(found.shared, ranks)
    holds_up = np.where(among(schedule.kind, MESSAGES), MISSING, np.arange(len(schedule)))
    before = np.append(MISSING, np.maximum.accumulate(holds_up))[met]
    before = np.where(before < schedule.offsets[:-1], MISSING, before)
    here, there = np.nonzero(~np.eye(ranks, dtype=np.bool_))
    return before[:, there].ravel(), met[:, here].ravel()


def _require_barrier_room(schedule: Schedule, shared: int) -> None:
    wanted = shared * schedule.ranks * (schedule.ranks - 1)
    if wanted > MOST_BARRIER_EDGES:
        raise SizeError(
            f"barriers make at most {MOST_BARRIER_EDGES} pairs of ranks that wait for each other, "
            f"found {shared} barriers of {schedule.ranks} ranks = {wanted} pairs",
            schedule.name,
            "look at fewer rounds, or at fewer ranks",
        )


def past_receives(schedule: Schedule, found: Edges) -> Edges:
    r"""The same dependencies for ranks that do not stop at a receive.

    A rank posts a receive and goes on; only the computation behind it that needs the tensor
    waits. So that computation waits for the send itself, and nothing waits at the receive. A
    receive that stands where its computation cannot profit from it (behind it, or on another
    rank) keeps its dependencies, and its rank stops there.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> sent = parse_csv("0F0,0SEND_F0\n1RECV_F0,1F0", "a.csv")
    >>> found = past_receives(sent, edges(sent))
    >>> [(str(sent.action(a)), str(sent.action(b))) for a, b in zip(found.source, found.target)]
    [('0F0', '0SEND_F0'), ('0SEND_F0', '1F0')]
    """
    is_receive = among(schedule.kind, (Kind.RECV_F, Kind.RECV_B))
    if not is_receive.any():
        return found
    rank = schedule.rank_of_action
    into, out = is_receive[found.target], is_receive[found.source]
    passed = out & (found.source < found.target) & (rank[found.source] == rank[found.target])
    stops = np.zeros(len(schedule), dtype=np.bool_)
    stops[found.source[out & ~passed]] = True
    sender = np.full(len(schedule), MISSING, dtype=np.int64)
    sender[found.target[into]] = found.source[into]
    source = np.where(passed, sender[found.source], found.source)
    kept = (source != MISSING) & ~(into & ~stops[found.target])
    source, target = source[kept], found.target[kept]
    crosses = (passed & ~is_receive[found.target])[kept] & (rank[source] != rank[target])
    return Edges(source, target, np.where(crosses, EdgeKind.MESSAGE, found.kind[kept]))
