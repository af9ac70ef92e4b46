"""A greedy rule under real durations: every stage decides when it is free, not slot by slot.

What a free run assumes:

- an action takes a positive time, a message a time of 0 or more, each its own;
- a stage does one action at a time, and for each kind its microbatches in order;
- when it is free and something is ready it starts at once, the preferred kind if both are;
- what ends or arrives at time t counts for all decisions at time t, and these see no other one;
- between a stage's own forward and its backward there is no message.

With durations of 1 and no delays this is the slot rule itself. With others the orders come out
differently: a free run is not a static order.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np

from schedules.actions import Action, Kind
from schedules.durations import whole_number
from schedules.errors import InvalidScheduleError, ParameterError
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule
from schedules.schedule import Schedule
from schedules.timeline import Timeline

Time = Callable[[Action], int]
"""Time of an action in whole slots: how long it takes, or how long its result travels."""


def free_run(
    rule: GreedyRule,
    stages: int,
    microbatches: int,
    limit: int | None,
    duration: Time,
    delay: Time = lambda _: 0,
) -> Timeline:
    """Run a greedy rule under given durations.

    Parameters
    ----------
    rule : GreedyRule
        Its preferences decide between two ready kinds. Its causality has to be strict.
    stages, microbatches : int
    limit : int or None
        Bound on microbatches past their forward but not their backward at stage 0 (NOAM).
    duration, delay : callable
        Time of an action, at least 1, and from its end to the arrival of its result at the
        neighbouring stage, at least 0.

    Returns
    -------
    Timeline
        Its schedule holds, as a static order, the order that came out.

    Raises
    ------
    ParameterError
        A time out of range, or a rule in which an action feeds another before it has ended.
    InvalidScheduleError
        The rule comes to a stop before all is done.

    Examples
    --------
    >>> from schedules.families.pipedream import RULE
    >>> slow_end = lambda action: 3 if action.stage == 1 else 1
    >>> for row in free_run(RULE, 2, 3, 2, slow_end).rows():
    ...     print(row)
    F0 F1 . . . . . B0 F2 . . . . B1 . . . . . B2
    . F0 F0 F0 B0 B0 B0 F1 F1 F1 B1 B1 B1 F2 F2 F2 B2 B2 B2 .
    """
    _require_strict(rule)
    # Of F(s, m) and B(s, m): when it ends, and when its result is at the next stage.
    ended, arrived = _tables(stages), _tables(stages)
    runs: list[list[tuple[Action, int, int]]] = [[] for _ in range(stages)]

    def there(table: list[list[int]], stage: int, m: int, now: int) -> bool:
        return m < len(table[stage]) and table[stage][m] <= now

    def forward_ready(stage: int, now: int) -> bool:
        m = len(ended[Kind.F][stage])
        if m == microbatches:
            return False
        if stage == 0:
            return limit is None or m - len(ended[Kind.B][0]) < limit
        return there(arrived[Kind.F], stage - 1, m, now)

    def backward_ready(stage: int, now: int) -> bool:
        m = len(ended[Kind.B][stage])
        handed_back = stage == stages - 1 or there(arrived[Kind.B], stage + 1, m, now)
        return handed_back and there(ended[Kind.F], stage, m, now)

    def choose(stage: int, now: int) -> Kind | None:
        ready_f, ready_b = forward_ready(stage, now), backward_ready(stage, now)
        if not (ready_f and ready_b):
            return Kind.F if ready_f else Kind.B if ready_b else None
        done_backward = bool(ended[Kind.B][stage])
        return rule.prefer_after[runs[stage][-1][0].kind] if done_backward else rule.prefer_first

    moments = [(0, stage) for stage in range(stages)]
    while moments:
        now, stage = heapq.heappop(moments)
        busy = bool(runs[stage]) and runs[stage][-1][2] > now
        kind = None if busy else choose(stage, now)
        if kind is None:
            continue
        action = Action(kind, stage, len(ended[kind][stage]))
        end = now + _whole(duration(action), 1, f"duration of {action}")
        arrival = end + _whole(delay(action), 0, f"delay of {action}")
        ended[kind][stage].append(end)
        arrived[kind][stage].append(arrival)
        runs[stage].append((action, now, end))
        heapq.heappush(moments, (end, stage))
        neighbour = stage + 1 if kind is Kind.F else stage - 1
        if 0 <= neighbour < stages:
            heapq.heappush(moments, (arrival, neighbour))
    return _timeline(runs, microbatches)


def _tables(stages: int) -> dict[Kind, list[list[int]]]:
    return {kind: [[] for _ in range(stages)] for kind in (Kind.F, Kind.B)}


def _require_strict(rule: GreedyRule) -> None:
    if rule.finished(0, 0):
        what = "in a free run an action feeds another once it has ended, by this rule earlier"
        raise ParameterError(what, "rule", "compare completion times with <")


def _whole(value: object, least: int, where: str) -> int:
    time = whole_number(value, "a time", where)
    if time < least:
        raise ParameterError(f"a duration is at least {least}, found {time}", where, "give one")
    return time


def _timeline(runs: list[list[tuple[Action, int, int]]], microbatches: int) -> Timeline:
    done, wanted = sum(map(len, runs)), 2 * len(runs) * microbatches
    if done < wanted:
        what = f"nothing is ready after {done} of {wanted} actions"
        raise InvalidScheduleError(what, "free run", "admit at least one microbatch")
    orders = [[action for action, _, _ in row] for row in runs]
    schedule = Schedule.from_orders("free-running", orders, microbatches, WeightPolicy("stash"))
    start, end = (np.array([run[k] for row in runs for run in row], np.int64) for k in (1, 2))
    return Timeline(schedule, start, end)
