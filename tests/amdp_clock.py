"""Plays of AMDP's pipelines by the clock: starts and ends, and what is counted from these alone."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from schedules.actions import Kind
from theory.papers.amdp.runs.fifo import Job, Play, Tie

Times = Mapping[Job, tuple[int, int]]
"""Start and end of every action."""


def clocked(play: Play, tie: Tie, steps: int) -> dict[Job, tuple[int, int]]:
    """Start and end of every action of a play that starts within so many units of time."""
    state, found = play.start(), {}
    for now in range(steps):
        chosen = play.choice(state, tie)
        found.update({job: (now, now + play.takes(job)) for job in chosen if job is not None})
        state = play.after(state, chosen)
    return found


@dataclass(frozen=True)
class Counted:
    """A minibatch at a stage: backwards over when its F starts, when its B starts, with its B."""

    job: Job
    forward: int
    read: int
    used: int
    end: int

    def mismatch(self, window: int) -> int:
        return self.used // window - self.read // window


def counted(play: Play, times: Times, stage: int) -> list[Counted]:
    """The minibatches whose backward at the stage is among those counted, in their order.

    Ends at the same time count in the order of ranks, as in a play.
    """
    own = {job: span for job, span in times.items() if job.stage == stage}
    backwards = sorted(
        (end, play.rank(job.pipeline, job.stage), job)
        for job, (_, end) in own.items()
        if job.kind is Kind.B
    )
    latest = max(start for start, _ in times.values())
    ends = [end for end, _, _ in backwards]
    found = []
    for number, (end, _, job) in enumerate(backwards, 1):
        if end > latest:
            break
        forward = own[job._replace(kind=Kind.F)][0]
        used = bisect_right(ends, own[job][0])
        found.append(Counted(job, forward, bisect_right(ends, forward), used, number))
    return found
