"""When each action is issued if all ranks take turns: what places receives as soon as possible.

Source: PyTorch 2.13, `torch/distributed/pipelining/schedules.py`, `_add_send_recv`.

In every round the ranks take their turns in ascending order. A rank issues its next unit (an
action, or the actions of a group together) if what that needs has been issued, else it waits for
the next round. So a unit of rank r is issued in the least round that is

- behind that of the rank's unit before it, and
- not before that of anything it needs; behind it if that stands on a rank above r, whose turn
  comes later in the round.

That is a longest path, in time linear in the number of actions.
"""

from __future__ import annotations

import numpy as np

from schedules.cycles import describe_cycle, find_cycles
from schedules.dependencies import Edges
from schedules.errors import InvalidScheduleError
from schedules.schedule import IntArray, Schedule
from schedules.timeline import play


def rounds(schedule: Schedule, found: Edges, first: IntArray) -> IntArray:
    """Round, from 0, in which every action is issued; shape (actions,).

    Parameters
    ----------
    schedule : Schedule
    found : Edges
        What waits for what.
    first : ndarray of int
        First action of everyone's unit; see `schedules.lowering.rebuild.first_of_unit`.

    Raises
    ------
    InvalidScheduleError
        A group can never be issued: something outside needs one of its actions before another of
        them can run.

    Examples
    --------
    >>> from schedules.dependencies import edges
    >>> from schedules.families import build
    >>> schedule = build("gpipe", 2, 2)
    >>> rounds(schedule, edges(schedule), np.arange(8)).tolist()
    [0, 1, 3, 4, 0, 1, 2, 3]
    """
    rank = schedule.rank_of_action
    source, target = first[found.source], first[found.target]
    outside = source != target
    units = Edges(source[outside], target[outside], found.kind[outside])
    taken = (first == np.arange(len(schedule))).astype(np.int64)
    # A unit takes a round; a rank above hands on in the next one, a rank below in the same one.
    lag = np.where(rank[units.source] < rank[units.target], -1, 0)
    start, stuck = play(schedule.offsets, taken, units, lag)
    if stuck:
        cycle = describe_cycle(schedule, find_cycles(schedule, stuck, units)[0])
        raise InvalidScheduleError(
            "the actions of a group are posted together, behind everything that any of them needs "
            f"from outside, but these wait for each other: {cycle}",
            schedule.name,
            "take one of these groups apart",
        )
    return start[first]
