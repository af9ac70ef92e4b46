"""Measure: predict, run, check, and run again with faults that the checks have to catch."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from gpu_validation.capacity import GIB, free_bytes, out_of_memory, replay_bytes
from gpu_validation.checks import Finding, Observed, final_weights, losses, observed
from gpu_validation.checks import hash as hashes
from gpu_validation.checks.finding import inapplicable as not_asked
from gpu_validation.checks.finding import undecided
from gpu_validation.checks.stash import coverage
from gpu_validation.communication import blind
from gpu_validation.controls import CONTROLS, IN_PLACE_WRITE, Control
from gpu_validation.errors import RankError
from gpu_validation.faults import FAULT_NAMES, Fault, FaultName
from gpu_validation.judging import (
    ControlResult,
    agree,
    caught,
    edited,
    inapplicable,
    judge_trace,
    merged,
)
from gpu_validation.prediction import Prediction, computations, predict
from gpu_validation.run import require_runnable, run
from gpu_validation.single_thread import replay
from gpu_validation.spec import RunResult, RunSpec
from gpu_validation.steps import by_policy
from gpu_validation.transports import Group, open_group
from schedules.user_code import reason

Progress = Callable[[str], None]

_NOT_REPLAYED: Final = not_asked(final_weights.NAME, "no replay was asked for (--no-replay)")

_FAULT_OF: Final[dict[str, FaultName]] = {
    **{name: name for name in FAULT_NAMES if name in CONTROLS},
    IN_PLACE_WRITE: "in-place",
}


@dataclass(frozen=True, eq=False)
class Measurement:
    """A measured schedule.

    - `prediction`: of the declared order; of the executed one where the run was free.
    - `results`: one a repeat.
    - `seen`: their logs.
    - `findings`: a check holds if it holds in every repeat.
    - `profiled`: the run under the profiler, if there was one. It is checked like the others; its
      times are used for nothing but its profile.
    - `hashed`: the log of one more run that hashes the weights at every computation, as control
      runs do; None where the measured runs do that themselves, or hash nothing. It is checked like
      them, and its times are used for nothing.
    """

    spec: RunSpec
    prediction: Prediction
    results: tuple[RunResult, ...]
    seen: tuple[Observed, ...]
    findings: tuple[Finding, ...]
    controls: tuple[ControlResult, ...]
    profiled: RunResult | None = None
    hashed: Observed | None = None

    @property
    def agree(self) -> bool:
        """Whether machine and model agree; see `gpu_validation.judging.agree`."""
        return agree(self.findings, self.controls)

    @property
    def hashed_backwards(self) -> dict[str, int]:
        """How many backwards there are, and how many were compared with forwards by content."""
        backwards, sampled = coverage(self.seen[0])
        return {
            "backwards": backwards,
            "in_measured_runs": sampled,
            "in_a_run_that_hashes_everything": coverage(self.hashed or self.seen[0])[1],
        }


def measure(
    spec: RunSpec,
    repeats: int = 1,
    tolerance: float = 0.0,
    log: str | os.PathLike[str] | None = None,
    progress: Progress = lambda _: None,
    profile: bool = False,
    replaying: bool = True,
    broken_runs: bool = True,
) -> Measurement:
    """Run a schedule, compare it with its prediction, and run the negative controls.

    - `spec`: without a fault.
    - `repeats`: runs of it, at least 1.
    - `tolerance`: of the final weights, see `gpu_validation.checks.final_weights.check`.
    - `log`: where to write the log of the first run, also if it does not come to its end.
    - `progress`: is told what is being done.
    - `profile`: run once more under the profiler, after everything else: it disturbs nothing then.
      Left out where a profile would show nothing of the transport.
    - `replaying`: compare final weights with a replay in a single thread. Where that has no room,
      they are undecided, and everything else is judged.
    - `broken_runs`: run with faults. Without, controls are edits of the first log, and the one that
      only final weights show does not apply.
    - raises `MeasureError`: the run is not possible on this machine.
    - raises `RankError`: a rank failed or hangs.
    - raises `InvalidScheduleError`: the schedule is not complete.
    - raises `KeyboardInterrupt`: the log of the first run, perhaps partial, has been written.

    Examples
    --------
    >>> from schedules import build
    >>> found = measure(RunSpec(build("pipedream", 2, 4)))
    >>> found.agree, [control.name for control in found.controls if not control.applicable]
    (True, [])
    """
    spec = replace(spec, schedule=by_policy(spec.schedule))
    declared = predict(spec.schedule)
    require_runnable(spec)
    with open_group(spec.transport, spec.device, spec.schedule.ranks, spec.share_gpus) as group:
        work = _Work(spec, declared, group, tolerance, progress, replaying)
        results = [
            work.run(f"run {number + 1} of {repeats}", None if number else log)
            for number in range(repeats)
        ]
        seen = tuple(observed(result.trace) for result in results)
        prediction = declared if spec.order == "static" else predict(seen[0].schedule)
        hashed = work.hash_everything() if spec.hashing == "sampled" else None
        controls = []
        for control in CONTROLS.values():
            progress(f"control {control.name}")
            if control.name in _FAULT_OF and broken_runs:
                controls.append(work.break_it(control))
            else:
                controls.append(edited(control, seen[0], prediction))
        shows = profile and blind(spec.transport, spec.device, spec.share_gpus) is None
        profiled = work.run("run under the profiler", profile=True) if shows else None
    return Measurement(
        spec, prediction, tuple(results), seen, tuple(merged(work.judged)), tuple(controls),
        profiled, hashed,
    )  # fmt: skip


@dataclass
class _Work:
    """Runs of one specification on the same ranks, and what the checks say of them."""

    spec: RunSpec
    declared: Prediction
    group: Group
    tolerance: float
    progress: Progress
    replaying: bool
    expected: final_weights.Weights | Finding | None = None
    judged: list[list[Finding]] = field(default_factory=list)

    @property
    def static(self) -> RunSpec:
        return replace(self.spec, order="static")

    def run(self, says: str, log: str | os.PathLike[str] | None = None, **more: Any) -> RunResult:
        """Run and judge; behind the first run comes the replay."""
        self.progress(says)
        result = run(replace(self.spec, **more), log, self.group)
        if self.expected is None:
            self.progress("replay in a single thread" if self.replaying else "no replay")
            self.expected = replay_if_it_fits(self.static) if self.replaying else _NOT_REPLAYED
        final = self.expected
        if not isinstance(final, Finding) and self.spec.order != "static":
            final = replay_if_it_fits(chosen_order(result))
        self.judged.append(judge(result, self.declared, final, self.tolerance))
        return result

    def hash_everything(self) -> Observed | None:
        """The log of a run that hashes at every computation, if it has room."""
        try:
            return observed(self.run("run that hashes everything", hashing="full").trace)
        except RankError as error:
            says = f"no run that hashes everything: {_lack_of_memory(error)}; give --hashing off"
            self.judged.append([undecided(hashes.NAME, says)])
            return None

    def break_it(self, control: Control) -> ControlResult:
        """Run with the fault of a control, in a static order: its place was chosen for that."""
        target = control.target(self.declared)
        if target is None:
            return inapplicable(control)
        says = f"{control.says}, at {target}"
        fault = Fault(_FAULT_OF[control.name], target.stage, target.microbatch)
        try:
            broken = run(replace(self.static, fault=fault, hashing="full"), group=self.group)
        except RankError as error:
            says += f"; {_lack_of_memory(error)}; give --no-broken-runs"
            return ControlResult(control.name, True, False, (), says)
        assert self.expected is not None, "there was a run before"
        found = judge(broken, self.declared, self.expected, self.tolerance)
        blind_to = {final_weights.NAME} if isinstance(self.expected, Finding) else set()
        return caught(control, found, says, blind_to)


def replayed(spec: RunSpec) -> final_weights.Weights:
    """Final weights of a single-threaded replay of a static order."""
    return replay(spec.schedule, spec.model, spec.optimizer, spec.device)


def replay_if_it_fits(spec: RunSpec) -> final_weights.Weights | Finding:
    """Final weights of a replay; where memory does not suffice, the finding that says so."""
    needed, free = replay_bytes(spec), free_bytes(spec.device)
    if free is not None and needed > free:
        why = f"needs {needed / GIB:.1f} GiB, and {free / GIB:.1f} GiB are free"
    else:
        try:
            return replayed(spec)
        except (MemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
            why = f"ran out of memory ({reason(error)})"
    says = f"the replay in a single thread {why}; take a smaller model, or --no-replay"
    return undecided(final_weights.NAME, says)


def _lack_of_memory(error: RankError) -> str:
    """What a rank says that ran out of memory; any other failure is raised again."""
    if not out_of_memory(error):
        raise error
    return f"out of memory: {error.what}"


def chosen_order(result: RunResult) -> RunSpec:
    """The specification of a free run with the order that it chose as a static one."""
    schedule = computations(result.trace.schedule)
    schedule = replace(schedule, parameters=result.spec.schedule.parameters)
    return replace(result.spec, schedule=schedule, order="static")


def judge(
    result: RunResult,
    declared: Prediction,
    expected: final_weights.Weights | Finding,
    tolerance: float = 0.0,
) -> list[Finding]:
    """All checks of one run.

    Parameters
    ----------
    declared : Prediction
        Of the declared order.
    expected : mapping, or Finding
        Final weights of the replay, or why there are none.
    """
    return [
        *judge_trace(result.trace, declared, free=result.spec.order == "free-running"),
        losses.check(result.losses),
        expected
        if isinstance(expected, Finding)
        else final_weights.check(result.weights, expected, tolerance),
    ]
