"""A machine that executes schedules with messages, one possible step after the other.

It knows nothing of event graphs: it has queues, and channels with slots that really hold messages.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from schedules import Action, Kind, Schedule
from schedules.messages.model import QueueModel

SENDS = (Kind.SEND_F, Kind.SEND_B)
RECEIVES = (Kind.RECV_F, Kind.RECV_B)
READERS = {
    Kind.RECV_F: (Kind.F,),
    Kind.RECV_B: (Kind.B, Kind.I),
    Kind.SEND_F: (Kind.WAIT_SEND_F,),
    Kind.SEND_B: (Kind.WAIT_SEND_B,),
}

End = tuple[frozenset[int], frozenset[int]]
"""What has started and what is complete, by flat index."""


@dataclass
class Channel:
    """Messages under way from one rank to another."""

    room: float
    sent: deque[int] = field(default_factory=deque)
    held: deque[int] = field(default_factory=deque)
    taking: deque[int] = field(default_factory=deque)


class Machine:
    """Ranks that execute their programs; every possible next step can be taken."""

    def __init__(self, schedule: Schedule, model: QueueModel) -> None:
        self.actions = [schedule.action(index) for index in range(len(schedule))]
        self.rank = schedule.rank_of_action.tolist()
        self.schedule = schedule
        self.started: set[int] = set()
        self.complete: set[int] = set()
        self.talks = any(a.kind in SENDS + RECEIVES for a in self.actions)
        room = float("inf") if model.buffer is None else model.buffer
        self.channels: dict[tuple[int, int], Channel] = {}
        self.barriers_passed = [0] * schedule.ranks
        self.compute: list[deque[int]] = [deque() for _ in range(schedule.ranks)]
        self.queues: dict[tuple[object, ...], deque[list[int]]] = {}
        batches = [
            range(
                int(schedule.offsets[g.rank]) + g.first,
                int(schedule.offsets[g.rank]) + g.first + g.count,
            )
            for g in schedule.groups
            if g.kind == "batch"
        ]
        for index, action in enumerate(self.actions):
            rank = self.rank[index]
            if action.kind not in SENDS + RECEIVES:
                self.compute[rank].append(index)
                continue
            self.channels.setdefault(self.channel_of(index), Channel(room))
            peer, sends = self.peer_of(index), action.kind in SENDS
            key = {"rank": (rank,), "peer": (rank, peer), "direction": (rank, peer, sends)}
            queue = self.queues.setdefault(key[model.queues], deque())
            batch = next((b for b in batches if index in b), range(index, index + 1))
            if queue and queue[-1][0] in batch:
                queue[-1].append(index)
            else:
                queue.append([index])
        self.posted_with = {i: b for b in batches for i in b}

    def peer_of(self, index: int) -> int:
        action = self.actions[index]
        ahead = 1 if action.kind in (Kind.SEND_F, Kind.RECV_B) else -1
        return self.schedule.placement.ranks[action.pipeline][action.stage + ahead]

    def channel_of(self, index: int) -> tuple[int, int]:
        ends = self.rank[index], self.peer_of(index)
        return ends if self.actions[index].kind in SENDS else ends[::-1]

    def run(self, choose: random.Random) -> End:
        while steps := list(self.steps()):
            choose.choice(steps)()
        return frozenset(self.started), frozenset(self.complete)

    def steps(self) -> Iterator[Callable[[], None]]:
        for queue in self.compute:
            if queue and self.may_run(queue[0]):
                yield partial(self.execute, queue)
        for entries in self.queues.values():
            if entries and all(i in self.complete for i in entries[0]):
                entries.popleft()
            if entries and entries[0][0] not in self.started and self.is_posted(entries[0]):
                yield partial(self.begin, entries[0])
        for channel in self.channels.values():
            if channel.sent and len(channel.held) < channel.room:
                yield partial(self.put, channel)
            if channel.taking and (channel.held or channel.sent):
                yield partial(self.take, channel)

    def execute(self, queue: deque[int]) -> None:
        index = queue.popleft()
        if self.actions[index].kind is Kind.BARRIER:
            self.barriers_passed[self.rank[index]] += 1
        self.started.add(index)
        self.complete.add(index)

    def may_run(self, index: int) -> bool:
        action, rank = self.actions[index], self.rank[index]
        if action.kind is Kind.BARRIER:
            number = self.barriers_passed[rank]
            return all(self.has_come_to(other, number) for other in range(self.schedule.ranks))
        for other in range(int(self.schedule.offsets[rank]), index):
            brought = self.actions[other]
            reads = action.kind in READERS.get(brought.kind, ())
            label = (brought.stage, brought.microbatch, brought.pipeline)
            reads = reads and label == (action.stage, action.microbatch, action.pipeline)
            if reads and other not in self.complete:
                return False
        return all(
            self.rank[other] == rank or other in self.complete for other in self.direct(action)
        )

    def has_come_to(self, rank: int, number: int) -> bool:
        """Whether a rank stands at its barrier of this number, or is past it."""
        queue = self.compute[rank]
        stands = bool(queue) and self.actions[queue[0]].kind is Kind.BARRIER
        return self.barriers_passed[rank] + stands > number

    def direct(self, action: Action) -> Iterator[int]:
        """What an action waits for without any message."""
        s, m = action.stage, action.microbatch
        wanted: list[tuple[tuple[Kind, ...], int]] = []
        if action.kind is Kind.REDUCE and m >= 0:
            wanted.append(((Kind.B, Kind.I), 0))
        elif self.talks:
            return
        elif action.kind is Kind.F:
            wanted.append(((Kind.F,), s - 1))
        elif action.kind in (Kind.B, Kind.I):
            wanted += [((Kind.F,), s), ((Kind.B, Kind.I), s + 1)]
        elif action.kind is Kind.W:
            wanted.append(((Kind.I,), s))
        for kinds, stage in wanted:
            for index, other in enumerate(self.actions):
                if other.kind in kinds and (other.stage, other.microbatch) == (stage, m):
                    yield index
                    break

    def is_posted(self, entry: list[int]) -> bool:
        last = max(
            i
            for i in self.posted_with.get(entry[0], entry)
            if self.actions[i].kind in SENDS + RECEIVES
        )
        waiting = self.compute[self.rank[last]]
        return not waiting or waiting[0] > last

    def begin(self, entry: list[int]) -> None:
        for index in entry:
            self.started.add(index)
            channel = self.channels[self.channel_of(index)]
            (channel.sent if self.actions[index].kind in SENDS else channel.taking).append(index)

    def put(self, channel: Channel) -> None:
        channel.held.append(channel.sent[0])
        self.complete.add(channel.sent.popleft())

    def take(self, channel: Channel) -> None:
        if channel.held:
            channel.held.popleft()
        else:
            self.complete.add(channel.sent.popleft())
        self.complete.add(channel.taking.popleft())
