"""The queues of every rank: which action stands where, and when messages are posted.

A rank has one compute queue, for everything that is no message, and communication queues. An entry
of a communication queue is a message, or the members of a batch that share the queue: they start
together. An overlap group is no entry; its parts stand in their queues in written order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from schedules.actions import COMPUTE, WAITED_SENDS, Kind, among
from schedules.dependencies import MISSING, Barriers, EdgeKind, barriers, edges
from schedules.messages.channels import NONE, Channels, folded
from schedules.messages.model import QueueKey
from schedules.schedule import IntArray, Schedule


@dataclass(frozen=True, eq=False)
class Queues:
    """All queues that are not empty, one after the other: first the compute queues, by rank.

    Attributes
    ----------
    schedule : Schedule
    plan : Channels
    entry : ndarray of int, shape (actions,)
        Entry that an action is, or belongs to. Entries count through all queues.
    offsets : ndarray of int, shape (queues + 1,)
        Queue q has the entries ``offsets[q] … offsets[q + 1] − 1``, in this order.
    first : ndarray of int, shape (entries,)
        First action of every entry.
    posted_behind : ndarray of int, shape (actions,)
        For a message: the last action of its rank's compute queue that has to run before the
        message is posted; `NONE` if there is none, and for what is no message.
    """

    schedule: Schedule
    plan: Channels
    entry: IntArray
    offsets: IntArray
    first: IntArray
    posted_behind: IntArray

    @property
    def messages(self) -> IntArray:
        """Flat indices of the messages."""
        return np.flatnonzero(self.plan.channel != NONE)

    @cached_property
    def queue(self) -> IntArray:
        """Queue of every entry, shape (entries,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def members(self, entry: int) -> list[int]:
        """The actions of an entry, in program order."""
        begin = np.searchsorted(self._sorted_entries, entry)
        end = np.searchsorted(self._sorted_entries, entry, side="right")
        return self._by_entry[begin:end].tolist()  # type: ignore[no-any-return]

    @cached_property
    def _by_entry(self) -> IntArray:
        return np.argsort(self.entry, kind="stable")

    @cached_property
    def _sorted_entries(self) -> IntArray:
        return np.asarray(self.entry[self._by_entry])


def queues(schedule: Schedule, plan: Channels, key: QueueKey) -> Queues:
    r"""Deal the actions of every rank out to its queues.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> from schedules.messages.channels import channels
    >>> schedule = parse_csv("0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0", "a.csv")
    >>> found = queues(schedule, channels(schedule), "rank")
    >>> [[str(schedule.action(i)) for i in part] for part in np.split(found.first, found.offsets)]
    [[], ['0F0', '0B0'], ['1F0', '1B0'], ['0SEND_F0', '0RECV_B0'], ['1RECV_F0', '1SEND_B0'], []]
    """
    rank, own = schedule.rank_of_action, np.arange(len(schedule))
    is_message = plan.channel != NONE
    kept_apart: list[IntArray] = {
        "rank": [],
        "peer": [plan.peer],
        "direction": [plan.peer, plan.sends.astype(np.int64)],
    }[key]
    unit, last = _batches(schedule, is_message)
    number = folded([is_message.astype(np.int64), rank, *kept_apart])
    order = np.lexsort((own, unit, number))
    begins = np.ones(len(own), dtype=np.bool_)
    begins[1:] = (np.diff(number[order]) != 0) | (np.diff(unit[order]) != 0)
    entry = np.empty(len(own), dtype=np.int64)
    entry[order] = np.cumsum(begins) - 1
    first = order[begins]
    lengths = np.unique(number[first], return_counts=True)[1]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    before = _last_computation(schedule, rank, is_message)
    return Queues(schedule, plan, entry, offsets, first, np.where(is_message, before[last], NONE))


def _batches(schedule: Schedule, is_message: NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """First and last message of everyone's batch; of what is in none, itself twice."""
    first, last = np.arange(len(schedule)), np.arange(len(schedule))
    batches = [group for group in schedule.groups if group.kind == "batch"]
    begin = np.array([int(schedule.offsets[g.rank]) + g.first for g in batches], dtype=np.int64)
    count = np.array([group.count for group in batches], dtype=np.int64)
    number = np.repeat(np.arange(len(batches)), count)
    members = np.arange(len(number)) + np.repeat(begin - (np.cumsum(count) - count), count)
    number, members = number[is_message[members]], members[is_message[members]]
    # Members are in order inside a batch, and batches have no action in common.
    first[members] = members[np.searchsorted(number, number)]
    last[members] = members[np.searchsorted(number, number, side="right") - 1]
    return first, last


def _last_computation(
    schedule: Schedule, rank: IntArray, is_message: NDArray[np.bool_]
) -> IntArray:
    """For every action the last of its rank's compute queue at or before it; `NONE` if none."""
    own = np.where(is_message, NONE, np.arange(len(schedule)))
    last = np.maximum.accumulate(own) if len(own) else own
    return np.where(last >= schedule.offsets[rank], last, NONE)


@dataclass(frozen=True, eq=False)
class Inputs:
    """What the entries of compute queues wait for beside their own queue.

    Attributes
    ----------
    message, reader : ndarray of int
        A receive, and the first computation behind it on its rank that has its label; a send,
        and the wait for it.
    source, target : ndarray of int
        Actions of the compute queues of different ranks that wait for each other directly.
    barriers : Barriers
        Those that some rank lacks wait for what never comes.
    """

    message: IntArray
    reader: IntArray
    source: IntArray
    target: IntArray
    barriers: Barriers


def inputs(schedule: Schedule, plan: Channels) -> Inputs:
    r"""What computations wait for.

    A computation waits for all receives of its label that stand before it on its rank, a
    WAIT_SEND for the sends of its label. Where a
    schedule has no messages at all, computations wait for each other; collectives always do. A
    BARRIER waits until every other rank has come to its counterpart, for ever if there is none.
    What stands on one rank in the wrong order is for `schedules.validation.causal` to find: here
    the compute queue runs in program order.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> from schedules.messages.channels import channels
    >>> schedule = parse_csv("0F0,0SEND_F0\n1RECV_F0,1F0", "a.csv")
    >>> found = inputs(schedule, channels(schedule))
    >>> found.message.tolist(), found.reader.tolist(), found.source.tolist()
    ([2], [3], [])
    """
    message, reader = readers(schedule)
    stops, has_messages = barriers(schedule), bool((plan.channel != NONE).any())
    collects = bool((schedule.kind == Kind.REDUCE).any()) or len(stops.index) > 0
    if has_messages and not collects:
        nothing = np.zeros(0, dtype=np.int64)
        return Inputs(message, reader, nothing, nothing, stops)
    found, rank = edges(schedule), schedule.rank_of_action
    across = rank[found.source] != rank[found.target]
    if has_messages:
        across &= found.kind == EdgeKind.BARRIER
    return Inputs(message, reader, found.source[across], found.target[across], stops)


def readers(schedule: Schedule) -> tuple[IntArray, IntArray]:
    r"""Each message that something in the compute queue waits for, and what waits.

    That is the first action behind it on its rank with its label: an F for the receive of an
    activation, a B or I for that of a gradient, a WAIT_SEND_F or WAIT_SEND_B for a send. Those
    behind it wait in the compute queue.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> readers(parse_csv("1RECV_F0,1RECV_F1,1F1,1RECV_F1", "a.csv"))
    (array([1]), array([2]))
    """
    side = np.full(len(Kind), NONE, dtype=np.int64)
    side[[Kind.F, Kind.RECV_F]] = 0
    side[[Kind.B, Kind.I, Kind.RECV_B]] = 1
    for number, pair in enumerate(WAITED_SENDS.items(), 2):
        side[list(pair)] = number
    chosen = np.flatnonzero(side[schedule.kind] != NONE)
    computes = among(schedule.kind[chosen], [*COMPUTE, *WAITED_SENDS.values()])
    if computes.all() or not computes.any():
        return chosen[:0], chosen[:0]
    columns = [schedule.rank_of_action, side[schedule.kind], schedule.stage]
    columns += [schedule.microbatch, schedule.pipeline]
    label = folded([column[chosen] for column in columns])
    order = np.argsort(label, kind="stable")
    chosen, computes, label = chosen[order], computes[order], label[order]
    at = np.where(computes, np.arange(len(order)), len(order))
    following = np.minimum.accumulate(at[::-1])[::-1]
    inside = np.minimum(following, len(order) - 1)
    reads = ~computes & (following < len(order)) & (label[inside] == label)
    return chosen[reads], chosen[inside[reads]]


def completed_by(plan: Channels, buffer: int | None) -> IntArray:
    """The message whose start completes each message that has started; shape (actions,).

    A receive is completed by its send. The n-th send of a channel that holds k messages is
    completed by the (n − k)-th receive, and by itself where n < k. `MISSING` where there is no
    such message, and for what is no message.

    Examples
    --------
    >>> from schedules.families import build
    >>> from schedules.messages.channels import channels
    >>> schedule = build("blog-gpipe", 2, 2)
    >>> print(*schedule.rank(0))
    0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B1 0B1 0RECV_B0 0B0
    >>> plan = channels(schedule)
    >>> completed_by(plan, 0)[[1, 3]].tolist(), completed_by(plan, 1)[[1, 3]].tolist()
    ([8, 10], [1, 8])
    """
    result = plan.partner.copy()
    if buffer == 0:
        return result
    sends, receives = np.flatnonzero(plan.sends), np.flatnonzero(~plan.sends & (plan.channel >= 0))
    held = np.full(len(sends), True) if buffer is None else plan.ordinal[sends] < buffer
    result[sends[held]] = sends[held]
    late = sends[~held]
    if buffer is None or not len(late) or not len(receives):
        return result
    width = int(plan.ordinal.max()) + 1
    key = plan.channel[receives] * width + plan.ordinal[receives]
    order = np.argsort(key, kind="stable")
    wanted = plan.channel[late] * width + plan.ordinal[late] - buffer
    at = order[np.minimum(np.searchsorted(key[order], wanted), len(order) - 1)]
    result[late] = np.where(key[at] == wanted, receives[at], MISSING)
    return result
