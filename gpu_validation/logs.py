"""Reading the log of a run that was made elsewhere, and refusing what is no such log.

Torn lines and files of different runs are found while the lines are read: every run has a number
in its header, and headers that differ are not put together.
"""

from __future__ import annotations

import os

import numpy as np

from gpu_validation.checks.observed import observed
from gpu_validation.errors import LogError
from gpu_validation.prediction import computations
from gpu_validation.spec import CopyOfStage
from schedules.actions import Kind
from schedules.formats.trace import Trace
from schedules.formats.trace_reader import read_trace
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule


def read_log(path: str | os.PathLike[str], schedule: Schedule) -> Trace:
    """Read a log and hold it against the schedule that was to be run.

    Raises
    ------
    FormatError
        The file cannot be read, a line is torn, or it holds several runs.
    LogError
        It is the log of something else: other ranks, stages, microbatches, placement or policy;
        or all events of a rank are missing.
    """
    trace = read_trace(path)
    found = computations(trace.schedule)
    name = os.fspath(path)
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
        raise LogError(
            f"every rank has left events, but there are none of rank {ranks}",
            name,
            "put the files of all ranks together, for example with cat",
        )
    return trace


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


def final_digests(trace: Trace) -> dict[CopyOfStage, str]:
    """Hash of the weights that the last update of every copy made, as far as the log has them.

    Nothing is said about a copy that was averaged after its last update.
    """
    seen = observed(trace)
    copies = max(seen.schedule.placement.copy_count, 1)
    averaged = {
        int(stage): int((seen.schedule.stage[seen.schedule.kind == Kind.REDUCE] == stage).sum())
        for stage in range(seen.schedule.stages)
    }
    newest: dict[int, int] = {}
    for content in seen.created:
        newest[content.copy] = max(newest.get(content.copy, -1), content.version)
    found = {}
    for content, hashed in seen.created.items():
        stage, copy = divmod(content.copy, copies)
        if content.version == newest[content.copy] and content.rounds == averaged[stage]:
            found[stage, copy] = hashed
    return found
