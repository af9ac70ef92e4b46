"""How much of the run every rank works."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from schedules.timeline import Timeline


def utilisation(line: Timeline) -> list[Fraction]:
    """Per rank: time it works over the makespan; 0 where nothing takes time.

    The mean over ranks is 1 − bubble, see `Timeline.idle_fraction`.

    Examples
    --------
    >>> from schedules import Kind, build, timeline
    >>> slow_first = {(Kind.F, 0): 2, (Kind.B, 0): 2}
    >>> [str(part) for part in utilisation(timeline(build("gpipe", 2, 3), slow_first))]
    ['6/7', '3/7']
    """
    so_far = np.concatenate([[0], np.cumsum(line.end - line.start)])
    busy = np.diff(so_far[line.schedule.offsets]).tolist()
    return [Fraction(time, line.length) if line.length else Fraction(0) for time in busy]
