"""Plays step by step up to the first minibatch that sees more updates than is said.

A refutation is one run of the rules named with it: durations, placement, queue and tie rule
leave nothing open, so that the run can be repeated. Its counts are the backwards of the stage
that were over when the forward and when the backward of the named minibatch started; the
updates in between are the difference of the two counts' whole multiples of the window.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

from schedules.actions import Kind
from theory.papers.amdp.placements import SAYS
from theory.papers.amdp.runs.fifo import Play, Tie

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
    backwards, read = [0] * play.stages, dict[tuple[int, ...], tuple[int, int]]()
    for now, (_, chosen, ended) in enumerate(islice(play.course(tie), MOST_UNITS)):
        for job in filter(None, chosen):
            over, key = backwards[job.stage], (job.pipeline, job.stage, job.number)
            if job.kind is Kind.F:
                read[key] = now, over
                continue
            since, before = read.pop(key)
            mismatch = over // window - before // window
            if mismatch > most:
                where = {"stage": job.stage, "pipeline": job.pipeline}
                times = {"F starts": since, "B starts": now, "over at F": before, "over at B": over}
                found = {**where, "minibatch": play.number(job), **times, "mismatch": mismatch}
                return _setting(play, tie, window) | found
        for job in ended:
            backwards[job.stage] += job.kind is Kind.B
    return None


def _setting(play: Play, tie: Tie, window: int) -> dict[str, Any]:
    times = {"d": play.stages, "F": play.forward, "B": play.backward, "window": window}
    return {**times, "placement": SAYS[play.placement], "queue": play.reading, "tie": tie.name}
