"""Orders to begin with: whatever is ready, by a fixed preference of kinds."""

from __future__ import annotations

import heapq
from typing import Final

import numpy as np

from schedules.actions import Kind
from schedules.planning.synthesis.orders import Starts, makespan
from schedules.planning.synthesis.problem import KINDS, Problem

PREFERENCES: Final = (
    (Kind.I, Kind.F, Kind.W),
    (Kind.I, Kind.W, Kind.F),
    (Kind.F, Kind.I, Kind.W),
    (Kind.W, Kind.I, Kind.F),
)


def best_greedy(problem: Problem) -> Starts | None:
    r"""The shortest of the greedy orders; None if memory stops all of them.

    Examples
    --------
    >>> from schedules.placement import Placement
    >>> from schedules.planning.costs import split
    >>> from schedules.planning.layers import parse_layers
    >>> head = "layer,forward,input_gradient,weight_gradient,activation_bytes,parameter_bytes"
    >>> layers = parse_layers("\n".join([head, "a,1,1,1,1,0", "b,1,1,1,1,0"]))
    >>> placement = Placement.one_stage_a_rank(2)
    >>> makespan(
    ...     problem := Problem(split(layers, placement), placement, 4, 4), best_greedy(problem)
    ... )
    13
    """
    found = [starts for each in PREFERENCES if (starts := greedy(problem, each)) is not None]
    return min(found, key=lambda starts: makespan(problem, starts), default=None)


def greedy(problem: Problem, preference: tuple[Kind, ...]) -> Starts | None:
    """The order in which free ranks start at once what is ready, of several the preferred kind.

    Of one kind the highest stage goes first. None if memory is full of what cannot go on.
    """
    stages, count = problem.stages, problem.microbatches
    begun: dict[Kind, list[list[int]]] = {kind: [[] for _ in range(stages)] for kind in KINDS}
    ranks = sorted(set(problem.ranks))
    free_at, kept = dict.fromkeys(ranks, 0), dict.fromkeys(ranks, 0)
    behind = (problem.lag + 1) * problem.window

    def there(kind: Kind, s: int, m: int, lag: int, now: int) -> bool:
        done = begun[kind][s]
        return m < len(done) and done[m] + problem.durations[kind][s] + lag <= now

    def ready(kind: Kind, s: int, now: int) -> bool:
        m = len(begun[kind][s])
        if m == count:
            return False
        if not all(there(k, at, m, lag, now) for k, at, lag in problem.needs(kind, s)):
            return False
        if kind is not Kind.F:
            return True
        room = problem.free(problem.ranks[s])
        fits = room is None or kept[problem.ranks[s]] + problem.activations[s] <= room
        needed = m // problem.window * problem.window - behind + problem.window - 1
        return fits and (needed < 0 or there(Kind.W, s, needed, 0, now))

    moments = [0]
    while moments:
        now = heapq.heappop(moments)
        for rank in ranks:
            own = problem.stages_of(rank)[::-1]
            while free_at[rank] <= now:
                choices = ((k, s) for k in preference for s in own if ready(k, s, now))
                kind, s = next(choices, (None, 0))
                if kind is None:
                    break
                begun[kind][s].append(now)
                end = now + problem.durations[kind][s]
                free_at[rank] = end
                kept[rank] += {Kind.F: 1, Kind.W: -1}.get(kind, 0) * problem.activations[s]
                for moment in (end, end + problem.message_of(kind, s)):
                    heapq.heappush(moments, moment)
    if any(len(row) < count for row in begun[Kind.W]):
        return None
    return {kind: np.array(rows, dtype=np.int64) for kind, rows in begun.items()}
