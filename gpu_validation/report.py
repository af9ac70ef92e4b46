"""The result of a measurement as plain data: what ``measure --json`` prints.

Keys that others rely on: ``predicted``, ``measured``, ``checks: [{name, holds}]``, ``controls:
[{name, applicable, caught}]``, ``agree``. Whatever this machine cannot show is `NOT_MEASURED`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from gpu_validation import communication, environment, free_running, timing
from gpu_validation.capacity import COUNTED, memory_by_stage
from gpu_validation.checks import Finding, Observed
from gpu_validation.checks.lamport import measured_delays
from gpu_validation.checks.local_staleness import measured as local_staleness
from gpu_validation.checks.real_time import measured as delays_by_clock
from gpu_validation.files import mark
from gpu_validation.judging import ControlResult, agree
from gpu_validation.prediction import Prediction, described, described_delays, paced
from gpu_validation.timing import NOT_MEASURED, spread
from schedules.errors import ScheduleError
from schedules.formats.trace import Trace
from schedules.schedule import Schedule

if TYPE_CHECKING:
    from gpu_validation.measure import Measurement
    from gpu_validation.spec import RunSpec

SCHEMA: Final = "staleproof-measure/1"

PROFILED: Final = (
    "one more run, after those that are measured, so that the profiler disturbs none of their times"
)

NO_PROFILE: Final = (
    "the run left no profile of this rank; this version of torch may not profile threads that it "
    "has not started"
)

NOT_PROFILED_LOG: Final = "a log holds no profile; measure with --profile"


def of_measurement(found: Measurement) -> dict[str, Any]:
    """Everything about a measurement but its environment."""
    free = found.spec.order == "free-running"
    clocks = _clocks(found)
    typical = timing.middle(clocks)
    predicted = described(found.prediction)
    if typical is not None:
        predicted["with_measured_durations"] = paced(
            found.prediction.schedule, typical.durations
        ).described()
    measured = of_log(found.seen[0], found.spec.schedule, free)
    measured |= {
        "runs": len(found.results),
        "seconds": spread([result.seconds for result in found.results]),
        "timing": _timing(found, clocks),
        "communication": _communication(found),
        "losses": _finite(found.results[0].losses),
        "hashed_backwards": found.hashed_backwards,
        "memory_is": COUNTED,
        "memory": memory_by_stage(found.results[0].memory, found.prediction),
        "device_peak_bytes": found.results[0].device_peak or NOT_MEASURED,
    }
    return {
        **mark(SCHEMA),
        "setup": of_spec(found.spec),
        "predicted": predicted,
        "measured": measured,
        **verdict(found.findings, found.controls),
    }


def of_judged_log(
    trace: Trace,
    seen: Observed,
    schedule: Schedule,
    predicted: Prediction,
    findings: Sequence[Finding],
    controls: Sequence[ControlResult],
    free: bool,
    required: Collection[str] | None = None,
) -> dict[str, Any]:
    """The same for a log that was written elsewhere."""
    clock = timing.timing(trace, seen)
    measured = of_log(seen, schedule, free)
    measured["timing"] = timing.described(clock) if clock is not None else NOT_MEASURED
    measured["communication"] = communication.unmeasured(NOT_PROFILED_LOG).described()
    return {
        **mark(SCHEMA),
        "setup": of_schedule(schedule) | {"order": "free-running" if free else "static"},
        "predicted": described(predicted),
        "measured": measured,
        **verdict(findings, controls, required),
        **({} if required is None else {"required": sorted(required)}),
    }


def verdict(
    findings: Sequence[Finding],
    controls: Sequence[ControlResult],
    required: Collection[str] | None = None,
) -> dict[str, Any]:
    """Checks, controls and whether all agree.

    A check that has no meaning here stands under ``not_applicable``; one that the log does not
    decide holds null, which is not a pass.
    """
    checks = ("name", "holds", "compared", "says", "witness")
    return {
        "checks": _rows([finding for finding in findings if finding.applies], checks),
        "not_applicable": _rows([f for f in findings if not f.applies], ("name", "says")),
        "controls": _rows(controls, ("name", "applicable", "caught", "by", "says")),
        "agree": agree(findings, controls, required),
    }


def _rows(entries: Sequence[Any], names: Sequence[str]) -> list[dict[str, Any]]:
    return [{name: getattr(entry, name) for name in names} for entry in entries]


def of_schedule(schedule: Schedule) -> dict[str, Any]:
    """What was to be run."""
    return {
        "family": schedule.name,
        "parameters": {name: int(value) for name, value in schedule.parameters.items()},
        "ranks": schedule.ranks,
        "stages": schedule.stages,
        "microbatches": schedule.microbatches,
        "policy": {
            "name": schedule.policy.name,
            "interval": schedule.policy.interval,
            "horizon": schedule.policy.horizon,
        },
    }


def of_spec(spec: RunSpec) -> dict[str, Any]:
    """How it was to be run."""
    return of_schedule(spec.schedule) | {
        "transport": spec.transport,
        "device": spec.device,
        "share_gpus": spec.share_gpus,
        "order": spec.order,
        "hashing": spec.hashing,
        "model": asdict(spec.model),
        "optimizer": asdict(spec.optimizer),
        "seed": spec.seed,
        "jitter_seconds": spec.jitter,
        "timeout_seconds": spec.timeout,
    }


def of_log(seen: Observed, schedule: Schedule, free: bool) -> dict[str, Any]:
    """What a log shows, by itself."""
    found: dict[str, Any] = {
        "hosts": list(seen.hosts),
        "partial": seen.partial,
        "local_staleness": local_staleness(seen, schedule.stages, schedule.microbatches).tolist(),
    }
    try:
        found["global_delays"] = {
            name: described_delays(delays) for name, delays in measured_delays(seen).items()
        }
        delays, known = delays_by_clock(seen)
        found["real_time_delays"] = (
            {"least": int(delays[known].min()), "most": int(delays[known].max())}
            if known.any() and len(seen.hosts) <= 1
            else NOT_MEASURED
        )
        if free:
            found["distribution"] = free_running.distribution(seen, schedule)
    except ScheduleError as error:
        found["global_delays"] = found["real_time_delays"] = NOT_MEASURED
        found["why"] = str(error)
    return found


def _clocks(found: Measurement) -> list[timing.Timing]:
    """Times of every repeat, none where hosts would have to be compared."""
    runs = zip(found.results, found.seen, strict=True)
    clocks = (timing.timing(result.trace, seen) for result, seen in runs)
    return [clock for clock in clocks if clock is not None]


def _timing(found: Measurement, clocks: Sequence[timing.Timing]) -> dict[str, Any] | str:
    """Times of the median run, and how much repeats differ."""
    typical = timing.middle(clocks)
    if typical is None:
        return NOT_MEASURED
    makespans = [float(clock.pace.makespan) for clock in clocks]
    result = timing.described(typical) | {"makespan_spread": spread(makespans)}
    spec = found.spec
    where = spec.transport, spec.device
    note = timing.sharing(*where, spec.schedule.ranks, environment.cores(), spec.share_gpus)
    return result if note is None else result | {"note": note}


def _communication(found: Measurement) -> dict[str, Any]:
    """Communication share and overlap of the profiled run."""
    spec, profiled = found.spec, found.profiled
    ranks = spec.schedule.ranks
    missing = communication.NOT_PROFILED if profiled is None else NO_PROFILE
    profiles = () if profiled is None else profiled.profiles
    result = communication.described(
        profiles, ranks, spec.transport, spec.device, missing, spec.share_gpus
    )
    if profiled is None:
        return result
    result["run"] = PROFILED
    cores = environment.cores()
    if spec.device == "cpu" and cores is not None and cores < ranks:
        result["note"] = f"{ranks} ranks share {cores} cores, so waiting for a core counts as well"
    return result


def _finite(losses: Sequence[float | None]) -> list[float | str | None]:
    """Losses as JSON has them: what is no finite number becomes text.

    Examples
    --------
    >>> _finite([0.5, float("nan"), None])
    [0.5, 'nan', None]
    """
    finite = float("inf")
    return [loss if loss is None or -finite < loss < finite else str(loss) for loss in losses]


def lines(result: dict[str, Any]) -> Iterator[str]:
    """The result as text for a terminal."""
    setup = result["setup"]
    yield (
        f"{setup['family']}: p = {setup['ranks']}, S = {setup['stages']}, "
        f"M = {setup['microbatches']}, policy {setup['policy']['name']}"
    )
    for check in result["checks"]:
        word = {True: "holds", False: "FAILS", None: "undecided"}[check["holds"]]
        yield f"  {word:<10}{check['name']}: {check['says']}"
    for check in result["not_applicable"]:
        yield f"  {'n/a':<10}{check['name']}: {check['says']}"
    for control in result["controls"]:
        word = "caught" if control["caught"] else "MISSED"
        by = f" (by {', '.join(control['by'])})" if control["by"] else ""
        yield (
            f"  {word if control['applicable'] else 'n/a':<10}control {control['name']}: "
            f"{control['says']}{by}"
        )
    yield from _coverage(result["measured"])
    yield from _shares(result["measured"]["communication"])
    yield _conclusion(result)


def _conclusion(result: dict[str, Any]) -> str:
    """The last line."""
    if result["agree"]:
        return "machine and model agree"
    open_ones = [check["name"] for check in result["checks"] if check["holds"] is None]
    failed = any(check["holds"] is False for check in result["checks"])
    missed = any(one["applicable"] and not one["caught"] for one in result["controls"])
    if failed or missed or not open_ones:
        return "machine and model do NOT agree"
    return f"machine and model are not shown to agree: {', '.join(open_ones)} undecided"


def _coverage(measured: dict[str, Any]) -> Iterator[str]:
    """How many backwards were hashed, as text.

    Examples
    --------
    >>> names = "backwards", "in_measured_runs", "in_a_run_that_hashes_everything"
    >>> print(*_coverage({"hashed_backwards": dict(zip(names, (64, 8, 64), strict=True))}))
      hashed backwards: 8 of 64 in the measured runs, 64 of 64 in one that hashes everything
    """
    if "hashed_backwards" in measured:
        backwards, sampled, full = measured["hashed_backwards"].values()
        more = f", {full} of {backwards} in one that hashes everything" if full > sampled else ""
        yield f"  hashed backwards: {sampled} of {backwards} in the measured runs{more}"


def _shares(found: dict[str, Any]) -> Iterator[str]:
    r"""Communication share and overlap as text."""

    def number(name: str, of: str) -> str:
        value = found[name]
        if value == NOT_MEASURED:
            return f"{value} ({found['why_not'][name]})"
        return f"{value:.1%} of {of}"

    yield f"  communication: {number('share', 'the run')}"
    if found["share"] == NOT_MEASURED:
        return
    yield f"    while the same rank computes: {number('overlap', 'it')}"
    yield f"    while any rank computes: {number('overlap_any', 'it')}"
