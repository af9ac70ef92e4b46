"""Plays step by step up to the first minibatch that sees more updates than is said.

A refutation is one run of the rules named with it: durations, placement, queue and tie rule
leave nothing open, so that the run can be repeated. Its counts are the backwards of the stage
that were over when the forward and when the backward of the named minibatch started; the
updates in between are the difference of the two counts' whole multiples of the window.
"""

from __future__ import annotations

from typing import Any, Final

from schedules.actions import Kind
from theory.papers.amdp.placements import SAYS
from theory.papers.amdp.runs.fifo import Job, Play, Tie

MOST_UNITS: Final = 1_500
"""Units of time that are looked at."""


def first_beyond(play: Play, tie: Tie, window: int, most: int) -> dict[str, Any] | None:
    """The first minibatch whose stage made more than so many updates between its F and its B.

    Parameters
    ----------
    play : Play
    tie : Tie
    window : int
        Backwards of a stage, of all pipelines together, between two updates.
    most : int
        Updates that are said to lie between the starts of a forward and of its backward at most.

    Returns
    -------
    dict or None
        The run, where and when; None if `MOST_UNITS` of time show none.

    Examples
    --------
    >>> from theory.papers.amdp.runs.fifo import TIES
    >>> found = first_beyond(Play(4, 1, 1), TIES[0], 1, 1)
    >>> found["F starts"], found["B starts"], found["mismatch"]
    (4, 7, 2)
    """
    state, backwards = play.start(), [0] * play.stages
    read: dict[tuple[int, int, int], tuple[int, int]] = {}
    for now in range(MOST_UNITS):
        chosen = play.choice(state, tie)
        for job in chosen:
            if job is None:
                continue
            key = job.pipeline, job.stage, job.number
            if job.kind is Kind.F:
                read[key] = now, backwards[job.stage]
                continue
            since, over = read.pop(key)
            mismatch = backwards[job.stage] // window - over // window
            if mismatch > most:
                counts = {"over at F": over, "over at B": backwards[job.stage]}
                times = {"F starts": since, "B starts": now, **counts, "mismatch": mismatch}
                return _setting(play, tie, window) | _where(play, job) | times
        after = play.after(state, chosen)
        for ended in _ended(state.running, chosen, after.running):
            backwards[ended.stage] += ended.kind is Kind.B
        state = after
    return None


def _ended(
    before: tuple[tuple[int, Job] | None, ...],
    chosen: tuple[Job | None, ...],
    after: tuple[tuple[int, Job] | None, ...],
) -> list[Job]:
    """What ran in the last unit of time and does not run any more."""
    found = []
    for old, job, left in zip(before, chosen, after, strict=True):
        done = job or (old and old[1])
        if done and left is None:
            found.append(done)
    return found


def _setting(play: Play, tie: Tie, window: int) -> dict[str, Any]:
    times = {"d": play.stages, "F": play.forward, "B": play.backward, "window": window}
    return {**times, "placement": SAYS[play.placement], "queue": play.reading, "tie": tie.name}


def _where(play: Play, job: Job) -> dict[str, int]:
    number = job.number * play.pipelines + job.pipeline
    return {"stage": job.stage, "pipeline": job.pipeline, "minibatch": number}
