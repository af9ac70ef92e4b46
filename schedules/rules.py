"""Rules that generate schedules, as data, and the small engines that run them.

A family states its rule once. The engine here plays it on integers; the provers in
`theory` read the same data with solver terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schedules.actions import Action, Kind
from schedules.errors import InvalidScheduleError

Gate = Callable[[int, int], tuple[int, int] | None]
"""``gate(stage, microbatch)`` → the (stage, microbatch) whose backward must be done, or None."""


@dataclass(frozen=True)
class GreedyRule:
    """One action a slot and stage, chosen by what is ready.

    In slot t stages choose in ascending order. The next forward m of stage s is ready iff
    (s = 0 and active < limit) or (s > 0 and ``finished(T_F[s−1][m], t)``), and every gate's
    backward is finished; the next backward m iff ``finished(T_F[s][m], t)`` and (s = p−1 or
    ``finished(T_B[s+1][m], t)``). ``active`` counts microbatches past their forward but not
    their backward at stage 0. If one kind is ready the stage does it; if both are, the
    preferred one.

    Attributes
    ----------
    finished : callable
        Compares a completion slot with the present slot: ``operator.lt`` for strict causality.
        What runs in one slot has ended in the next: messages take no slots of a rule.
    prefer_first : Kind
        Preferred kind while the stage has not done a backward.
    prefer_after : mapping of Kind to Kind
        Afterwards: the preferred kind, by the kind done last.
    """

    finished: Callable[[Any, Any], Any]
    prefer_first: Kind
    prefer_after: Mapping[Kind, Kind]


@dataclass(frozen=True)
class Played:
    """What a greedy rule does: the order of each stage, and the slot of every F and B."""

    orders: list[list[Action]]
    forward: list[list[int]]
    backward: list[list[int]]


def run_greedy(
    rule: GreedyRule,
    stages: int,
    microbatches: int,
    limit: int | None,
    gates: Sequence[Gate] = (),
    in_flight: Callable[[int, int], int] | None = None,
) -> Played:
    """Play a greedy rule until the last backward at stage 0.

    Parameters
    ----------
    rule : GreedyRule
    stages, microbatches : int
    limit : int or None
        Bound on active microbatches (NOAM); None for no bound.
    gates : sequence of callable
        Further backwards a forward waits for.
    in_flight : callable, optional
        ``in_flight(stage, stages)``: bound on microbatches past their forward but not their
        backward at that stage.

    Returns
    -------
    Played
        Slots are the rule's own: what it finds finished in its own slot starts later in a timeline.

    Raises
    ------
    InvalidScheduleError
        The rule comes to a stop before all is done, or does not find what ended in the slot before.

    Examples
    --------
    >>> from schedules.families.pipedream import RULE
    >>> [str(action) for action in run_greedy(RULE, 2, 3, 2).orders[1]]
    ['1F0', '1B0', '1F1', '1B1', '1F2', '1B2']
    """
    if not rule.finished(0, 1):
        raise InvalidScheduleError(
            "what runs in one slot of a greedy rule has ended in the next, as messages take no "
            "slots, found finished(0, 1) false",
            "rule",
            "write finished=operator.lt; messages have a time in `derive --durations`, and in an "
            "order by stamps a place",
        )
    forward = [[-1] * microbatches for _ in range(stages)]
    backward = [[-1] * microbatches for _ in range(stages)]
    next_f, next_b = [0] * stages, [0] * stages
    orders: list[list[Action]] = [[] for _ in range(stages)]
    finished = rule.finished
    slot, last_progress = 0, 0

    def done(table: list[list[int]], stage: int, microbatch: int) -> bool:
        at = table[stage][microbatch]
        return at >= 0 and bool(finished(at, slot))

    def forward_ready(stage: int) -> bool:
        m = next_f[stage]
        if m == microbatches:
            return False
        if stage == 0 and limit is not None and next_f[0] - next_b[0] >= limit:
            return False
        if stage > 0 and not done(forward, stage - 1, m):
            return False
        if in_flight is not None and m - next_b[stage] >= in_flight(stage, stages):
            return False
        needed = (gate(stage, m) for gate in gates)
        return all(done(backward, *entry) for entry in needed if entry is not None)

    def backward_ready(stage: int) -> bool:
        m = next_b[stage]
        if m == microbatches or not done(forward, stage, m):
            return False
        return stage == stages - 1 or done(backward, stage + 1, m)

    while next_b[0] < microbatches:
        for stage in range(stages):
            ready_f, ready_b = forward_ready(stage), backward_ready(stage)
            if not (ready_f or ready_b):
                continue
            last_progress = slot
            preferred = rule.prefer_first
            if next_b[stage]:
                preferred = rule.prefer_after[orders[stage][-1].kind]
            if ready_f and (not ready_b or preferred is Kind.F):
                forward[stage][next_f[stage]] = slot
                orders[stage].append(Action(Kind.F, stage, next_f[stage]))
                next_f[stage] += 1
            else:
                backward[stage][next_b[stage]] = slot
                orders[stage].append(Action(Kind.B, stage, next_b[stage]))
                next_b[stage] += 1
        if slot - last_progress > 1:
            raise InvalidScheduleError(
                f"a greedy rule has to make progress, but at p = {stages} nothing is ready in "
                f"slot {slot} with {next_b[0]} of {microbatches} microbatches finished",
                "rule",
                "admit more microbatches or drop the gate that cannot open",
            )
        slot += 1
    return Played(orders, forward, backward)
