"""Flush: no weight version changes inside a training step.

A step of a microbatch, at one stage, is what lies between the update that made the version which
its forward read and the update that applies its gradient. In synchronous training nothing
replaces that version in between, and the step is the same one at all stages. So the k-th step of
a file is what lies between the k-th and the next update of every stage, and a file without
actions U, under the policy ``flush``, is one step.
"""

from __future__ import annotations

import numpy as np

from schedules.invariants.invariant import Answer
from schedules.invariants.run import Run
from schedules.validation.violation import Arrow, Case, Finding, Marks, listed


def decide_flush(run: Run, _: int) -> Answer:
    """F, B and the update of a microbatch see one version, the same at all stages."""
    return listed(run.schedule, "flush", [_changes(run), _different_steps(run)])


def _changes(run: Run) -> Finding:
    """Versions that are replaced between a forward and its backward or its own update."""
    schedule, found, index = run.schedule, run.versions, run.tables
    before_backward = found.at_backward != found.read
    # Updates only add up: what was replaced before the backward is so at the update, too.
    changed = found.at_update != found.read
    wrong = run.in_file_order(changed, np.where(before_backward, index.backward, index.gradient))

    def describe(case: int) -> Case:
        at = wrong[case]
        forward, read = int(index.forward[at]), int(found.read[at])
        late = int((index.backward if before_backward[at] else index.gradient)[at])
        update = run.update_that_ends(forward, read)
        return Case(
            schedule.place(late),
            f"no version changes inside a step, but the update at {run.words(update)} replaces "
            f"version {read}, which {run.words(forward)} reads, before the gradient of "
            f"{schedule.action(late)} is applied",
            f"move the update behind {schedule.action(late)}, or use the policy flush",
            {
                "action": str(schedule.action(late)),
                "forward": str(schedule.action(forward)),
                "forward_place": schedule.place(forward),
                "read": read,
                "update": str(schedule.action(update)),
                "update_place": schedule.place(update),
            },
            Marks(
                (late, forward, update),
                (
                    Arrow(forward, late, f"reads version {read}"),
                    Arrow(update, late, f"replaces version {read}"),
                ),
            ),
        )

    return Finding("version that changes inside a step", len(wrong), describe)


def _different_steps(run: Run) -> Finding:
    """Microbatches that belong to different steps at different stages."""
    schedule, index = run.schedule, run.tables
    step = run.versions.read
    wrong = np.flatnonzero(np.ptp(step, axis=0) > 0)

    def describe(case: int) -> Case:
        microbatch = int(wrong[case])
        low, high = int(step[:, microbatch].argmin()), int(step[:, microbatch].argmax())
        one, other = int(index.forward[low, microbatch]), int(index.forward[high, microbatch])
        steps = int(step[low, microbatch]), int(step[high, microbatch])
        return Case(
            schedule.place(one),
            "a microbatch belongs to the same step at all stages, but "
            f"{schedule.action(one)} runs after {steps[0]} updates of its stage and "
            f"{run.words(other)} after {steps[1]}",
            "update all stages between the same microbatches",
            {
                "microbatch": microbatch,
                "first": {"action": str(schedule.action(one)), "step": steps[0]},
                "second": {"action": str(schedule.action(other)), "step": steps[1]},
                "second_place": schedule.place(other),
            },
            Marks((one, other), (Arrow(other, one, f"step {steps[1]} against {steps[0]}"),)),
        )

    return Finding("microbatch in different steps", len(wrong), describe)
