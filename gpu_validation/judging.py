"""Judging a log: all checks, the negative controls that a log alone allows, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gpu_validation import free_running
from gpu_validation.checks import CHECKS, Finding, Observed, examine, observed, order
from gpu_validation.controls import CONTROLS, WRONG_SCHEDULE, Control, other_order
from gpu_validation.prediction import Prediction, predict
from schedules.errors import ScheduleError
from schedules.formats.trace import Trace
from schedules.schedule import Schedule

_SEVERITY: Final = {False: 0, None: 1, True: 2}


@dataclass(frozen=True)
class ControlResult:
    """What became of one negative control.

    Attributes
    ----------
    name : str
    applicable : bool
    caught : bool
        Whether every check that has to see it, and applies, failed.
    by : tuple of str
        The checks that failed.
    says : str
        How it was done, or why it does not apply.
    """

    name: str
    applicable: bool
    caught: bool
    by: tuple[str, ...]
    says: str


def agree(findings: Sequence[Finding], controls: Sequence[ControlResult]) -> bool:
    """All checks that apply hold, every applicable control is caught, and at least one applies.

    Examples
    --------
    >>> from gpu_validation.checks.finding import holds
    >>> agree([holds("order", 3, "")], [])
    False
    """
    applicable = [control for control in controls if control.applicable]
    checks = [finding for finding in findings if finding.applies]
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
    """One finding a check: the worst of all repeats, and the first of those.

    Examples
    --------
    >>> from gpu_validation.checks.finding import fails, holds
    >>> merged([[holds("order", 3, "")], [fails("order", "wrong")]])[0].holds
    False
    """
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


def caught(control: Control, findings: Sequence[Finding], says: str) -> ControlResult:
    """Whether every check that has to see a control failed, and which checks did.

    Examples
    --------
    >>> from gpu_validation.checks.finding import fails, holds
    >>> control = CONTROLS["no-stash"]
    >>> caught(control, [fails("versions", "old"), fails("stash", "new")], "").caught
    True
    >>> blind = caught(control, [fails("versions", "old"), holds("stash", 3, "equal")], "at 0B1")
    >>> blind.caught, blind.says
    (False, 'at 0B1; not seen by stash')

    Where none of these checks applies, neither does the control:

    >>> from gpu_validation.checks.finding import inapplicable as not_here
    >>> caught(control, [not_here("versions", ""), not_here("stash", "")], "").applicable
    False
    """
    failed = tuple(finding.name for finding in findings if finding.holds is False)
    absent = {finding.name for finding in findings if not finding.applies}
    asked = [name for name in control.by if name not in absent]
    if not asked:
        says = f"{control.says}; {', '.join(control.by)} would have to see it, and does not apply"
        return ControlResult(control.name, False, False, failed, says)
    missing = [name for name in asked if name not in failed]
    if missing:
        says = f"{says}; not seen by {', '.join(missing)}"
    return ControlResult(control.name, True, not missing, failed, says)


def judge_log(
    trace: Trace, schedule: Schedule, free: bool = False
) -> tuple[Prediction, list[Finding], list[ControlResult]]:
    """Check a log that was written elsewhere; controls are edits of the log itself.

    Raises
    ------
    InvalidScheduleError
        The schedule is not complete.

    Examples
    --------
    >>> from schedules import build, timeline, versions
    >>> from schedules.formats.trace import trace_of
    >>> schedule = build("gpipe", 2, 4)
    >>> log = trace_of(timeline(schedule), versions(schedule))
    >>> _, findings, controls = judge_log(log, schedule)
    >>> [finding.name for finding in findings if finding.holds]
    ['order', 'stash', 'real-time', 'causality']
    >>> agree(findings, controls)
    False
    """
    declared, seen = predict(schedule), observed(trace)
    findings = judge_trace(trace, declared, free)
    base = declared
    if free and findings[0].holds:
        base = predict(seen.schedule)
    controls = [edited(control, seen, base) for control in CONTROLS.values()]
    return base, findings, controls


def edited(control: Control, seen: Observed, base: Prediction) -> ControlResult:
    """Do to a sound log what the control's run would have done to it.

    Parameters
    ----------
    control : Control
    seen : Observed
        The log.
    base : Prediction
        What it agrees with.
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
        return ControlResult(control.name, True, False, (), f"not possible: {error}")
    return caught(control, examine(changed, base), says)


def _compared_with_another(control: Control, seen: Observed, declared: Schedule) -> ControlResult:
    """Compare a sound log with the prediction for another order."""
    other = other_order(declared)
    assert other is not None, "the control's target says that there is one"
    says = f"{control.says}: {other.name}"
    return caught(control, examine(seen, predict(other)), says)
