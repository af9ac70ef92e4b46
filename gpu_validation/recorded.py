"""`judge`: what a loop of somebody's own did, against the schedule that it is meant to follow."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from gpu_validation.checks import Finding
from gpu_validation.judging import ControlResult, agree, judge_log, required_of
from gpu_validation.logs import read_log
from schedules.formats.trace import Trace
from schedules.schedule import Schedule


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
    schedule : Schedule
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
    trace = log if isinstance(log, Trace) else read_log(log, schedule)
    required = required_of(trace, require)
    _, findings, controls = judge_log(trace, schedule)
    return Judgement(tuple(findings), tuple(controls), agree(findings, controls, required))
