"""A second opinion on schedules: a machine that runs one action after the other, on symbols.

It shares nothing with the checkers but the schedule itself: ranks, queues and channels are lists
that are looked at in random order until nothing moves. What is computed is in `symbols`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from random import Random
from typing import Final

from schedules import Action, Kind, Schedule
from schedules.actions import COMPUTE, MESSAGES, NO_MICROBATCH
from schedules.messages.model import QueueModel
from tests.mutations.symbols import (
    BACKWARDS,
    RECEIVE_FOR,
    TOWARDS,
    Log,
    Name,
    Symbols,
    Term,
    Terms,
    label,
    product,
    receive_for,
)

SENDS: Final = (Kind.SEND_F, Kind.SEND_B)


@dataclass(frozen=True)
class Meaning:
    """What a run came to.

    Attributes
    ----------
    stuck : tuple of int
        The actions at the head of a queue that does not come to its end.
    wrong, blind, unread : int
        Receives of another tensor than their label says, computations without an input of their
        own, messages without an opposite.
    values : tuple
        The weights and outputs at the end, and gradients that are left.
    logs : tuple of Log
        What every weight copy saw, in order.
    in_flight : int
        Most microbatches of a stage, on a rank, between their F and their complete gradient.
    """

    stuck: tuple[int, ...]
    wrong: int
    blind: int
    unread: int
    values: tuple[object, ...]
    logs: tuple[Log, ...] = field(compare=False)
    in_flight: int = field(compare=False)

    @property
    def sound(self) -> bool:
        """Whether it ran to its end, all was read, and everything had its own input."""
        return not (self.stuck or self.wrong or self.blind or self.unread)

    def same_as(self, other: Meaning) -> bool:
        return self == other and self.sound


class Machine:
    def __init__(self, schedule: Schedule, model: QueueModel, terms: Terms, seed: int) -> None:
        self.schedule, self.model = schedule, model
        self.symbols = Symbols(schedule, terms)
        self.random = Random(seed)
        self.actions = [schedule.action(index) for index in range(len(schedule))]
        self.computed = set(self.actions)
        self.rank = [int(rank) for rank in schedule.rank_of_action]
        self.at = [int(first) for first in schedule.offsets[:-1]]
        self.end = [int(last) for last in schedule.offsets[1:]]
        self.queues: dict[Name, list[list[int]]] = defaultdict(list)
        self.started: set[int] = set()
        self.complete: set[int] = set()
        self.payload: dict[int, tuple[Name, Term]] = {}
        self.batch = self.batches()
        self.receives: dict[tuple[int, Action], list[int]] = defaultdict(list)
        self.ordinal: dict[int, int] = {}
        self.opposite: dict[int, list[int]] = {}
        self.lay_channels()

    # What is known beforehand

    def batches(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for number, group in enumerate(self.schedule.groups):
            first = int(self.schedule.offsets[group.rank]) + group.first
            if group.kind == "batch":
                found |= dict.fromkeys(range(first, first + group.count), number)
        return found

    def lay_channels(self) -> None:
        sides: dict[tuple[int, int, bool], list[int]] = defaultdict(list)
        for index, action in enumerate(self.actions):
            if action.kind in MESSAGES:
                here, there = self.rank[index], self.peer(action)
                sends = action.kind in SENDS
                sides[(here, there, True) if sends else (there, here, False)].append(index)
                if not sends:
                    self.receives[here, action].append(index)
        for (source, target, sends), side in sides.items():
            for n, index in enumerate(side):
                self.ordinal[index] = n
                self.opposite[index] = sides.get((source, target, not sends), [])

    def peer(self, action: Action) -> int:
        ranks = self.schedule.placement.ranks[action.pipeline]
        stage = action.stage + TOWARDS[action.kind]
        if not 0 <= stage < len(ranks):
            raise IndexError(f"{action} has nobody at its other end")
        return ranks[stage]

    def queue_of(self, index: int) -> Name:
        rank, action = self.rank[index], self.actions[index]
        parts = {"rank": 0, "peer": 1, "direction": 2}[self.model.queues]
        return (rank, self.peer(action), action.kind in SENDS)[: 1 + parts]

    # Running

    def run(self) -> Meaning:
        moved = True
        while moved:
            turns: list[tuple[bool, Name]] = [(True, (r,)) for r in range(self.schedule.ranks)]
            turns += [(False, queue) for queue in self.queues]
            self.random.shuffle(turns)
            moved = False
            for computes, key in turns:
                moved |= self.compute(self.rank_of(key)) if computes else self.communicate(key)
        self.symbols.finish()
        stuck = [at for at, end in zip(self.at, self.end, strict=True) if at < end]
        for queue in self.queues.values():
            stuck += [index for index in queue[0] if index not in self.complete] if queue else []
        return Meaning(
            tuple(sorted(stuck)),
            self.symbols.wrong,
            self.symbols.blind,
            sum(n >= len(self.opposite[index]) for index, n in self.ordinal.items()),
            self.symbols.result(),
            tuple(tuple(mine.log) for mine in self.symbols.weights.values()),
            self.symbols.most_in_flight,
        )

    @staticmethod
    def rank_of(key: Name) -> int:
        rank = key[0]
        assert isinstance(rank, int)
        return rank

    def compute(self, rank: int) -> bool:
        """Take the next action of a rank's program, if it need not wait."""
        index = self.at[rank]
        if index == self.end[rank]:
            return False
        action = self.actions[index]
        if action.kind in MESSAGES:
            self.post(index)
        elif self.waits(rank, action):
            return False
        else:
            self.symbols.perform(rank, action)
        self.at[rank] += 1
        return True

    def post(self, index: int) -> None:
        queue = self.queues[self.queue_of(index)]
        batch = self.batch.get(index)
        if batch is not None and queue and self.batch.get(queue[-1][-1]) == batch:
            queue[-1].append(index)
        else:
            queue.append([index])
        action = self.actions[index]
        if action.kind in SENDS:
            self.payload[index] = label(action), self.symbols.sent(self.rank[index], action)

    def communicate(self, key: Name) -> bool:
        """Start and complete what heads a queue."""
        queue = self.queues[key]
        if not queue:
            return False
        moved = False
        for index in queue[0]:
            if index not in self.started:
                self.started.add(index)
                moved = True
            if index not in self.complete and self.can_complete(index):
                self.complete.add(index)
                moved = True
                if self.actions[index].kind not in SENDS:
                    sent = self.opposite[index][self.ordinal[index]]
                    self.symbols.arrive(self.rank[index], self.actions[index], *self.payload[sent])
        if not self.grows(queue[0]) and all(index in self.complete for index in queue[0]):
            queue.pop(0)
            moved = True
        return moved

    def grows(self, unit: list[int]) -> bool:
        """Whether the next action of the rank belongs to the batch at the head of its queue."""
        rank, last = self.rank[unit[0]], unit[-1]
        following = self.at[rank]
        if last not in self.batch or following == self.end[rank]:
            return False
        return self.batch.get(following) == self.batch[last]

    def can_complete(self, index: int) -> bool:
        n, others = self.ordinal[index], self.opposite[index]
        if self.actions[index].kind in SENDS:
            if self.model.buffer is None or n < self.model.buffer:
                return True
            n -= self.model.buffer
        return n < len(others) and others[n] in self.started

    # Waiting

    def waits(self, rank: int, action: Action) -> bool:
        if action.kind == Kind.REDUCE and action.microbatch != NO_MICROBATCH:
            # LocalSGD averages once the last backward of the round has reached stage 0.
            return not self.exists("gradient", 0, action)
        if action.kind not in COMPUTE or action.kind not in RECEIVE_FOR:
            return False
        if not self.symbols.talks:
            return self.waits_for_computation(action)
        earlier = (i for i in self.receives[rank, receive_for(action)] if i < self.at[rank])
        return any(index not in self.complete for index in earlier)

    def waits_for_computation(self, action: Action) -> bool:
        """Without messages a computation waits for its neighbour's, wherever that runs."""
        forward = action.kind == Kind.F
        stage = action.stage + (-1 if forward else 1)
        needed = (
            Action(kind, stage, action.microbatch, action.pipeline)
            for kind in ((Kind.F,) if forward else BACKWARDS)
        )
        known = any(need in self.computed for need in needed)
        return known and not self.exists("out" if forward else "gradient", stage, action)

    def exists(self, what: str, stage: int, action: Action) -> bool:
        away = stage - action.stage
        return any(
            product(what, rank, action, away) in self.symbols.values
            for rank in range(self.schedule.ranks)
        )


def meaning(schedule: Schedule, model: QueueModel, terms: Terms, seed: int = 0) -> Meaning:
    """Run a schedule on symbols; the order of execution is random, by `seed`."""
    return Machine(schedule, model, terms, seed).run()
