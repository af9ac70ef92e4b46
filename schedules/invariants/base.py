"""The base: what is decided of every schedule, and what the other invariants rest on."""

from __future__ import annotations

from schedules.invariants.invariant import Answer
from schedules.invariants.run import Run
from schedules.validation.causal import causal
from schedules.validation.complete import complete
from schedules.validation.exclusive import exclusive
from schedules.validation.policy import policy


def decide_complete(run: Run, _: int) -> Answer:
    """See `schedules.validation.complete`."""
    return complete(run.schedule)


def decide_causal(run: Run, _: int) -> Answer:
    """See `schedules.validation.causal`."""
    return causal(run.schedule)


def decide_exclusive(run: Run, _: int) -> Answer:
    """See `schedules.validation.exclusive`."""
    return exclusive(run.schedule)


def decide_policy(run: Run, _: int) -> Answer:
    """See `schedules.validation.policy`."""
    return policy(run.schedule)


def decide_match(run: Run, _: int) -> Answer:
    """See `schedules.validation.match`."""
    from schedules.validation.match import match

    return match(run.schedule, run.plan)


def decide_deadlock_free(run: Run, _: int) -> Answer:
    """See `schedules.validation.deadlock_free`."""
    from schedules.validation.deadlock_free import deadlock_free

    return deadlock_free(run.schedule, run.plan, run.model)
