"""Judging a log: all checks, the negative controls that a log alone allows, and the verdict.

`gpu_validation.judging.judge` is the way in for a log of anybody's loop.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gpu_validation import free_running
from gpu_validation.checks import (
    CHECKS,
    Finding,
    Observed,
    Outcome,
    examine,
    observed,
    order,
    stash,
    versions,
)
from gpu_validation.controls import CONTROLS, WRONG_SCHEDULE, Control, other_order
from gpu_validation.event_log import is_recorded
from gpu_validation.logs import read_log
from gpu_validation.merging import STEP, settled, steps_of
from gpu_validation.prediction import Prediction, predict
from gpu_validation.steps import by_policy
from schedules.errors import ParameterError, ScheduleError
from schedules.formats.trace import Trace
from schedules.schedule import Schedule

_SEVERITY: Final = {False: 0, None: 1, True: 2}

REQUIRED: Final = frozenset({order.NAME, versions.NAME, stash.NAME})
"""What has to be decided of a recorded loop; ``versions`` includes the updates."""


@dataclass(frozen=True)
class ControlResult:
    """What became of one negative control.

    - `caught`: whether every check that has to see it, and applies, failed.
    - `by`: the checks that failed.
    - `says`: how it was done, or why it does not apply.
    """

    name: str
    applicable: bool
    caught: bool
    by: tuple[str, ...]
    says: str


def agree(
    findings: Sequence[Finding],
    controls: Sequence[ControlResult],
    required: Collection[str] | None = None,
) -> bool:
    """All checks that apply hold, every applicable control is caught, and at least one applies.

    - `required` (optional): names of checks: where given, the others may be undecided, but none may
      fail.
    """
    applicable = [control for control in controls if control.applicable]
    checks = [finding for finding in findings if finding.applies]
    if required is not None:
        failed = any(finding.holds is False for finding in checks)
        checks = [finding for finding in checks if finding.name in required]
        if failed:
            return False
    return (
        bool(checks)
        and all(finding.holds for finding in checks)
        and bool(applicable)
        and all(control.caught for control in applicable)
    )


def judge_trace(trace: Trace, declared: Prediction, free: bool) -> list[Finding]:
    """All checks that a log alone allows."""
    seen = observed(trace)
    if not free:
        return examine(seen, declared)
    first = free_running.check_order(seen, declared.schedule)
    try:
        chosen = predict(seen.schedule)
    except ScheduleError:
        return [first]
    bound = free_running.check_bound(seen, declared.schedule)
    others = [check(seen, chosen) for name, check in CHECKS.items() if name != order.NAME]
    return [first, *([bound] if bound else []), *others]


def merged(judged: Sequence[Sequence[Finding]]) -> list[Finding]:
    """One finding a check: the worst of all repeats, and the first of those."""
    names = dict.fromkeys(finding.name for findings in judged for finding in findings)
    result = []
    for name in names:
        same = [finding for findings in judged for finding in findings if finding.name == name]
        result.append(min(same, key=lambda finding: _SEVERITY[finding.holds]))
    return result


def inapplicable(control: Control) -> ControlResult:
    """The control's run would not differ from a sound one."""
    says = f"{control.says}; for this schedule and policy its run does not differ"
    return ControlResult(control.name, False, False, (), says)


def caught(
    control: Control, findings: Sequence[Finding], says: str, blind: Collection[str] = ()
) -> ControlResult:
    """Whether every check that has to see a control failed, and which checks did.

    `blind` are checks that the sound log leaves undecided already: nothing is asked of them.
    """
    failed = tuple(finding.name for finding in findings if finding.holds is False)
    absent = {finding.name for finding in findings if not finding.applies} | set(blind)
    asked = [name for name in control.by if name not in absent]
    if not asked:
        says = (
            f"{control.says}; {', '.join(control.by)} would have to see it, and says nothing here"
        )
        return ControlResult(control.name, False, False, failed, says)
    missing = [name for name in asked if name not in failed]
    if missing:
        says = f"{says}; not seen by {', '.join(missing)}"
    return ControlResult(control.name, True, not missing, failed, says)


def judge_log(
    trace: Trace, schedule: Schedule, free: bool = False
) -> tuple[Prediction, list[Finding], list[ControlResult]]:
    """Check a log that was written elsewhere; controls are edits of the log itself.

    Raises `InvalidScheduleError`: the schedule is not complete.
    """
    declared = predict(schedule)
    steps = [settled(step, schedule) for step in steps_of(trace)]
    findings = [_of_step(step, len(steps) > 1, declared, free) for step in steps]
    seen, base = observed(steps[0]), declared
    if free and findings[0][0].holds:
        base = predict(seen.schedule)
    worst = merged(findings)
    blind = required_of(trace) is not None
    unsure = frozenset(
        finding.name for finding in worst if blind and finding.outcome is Outcome.UNDECIDED
    )
    controls = [edited(control, seen, base, unsure) for control in CONTROLS.values()]
    return base, worst, controls


def _of_step(step: Trace, several: bool, declared: Prediction, free: bool) -> list[Finding]:
    """The checks of one step; where there are several, what they say begins with its number."""
    findings = judge_trace(step, declared, free)
    if not several:
        return findings
    number = step.extra.get(0, {}).get(STEP, 0)
    return [replace(finding, says=f"step {number}: {finding.says}") for finding in findings]


def required_of(trace: Trace, more: Sequence[str] = ()) -> frozenset[str] | None:
    """The checks that have to be decided for a log to agree; None for all that apply.

    Raises `ParameterError`: a name in `more` is that of no check.
    """
    for name in more:
        if name not in CHECKS:
            raise ParameterError(
                f"a check of a log is one of {', '.join(CHECKS)}, not {name!r}",
                "--require",
                "name one of them",
            )
    return REQUIRED | frozenset(more) if is_recorded(trace) else None


def edited(
    control: Control, seen: Observed, base: Prediction, blind: frozenset[str] = frozenset()
) -> ControlResult:
    """Do to a sound log what the control's run would have done to it.

    - `seen`: the log.
    - `base`: what it agrees with.
    - `blind`: checks that the log leaves undecided.
    """
    target = control.target(base)
    if target is None:
        return inapplicable(control)
    if control.name == WRONG_SCHEDULE:
        return _compared_with_another(control, seen, base.schedule)
    if control.edit is None:
        says = f"{control.says}; a log does not show it, only the final weights of a run do"
        return ControlResult(control.name, False, False, (), says)
    says = f"{control.says}, at {target}; the log was edited"
    try:
        changed = control.edit(seen, target)
    except ScheduleError as error:
        if blind and not blind.isdisjoint(control.by):
            says = f"{control.says}; the log lacks what it would change"
            return ControlResult(control.name, False, False, (), says)
        return ControlResult(control.name, True, False, (), f"not possible: {error}")
    return caught(control, examine(changed, base), says, blind)


def _compared_with_another(control: Control, seen: Observed, declared: Schedule) -> ControlResult:
    """Compare a sound log with the prediction for another order."""
    other = other_order(declared)
    assert other is not None, "the control's target says that there is one"
    says = f"{control.says}: {other.name}"
    return caught(control, examine(seen, predict(other)), says)


@dataclass(frozen=True)
class Judgement:
    """What became of a log.

    Attributes
    ----------
    findings : tuple of Finding
        By check: the worst of all steps.
    controls : tuple of ControlResult
        Edits of the log itself, each of which the checks have to catch.
    agree : bool
        No check fails, those that are required are decided, and the controls are caught.
    """

    findings: tuple[Finding, ...]
    controls: tuple[ControlResult, ...]
    agree: bool


def judge(
    log: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Trace,
    schedule: Schedule,
    require: Sequence[str] = (),
) -> Judgement:
    """Judge what a loop did against the schedule that it is meant to follow.

    Parameters
    ----------
    log : path, paths or Trace
        Files of all ranks, or the folder that `Recorder` was given.
    require : sequence of str
        Checks that must be decided beside order, versions (updates included) and stash.

    Raises
    ------
    ScheduleError
        The log cannot be read, or is that of something else.

    Examples
    --------
    >>> from schedules import build, timeline, versions
    >>> from schedules.formats.trace import trace_of
    >>> schedule = build("pipedream", 2, 4)
    >>> found = judge(trace_of(timeline(schedule), versions(schedule)), schedule)
    >>> found.agree, found.findings[1].says
    (False, 'the log lacks what 8 forwards were told of stage 0')
    """
    schedule = by_policy(schedule)
    trace = log if isinstance(log, Trace) else read_log(log, schedule)
    required = required_of(trace, require)
    _, findings, controls = judge_log(trace, schedule)
    return Judgement(tuple(findings), tuple(controls), agree(findings, controls, required))
