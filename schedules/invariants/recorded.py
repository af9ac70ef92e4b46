"""What a trace recorded of the versions, against what its policy says and against itself.

A version is recorded where ``version`` is not null: of F the one that it read, of R, B, I and W
the one that they used; under ``predict`` the one that is extrapolated from.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from schedules.actions import RUNS, Kind, among
from schedules.formats.trace import NONE, Trace
from schedules.invariants.run import Run
from schedules.schedule import IntArray
from schedules.validation.violation import Arrow, Case, Finding, Marks, Violation, listed
from schedules.versions import running_updates, update_after

HOST: Final = "host"
"""Key of `Trace.extra` that names the machine on whose clock an event was timed."""


def hosts(trace: Trace) -> IntArray:
    """Number of the machine of every action; one that is not named has a number, too."""
    named = [str(trace.extra.get(index, {}).get(HOST)) for index in range(len(trace.schedule))]
    return np.unique(np.array(named, dtype=np.str_), return_inverse=True)[1]


def unlike_policy(run: Run) -> Finding:
    """Computations that used another version than the policy gives them."""
    schedule, recorded = run.schedule, _recorded(run)
    chosen = np.flatnonzero(recorded != NONE)
    where = schedule.stage[chosen], schedule.microbatch[chosen]
    forward = schedule.kind[chosen] == Kind.F
    expected = np.where(forward, run.versions.read[where], run.versions.used[where])
    # What keeps no older version has the newest for a forward that is run again.
    newest = schedule.kind[chosen] == Kind.R
    if newest.any() and not schedule.policy.keeps_older_versions:
        updates = running_updates(schedule, update_after(schedule))[chosen]
        expected = np.where(newest, updates, expected)
    differs = np.flatnonzero(recorded[chosen] != expected)

    def describe(case: int) -> Case:
        entry = differs[case]
        index, due = int(chosen[entry]), int(expected[entry])
        word = "reads" if forward[entry] else "uses"
        return Case(
            schedule.place(index),
            f"a run follows its policy, but under {schedule.policy.name} (interval "
            f"{schedule.policy.interval}) {schedule.action(index)} {word} version {due}, and "
            f"version {int(recorded[index])} is recorded",
            "look for the update that came too early or too late, or state the policy that was run",
            {
                "action": str(schedule.action(index)),
                "policy": schedule.policy.name,
                "interval": schedule.policy.interval,
                "version": due,
                "recorded": int(recorded[index]),
            },
            Marks((index,)),
        )

    return Finding("recorded version that the policy does not give", len(differs), describe)


def unlike_pairs(run: Run) -> list[Violation]:
    """Backwards, and forwards run again, recorded with another version than their forwards."""
    schedule, recorded = run.schedule, _recorded(run)
    behind = np.flatnonzero((recorded != NONE) & (schedule.kind != Kind.F))
    forwards = run.tables.forward[schedule.stage[behind], schedule.microbatch[behind]]
    differs = (recorded[forwards] != NONE) & (recorded[forwards] != recorded[behind])
    pairs = np.stack([forwards, behind], axis=1)[differs].tolist()

    def describe(case: int) -> Case:
        forward, backward = pairs[case]
        read, used = int(recorded[forward]), int(recorded[backward])
        return Case(
            schedule.place(backward),
            "a backward uses the version that its forward read, but it is recorded that "
            f"{schedule.action(backward)} used version {used} and {run.words(forward)} "
            f"read version {read}",
            f"keep version {read} until the backward is done",
            {
                "action": str(schedule.action(backward)),
                "used": used,
                "forward": str(schedule.action(forward)),
                "forward_place": schedule.place(forward),
                "read": read,
                "recorded": True,
            },
            Marks((backward, forward), (Arrow(forward, backward, f"read version {read}"),)),
        )

    return listed(schedule, "stash", [Finding("recorded stale backward", len(pairs), describe)])


def _recorded(run: Run) -> IntArray:
    """Recorded version of every computation, `NONE` where there is none; shape (actions,)."""
    if run.trace is None:
        return np.full(len(run.schedule), NONE, dtype=np.int64)
    computes = among(run.schedule.kind, RUNS)
    return np.where(computes, run.trace.version, NONE)
