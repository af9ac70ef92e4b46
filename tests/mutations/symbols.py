"""What a run computes, in symbols: weights, activations and gradients are terms.

Two runs mean the same if every weight and every output is the same term: then they compute the
same numbers whatever the layers are, up to the order in which gradients are added.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from schedules import Action, Kind, Schedule
from schedules.actions import COMPUTE, MESSAGES, NO_MICROBATCH

BACKWARDS: Final = (Kind.B, Kind.I)
RECEIVE_FOR: Final = {Kind.F: Kind.RECV_F, Kind.B: Kind.RECV_B, Kind.I: Kind.RECV_B}
TOWARDS: Final = {Kind.SEND_F: 1, Kind.RECV_F: -1, Kind.SEND_B: -1, Kind.RECV_B: 1}
SENT_FOR: Final = {Kind.RECV_F: Kind.SEND_F, Kind.RECV_B: Kind.SEND_B}

Term = int
Name = tuple[object, ...]
Event = tuple[str, int, int]
"""``("F", m, version read)``, ``("B", m, version used)``, ``("G", m, 0)`` for a gradient that is
complete, ``("R", gradients, 0)`` for a reduction over replicas, ``("U", gradients, 0)``."""

Log = tuple[Event, ...]
"""What happened on one weight copy, in order."""


class Terms:
    """Terms by number: equal terms have equal numbers, in every run that shares the table."""

    def __init__(self) -> None:
        self.numbers: dict[Name, Term] = {}

    def of(self, *parts: object) -> Term:
        return self.numbers.setdefault(parts, len(self.numbers))


def label(action: Action) -> Name:
    return action.kind, action.stage, action.microbatch, action.pipeline


def product(what: str, rank: int, action: Action, away: int = 0) -> Name:
    """The name of what a stage made of a microbatch on a rank."""
    return what, rank, action.stage + away, action.microbatch, action.pipeline


def receive_for(action: Action) -> Action:
    """The receive that brings a computation its input."""
    return Action(RECEIVE_FOR[action.kind], action.stage, action.microbatch, action.pipeline)


@dataclass
class Weights:
    """One weight copy: its versions, gradients to apply, and how many of them are reduced."""

    versions: list[Term]
    pending: list[Term] = field(default_factory=list)
    reduced: int = 0
    log: list[Event] = field(default_factory=list)

    @property
    def newest(self) -> int:
        return len(self.versions) - 1


class Symbols:
    """The values of a run; `blind` counts what was computed without an input of its own."""

    def __init__(self, schedule: Schedule, terms: Terms) -> None:
        self.schedule, self.terms = schedule, terms
        self.policy, self.placement = schedule.policy, schedule.placement
        self.values: dict[Name, Term] = {}
        self.read: dict[Name, int] = {}
        self.version_of: dict[int, int] = {}
        self.wrong = self.blind = self.most_in_flight = 0
        self.in_flight: dict[tuple[int, int], int] = defaultdict(int)
        actions = [schedule.action(index) for index in range(len(schedule))]
        self.talks = any(action.kind in MESSAGES for action in actions)
        # Who writes updates down writes all of them down.
        self.updates_alone = all(action.kind != Kind.U for action in actions)
        # So does who shards parameters, or reduces gradients over replicas.
        self.shards = any(action.kind == Kind.UNSHARD for action in actions)
        self.gathered = set() if self.shards else {action.stage for action in actions}
        self.reduces = any(
            action.kind == Kind.REDUCE and action.microbatch == NO_MICROBATCH for action in actions
        )
        self.weights = {
            (stage, copy): Weights([terms.of("initial weights", stage)])
            for copies in self.placement.copies
            for stage, copy in enumerate(copies)
        }

    def copy(self, action: Action) -> Weights:
        return self.weights[action.stage, self.placement.copies[action.pipeline][action.stage]]

    def home(self, action: Action, away: int = 0) -> int:
        return self.placement.ranks[action.pipeline][action.stage + away]

    def value(self, name: Name) -> Term:
        if name in self.values:
            return self.values[name]
        self.blind += 1
        return self.terms.of("nothing", self.blind)

    # Messages

    def sent(self, rank: int, send: Action) -> Term:
        return self.value(product("out" if send.kind == Kind.SEND_F else "gradient", rank, send))

    def arrive(self, rank: int, receive: Action, name: Name, term: Term) -> None:
        """A tensor comes to a receive, whatever its name is."""
        stage = receive.stage + TOWARDS[receive.kind]
        self.wrong += name != (
            SENT_FOR[receive.kind],
            stage,
            receive.microbatch,
            receive.pipeline,
        )
        self.values["arrived", rank, *label(receive)] = term

    def taken(self, rank: int, action: Action) -> Term:
        """What comes from the neighbouring stage: a message, or a value of the same rank."""
        away, what = (-1, "out") if action.kind == Kind.F else (1, "gradient")
        there = self.home(action, away)
        if self.talks and there != self.home(action):
            return self.value(("arrived", rank, *label(receive_for(action))))
        return self.value(product(what, rank if self.talks else there, action, away))

    # Computations

    def perform(self, rank: int, action: Action) -> None:
        ungathered = action.kind in COMPUTE and action.stage not in self.gathered
        self.blind += ungathered or self.home(action) != rank
        if action.kind == Kind.F:
            self.forward(rank, action)
        elif action.kind in BACKWARDS:
            self.backward(rank, action)
        elif action.kind == Kind.W:
            self.contribute(action, self.value(product("gradient", rank, action)))
        elif action.kind == Kind.U:
            self.update(self.copy(action))
        elif action.kind == Kind.REDUCE:
            self.reduce(action)
        elif action.kind == Kind.UNSHARD:
            self.gathered.add(action.stage)
        elif action.kind == Kind.RESHARD:
            self.gathered.discard(action.stage)
        else:
            raise NotImplementedError(f"the machine does not know {action}")

    def forward(self, rank: int, action: Action) -> None:
        mine = self.copy(action)
        first = action.stage == 0
        given = self.terms.of("data", action.microbatch) if first else self.taken(rank, action)
        index = self.version_to_read(action, mine.newest)
        exists = index <= mine.newest
        self.blind += not exists
        weights = mine.versions[index if exists else -1]
        mine.log.append(("F", action.microbatch, index))
        self.fly(action, 1)
        self.read[product("F", rank, action)] = index
        self.values[product("weights", rank, action)] = weights
        self.values[product("given", rank, action)] = given
        output = self.terms.of("F", action.stage, weights, given)
        self.values[product("out", rank, action)] = output

    def version_to_read(self, action: Action, newest: int) -> int:
        if not self.policy.reads_stage_zero:
            return newest
        if action.stage == 0:
            self.version_of[action.microbatch] = newest
        return self.version_of.get(action.microbatch, newest)

    def backward(self, rank: int, action: Action) -> None:
        mine = self.copy(action)
        output = self.value(product("out", rank, action))
        last = action.stage == self.schedule.stages - 1
        error = (
            self.terms.of("loss", action.microbatch, output) if last else self.taken(rank, action)
        )
        read = self.values.get(product("weights", rank, action), output)
        given = self.values.get(product("given", rank, action), output)
        keeps = self.policy.name not in ("latest", "flush")
        used = read if keeps else mine.versions[-1]
        index = self.read.get(product("F", rank, action), -1) if keeps else mine.newest
        mine.log.append(("B", action.microbatch, index))
        gradient = self.terms.of("B", action.stage, read, used, given, error)
        self.values[product("gradient", rank, action)] = gradient
        if action.kind == Kind.B:
            self.contribute(action, gradient)

    def fly(self, action: Action, change: int) -> None:
        seat = action.stage, self.home(action)
        self.in_flight[seat] += change
        self.most_in_flight = max(self.most_in_flight, self.in_flight[seat])

    # Weights

    def contribute(self, action: Action, gradient: Term) -> None:
        mine = self.copy(action)
        mine.pending.append(gradient)
        mine.log.append(("G", action.microbatch, 0))
        self.fly(action, -1)
        by_policy = self.policy.name != "flush" and self.updates_alone
        if by_policy and len(mine.pending) == self.policy.interval:
            self.update(mine)

    def update(self, mine: Weights) -> None:
        mine.log.append(("U", len(mine.pending), 0))
        whole = mine.reduced if self.reduces else len(mine.pending)
        parts = tuple(sorted(mine.pending[:whole])), tuple(sorted(mine.pending[whole:]))
        mine.versions.append(self.terms.of("U", mine.versions[-1], *parts))
        mine.pending, mine.reduced = [], 0

    def reduce(self, action: Action) -> None:
        """Gradients over replicas that the file lacks; or the mean of all copies of a stage."""
        if action.microbatch == NO_MICROBATCH:
            mine = self.copy(action)
            mine.reduced = len(mine.pending)
            mine.log.append(("R", mine.reduced, 0))
            return
        copies = [mine for (stage, _), mine in self.weights.items() if stage == action.stage]
        mean = self.terms.of("mean", *sorted(mine.versions[-1] for mine in copies))
        for mine in copies:
            mine.versions[-1] = mean

    def finish(self) -> None:
        """The update that ``flush`` implies."""
        if self.policy.name == "flush" and self.updates_alone:
            for mine in self.weights.values():
                self.update(mine)

    def result(self) -> tuple[object, ...]:
        last = self.schedule.stages - 1
        outputs = tuple(
            sorted(
                (name[3], term)
                for name, term in self.values.items()
                if (name[0], name[2]) == ("out", last)
            )
        )
        weights = tuple(
            (key, mine.versions[-1], tuple(sorted(mine.pending)))
            for key, mine in self.weights.items()
        )
        return outputs, weights
