"""How many messages go from rank to rank, and how much they carry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schedules.analysis.sizes import Sizes
from schedules.dependencies import EdgeKind, edges
from schedules.schedule import Schedule


@dataclass(frozen=True, slots=True, order=True)
class Channel:
    """What one rank sends to another.

    Attributes
    ----------
    source, target : int
        Ranks.
    messages : int
    volume : int or None
        Bytes; None where no sizes are given.
    """

    source: int
    target: int
    messages: int
    volume: int | None = None


def traffic(schedule: Schedule, sizes: Sizes | None = None) -> list[Channel]:
    """Messages from rank to rank, sorted by source and target.

    An activation or a gradient that a computation needs from another rank is one message,
    whether sends and receives spell it out or not, so lowering changes nothing here. Both carry
    the `output` of the lower of their two stages. Collectives are not counted.

    Raises
    ------
    FormatError
        A stage has no sizes.

    Examples
    --------
    >>> from schedules import build
    >>> traffic(build("gpipe", 2, 3))
    [Channel(source=0, target=1, messages=3, volume=None),
     Channel(source=1, target=0, messages=3, volume=None)]
    """
    found = edges(schedule)
    stage, rank = schedule.stage, schedule.rank_of_action
    between = stage[found.source] != stage[found.target]
    sent = (found.kind == EdgeKind.MESSAGE) & between
    source, target = found.source[sent], found.target[sent]
    channel, inverse = np.unique(rank[source] * schedule.ranks + rank[target], return_inverse=True)
    counts = np.bincount(inverse, minlength=len(channel)).tolist()
    volumes: list[int | None] = [None] * len(channel)
    if sizes is not None:
        total = np.zeros(len(channel), dtype=np.int64)
        output = sizes.column("output", schedule.stages)
        np.add.at(total, inverse, output[np.minimum(stage[source], stage[target])])
        volumes = [int(value) for value in total]
    return [
        Channel(code // schedule.ranks, code % schedule.ranks, count, volume)
        for code, count, volume in zip(channel.tolist(), counts, volumes, strict=True)
    ]
