"""The queue model as constraints on integer times.

Every action has the events start and end, and every event a time. A schedule can run to its end
in a model iff all its events have times that satisfy:

================ ==========================================================================
`takes time`     end ≥ start + 1
`program order`  what is no message starts after what is before it on its rank has ended
`posted`         a message starts after the last computation before it has ended
`queue`          a message starts after the one before it in its queue has ended
`together`       the members of a batch in one queue start at one time; the queue goes on
                 after all of them have ended
`meets`          at k = 0 send and receive end at one time; else a receive ends after its send
                 has started
`room`           send n of a channel that holds k messages ends after receive n − k has started
`input`          a computation starts after the receives of its tensor have ended, a wait after
                 its send
`depends`        where nothing is sent, a computation starts after those it needs on other
                 ranks; a REDUCE that names a microbatch always does
`barrier`        the n-th BARRIERs of all ranks start at one time
`missing`        a message or a BARRIER without a counterpart has no end: no times satisfy it
================ ==========================================================================

All are differences of two times, so times exist iff no cycle of them adds up to more than 0.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from schedules.actions import Action, Kind
from schedules.dependencies import MISSING, EdgeKind, edges
from schedules.messages.channels import NONE, Channels
from schedules.messages.model import QueueModel
from schedules.schedule import Schedule

READ_BY = {
    Kind.RECV_F: (Kind.F,),
    Kind.RECV_B: (Kind.B, Kind.I),
    Kind.SEND_F: (Kind.WAIT_SEND_F,),
    Kind.SEND_B: (Kind.WAIT_SEND_B,),
}
"""What reads the tensor of a receive, or waits for a send."""


@dataclass(frozen=True, order=True)
class Event:
    """Start or end of the action with this flat index."""

    action: int
    ends: bool

    def __str__(self) -> str:
        return f"{'end' if self.ends else 'start'}_{self.action}"


@dataclass(frozen=True)
class Constraint:
    """``later ≥ earlier + gap``, or ``later = earlier``; without `earlier` nothing satisfies it."""

    rule: str
    later: Event
    earlier: Event | None
    gap: int = 0
    equal: bool = False

    @property
    def name(self) -> str:
        """A name of its own, as SMT-LIB allows it.

        Examples
        --------
        >>> Constraint("program order", start(4), end(3)).name
        'program-order.start_4.end_3'
        """
        parts = (self.rule.replace(" ", "-"), self.later, self.earlier)
        return ".".join(str(part) for part in parts if part is not None)

    def describe(self, schedule: Schedule) -> str:
        """The constraint in words, with the places of its actions."""
        later = _described(schedule, self.later)
        if self.earlier is None:
            return f"{later} needs a counterpart that is not there ({self.rule})"
        relation = "is" if self.equal else "comes after"
        return f"{later} {relation} {_described(schedule, self.earlier)} ({self.rule})"


def start(action: int) -> Event:
    """The start of an action."""
    return Event(action, False)


def end(action: int) -> Event:
    """The end of an action."""
    return Event(action, True)


def constraints(schedule: Schedule, plan: Channels, model: QueueModel) -> tuple[Constraint, ...]:
    r"""All constraints on the times of a schedule.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> from schedules.messages.channels import channels
    >>> schedule = parse_csv("0F0,0SEND_F0\n1RECV_F0,1F0", "a.csv")
    >>> for constraint in constraints(schedule, channels(schedule), QueueModel())[4:]:
    ...     print(constraint.describe(schedule))
    start of 0SEND_F0 (a.csv:row 1:cell 2) comes after end of 0F0 (a.csv:row 1:cell 1) (posted)
    end of 0SEND_F0 (a.csv:row 1:cell 2) is end of 1RECV_F0 (a.csv:row 2:cell 1) (meets)
    start of 1F0 (a.csv:row 2:cell 2) comes after end of 1RECV_F0 (a.csv:row 2:cell 1) (input)
    """
    return tuple(each_constraint(schedule, plan, model))


def each_constraint(schedule: Schedule, plan: Channels, model: QueueModel) -> Iterator[Constraint]:
    """The constraints one by one, each once."""
    for index in range(len(schedule)):
        yield Constraint("takes time", end(index), start(index), 1)
    for rank in range(schedule.ranks):
        yield from _of_rank(schedule, plan, model, rank)
    yield from _of_channels(plan, model)
    yield from _of_inputs(schedule)
    yield from dict.fromkeys(_of_dependencies(schedule, plan))  # one pair may have two kinds
    yield from _of_barriers(schedule)


def _of_rank(
    schedule: Schedule, plan: Channels, model: QueueModel, rank: int
) -> Iterator[Constraint]:
    """Program order, posting and the communication queues of one rank."""
    begin, stop = schedule.offsets[rank : rank + 2].tolist()
    batch_of = _batches(schedule, plan, rank)
    before: dict[int, int | None] = {}
    ran: int | None = None
    for index in range(begin, stop):
        if plan.channel[index] != NONE:
            before[index] = ran
            continue
        if ran is not None:
            yield Constraint("program order", start(index), end(ran))
        ran = index
    queues: dict[Hashable, list[tuple[int, ...]]] = {}
    for index in before:
        batch = batch_of.get(index, (index,))
        posted_behind = before[batch[-1]]
        if posted_behind is not None:
            yield Constraint("posted", start(index), end(posted_behind))
        key = _queue(plan, model, index)
        members = tuple(other for other in batch if _queue(plan, model, other) == key)
        queue = queues.setdefault(key, [])
        if index == members[0]:
            queue.append(members)
    for queue in queues.values():
        for members in queue:
            for other in members[1:]:
                yield Constraint("together", start(other), start(members[0]), equal=True)
        for former, members in pairwise(queue):
            for other in former:
                yield Constraint("queue", start(members[0]), end(other))


def _queue(plan: Channels, model: QueueModel, index: int) -> Hashable:
    """Which of its rank's queues a message stands in."""
    peer, sends = int(plan.peer[index]), bool(plan.sends[index])
    return {"rank": (), "peer": (peer,), "direction": (peer, sends)}[model.queues]


def _batches(schedule: Schedule, plan: Channels, rank: int) -> dict[int, tuple[int, ...]]:
    """The messages of the batch that each message of a batch belongs to."""
    found = {}
    for group in schedule.groups:
        if group.kind == "batch" and group.rank == rank:
            begin = int(schedule.offsets[rank]) + group.first
            inside = range(begin, begin + group.count)
            members = tuple(index for index in inside if plan.channel[index] != NONE)
            found.update(dict.fromkeys(members, members))
    return found


def _of_channels(plan: Channels, model: QueueModel) -> Iterator[Constraint]:
    """How the n-th send and the n-th receive of a channel wait for each other."""
    receives: dict[int, dict[int, int]] = {}
    sends: dict[int, dict[int, int]] = {}
    for index, channel in enumerate(plan.channel.tolist()):
        if channel != NONE:
            side = sends if plan.sends[index] else receives
            side.setdefault(channel, {})[int(plan.ordinal[index])] = index
    for channel, numbered in receives.items():
        for n, receive in numbered.items():
            send = sends.get(channel, {}).get(n)
            if send is None:
                yield Constraint("missing", end(receive), None)
            elif model.buffer != 0:
                yield Constraint("meets", end(receive), start(send), 1)
    for channel, numbered in sends.items():
        for n, send in numbered.items():
            if model.buffer is None or n < model.buffer:
                continue
            receive = receives.get(channel, {}).get(n - model.buffer, MISSING)
            if receive == MISSING:
                yield Constraint("missing", end(send), None)
            elif model.buffer == 0:
                yield Constraint("meets", end(send), end(receive), equal=True)
            else:
                yield Constraint("room", end(send), start(receive), 1)


def _of_inputs(schedule: Schedule) -> Iterator[Constraint]:
    """A receive is for the first computation of its label behind it on its rank."""
    for rank in range(schedule.ranks):
        begin, stop = schedule.offsets[rank : rank + 2].tolist()
        waiting: dict[Action, list[int]] = {}
        for index in range(begin, stop):
            action = schedule.action(index)
            for reader in READ_BY.get(action.kind, ()):
                waiting.setdefault(_as(action, reader), []).append(index)
            for receive in waiting.pop(action, []):
                for other in READ_BY[Kind(int(schedule.kind[receive]))]:
                    if other is not action.kind:
                        waiting[_as(action, other)].remove(receive)
                yield Constraint("input", start(index), end(receive))


def _as(action: Action, kind: Kind) -> Action:
    return Action(kind, action.stage, action.microbatch, action.pipeline)


def _of_dependencies(schedule: Schedule, plan: Channels) -> Iterator[Constraint]:
    """What waits for another rank without a message."""
    found, rank = edges(schedule), schedule.rank_of_action
    sent = bool((plan.channel != NONE).any())
    across = rank[found.source] != rank[found.target]
    if sent:
        across &= found.kind == EdgeKind.BARRIER
    across &= schedule.kind[found.target] != Kind.BARRIER
    for source, target in zip(found.source[across], found.target[across], strict=True):
        yield Constraint("depends", start(int(target)), end(int(source)))


def _of_barriers(schedule: Schedule) -> Iterator[Constraint]:
    """All ranks come to a BARRIER before any goes on; one that a rank lacks has no end."""
    of_rank = [
        [begin + at for at, action in enumerate(schedule.rank(rank)) if action.kind is Kind.BARRIER]
        for rank, begin in enumerate(schedule.offsets[:-1].tolist())
    ]
    for same in zip_longest(*of_rank):
        present = [index for index in same if index is not None]
        for index in present:
            if len(present) < len(same):
                yield Constraint("missing", end(index), None)
            elif index != same[0]:
                yield Constraint("barrier", start(index), start(same[0]), equal=True)


def _described(schedule: Schedule, event: Event) -> str:
    word = "end" if event.ends else "start"
    return f"{word} of {schedule.action(event.action)} ({schedule.place(event.action)})"
