"""Which weights are read: stash, versions, skew and vertical-sync.

Within a rank the program order alone decides what they answer.
"""

from __future__ import annotations

import numpy as np

from schedules.invariants.invariant import Answer
from schedules.invariants.recorded import unlike_pairs
from schedules.invariants.run import Run
from schedules.validation.facts import versions_over_time
from schedules.validation.violation import Arrow, Case, Finding, Marks, Violation, listed


def decide_stash(run: Run, _: int) -> Answer:
    """Every backward uses the version that its forward read."""
    # A run that was recorded is judged by what it did; `policy` holds that against the policy.
    return unlike_pairs(run) or _stale(run)


def _stale(run: Run) -> list[Violation]:
    schedule, found, index = run.schedule, run.versions, run.tables
    wrong = run.in_file_order(~found.stashed, index.backward)

    def describe(case: int) -> Case:
        at = wrong[case]
        forward, backward = int(index.forward[at]), int(index.backward[at])
        read, used = int(found.read[at]), int(found.used[at])
        update = run.update_that_ends(backward, read)
        return Case(
            schedule.place(backward),
            f"a backward uses the version that its forward read, but {schedule.action(backward)} "
            f"uses version {used} and {run.words(forward)} read version {read}, which the update "
            f"at {run.words(update)} replaced",
            f"keep version {read} (policy stash), or move the update behind "
            f"{schedule.action(backward)}",
            {
                "action": str(schedule.action(backward)),
                "used": used,
                "forward": str(schedule.action(forward)),
                "forward_place": schedule.place(forward),
                "read": read,
                "update": str(schedule.action(update)),
                "update_place": schedule.place(update),
            },
            Marks(
                (backward, forward, update),
                (
                    Arrow(forward, backward, f"read version {read}"),
                    Arrow(update, backward, f"replaces version {read}"),
                ),
            ),
        )

    return listed(schedule, "stash", [Finding("stale backward", len(wrong), describe)])


def decide_versions(run: Run, bound: int) -> Answer:
    """At every stage, a weight copy keeps at most `bound` versions."""
    schedule, found, index = run.schedule, run.versions, run.tables
    kept = versions_over_time(schedule, found)
    events = kept.first_above(bound)

    def describe(case: int) -> Case:
        event = int(events[case])
        update = int(kept.action[event])
        stage, copy = divmod(int(kept.group[event]), schedule.placement.copy_count)
        most = int(kept.kept[kept.group == kept.group[event]].max())
        # The oldest version that a backward behind the update still uses.
        copies = np.array(schedule.placement.copies, dtype=np.int64)
        later = index.backward[stage] > update
        later &= copies[schedule.pipeline[index.backward[stage]], stage] == copy
        oldest = int(found.used[stage][later].min())
        users = index.backward[stage][later & (found.used[stage] == oldest)]
        user = int(users.max())
        name = (
            f"copy {copy} of stage {stage}"
            if schedule.placement.copy_count > 1
            else (f"stage {stage}")
        )
        return Case(
            schedule.place(update),
            f"a weight copy keeps at most {bound} version{'s' * (bound > 1)}, but from the update "
            f"at {schedule.action(update)} on {name} needs {int(kept.kept[event])} (at most "
            f"{most} in all): the newest, and back to version {oldest} for {run.words(user)}",
            f"allow versions<={most}, or do backwards before the update",
            {
                "stage": stage,
                "copy": copy,
                "kept": int(kept.kept[event]),
                "most": most,
                "bound": bound,
                "update": str(schedule.action(update)),
                "oldest": oldest,
                "needed_by": str(schedule.action(user)),
                "needed_by_place": schedule.place(user),
            },
            Marks((update, user), (Arrow(update, user, f"still needs version {oldest}"),)),
        )

    return listed(schedule, "versions", [Finding("too many versions", len(events), describe)])


def decide_skew(run: Run, bound: int) -> Answer:
    """The versions that one microbatch reads differ by at most `bound` between stages."""
    return _skewed(run, "skew", bound)


def decide_vertical_sync(run: Run, _: int) -> Answer:
    """One microbatch reads the same version at all stages."""
    return _skewed(run, "vertical-sync", 0)


def _skewed(run: Run, invariant: str, bound: int) -> Answer:
    schedule, read, index = run.schedule, run.versions.read, run.tables
    wrong = np.flatnonzero(np.ptp(read, axis=0) > bound)

    def describe(case: int) -> Case:
        microbatch = int(wrong[case])
        low, high = int(read[:, microbatch].argmin()), int(read[:, microbatch].argmax())
        old, new = int(index.forward[low, microbatch]), int(index.forward[high, microbatch])
        lowest, highest = int(read[low, microbatch]), int(read[high, microbatch])
        rule = (
            "a microbatch reads the same version at all stages"
            if invariant == "vertical-sync"
            else f"the versions that a microbatch reads at its stages differ by at most {bound}"
        )
        return Case(
            schedule.place(old),
            f"{rule}, but {schedule.action(old)} reads version {lowest} and {run.words(new)} "
            f"version {highest}",
            "update all stages between the same microbatches, or use the policy vertical-sync",
            {
                "microbatch": microbatch,
                "skew": highest - lowest,
                "bound": bound,
                "lowest": {"action": str(schedule.action(old)), "version": lowest},
                "highest": {"action": str(schedule.action(new)), "version": highest},
                "highest_place": schedule.place(new),
            },
            Marks((old, new), (Arrow(new, old, f"version {highest} against {lowest}"),)),
        )

    return listed(schedule, invariant, [Finding("skewed microbatch", len(wrong), describe)])
