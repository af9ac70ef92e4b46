"""Reading the log of a run that was made elsewhere, and refusing what is no such log.

Torn lines and files of different runs are found while the lines are read: every run has a number
in its header, and headers that differ are not put together. A log of `gpu_validation.Recorder`
says nothing of a schedule but ranks and microbatches: the rest is that of the schedule that it is
held against.
"""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpu_validation.checks.observed import rounds_before
from gpu_validation.errors import LogError
from gpu_validation.event_log import OWN_PARAMETERS, RECORDER, RUN, is_recorded
from gpu_validation.merging import merged_logs
from gpu_validation.prediction import computations
from gpu_validation.spec import CopyOfStage
from schedules.actions import COMPUTE, MESSAGES, Kind, among
from schedules.formats.trace import NONE, Trace
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule
from schedules.timeline import Timeline
from schedules.versions import weights_of_action

RECORDER_FORMAT: Final = 1
"""Version of recorded logs that is read: `gpu_validation.recorder.FORMAT`."""

UNSTATED: Final = "flush"
"""Policy of a log that states none."""

_NUMBERS: Final = frozenset(
    {
        "averages", "current", "device_end", "device_start", "horizon", "lamport_end",
        "lamport_start", "read_zero", "step", "steps",
    }
)  # fmt: skip
"""What a recorder writes as a whole number from 0 on."""


def read_log(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], schedule: Schedule
) -> Trace:
    """Read a log, in one file or a file a rank, and hold it against the schedule to be run.

    - raises `FormatError`: the file cannot be read, a line is torn, or it holds several runs.
    - raises `LogError`: it is the log of something else: other ranks, stages, microbatches,
      placement or policy; or all events of a rank are missing; or an event is of another run, or
      has what an event of its kind cannot have.
    """
    paths = [path] if isinstance(path, str | os.PathLike) else list(path)
    trace, name = merged_logs(paths), ", ".join(str(os.fspath(entry)) for entry in paths)
    _require_sound_fields(trace, name)
    if is_recorded(trace):
        trace = _as_declared(trace, schedule, name)
    found = computations(trace.schedule)
    for what, declared, there in (
        ("ranks", schedule.ranks, found.ranks),
        ("stages", schedule.stages, found.stages),
        ("microbatches", schedule.microbatches, found.microbatches),
        ("policy", _worded(schedule.policy), _worded(found.policy)),
        ("placement", schedule.placement, found.placement),
    ):
        if declared != there:
            raise LogError(
                f"a log is compared with the schedule that was run, but it has {what} {there} and "
                f"the schedule {declared}",
                name,
                "name the schedule of this log, with its -p, -m and --set",
            )
    silent = np.flatnonzero((np.diff(found.offsets) == 0) & (np.diff(schedule.offsets) > 0))
    if len(silent):
        ranks = ", ".join(map(str, silent.tolist()))
        if np.diff(trace.schedule.offsets)[silent].all():
            raise LogError(
                f"every rank computes, but rank {ranks} left updates and no forward or backward",
                name,
                "record these too (attach does so in train() mode alone); what a closure computes "
                "within optimizer.step (LBFGS) is part of its update: compute a forward and a "
                "backward of their own in rec.forward and rec.backward, and write "
                "optimizer.step(closure) in rec.update, without attach",
            )
        raise LogError(
            f"every rank has left events, but there are none of rank {ranks}",
            name,
            "put the files of all ranks together, for example with cat",
        )
    return trace


def _as_declared(trace: Trace, schedule: Schedule, name: str) -> Trace:
    """A recorded log with what its loop cannot know: family, placement, numbers of the policy."""
    found = trace.schedule
    if found.parameters[RECORDER] != RECORDER_FORMAT:
        raise LogError(
            f"this version reads what version {RECORDER_FORMAT} of the recorder writes, found "
            f"{found.parameters[RECORDER]}",
            name,
            "record and judge with the same version",
        )
    for what, there in (
        ("averages between ranks", bool((schedule.kind == Kind.REDUCE).any())),
        ("weights that are extrapolated", schedule.policy.horizon > 0),
    ):
        if there:
            raise LogError(
                f"a recorder notes versions that updates made, and {schedule.name} has {what}",
                name,
                "hold the log against a schedule that has none",
            )
    stated = found.policy.name not in (schedule.policy.name, UNSTATED)
    policy = found.policy if stated else schedule.policy
    placed = schedule.placement.ranks
    for index in range(len(found)):
        pipeline, stage = int(found.pipeline[index]), int(found.stage[index])
        rank = int(found.rank_of_action[index])
        if pipeline >= len(placed) or stage >= len(placed[0]) or placed[pipeline][stage] != rank:
            raise LogError(
                f"{schedule.name} has no stage {stage} of pipeline {pipeline} on rank {rank}, and "
                f"the log has {found.action(index)} there",
                name,
                "name the schedule of this log, or give rank and stage to the Recorder as it has",
            )
    own = {key: value for key, value in found.parameters.items() if key in OWN_PARAMETERS}
    declared = dataclasses.replace(
        found,
        name=schedule.name,
        policy=policy,
        placement=schedule.placement,
        parameters={**schedule.parameters, **own},
    )
    line = Timeline(declared, trace.timeline.start, trace.timeline.end)
    return dataclasses.replace(trace, timeline=line)


def _worded(policy: WeightPolicy) -> str:
    """A policy in one word or a few.

    Examples
    --------
    >>> _worded(WeightPolicy("stash")), _worded(WeightPolicy("predict", 2, 3))
    ('stash', 'predict (interval 2, horizon 3)')
    """
    numbers = {"interval": policy.interval, "horizon": policy.horizon}
    said = [f"{name} {number}" for name, number in numbers.items() if number > (name == "interval")]
    return f"{policy.name} ({', '.join(said)})" if said else policy.name


def _require_sound_fields(trace: Trace, name: str) -> None:
    """Refuse events of another run, and values that no recorder writes."""
    run = trace.schedule.parameters.get(RUN)
    numbers = {trace.extra.get(index, {}).get(RUN) for index in range(len(trace.schedule))}
    strangers = numbers - {run} if numbers != {None} else set()
    if strangers:
        raise LogError(
            f"every event is of the run of the header, {run}, but there are events of "
            f"{', '.join(sorted(map(str, strangers)))}",
            name,
            "put together only lines of one run",
        )
    message = among(trace.schedule.kind, MESSAGES)
    compute = among(trace.schedule.kind, COMPUTE)
    done = message | compute | among(trace.schedule.kind, (Kind.U, Kind.REDUCE))
    for what, wrong in (
        ("was done", ~done),
        ("has a peer", ~message & (trace.peer != NONE)),
        ("has a channel", ~message & (trace.channel != NONE)),
        ("has a version that it used", ~compute & (trace.version != NONE)),
        ("has a batch", ~message & _batched(trace)),
    ):
        if wrong.any():
            raise _odd_event(trace, int(np.argmax(wrong)), what, name)
    for index, extra in trace.extra.items():
        if not isinstance(extra.get("hash", ""), str):
            raise _odd_event(trace, index, "has a hash that is no text", name)
        for key in _NUMBERS & extra.keys():
            value = extra[key]
            if type(value) is not int or value < 0:
                raise _odd_event(trace, index, f"has {key} {value!r}", name)


def _batched(trace: Trace) -> NDArray[np.bool_]:
    """Events that started together with others, in a run that was measured."""
    found = np.zeros(len(trace.schedule), dtype=np.bool_)
    for group in trace.schedule.groups if trace.unit == "ns" else ():
        first = int(trace.schedule.offsets[group.rank]) + group.first
        found[first : first + group.count] = True
    return found


def _odd_event(trace: Trace, index: int, what: str, name: str) -> LogError:
    return LogError(
        f"no run writes that {trace.schedule.action(index)} {what}",
        name,
        "take the log as it was written",
    )


def final_digests(trace: Trace) -> dict[CopyOfStage, str]:
    """Hash of the weights that the last update of every copy made, as far as the log has them.

    Nothing is said about a copy that was averaged after its last update.
    """
    schedule = trace.schedule
    weights, rounds = weights_of_action(schedule), rounds_before(schedule)
    averaged = Counter(schedule.stage[schedule.kind == Kind.REDUCE].tolist())
    last = {
        int(weights[index]): index for index in np.flatnonzero(schedule.kind == Kind.U).tolist()
    }
    found = {}
    for number, index in last.items():
        stage, copy = divmod(number, max(schedule.placement.copy_count, 1))
        hashed = trace.extra.get(index, {}).get("hash")
        if isinstance(hashed, str) and rounds[index] == averaged[stage]:
            found[stage, copy] = hashed
    return found
