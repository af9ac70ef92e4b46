"""Several greedy pipelines on the same ranks: a rank serves them first come, first served.

At any time, each stage of each pipeline proposes at most one action: what its `GreedyRule` would do
if it had a rank to itself. A free rank starts, of all that is proposed to it, the action that has
been ready for longest; among equally old ones, the first by `tie`.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from schedules.actions import Action, Kind
from schedules.placement import Placement
from schedules.rules import GreedyRule

Tie = Callable[[Action], Any]
"""Sort key of actions that became ready at the same time; the least goes first."""

UNIT_TIMES: Final[Mapping[Kind, int]] = {Kind.F: 1, Kind.B: 1}


def backward_first(action: Action) -> tuple[bool, int]:
    """Backwards before forwards, then the earlier microbatch."""
    return action.kind is Kind.F, action.microbatch


def run_sharing(
    rule: GreedyRule,
    placement: Placement,
    microbatches: int,
    caps: Sequence[int],
    times: Mapping[Kind, int] = UNIT_TIMES,
    tie: Tie = backward_first,
) -> list[list[Action]]:
    """Play pipelines that share ranks.

    Parameters
    ----------
    rule : GreedyRule
        Its preferences decide which kind a stage proposes where both are ready. Its causality has
        to be strict.
    placement : Placement
        Microbatch m is run by pipeline m mod (number of pipelines).
    microbatches : int
    caps : sequence of int
        Per stage: the most microbatches of a pipeline between F and B; at least 1.
    times : mapping of Kind to int
        How long F and B take, at least 1.
    tie : callable

    Returns
    -------
    list of list of Action
        The order of each rank.

    Examples
    --------
    >>> from schedules.families.bidirectional import opposite_directions
    >>> from schedules.families.pipedream import RULE
    >>> for order in run_sharing(RULE, opposite_directions(2), 3, [2, 2]):
    ...     print(*order)
    0F0 0F2 1F1 0B0 1B1 0B2
    0F1 1F0 1B0 1F2 1B2 0B1
    """
    play = _Play(rule, placement, microbatches, caps, tie)
    free = [0] * placement.rank_count
    orders: list[list[Action]] = [[] for _ in free]
    # When a rank may have something new to do: it is free again, or an input has come.
    moments = [(0, rank) for rank in range(len(free))]
    while moments:
        now, rank = heapq.heappop(moments)
        if free[rank] > now or (action := play.choice(rank, now)) is None:
            continue
        free[rank] = now + times[action.kind]
        play.record(action, free[rank])
        orders[rank].append(action)
        heapq.heappush(moments, (free[rank], rank))
        neighbour = action.stage + (1 if action.kind is Kind.F else -1)
        if 0 <= neighbour < placement.stages:
            reached = placement.ranks[action.pipeline][neighbour]
            heapq.heappush(moments, (free[rank], reached))
    return orders


@dataclass
class _Done:
    """What one stage of one pipeline has done: when its n-th forward and backward end."""

    ended: dict[Kind, list[int]] = field(default_factory=lambda: {Kind.F: [], Kind.B: []})
    last: Kind = Kind.F


class _Play:
    """The state of a play, and what can be done in it."""

    def __init__(
        self,
        rule: GreedyRule,
        placement: Placement,
        microbatches: int,
        caps: Sequence[int],
        tie: Tie,
    ) -> None:
        self.rule, self.microbatches, self.caps, self.tie = rule, microbatches, caps, tie
        self.stages, self.pipelines = placement.stages, placement.pipelines
        self.done = [[_Done() for _ in caps] for _ in placement.ranks]
        self.at_rank: list[list[tuple[int, int]]] = [[] for _ in range(placement.rank_count)]
        for pipeline, ranks in enumerate(placement.ranks):
            for stage, rank in enumerate(ranks):
                self.at_rank[rank].append((pipeline, stage))

    def choice(self, rank: int, now: int) -> Action | None:
        """What a free rank starts now."""
        found = [self._proposal(*at, now) for at in self.at_rank[rank]]
        ready = [entry for entry in found if entry is not None]
        return min(ready, key=lambda entry: (entry[0], self.tie(entry[1])))[1] if ready else None

    def record(self, action: Action, end: int) -> None:
        """Note that an action has started, and when it ends."""
        done = self.done[action.pipeline][action.stage]
        done.ended[action.kind].append(end)
        done.last = action.kind

    def _proposal(self, pipeline: int, stage: int, now: int) -> tuple[int, Action] | None:
        """What a stage would do, and since when it could."""
        done = self.done[pipeline][stage]
        since = {Kind.F: self._forward(pipeline, stage), Kind.B: self._backward(pipeline, stage)}
        ready = {kind: at for kind, at in since.items() if at is not None and at <= now}
        if not ready:
            return None
        begun = bool(done.ended[Kind.B])
        preferred = self.rule.prefer_after[done.last] if begun else self.rule.prefer_first
        kind = preferred if preferred in ready else next(iter(ready))
        microbatch = len(done.ended[kind]) * self.pipelines + pipeline
        return ready[kind], Action(kind, stage, microbatch, pipeline)

    def _forward(self, pipeline: int, stage: int) -> int | None:
        """When all is there that the next forward waits for; None if that is not known yet."""
        own, cap = self.done[pipeline][stage].ended, self.caps[stage]
        n = len(own[Kind.F])
        if n * self.pipelines + pipeline >= self.microbatches:
            return None
        waits = [(self.done[pipeline][stage - 1].ended[Kind.F], n)] if stage else []
        return _latest([*waits, (own[Kind.B], n - cap)] if n >= cap else waits)

    def _backward(self, pipeline: int, stage: int) -> int | None:
        own = self.done[pipeline][stage].ended
        n = len(own[Kind.B])
        waits = [(own[Kind.F], n)]
        if stage + 1 < self.stages:
            waits.append((self.done[pipeline][stage + 1].ended[Kind.B], n))
        return _latest(waits)


def _latest(waits: Sequence[tuple[list[int], int]]) -> int | None:
    """When the last of these ends, 0 if there is none; None if one has not begun."""
    latest = 0
    for ended, n in waits:
        if n >= len(ended):
            return None
        latest = max(latest, ended[n])
    return latest
