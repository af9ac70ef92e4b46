"""How old gradients are when they are applied: locally, and in the global history."""

from __future__ import annotations

import numpy as np

from schedules.dependencies import MISSING
from schedules.invariants.invariant import Answer, Undecided
from schedules.invariants.run import Run
from schedules.validation.facts import largest_delays
from schedules.validation.violation import Arrow, Case, Finding, Marks, listed


def decide_staleness(run: Run, bound: int) -> Answer:
    """A stage is updated at most `bound` times between a forward and its gradient's update."""
    schedule, index = run.schedule, run.tables
    staleness = run.versions.local_staleness
    wrong = run.in_file_order(staleness > bound, index.gradient)

    def describe(case: int) -> Case:
        at = wrong[case]
        forward, gradient, found = (
            int(index.forward[at]),
            int(index.gradient[at]),
            int(staleness[at]),
        )
        first = run.update_that_ends(forward, int(run.versions.read[at]))
        newest = run.versions.read[at] == run.versions.at_forward[at]
        older = "" if newest else "what was read by "
        applied = run.update_at_or_after(np.array([gradient]))[0] != MISSING
        own = "its own" if applied else "itself, which no update follows"
        return Case(
            schedule.place(gradient),
            f"the local staleness of a gradient is at most {bound}, but that of "
            f"{schedule.action(gradient)} is {found}: so many updates of its stage come between "
            f"{older}{run.words(forward)} and {own}, from the one at {run.words(first)} on",
            f"allow staleness<={int(staleness.max())}, or do fewer backwards in between",
            {
                "action": str(schedule.action(gradient)),
                "staleness": found,
                "most": int(staleness.max()),
                "bound": bound,
                "forward": str(schedule.action(forward)),
                "forward_place": schedule.place(forward),
                "first_update": str(schedule.action(first)),
                "first_update_place": schedule.place(first),
            },
            Marks(
                (gradient, forward, first),
                (
                    Arrow(forward, gradient, f"{found} updates in between"),
                    Arrow(first, gradient, "first of them"),
                ),
            ),
        )

    return listed(schedule, "staleness", [Finding("stale gradient", len(wrong), describe)])


def decide_delay(run: Run, bound: int) -> Answer:
    """No update lies more than `bound` entries of the global history behind what it read."""
    schedule, index, past = run.schedule, run.tables, run.history
    delay = largest_delays(past)
    if (past.position == MISSING).all():
        return Undecided("no gradient is applied, so that there are no delays")
    wrong = run.in_file_order(delay > bound, index.gradient)

    def describe(case: int) -> Case:
        stage, microbatch = wrong[case]
        block = int(past.recorded[:, microbatch].argmin())
        forward, gradient = (
            int(index.forward[block, microbatch]),
            int(index.gradient[stage, microbatch]),
        )
        position, recorded = (
            int(past.position[stage, microbatch]),
            int(past.recorded[block, microbatch]),
        )
        return Case(
            schedule.place(gradient),
            f"a global delay is at most {bound} ({run.linearization}), but the gradient of "
            f"{schedule.action(gradient)} is applied by update {position} and {run.words(forward)} "
            f"saw {recorded} updates: a delay of {position - recorded}",
            f"allow delay<={int(delay.max())}, or let fewer updates lie in between",
            {
                "action": str(schedule.action(gradient)),
                "delay": position - recorded,
                "most": int(delay.max()),
                "bound": bound,
                "linearization": run.linearization,
                "index": position,
                "block": block,
                "forward": str(schedule.action(forward)),
                "forward_place": schedule.place(forward),
                "recorded": recorded,
            },
            Marks(
                (gradient, forward),
                (Arrow(forward, gradient, f"{position - recorded} updates in between"),),
            ),
        )

    return listed(schedule, "delay", [Finding("delayed gradient", len(wrong), describe)])
