"""Free-running runs: every rank decides by the family's rule and by what has really arrived.

Which order comes out depends on the machine: the one that was executed is taken as a static one,
and everything else is checked against the prediction for *that* order. Staleness is reported as a
distribution, against a bound that holds for every timing: local staleness is at most NOAM − 1 at
every stage, and 0 at the last one (`staleproof verify schedules.free-running-staleness`). NOAM
bounds the microbatches that are past their forward but not their backward at stage 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from gpu_validation.checks.finding import Finding, fails, holds, undecided
from gpu_validation.checks.local_staleness import measured
from gpu_validation.checks.observed import UNSEEN, Observed
from gpu_validation.checks.order import EARLY
from gpu_validation.checks.real_time import measured as delays_by_clock
from gpu_validation.errors import NotRunnableError
from gpu_validation.event_log import OWN_PARAMETERS
from gpu_validation.orders import rule_of
from gpu_validation.prediction import computations
from schedules.actions import Action, Kind, among
from schedules.rules import GreedyRule
from schedules.schedule import Schedule
from schedules.validate import validate

ORDER: Final = "order"
BOUND: Final = "staleness-bound"
NOAM: Final = "noam"


def check_order(seen: Observed, declared: Schedule) -> Finding:
    """Every rank did what was declared, in some order that the rule allows.

    The log is that of the same family and parameters; every rank did each action as often as
    declared; forwards of a stage in ascending order, backwards too; never more microbatches
    admitted than the rule has room for; and where an action certainly was ready and the rule
    prefers it, it came next (`first_against`). When a message arrived a log does not say, so
    nothing is asked of choices that depend on it. Undecided without a rule or a whole log.
    """
    try:
        rule, limit = rule_of(declared)
    except NotRunnableError as error:
        return undecided(ORDER, f"{declared.name} has no rule to run freely by: {error.what}")
    parameters = {
        name: value
        for name, value in seen.schedule.parameters.items()
        if name not in OWN_PARAMETERS
    }
    if (seen.schedule.name, parameters) != (declared.name, dict(declared.parameters)):
        return fails(
            ORDER,
            f"the log is that of {seen.schedule.name} with {_worded(parameters)}, and declared is "
            f"{declared.name} with {_worded(declared.parameters)}",
        )
    violations = validate(seen.schedule)
    if violations:
        return fails(ORDER, f"the order that was executed is not valid: {violations[0].message}")
    schedule = seen.schedule
    for rank in range(declared.ranks):
        done = Counter(schedule.rank(rank) if rank < schedule.ranks else ())
        wanted = Counter(computations(declared).rank(rank))
        other = (done - wanted) | (wanted - done)
        if other:
            action = min(other)
            was = "did" if done[action] > wanted[action] else "did not do"
            return fails(
                ORDER, f"rank {rank} {was} {action}, other than declared", action=str(action)
            )
    key = schedule.stage * schedule.placement.pipelines + schedule.pipeline
    for kinds in ((Kind.F,), (Kind.B, Kind.I), (Kind.W,)):
        chosen = np.flatnonzero(among(schedule.kind, kinds))
        order = chosen[np.argsort(key[chosen], kind="stable")]
        back = (np.diff(key[order]) == 0) & (np.diff(schedule.microbatch[order]) < 0)
        if back.any():
            late = seen.action(int(order[int(np.argmax(back)) + 1]))
            return fails(ORDER, f"{late} came after a later microbatch", action=str(late))
    admitted = most_admitted(schedule)
    if admitted > limit:
        return fails(
            ORDER,
            f"at most {limit} microbatches are admitted at a time, and {admitted} were",
            admitted=admitted,
            limit=limit,
        )
    against = first_against(schedule, rule, limit)
    if against is not None:
        chosen_one, ready = against
        return fails(
            ORDER,
            f"{chosen_one} came where {ready} was ready and is what the rule prefers",
            action=str(chosen_one),
            preferred=str(ready),
        )
    if seen.partial:
        return undecided(ORDER, EARLY)
    return holds(
        ORDER, len(schedule), f"a valid order that the rule allows; {admitted} admitted at most"
    )


def first_against(schedule: Schedule, rule: GreedyRule, limit: int) -> tuple[Action, Action] | None:
    """An action that the rule cannot have chosen, and the one that it would have.

    Two things are ready whatever the messages did: a forward of stage 0 that there is room for,
    and the backward of the last stage for a forward that it has done.

    - `schedule`: one stage a rank, F and B only, each in ascending order.
    - `limit`: most microbatches past their forward but not their backward at stage 0.
    """
    for stage in range(schedule.ranks):
        done = {Kind.F: 0, Kind.B: 0}
        last: Kind | None = None
        for action in schedule.rank(stage):
            room = done[Kind.F] - done[Kind.B] < limit
            sure = {
                Kind.F: stage == 0 and room and done[Kind.F] < schedule.microbatches,
                Kind.B: stage == schedule.stages - 1 and done[Kind.B] < done[Kind.F],
            }
            preferred = rule.prefer_first
            if done[Kind.B] and last is not None:
                preferred = rule.prefer_after[last]
            if sure[preferred] and action.kind is not preferred:
                return action, Action(preferred, stage, done[preferred])
            done[action.kind] += 1
            last = action.kind
    return None


def _worded(parameters: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sorted(parameters.items())) or "none"


def most_admitted(schedule: Schedule) -> int:
    """Most microbatches past their forward but not their backward at stage 0."""
    at_zero = schedule.kind[schedule.stage == 0]
    change = np.where(at_zero == Kind.F, 1, np.where(np.isin(at_zero, (Kind.B, Kind.I)), -1, 0))
    return int(np.cumsum(change).max(initial=0))


def bounds(declared: Schedule) -> list[int] | None:
    """The proved bound of local staleness by stage; None where none is known.

    Examples
    --------
    >>> from schedules import build
    >>> bounds(build("pipedream", 3, 6)), bounds(build("gpipe", 3, 6))
    ([2, 2, 0], None)
    """
    limit = declared.parameters.get(NOAM)
    if limit is None or declared.policy.interval != 1:
        return None
    return [limit - 1] * (declared.stages - 1) + [0]


def check_bound(seen: Observed, declared: Schedule) -> Finding | None:
    """No gradient is staler than any timing allows; None where no bound is known."""
    limits = bounds(declared)
    if limits is None:
        return None
    found = measured(seen, declared.stages, declared.microbatches)
    wrong = np.argwhere(found > np.array(limits)[:, None])
    if len(wrong):
        stage, m = wrong[0].tolist()
        return fails(
            BOUND,
            f"stage {stage}, microbatch {m} is {found[stage, m]} updates stale, and no timing "
            f"allows more than {limits[stage]}",
            found.size,
            found=int(found[stage, m]),
            bound=limits[stage],
        )
    worst = found.max(axis=1).tolist()
    compared = int((found != UNSEEN).sum())
    return holds(BOUND, compared, f"local staleness is at most {worst}; the bounds are {limits}")


def distribution(seen: Observed, declared: Schedule) -> dict[str, Any]:
    """How often every local staleness (by stage) and global delay (by the clock) occurred."""
    local = measured(seen, declared.stages, declared.microbatches)
    delays, known = delays_by_clock(seen)
    return {
        "local_staleness": [_counts(row[row != UNSEEN]) for row in local],
        "local_staleness_bounds": bounds(declared),
        "global_delay": _counts(delays[known]),
    }


def _counts(values: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> dict[str, int]:
    """Value → how often, with text keys as JSON wants them.

    Examples
    --------
    >>> _counts(np.array([2, 0, 2]))
    {'0': 1, '2': 2}
    """
    return {str(value): count for value, count in sorted(Counter(values.ravel().tolist()).items())}
