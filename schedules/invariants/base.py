"""The base: what is decided of every schedule, and what the other invariants rest on.

`schedules.validation` decides it of the orders. What was recorded of a run has to agree: its times
with ``causal``, its versions with ``policy``.
"""

from __future__ import annotations

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
from schedules.validation.violation import listed


def decide_complete(run: Run, _: int) -> Answer:
    """See `schedules.validation.complete`."""
    return complete(run.schedule)


def decide_forward_only(run: Run, _: int) -> Answer:
    """See `schedules.validation.complete.forward_only`."""
    return forward_only(run.schedule)


def decide_causal(run: Run, _: int) -> Answer:
    """No order and no recorded time contradicts what an action needs."""
    found = causal(run.schedule, lambda: run.finishes)
    if found or run.trace is None:
        return found
    return times(run.trace.timeline, run.trace.unit, hosts(run.trace))


def decide_exclusive(run: Run, _: int) -> Answer:
    """See `schedules.validation.exclusive`."""
    return exclusive(run.schedule)


def decide_match(run: Run, _: int) -> Answer:
    """See `schedules.validation.match`."""
    return match(run.schedule, run.plan, recorded=run.trace is not None)


def decide_deadlock_free(run: Run, _: int) -> Answer:
    """See `schedules.validation.deadlock_free`."""
    return deadlock_free(run.schedule, run.plan, run.model, run.progress)


def decide_policy(run: Run, _: int) -> Answer:
    """Every version that the policy asks for exists, and is what a recorded run used."""
    found = policy(run.schedule)
    return found or listed(run.schedule, "policy", [unlike_policy(run)])
