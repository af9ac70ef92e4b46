"""The last steps before a schedule hangs, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from schedules.dependencies import MISSING
from schedules.messages.channels import NONE
from schedules.messages.progress import Progress

MOST_RANKS: Final = 8
"""Ranks that are followed."""


class _Event(NamedTuple):
    """Something that happens on a rank; sorts by time."""

    step: int
    rank: int
    text: str


def execution_steps(found: Progress, around: Iterable[int], most: int = 12) -> list[str]:
    r"""What the ranks of some actions did last, step by step.

    The order is one of the possible ones: every step stands behind all that it waits for. Each of
    the ranks, `MOST_RANKS` at most, has its share of the lines.

    Parameters
    ----------
    found : Progress
    around : iterable of int
        Flat indices; their ranks are followed.
    most : int
        Lines, if there are not more ranks.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> from schedules.messages.channels import channels
    >>> from schedules.messages.model import QueueModel
    >>> from schedules.messages.progress import progress
    >>> schedule = parse_csv("0F0,0SEND_F0,0RECV_B0,0B0\n1SEND_B0,1RECV_F0,1F0,1B0", "a.csv")
    >>> stuck = progress(schedule, channels(schedule), QueueModel())
    >>> for step in execution_steps(stuck, [0, 4]):
    ...     print(step)
    rank 0 runs 0F0
    rank 1 starts 1SEND_B0
    rank 0 starts 0SEND_F0
    """
    schedule = found.queues.schedule
    rank_of = schedule.rank_of_action
    ranks = sorted({int(rank_of[index]) for index in around})[:MOST_RANKS]
    share = max(1, most // max(1, len(ranks)))
    events: list[_Event] = []
    for rank in ranks:
        events += _last(found, rank, share)
    return [event.text for event in sorted(events, key=lambda event: event[:2])]


def _last(found: Progress, rank: int, share: int) -> list[_Event]:
    """The last events of a rank."""
    schedule, plan, step = found.queues.schedule, found.queues.plan, found.steps
    own = np.arange(int(schedule.offsets[rank]), int(schedule.offsets[rank + 1]))
    started = own[found.start[own] != MISSING]
    latest = started[np.argsort(step[started], kind="stable")][-share:]
    events = []
    for index in latest.tolist():
        verb = "runs" if plan.channel[index] == NONE else "starts"
        text = f"rank {rank} {verb} {schedule.action(index)}"
        events.append(_Event(int(step[index]), rank, text))
    complete = started[(plan.channel[started] != NONE) & (found.end[started] != MISSING)]
    met = np.maximum(step[complete], step[found.completed_by[complete]])
    for at in np.argsort(met, kind="stable")[-share:].tolist():
        text = f"rank {rank} completes {schedule.action(int(complete[at]))}"
        events.append(_Event(int(met[at]), rank, text))
    events.sort(key=lambda event: event.step)
    return events[-share:]
