"""How many backwards of a stage fit between a minibatch's forward and backward, at all durations.

All that is ready waits in one queue a rank, first come first served; F and B take some time
each, messages none. Let x be a minibatch between the start of its F and that of its B at stage
s: it goes through the visits s + 1, …, 2d − 1 − s of its path. Take another token y and a visit
of x to rank r, from when x comes to when its action there ends. While x's action runs, y runs
nothing on r. While x waits, only what came before x, or at the same time, is served before it.
So y passes r at most once in that time, and only if y was at r already when x came: where it
passed r it comes back later, and then behind x. All else y may do, whatever durations and ties
are. So the visits that y can have made by the end of each visit of x are those of a finite
walk: on until the next visit to r, or, if y was at r when x came, until the one after. At the
start of x's F, y may be anywhere but does not finish a visit to the rank on which x runs. The
most backwards of stage s on such walks is counted for every y; their sum bounds the backwards
of s between F and B of x. A window of at least so many is closed once at most in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from theory.papers.amdp.placements import rank_of
from theory.papers.amdp.runs.fifo import ADMISSION
from theory.smt.queries import remembered


def path(stages: int, placement: str, pipeline: int) -> tuple[int, ...]:
    """The ranks of a minibatch's 2d visits: F of stages 0 … d − 1, then B of d − 1 … 0.

    Examples
    --------
    >>> path(4, "chimera", 1)
    (3, 2, 1, 0, 0, 1, 2, 3)
    """
    down = tuple(rank_of(placement, stages, pipeline, stage) for stage in range(stages))
    return (*down, *down[::-1])


def overtakes(own: Sequence[int], other: Sequence[int], stage: int) -> int:
    """Backwards of a stage that one token does while x goes from its F there to its B at most.

    A token is what takes one place of its pipeline: where a minibatch ends, the next goes on.

    Parameters
    ----------
    own, other : sequence of int
        The paths of x and of the token.
    stage : int

    Examples
    --------
    >>> down, up = path(4, "straight", 0), path(4, "straight", 1)
    >>> overtakes(down, down, 0), overtakes(down, up, 0)
    (1, 2)
    """
    length = len(own)
    counted = length - 1 - stage
    # The most backwards by the visit that the token is at: at the start of x's forward, any.
    most = dict.fromkeys(range(length), 0)
    for visit in range(stage, counted + 1):
        later: dict[int, int] = {}
        for at, so_far in most.items():
            passes = int(visit > stage and other[at] == own[visit])
            while True:
                later[at] = max(so_far, later.get(at, 0))
                if other[at] == own[visit]:
                    if not passes:
                        break
                    passes -= 1
                so_far += at == counted
                at = (at + 1) % length
        most = later
    return max(most.values())


def seen_from(own: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    """Another path with every rank named by x's stage on it, which is all that matters.

    Examples
    --------
    >>> seen_from((2, 3, 3, 2), (3, 2, 2, 3))
    (1, 0, 0, 1)
    """
    return tuple(own.index(rank) for rank in other)


_overtakes = cache(overtakes)


@remembered
def most_between(stages: int, placement: str) -> int:
    """The most backwards of a stage between the starts of a minibatch's F and B there.

    Examples
    --------
    >>> most_between(8, "straight"), most_between(8, "chimera")
    (11, 19)
    """
    paths = [path(stages, placement, pipeline) for pipeline in range(stages // 2)]
    named = (*range(stages), *range(stages)[::-1])

    def around(own: int, stage: int) -> int:
        tokens = [ADMISSION - (pipeline == own) for pipeline in range(len(paths))]
        seen = (seen_from(paths[own], one) for one in paths)
        return sum(
            count * _overtakes(named, one, stage) for count, one in zip(tokens, seen, strict=True)
        )

    return max(around(own, stage) for own in range(len(paths)) for stage in range(stages))
