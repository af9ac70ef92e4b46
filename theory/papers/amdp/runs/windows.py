"""Which minibatches of a window have a mismatch, in plays of AMDP's pipelines.

All pipelines update the same weights: at every stage after each `window` backwards of that stage,
whichever pipelines they belong to, at the end of the last of them. A window is the minibatches
whose backwards it counts; the mismatch of a minibatch is the number of updates of a stage between
the starts of its forward and of its backward there.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from schedules.actions import Kind
from theory.papers.amdp.runs.fifo import Job, Play, Tie
from theory.papers.amdp.runs.steady_play import MOST_STEPS, counted_from_least


@dataclass(frozen=True)
class Mismatches:
    """What a play showed, over all stages and windows.

    Attributes
    ----------
    most : int
        The largest mismatch.
    affected : int
        The most minibatches of a window, at one stage, that have any.
    by_forward, by_backward, by_number : int
        The last place, from 1, that one of these has in its window, in the order of forwards, of
        backwards and of minibatch numbers.
    between : int
        The most backwards of a stage that start before a minibatch's and end after its forward's
        start.
    """

    most: int = 0
    affected: int = 0
    by_forward: int = 0
    by_backward: int = 0
    by_number: int = 0
    between: int = 0


@dataclass(frozen=True)
class _Read:
    """A forward: the backwards of its stage that had ended, and its place among all forwards."""

    backwards: int
    place: int


@dataclass(frozen=True)
class _Done:
    """A minibatch of a window: place of its forward, its number among all, its mismatch."""

    place: int
    number: int
    mismatch: int


@dataclass
class _Stage:
    """One stage's weights, and who read which."""

    window: int
    backwards: int = 0
    forwards: int = 0
    read: dict[tuple[int, int], _Read] = field(default_factory=dict)
    used: dict[tuple[int, int], _Done] = field(default_factory=dict)
    filling: list[_Done] = field(default_factory=list)
    found: Mismatches = field(default_factory=Mismatches)

    def start(self, job: Job, number: int) -> None:
        """An action starts: note what it reads."""
        key = (job.pipeline, job.number)
        if job.kind is Kind.F:
            self.read[key] = _Read(self.backwards, self.forwards)
            self.forwards += 1
            return
        read = self.read[key]
        missed = self.backwards // self.window - read.backwards // self.window
        self.used[key] = _Done(read.place, number, missed)
        self._note(Mismatches(most=missed, between=self.backwards - read.backwards))

    def end(self, job: Job) -> None:
        """A backward ends, and with it perhaps a window."""
        key = (job.pipeline, job.number)
        del self.read[key]
        self.filling.append(self.used.pop(key))
        self.backwards += 1
        if self.backwards % self.window == 0:
            self._note(_places(self.filling))
            self.filling = []

    def _note(self, more: Mismatches) -> None:
        pairs = zip(vars(self.found).items(), vars(more).values(), strict=True)
        self.found = Mismatches(**{name: max(old, new) for (name, old), new in pairs})

    def key(self, least: dict[int, int]) -> Hashable:
        """All that matters to what follows, with minibatches counted from the first under way."""
        base = self.backwards // self.window * self.window
        reads = sorted(
            (pipeline, number - least[pipeline], read.backwards - base, self.forwards - read.place)
            for (pipeline, number), read in self.read.items()
        )
        order = sorted(done.place for done in self.filling)
        numbers = sorted(done.number for done in self.filling)
        filling = [
            (order.index(done.place), numbers.index(done.number), done.mismatch)
            for done in self.filling
        ]
        return self.backwards - base, tuple(reads), tuple(filling)


def _places(window: Sequence[_Done]) -> Mismatches:
    """Who of a window has a mismatch."""

    def last(order: Sequence[_Done]) -> int:
        return max((place for place, done in enumerate(order, 1) if done.mismatch), default=0)

    return Mismatches(
        affected=sum(done.mismatch > 0 for done in window),
        by_forward=last(sorted(window, key=lambda done: done.place)),
        by_backward=last(window),
        by_number=last(sorted(window, key=lambda done: done.number)),
    )


def mismatches(play: Play, tie: Tie, window: int) -> Mismatches | None:
    """Play until all that matters repeats itself: what the whole infinite play shows.

    Parameters
    ----------
    play : Play
    tie : Tie
    window : int
        Backwards of a stage, of all pipelines together, between two updates.

    Returns
    -------
    Mismatches or None
        None if no repetition was found.

    Examples
    --------
    >>> from theory.papers.amdp.runs.fifo import TIES
    >>> mismatches(Play(4, 1, 1), TIES[0], 8)
    Mismatches(most=1, affected=2, by_forward=2, by_backward=2, by_number=2, between=2)
    >>> mismatches(Play(4, 1, 1), TIES[0], 1).most
    2
    """
    stages = [_Stage(window) for _ in range(play.stages)]
    seen: set[Hashable] = set()
    for state, chosen, ended in islice(play.course(tie), MOST_STEPS):
        least, numbers = _least(stages), tie.then == "earlier minibatch"
        key = (counted_from_least(state, numbers), *(stage.key(least) for stage in stages))
        if key in seen:
            break
        seen.add(key)
        for job in filter(None, chosen):
            stages[job.stage].start(job, play.number(job))
        for job in ended:
            if job.kind is Kind.B:
                stages[job.stage].end(job)
    else:
        return None
    found = [vars(stage.found) for stage in stages]
    return Mismatches(**{name: max(one[name] for one in found) for name in found[0]})


def _least(stages: Sequence[_Stage]) -> dict[int, int]:
    """By pipeline the first minibatch that some stage has read weights for."""
    least: dict[int, int] = {}
    for stage in stages:
        for pipeline, number in stage.read:
            least[pipeline] = min(number, least.get(pipeline, number))
    return least
