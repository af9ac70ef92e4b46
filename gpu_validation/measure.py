"""Measure: predict, run, check, and run again with faults that the checks have to catch."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

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
from gpu_validation.own_models import reason
from gpu_validation.prediction import Prediction, computations, predict
from gpu_validation.run import require_runnable, run
from gpu_validation.single_thread import replay
from gpu_validation.spec import RunResult, RunSpec
from gpu_validation.transports import Group, open_group
from schedules.actions import Action

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

    Parameters
    ----------
    spec : RunSpec
        Without a fault.
    repeats : int
        Runs of it, at least 1.
    tolerance : float
        Of the final weights, see `gpu_validation.checks.final_weights.check`.
    log : path-like, optional
        Where to write the log of the first run, also if it does not come to its end.
    progress : callable
        Is told what is being done.
    profile : bool
        Run once more under the profiler, after everything else: it disturbs nothing then. Left out
        where a profile would show nothing of the transport.
    replaying : bool
        Compare final weights with a replay in a single thread. Where that has no room, they are
        undecided, and everything else is judged.
    broken_runs : bool
        Run with faults. Without, controls are edits of the first log, and the one that only final
        weights show does not apply.

    Raises
    ------
    MeasureError
        The run is not possible on this machine.
    RankError
        A rank failed or hangs.
    InvalidScheduleError
        The schedule is not complete.
    KeyboardInterrupt
        The log of the first run, perhaps partial, has been written by then.

    Examples
    --------
    >>> from schedules import build
    >>> found = measure(RunSpec(build("pipedream", 2, 4)))
    >>> found.agree, [control.name for control in found.controls if not control.applicable]
    (True, [])

    See Also
    --------
    gpu_validation.judging.judge_log : for a log that was written elsewhere.
    """
    declared = predict(spec.schedule)
    require_runnable(spec)
    static = replace(spec, order="static")
    profiled: RunResult | None = None
    hashed: Observed | None = None
    results: list[RunResult] = []
    judged: list[list[Finding]] = []
    controls: list[ControlResult] = []
    expected: final_weights.Weights | Finding | None = None
    with open_group(spec.transport, spec.device, spec.schedule.ranks) as group:
        for number in range(repeats):
            progress(f"run {number + 1} of {repeats}")
            result = run(spec, log if number == 0 else None, group)
            if expected is None:
                progress("replay in a single thread" if replaying else "no replay")
                expected = replay_if_it_fits(static) if replaying else _NOT_REPLAYED
            results.append(result)
            judged.append(judge(result, declared, _final(result, expected), tolerance))
        assert expected is not None, "there is at least one repeat"
        seen = tuple(observed(result.trace) for result in results)
        prediction = declared if spec.order == "static" else predict(seen[0].schedule)
        if spec.hashing == "sampled":
            progress("run that hashes everything")
            try:
                full = run(replace(spec, hashing="full"), group=group)
                judged.append(judge(full, declared, _final(full, expected), tolerance))
                hashed = observed(full.trace)
            except RankError as error:
                says = f"no run that hashes everything: {_lack_of_memory(error)}"
                judged.append([undecided(hashes.NAME, f"{says}; give --hashing off")])
        for control in CONTROLS.values():
            progress(f"control {control.name}")
            if control.name not in _FAULT_OF or not broken_runs:
                controls.append(edited(control, seen[0], prediction))
            elif (target := control.target(declared)) is None:
                controls.append(inapplicable(control))
            else:
                says = f"{control.says}, at {target}"
                try:
                    broken = _broken_run(control, target, static, group)
                except RankError as error:
                    says += f"; {_lack_of_memory(error)}; give --no-broken-runs"
                    controls.append(ControlResult(control.name, True, False, (), says))
                    continue
                found = judge(broken, declared, expected, tolerance)
                blind_to = {final_weights.NAME} if isinstance(expected, Finding) else set()
                controls.append(caught(control, found, says, blind_to))
        if profile and blind(spec.transport, spec.device) is None:
            progress("run under the profiler")
            profiled = run(replace(spec, profile=True), group=group)
            judged.append(judge(profiled, declared, _final(profiled, expected), tolerance))
    return Measurement(
        spec=spec,
        prediction=prediction,
        results=tuple(results),
        seen=seen,
        findings=tuple(merged(judged)),
        controls=tuple(controls),
        profiled=profiled,
        hashed=hashed,
    )


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


def _final(
    result: RunResult, static: final_weights.Weights | Finding
) -> final_weights.Weights | Finding:
    """Final weights that a run should have; `static` are those of the declared order."""
    if isinstance(static, Finding) or result.spec.order == "static":
        return static
    return replay_if_it_fits(chosen_order(result))


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


def _broken_run(control: Control, target: Action, static: RunSpec, group: Group) -> RunResult:
    """Run with the fault of a control, in a static order: its place was chosen for that."""
    fault = Fault(_FAULT_OF[control.name], target.stage, target.microbatch)
    return run(replace(static, fault=fault, hashing="full"), group=group)
