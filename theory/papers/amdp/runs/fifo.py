"""AMDP's pipelines with n = 2 minibatches each, served first come first served, step by step.

Every pipeline has two minibatches under way; where one ends the next begins. A rank that is free
starts, of all that waits for it, what has waited longest. The source leaves three things open:

- where stages are: one of `placements`;
- what waits: every action that is ready (`QUEUE`), or of every stage of a pipeline the one whose
  turn it is, as in `schedules.families.amdp` (`TURNS`);
- what starts of actions that have waited equally long: a `Tie`, or any of them.

Durations are integers. The state of a play is what waits for how long, what runs for how long yet
and which kind every stage did last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final, NamedTuple

from schedules.actions import Kind
from theory.papers.amdp.placements import STRAIGHT, rank_of

TURNS, QUEUE = "turns", "queue"
READINGS: Final = (TURNS, QUEUE)
ADMISSION: Final = 2


class Job(NamedTuple):
    """An action of the play: whose minibatch, where, and which of its pipeline, counted from 0."""

    pipeline: int
    stage: int
    kind: Kind
    number: int


class Waiting(NamedTuple):
    """A job and for how long it has been ready."""

    age: int
    job: Job


@dataclass(frozen=True)
class Tie:
    """Which of equally old jobs starts: first by kind, then by minibatch or pipeline.

    Attributes
    ----------
    kind : Kind or None
        What goes first; None if the kind does not matter.
    then : str
        ``"earlier minibatch"``, or ``"lower pipeline"``, whose mirror image is the higher one.
    """

    kind: Kind | None
    then: str

    @property
    def name(self) -> str:
        """In words.

        Examples
        --------
        >>> Tie(Kind.B, "earlier minibatch").name
        'B first, then earlier minibatch'
        """
        return self.then if self.kind is None else f"{self.kind.name} first, then {self.then}"

    def key(self, job: Job) -> tuple[int, ...]:
        """The least goes first; no two jobs of a rank have the same."""
        first = int(self.kind is not None and job.kind is not self.kind)
        number = job.number if self.then == "earlier minibatch" else 0
        return first, number, job.pipeline, job.stage, int(job.kind is Kind.F), job.number


TIES: Final = tuple(
    Tie(kind, then)
    for kind in (Kind.B, Kind.F, None)
    for then in ("earlier minibatch", "lower pipeline")
)
"""The tie rules that are tried."""


@dataclass(frozen=True)
class State:
    """Where a play stands, at the start of a unit of time.

    Attributes
    ----------
    waiting : tuple of tuple of Waiting
        By rank, sorted.
    running : tuple of (int, Job) or None
        By rank: for how long yet, and what.
    last : tuple of tuple of (Kind, bool)
        By pipeline and stage: which kind it did last, and whether it has done a backward.
    """

    waiting: tuple[tuple[Waiting, ...], ...]
    running: tuple[tuple[int, Job] | None, ...]
    last: tuple[tuple[tuple[Kind, bool], ...], ...]


@dataclass(frozen=True)
class Play:
    """The rules of one play.

    Attributes
    ----------
    stages : int
        d, even: so many ranks, and half as many pipelines.
    forward, backward : int
        How long F and B take.
    reading : str
        One of `READINGS`.
    slow : tuple of (Job or (Kind, int), int)
        How long single actions, or one kind at a stage of every pipeline, take instead.
    placement : str
        One of `placements.SHIFT`.
    """

    stages: int
    forward: int
    backward: int
    reading: str = TURNS
    slow: tuple[tuple[Job | tuple[Kind, int], int], ...] = ()
    placement: str = field(default=STRAIGHT, kw_only=True)

    @property
    def pipelines(self) -> int:
        """d/2."""
        return self.stages // 2

    def rank(self, pipeline: int, stage: int) -> int:
        """Where a stage of a pipeline is."""
        return rank_of(self.placement, self.stages, pipeline, stage)

    def takes(self, job: Job) -> int:
        """How long a job takes."""
        usual = self.forward if job.kind is Kind.F else self.backward
        slow = dict(self.slow)
        return slow.get(job, slow.get((job.kind, job.stage), usual)) if slow else usual

    def number(self, job: Job) -> int:
        """A minibatch's number among those of all pipelines."""
        return job.number * self.pipelines + job.pipeline

    def start(self) -> State:
        """Two minibatches of every pipeline wait for its first rank."""
        waiting: list[list[Waiting]] = [[] for _ in range(self.stages)]
        for pipeline, number in product(range(self.pipelines), range(ADMISSION)):
            job = Job(pipeline, 0, Kind.F, number)
            waiting[self.rank(pipeline, 0)].append(Waiting(0, job))
        fresh = ((Kind.F, False),) * self.stages
        return State(tuple(map(tuple, waiting)), (None,) * self.stages, (fresh,) * self.pipelines)

    def oldest(self, state: State, rank: int) -> list[Job]:
        """What a free rank may start: of every pipeline's stage its first minibatch only."""
        ready = state.waiting[rank]
        if self.reading == TURNS:
            ready = tuple(self._turns(ready, state))
        if not ready:
            return []
        most = max(one.age for one in ready)
        jobs = [one.job for one in ready if one.age == most]
        first: dict[tuple[int, int, Kind], Job] = {}
        for job in sorted(jobs, key=lambda job: job.number):
            first.setdefault((job.pipeline, job.stage, job.kind), job)
        return list(first.values())

    def _turns(self, ready: Sequence[Waiting], state: State) -> Iterator[Waiting]:
        """Of every stage that has both kinds ready, the kind whose turn it is."""
        kinds = {(*one.job[:2], one.job.kind) for one in ready}
        for one in ready:
            done, begun = state.last[one.job.pipeline][one.job.stage]
            turn = Kind.F if begun and done is Kind.B else Kind.B
            if one.job.kind is turn or (*one.job[:2], turn) not in kinds:
                yield one

    def after(self, state: State, chosen: Sequence[Job | None]) -> State:
        """One unit of time later, every free rank having started what is chosen for it."""
        waiting = [
            [Waiting(one.age + 1, one.job) for one in queue if one.job != job]
            for queue, job in zip(state.waiting, chosen, strict=True)
        ]
        last = [list(kinds) for kinds in state.last]
        running: list[tuple[int, Job] | None] = []
        for now, job in zip(state.running, chosen, strict=True):
            if job is not None:
                begun = last[job.pipeline][job.stage][1] or job.kind is Kind.B
                last[job.pipeline][job.stage] = (job.kind, begun)
                now = (self.takes(job), job)
            running.append(now and (now[0] - 1, now[1]))
        for rank, left in enumerate(running):
            if left is not None and left[0] == 0:
                running[rank] = None
                job = self.following(left[1])
                waiting[self.rank(job.pipeline, job.stage)].append(Waiting(0, job))
        queues = tuple(tuple(sorted(queue, key=in_order)) for queue in waiting)
        return State(queues, tuple(running), tuple(map(tuple, last)))

    def following(self, job: Job) -> Job:
        """What a minibatch does next; where it ends, the next one of its pipeline begins."""
        if job.kind is Kind.F:
            if job.stage + 1 < self.stages:
                return job._replace(stage=job.stage + 1)
            return job._replace(kind=Kind.B)
        if job.stage:
            return job._replace(stage=job.stage - 1)
        return Job(job.pipeline, 0, Kind.F, job.number + ADMISSION)

    def options(self, state: State) -> list[list[Job]]:
        """What each rank may start, ties left open: nothing while it works."""
        ranks = enumerate(state.running)
        return [self.oldest(state, rank) if now is None else [] for rank, now in ranks]

    def choices(self, state: State) -> Iterator[tuple[Job | None, ...]]:
        """Everything that ties allow."""
        yield from product(*(jobs or (None,) for jobs in self.options(state)))

    def choice(self, state: State, tie: Tie) -> tuple[Job | None, ...]:
        """What this tie rule starts."""
        return tuple(min(jobs, key=tie.key, default=None) for jobs in self.options(state))

    def course(self, tie: Tie) -> Iterator[tuple[State, tuple[Job | None, ...], list[Job]]]:
        """The play under a tie rule, by units of time: its state, what starts, what then ends."""
        state = self.start()
        while True:
            chosen = self.choice(state, tie)
            after = self.after(state, chosen)
            worked = (
                job or (now and now[1]) for job, now in zip(chosen, state.running, strict=True)
            )
            left = zip(worked, after.running, strict=True)
            yield state, chosen, [job for job, more in left if job and more is None]
            state = after


def busy(state: State, chosen: Sequence[Job | None]) -> int:
    """Ranks that work in the coming unit of time."""
    return sum(
        now is not None or job is not None for now, job in zip(state.running, chosen, strict=True)
    )


def in_order(one: Waiting) -> tuple[int, int, int, str, int]:
    """Sort key of a queue; states with the same queues are equal."""
    return (one.age, one.job.pipeline, one.job.stage, one.job.kind.name, one.job.number)
