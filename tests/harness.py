"""What tests of the hardware harness share: comparing a run with the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gpu_validation.measure import judge, replayed
from gpu_validation.prediction import predict
from gpu_validation.run import run
from gpu_validation.spec import RunResult, RunSpec
from gpu_validation.transports import Group
from schedules import Kind, Schedule, timeline, versions
from schedules.actions import COMPUTE

Weights = Mapping[tuple[int, int], Mapping[str, Any]]


def failed_checks(spec: RunSpec, group: Group | None = None) -> list[str]:
    """Checks of a run that do not hold, in words; those that can fail have been asked."""
    findings = judge(run(spec, group=group), predict(spec.schedule), replayed(spec))
    assert {"final-weights", "lamport", "versions", "hash"} <= {found.name for found in findings}
    return [
        f"{found.name}: {found.says}" for found in findings if found.applies and not found.holds
    ]


def same_weights(one: Weights, other: Weights) -> bool:
    """Whether two sets of final weights are equal to the bit, and there are some."""
    return (
        bool(one)
        and one.keys() == other.keys()
        and all(
            one[key].keys() == other[key].keys()
            and all(np.array_equal(one[key][name], other[key][name]) for name in one[key])
            for key in one
        )
    )


def computed(result: RunResult) -> dict[tuple[int, int, int], int]:
    """Where the log has each computation: (kind, stage, microbatch) → index."""
    executed = result.trace.schedule
    return {
        (int(executed.kind[i]), int(executed.stage[i]), int(executed.microbatch[i])): i
        for i in range(len(executed))
        if executed.kind[i] in COMPUTE or executed.kind[i] == Kind.REDUCE
    }


def lamport(result: RunResult) -> dict[tuple[int, int, int], tuple[Any, Any]]:
    """Unit Lamport start and end of each computation in a log."""
    extra = result.trace.extra
    return {
        key: (extra[i]["lamport_start"], extra[i]["lamport_end"])
        for key, i in computed(result).items()
    }


def slots(schedule: Schedule) -> dict[tuple[int, int, int], tuple[int, int]]:
    """Start and end of each computation in the unit timeline of a schedule."""
    line = timeline(schedule)
    return {
        (int(schedule.kind[i]), int(schedule.stage[i]), int(schedule.microbatch[i])): (
            int(line.start[i]),
            int(line.end[i]),
        )
        for i in range(len(schedule))
        if schedule.kind[i] in COMPUTE or schedule.kind[i] == Kind.REDUCE
    }


def logged_versions(result: RunResult) -> dict[tuple[int, int, int], int]:
    """The version of each computation in a log."""
    return {
        key: int(result.trace.version[i])
        for key, i in computed(result).items()
        if key[0] in COMPUTE
    }


def predicted_versions(schedule: Schedule) -> dict[tuple[int, int, int], int]:
    """The version that each computation has to use."""
    found = versions(schedule)
    return {
        key: int((found.read if key[0] == Kind.F else found.used)[key[1], key[2]])
        for key in slots(schedule)
        if key[0] in COMPUTE
    }


def current(result: RunResult, kind: Kind) -> dict[tuple[int, int], Any]:
    """Updates that a stage has had when it computes: (stage, microbatch) → number."""
    extra = result.trace.extra
    return {
        (stage, microbatch): extra[i]["current"]
        for (code, stage, microbatch), i in computed(result).items()
        if code == kind
    }
