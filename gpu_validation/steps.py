"""Updates that a file states action by action, said by the weight policy.

Where a schedule has actions ``U`` they say when weights are updated, and not the policy. A run, its
prediction and its log know updates as something that follows a gradient, every so many of them; so
a schedule with ``U`` is measured as the one without that updates at the same places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gpu_validation.errors import NotRunnableError
from gpu_validation.prediction import OBSERVED, computations
from schedules.actions import COMPUTE, Kind, among
from schedules.errors import InvalidScheduleError
from schedules.lowering.rebuild import with_only
from schedules.policies import WeightPolicy
from schedules.schedule import IntArray, Schedule
from schedules.versions import update_after, versions, weights_of_action


def by_policy(schedule: Schedule) -> Schedule:
    """The schedule without its actions U, under a policy that updates where they stand.

    One that averages weights is left as it is: it is refused elsewhere, or its policy updates.

    - raises `NotRunnableError`: an update stands elsewhere than right behind the last gradient that
      it applies, or they do not all apply as many.
    - raises `InvalidScheduleError`: the schedule is not complete.

    Examples
    --------
    >>> from schedules.actions import Action
    >>> order = [Action(kind, 0, m) for m in range(2) for kind in (Kind.F, Kind.B)]
    >>> policy = WeightPolicy("stash")
    >>> stated = Schedule.from_orders("two", [[*order, Action(Kind.U, 0)]], 2, policy)
    >>> found = by_policy(stated)
    >>> print(*found.rank(0), f"and every {found.policy.interval} gradients")
    0F0 0B0 0F1 0B1 and every 2 gradients
    """
    updates = schedule.kind == Kind.U
    if not updates.any() or (among(schedule.kind, OBSERVED - COMPUTE)).any():
        return schedule
    behind = _behind_gradients(schedule, np.flatnonzero(updates))
    order, stated = computations(schedule), versions(schedule)
    kept = np.flatnonzero(among(schedule.kind, OBSERVED))
    wanted = update_after(schedule)
    wanted[behind] = True
    for policy in _policies(schedule, behind):
        trial = replace(order, policy=policy)
        if not np.array_equal(update_after(trial), wanted[kept]):
            continue
        try:
            found = versions(trial)
        except InvalidScheduleError:
            continue
        if np.array_equal(found.read, stated.read) and np.array_equal(found.used, stated.used):
            return replace(with_only(schedule, ~updates), policy=policy)
    raise NotRunnableError(
        "updates are measured that come after as many gradients each, of all stages, found others",
        schedule.place(int(np.flatnonzero(updates)[0])),
        "take a file whose updates do; `staleproof check` takes this one too",
    )


def _behind_gradients(schedule: Schedule, updates: IntArray) -> IntArray:
    """The gradient that each update stands right behind, but for messages."""
    rank, weights = schedule.rank_of_action, weights_of_action(schedule)
    kept = np.flatnonzero(among(schedule.kind, [*OBSERVED, Kind.U]))
    before = np.append(kept, -1)[np.searchsorted(kept, updates) - 1]
    right = among(schedule.kind[before], (Kind.B, Kind.W)) & (before >= 0)
    right &= (rank[before] == rank[updates]) & (weights[before] == weights[updates])
    if not right.all():
        wrong = int(updates[np.argmin(right)])
        raise NotRunnableError(
            "updates are measured that come right behind the last gradient they apply, but "
            f"{schedule.action(wrong)} does not",
            schedule.place(wrong),
            "move it there; `staleproof check` takes this schedule too",
        )
    return before


def _policies(schedule: Schedule, behind: IntArray) -> Iterator[WeightPolicy]:
    """What may say the updates: the policy as it stands, or with the interval of the first one.

    A flush knows one step. Of several, nothing is stale either, and a stash keeps nothing more.
    """
    weights = weights_of_action(schedule)
    gradients = np.flatnonzero(among(schedule.kind, (Kind.B, Kind.W)))
    own = gradients[weights[gradients] == weights[behind[0]]]
    interval = int((own <= behind[0]).sum())
    yield schedule.policy
    yield (
        replace(schedule.policy, interval=interval)
        if schedule.policy.name != "flush"
        else (WeightPolicy("stash", interval))
    )
