"""The least buffer with which a schedule completes."""

from __future__ import annotations

from schedules.messages.channels import Channels
from schedules.messages.model import QUEUE_KEYS, QueueKey, QueueModel
from schedules.messages.progress import run
from schedules.messages.queues import Inputs, Queues, inputs, queues
from schedules.schedule import Schedule


def least_buffer(schedule: Schedule, plan: Channels, key: QueueKey) -> int | None:
    """Fewest messages that every channel has to hold for the schedule to complete.

    A larger buffer never hurts, so the least one is found by doubling and bisection; one that
    holds all messages of the longest channel is as good as one without limit.

    Returns
    -------
    int or None
        None where no buffer suffices.

    Examples
    --------
    >>> from schedules.families import build
    >>> from schedules.messages.channels import channels
    >>> schedule = build("blog-1f1b", 4, 8)
    >>> least_buffer(schedule, channels(schedule), "rank")
    0
    """
    return _least(queues(schedule, plan, key), inputs(schedule, plan), None)


def deadlock_facts(
    schedule: Schedule, plan: Channels, completes: QueueModel | None = None
) -> dict[QueueKey, int | None]:
    """The least buffer for every kind of queue; see `least_buffer`.

    Finer queues never hurt either, so what one kind needs bounds what the next one does.

    Parameters
    ----------
    schedule : Schedule
    plan : Channels
    completes : QueueModel, optional
        A model in which the schedule is known to complete: what is stricter is all that is then
        looked at.

    Examples
    --------
    >>> from schedules.families import build
    >>> from schedules.messages.channels import channels
    >>> schedule = build("blog-gpipe", 2, 4)
    >>> deadlock_facts(schedule, channels(schedule))
    {'rank': 0, 'peer': 0, 'direction': 0}
    """
    facts: dict[QueueKey, int | None] = {}
    reads: Inputs | None = None
    enough: int | None = None
    for key in QUEUE_KEYS:
        if completes is not None and completes.queues == key:
            enough = _smaller(_smaller(enough, completes.buffer), plan.longest)
        if enough != 0:
            reads = reads or inputs(schedule, plan)
            enough = _least(queues(schedule, plan, key), reads, enough)
        facts[key] = enough
    return facts


def _smaller(one: int | None, other: int | None) -> int | None:
    """The smaller of two buffers; None is none at all."""
    return min((k for k in (one, other) if k is not None), default=None)


def _least(line: Queues, reads: Inputs, enough: int | None) -> int | None:
    """The least buffer; `enough` is one that is known to do, if any is."""

    def completes(buffer: int) -> bool:
        return run(line, reads, buffer).finished

    if completes(0):
        return 0
    if enough is None:
        enough = line.plan.longest
        if not completes(enough):
            return None
    # What is needed is mostly small, so it is approached from below.
    below, tried = 0, 1
    while tried < enough:
        if completes(tried):
            enough = tried
        else:
            below, tried = tried, tried * 2
    while enough - below > 1:
        middle = (below + enough) // 2
        if completes(middle):
            enough = middle
        else:
            below = middle
    return enough
