"""A rank's program as affine data: what stands where, for every p, M and stage, messages included.

An entry is what the code waits for as a whole: one computation, or the messages that it posts
together. Entries of one kind of step are numbered n = 0, 1, …; number, place, microbatches, rank
and time are affine in n, stage, p and M, written with operators and `View.choose`, so that the
same data builds schedules here and gives terms for a proof. A computation exists where its
microbatch does, a message where its other end does too; an entry without any stands for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schedules.actions import MESSAGES, Action, Kind
from schedules.errors import NoRuleError
from schedules.messages.channels import NEIGHBOUR
from schedules.policies import WeightPolicy
from schedules.schedule import Group, Schedule

Number = Any
"""An integer or a solver term."""

Posts = list[list[Action]]
"""A rank's program, cut into what is waited for as a whole."""


@dataclass(frozen=True)
class View:
    """Stage s of p, with M microbatches: numbers, or solver terms."""

    s: Number
    p: Number
    M: Number
    choose: Callable[[Any, Number, Number], Number]

    @classmethod
    def at(cls, stage: int, stages: int, microbatches: int) -> View:
        """Numbers."""
        return cls(stage, stages, microbatches, lambda test, yes, no: yes if test else no)

    def beside(self, step: int) -> View:
        """The stage `step` further on."""
        return replace(self, s=self.s + step)


Of = Callable[[View, Number], Number]
"""Something of entry n, seen from a stage."""

Count = Callable[[View], Number]
"""A number that belongs to a stage."""


@dataclass(frozen=True)
class Part:
    """One action of an entry: its kind, and its microbatch."""

    kind: Kind
    microbatch: Of

    def conditions(self, view: View, n: Number) -> tuple[Any, ...]:
        """When the action exists: its microbatch does, and the stage at its other end."""
        label = self.microbatch(view, n)
        inside = (label >= 0, label < view.M)
        if self.kind not in MESSAGES:
            return inside
        other = view.s + NEIGHBOUR[self.kind]
        return (*inside, other >= 0, other < view.p)


def untimed(_view: View, _n: Number) -> Number:
    """Stand in for the slots of an entry where a program states none.

    Raises
    ------
    NoRuleError
        Always: somebody asks for them.
    """
    raise NoRuleError(
        "slots are proved of programs that state them, and this one states none",
        "Entry.time",
        "state the slot in which entry n is begun",
    )


@dataclass(frozen=True)
class Entry:
    """All entries of one kind of step.

    Attributes
    ----------
    name : str
    count : callable
        How many a stage has.
    place : callable
        Position of entry n in the stage's program, from 0.
    parts : tuple of Part
        One computation, or messages.
    rank : callable
        A number that grows along everything that waits, or a tuple of numbers that are compared
        from the first on; see `theory.laws.static_orders.waits`.
    time : callable
        Slot in which entry n is begun, where a computation takes one slot and messages none.
    """

    name: str
    count: Count
    place: Of
    parts: tuple[Part, ...]
    rank: Of
    time: Of = untimed

    @property
    def duration(self) -> int:
        """Slots that it takes by itself."""
        return int(self.parts[0].kind not in MESSAGES)


@dataclass(frozen=True)
class Program:
    """What every stage runs.

    Attributes
    ----------
    name : str
    least : int
        Fewest microbatches that the code accepts.
    entries : tuple of Entry
    length : callable
        Entries of a stage in all.
    descending : bool
        Whether gradients travel from the last microbatch on.
    least_stages : int
        Fewest stages that it is stated for.
    """

    name: str
    least: int
    entries: tuple[Entry, ...]
    length: Count
    descending: bool = False
    least_stages: int = 2


def posts(program: Program, stage: int, stages: int, microbatches: int) -> Posts:
    """One stage's program in numbers; entries that stand for nothing are dropped.

    Examples
    --------
    >>> from schedules.families.blog import two_waves
    >>> gpipe = two_waves("gpipe", descending=False, least_stages=1)
    >>> [" ".join(map(str, post)) for post in posts(gpipe, 0, 2, 1)]
    ['0F0', '0SEND_F0', '0RECV_B0', '0B0']
    """
    view = View.at(stage, stages, microbatches)
    placed = sorted(_placed(program, view), key=lambda pair: pair[0])
    return [post for _, post in placed if post]


def _placed(program: Program, view: View) -> Iterator[tuple[int, list[Action]]]:
    for entry in program.entries:
        for n in range(entry.count(view)):
            post = [
                Action(part.kind, view.s, part.microbatch(view, n))
                for part in entry.parts
                if all(part.conditions(view, n))
            ]
            yield entry.place(view, n), post


def as_schedule(
    program: Program,
    stages: int,
    microbatches: int,
    policy: WeightPolicy = WeightPolicy("flush"),  # noqa: B008
    name: str = "",
) -> Schedule:
    """The schedule of all stages, messages posted together as batches."""
    programs = [posts(program, stage, stages, microbatches) for stage in range(stages)]
    return posted_together(name or program.name, programs, microbatches, policy)


def posted_together(
    name: str, programs: Sequence[Posts], microbatches: int, policy: WeightPolicy
) -> Schedule:
    """A schedule of one program a rank; several actions of one entry form a batch."""
    orders, groups = [], []
    for rank, program in enumerate(programs):
        order: list[Action] = []
        for posted in program:
            if len(posted) > 1:
                groups.append(Group(rank, len(order), len(posted), "batch"))
            order += posted
        orders.append(order)
    return Schedule.from_orders(name, orders, microbatches, policy, groups=groups)
