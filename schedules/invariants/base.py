"""The base: what is decided of every schedule, and what the other invariants rest on.

`schedules.validation` decides it of the orders. What was recorded of a run has to agree: its times
with ``causal``, its versions with ``policy``.
"""

from __future__ import annotations

import numpy as np

from schedules.invariants.invariant import Answer
from schedules.invariants.recorded import hosts, unlike_policy
from schedules.invariants.run import Run
from schedules.validation.causal import causal
from schedules.validation.complete import complete, forward_only
from schedules.validation.deadlock_free import deadlock_free
from schedules.validation.exclusive import exclusive
from schedules.validation.match import match
from schedules.validation.policy import policy
from schedules.validation.times import times
from schedules.validation.violation import Arrow, Case, Finding, Marks, listed


def decide_complete(run: Run, _: int) -> Answer:
    """See `schedules.validation.complete`."""
    return complete(run.schedule)


def decide_forward_only(run: Run, _: int) -> Answer:
    """See `schedules.validation.complete.forward_only`."""
    return forward_only(run.schedule)


def decide_causal(run: Run, _: int) -> Answer:
    """No order and no recorded time contradicts what an action needs."""
    found = causal(run.schedule)
    if found or run.trace is None:
        return found
    return times(run.trace.timeline, run.trace.unit, hosts(run.trace))


def decide_exclusive(run: Run, _: int) -> Answer:
    """See `schedules.validation.exclusive`."""
    return exclusive(run.schedule)


def decide_match(run: Run, _: int) -> Answer:
    """See `schedules.validation.match`."""
    return match(run.schedule, run.plan)


def decide_deadlock_free(run: Run, _: int) -> Answer:
    """See `schedules.validation.deadlock_free`."""
    return deadlock_free(run.schedule, run.plan, run.model, run.progress)


def decide_policy(run: Run, _: int) -> Answer:
    """Every version that the policy asks for exists, and is what a recorded run used."""
    found = policy(run.schedule)
    return found or listed(run.schedule, "policy", [_dropped(run), unlike_policy(run)])


def _dropped(run: Run) -> Finding:
    """Double buffering: versions older than the one before the newest, which are gone."""
    schedule, found, index = run.schedule, run.versions, run.tables
    old = found.at_backward - found.used > 1
    if schedule.policy.name != "double-buffer":
        old = np.zeros_like(old)
    wrong = run.in_file_order(old, index.backward)

    def describe(case: int) -> Case:
        at = wrong[case]
        forward, backward = int(index.forward[at]), int(index.backward[at])
        used, newest = int(found.used[at]), int(found.at_backward[at])
        update = run.update_that_ends(backward, used + 1)
        return Case(
            schedule.place(backward),
            "double buffering keeps two versions, the newest and the one before it, but "
            f"{schedule.action(backward)} needs version {used}, which {run.words(forward)} read, "
            f"and the newest is {newest}: the update at {run.words(update)} has overwritten it",
            f"take a window of more than {schedule.policy.interval}, or the policy vertical-sync",
            {
                "policy": schedule.policy.name,
                "interval": schedule.policy.interval,
                "action": str(schedule.action(backward)),
                "used": used,
                "newest": newest,
                "forward": str(schedule.action(forward)),
                "forward_place": schedule.place(forward),
                "update": str(schedule.action(update)),
                "update_place": schedule.place(update),
            },
            Marks(
                (backward, forward, update),
                (
                    Arrow(forward, backward, f"read version {used}"),
                    Arrow(update, backward, f"overwrites version {used}"),
                ),
            ),
        )

    return Finding("version that is kept no more", len(wrong), describe)
