"""`run`: run a schedule once, and give back its log and what it computed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from gpu_validation.capacity import require_capacity
from gpu_validation.communication import RankProfile
from gpu_validation.errors import InterruptedRunError, MeasureError, NotRunnableError
from gpu_validation.event_log import Event, forget, trace
from gpu_validation.files import append_text, require_writable, write_text
from gpu_validation.models import boundaries
from gpu_validation.orders import rule_of
from gpu_validation.profiling import around_ranks
from gpu_validation.spec import CopyOfStage, Launched, Memory, RunResult, RunSpec
from gpu_validation.transports import Group, open_group
from schedules.actions import KEEPING, Kind, among
from schedules.formats.trace import Trace, write_trace
from schedules.lowering.erase import erase_messages
from schedules.validate import validate

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RunResult", "RunSpec", "require_runnable", "run"]

RUN_BITS: Final = 48
"""Length of a run's number: small enough for every JSON reader, large enough to be its own."""


def run(
    spec: RunSpec, log: str | os.PathLike[str] | None = None, group: Group | None = None
) -> RunResult:
    """Run a schedule once.

    - `log` (optional): where to write the log, also when the run fails; it is then marked as
      partial.
    - `group` (optional): ranks to run on, which stay; by default some are started and ended.
    - raises `NotRunnableError`, `ModelError`, `CapacityError`, `MeasureError`: before anything is
      started; the last where no log can be written. One that fails all the same, for lack of room
      say, stands in `unwritten` of the result.
    - raises `RankError`: a rank failed or hangs; `partial` of the error holds what was recorded.
    - raises `KeyboardInterrupt`: after the log has been written.

    Examples
    --------
    >>> from schedules import build
    >>> result = run(RunSpec(build("pipedream", 2, 4)))
    >>> [str(action) for action in result.trace.schedule.rank(1)][:5]
    ['1RECV_F0', '1F0', '1B0', '1SEND_B0', '1U0']
    """
    require_runnable(spec)
    if log is not None:
        require_writable(os.fspath(log))
    number = secrets.randbits(RUN_BITS)
    sink = forget if log is None else _GrowingLog(os.fspath(log), spec, number)
    opened = open_group(spec.transport, spec.device, spec.schedule.ranks, spec.share_gpus)
    with opened if group is None else nullcontext(group) as ranks, around_ranks(spec) as profiles:
        launched = ranks.run(spec, sink)
    result = _gathered(spec, launched, profiles, number)
    if log is not None:
        result = replace(result, unwritten=_write(os.fspath(log), result))
    if isinstance(launched.failure, InterruptedRunError):
        raise KeyboardInterrupt(str(launched.failure)) from result.unwritten
    if launched.failure is not None:
        launched.failure.partial = result
        raise launched.failure
    return result


class _GrowingLog:
    """The log while the run goes on: a header, and events as ranks report them.

    It is marked as partial, and the whole log takes its place in the end. So something is there
    whoever is killed, the process that writes it included.
    """

    def __init__(self, path: str, spec: RunSpec, number: int) -> None:
        self._path, self._spec, self._number = path, spec, number
        # What cannot be written is told when the whole log cannot be.
        with suppress(MeasureError):
            write_text(path, "".join(self._lines(0, ())))

    def __call__(self, rank: int, events: Sequence[Event]) -> None:
        """Append events of a rank, in one piece."""
        with suppress(OSError):
            if events:
                append_text(self._path, "".join(self._lines(rank, events)[1:]))

    def _lines(self, rank: int, events: Sequence[Event]) -> list[str]:
        rows = [events if r == rank else () for r in range(self._spec.schedule.ranks)]
        return write_trace(_trace(self._spec, rows, self._number, True)).splitlines(keepends=True)


def _trace(spec: RunSpec, events: Sequence[Sequence[Event]], number: int, partial: bool) -> Trace:
    return trace(spec.schedule, events, number, partial, messages=spec.transport != "torch")


def _write(path: str, result: RunResult) -> MeasureError | None:
    """Write the log; returns why it could not be, since what was found out is worth more."""
    try:
        write_text(path, write_trace(result.trace))
    except MeasureError as error:
        return error
    return None


def require_runnable(spec: RunSpec) -> None:
    """Refuse what this executor cannot run.

    - raises `NotRunnableError`: the schedule is not valid, has a barrier, recomputes or offloads,
      or averages weights that lie on several ranks; or it is to run freely and has no rule.
    - raises `ModelError`: the model does not chain.
    - raises `CapacityError`: the machine lacks a device or memory.
    """
    schedule = erase_messages(spec.schedule)
    found = validate(schedule)
    if found:
        raise NotRunnableError(
            f"only a valid schedule is run, found {len(found)} violations, first of all: "
            f"{found[0].message}",
            schedule.name,
            "run `staleproof check` for the whole list",
        )
    for index in np.flatnonzero(among(schedule.kind, [Kind.BARRIER, *KEEPING])).tolist():
        action = schedule.action(index)
        raise NotRunnableError(
            f"barriers, recomputation and offloading are not run, found {action}",
            schedule.place(index),
            f"take a schedule without {action.kind.name} (`staleproof check` and `delays` take "
            "this one too)",
        )
    _require_local_averages(spec)
    if spec.transport == "torch":
        from gpu_validation.transports.torch_runtime.drivers import require_drivable

        require_drivable(spec)
    if spec.order == "free-running":
        rule_of(schedule)
    boundaries(spec.model, schedule.stages)
    require_capacity(spec)


def _require_local_averages(spec: RunSpec) -> None:
    schedule = spec.schedule
    ranks = np.array(schedule.placement.ranks)
    for index in np.flatnonzero(schedule.kind == Kind.REDUCE).tolist():
        stage = int(schedule.stage[index])
        found = sorted(set(ranks[:, stage].tolist()))
        if len(found) > 1:
            raise NotRunnableError(
                "weights are averaged on one rank only, but the copies of "
                f"stage {stage} lie on ranks {found}",
                schedule.place(index),
                "place all copies of a stage on one rank, or leave the REDUCE out",
            )


def _gathered(
    spec: RunSpec, launched: Launched, profiles: list[RankProfile], number: int
) -> RunResult:
    """Put together what the ranks left behind."""
    outcomes = launched.outcomes
    weights: dict[CopyOfStage, Mapping[str, NDArray[np.generic]]] = {}
    memory: dict[CopyOfStage, Memory] = {}
    losses: dict[int, float] = {}
    for outcome in outcomes:
        weights |= outcome.weights
        memory |= outcome.memory
        losses |= outcome.losses
    events = [outcome.events for outcome in outcomes]
    return RunResult(
        spec=spec,
        trace=_trace(spec, events, number, launched.failure is not None),
        weights=dict(sorted(weights.items())),
        digests={key: digest(weights[key]) for key in sorted(weights)},
        memory=dict(sorted(memory.items())),
        losses=tuple(losses.get(m) for m in range(spec.schedule.microbatches)),
        device_peak=max((outcome.device_peak for outcome in outcomes), default=0),
        seconds=max((outcome.seconds for outcome in outcomes), default=0.0),
        cpu_seconds=max((outcome.cpu_seconds for outcome in outcomes), default=0.0),
        profiles=(*profiles, *(outcome.profile for outcome in outcomes if outcome.profile)),
    )


def digest(weights: Mapping[str, NDArray[np.generic]]) -> str:
    """Content hash of weights on the host, as the log has it for a CPU."""
    import torch

    from gpu_validation.hashing import content_hash

    found = content_hash({name: torch.from_numpy(array) for name, array in weights.items()})
    assert isinstance(found, str)
    return found
