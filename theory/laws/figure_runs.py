"""Stated figures beside small runs: what a run contradicts is false, and the run says where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import sympy

from schedules.actions import Kind, among
from schedules.durations import durations_of_actions
from schedules.errors import InvalidScheduleError
from schedules.schedule import Schedule
from schedules.versions import versions
from theory.laws.figure_forms import SYMBOLS, Forms
from theory.laws.timetables import Run
from theory.smt.solver import Outcome, undecided
from theory.verdicts import Verdict


def beside_runs(outcome: Outcome, runs: Sequence[Run], forms: Forms) -> Outcome:
    """What is proved of a figure, and what small runs say of it.

    Returns
    -------
    Outcome
        REFUTED by the first run that differs, with both numbers.
    """
    if outcome.name not in ("makespan", "work", "peak activations", "staleness"):
        return outcome
    for run in runs:
        for place, found, stated in _told(outcome.name, run, forms):
            if found == stated:
                continue
            at = ", ".join(f"{name} = {number}" for name, number in (size_of(run) | place).items())
            note = f"false: at {at} a run has {found}, stated is {stated}"
            if outcome.verdict is Verdict.PROVED:
                return undecided(outcome, f"a run contradicts the proof: {note}")
            witness = size_of(run) | place
            return replace(outcome, verdict=Verdict.REFUTED, witness=witness, note=note)
    agree = outcome.verdict is not Verdict.PROVED and runs
    note = f"{outcome.note}; {len(runs)} small runs agree"
    return undecided(outcome, note) if agree else outcome


def _told(name: str, run: Run, forms: Forms) -> Iterator[tuple[dict[str, int], int, Any]]:
    """Where in a run, its number there, and the stated one."""
    if name == "makespan":
        yield {}, run.length, at_size(forms.makespan, size_of(run))
        return
    index, form, numbers = {
        "work": ("r", forms.work, worked),
        "peak activations": ("r", forms.peak, most_kept),
        "staleness": ("s", forms.staleness, most_stale),
    }[name]
    for place, found in enumerate(numbers(run.schedule)):
        yield {index: place}, found, at_size(form, size_of(run) | {index: place})


def worked(schedule: Schedule) -> list[int]:
    """The slots in which every rank works.

    Examples
    --------
    >>> from schedules.families import build
    >>> worked(build("1f1b", 3, 5)), worked(build("zb-h1", 3, 5))
    ([10, 10, 10], [15, 15, 15])
    """
    taken = durations_of_actions(schedule)
    return [int(taken[begin:end].sum()) for begin, end in pairwise(schedule.offsets.tolist())]


def most_stale(schedule: Schedule) -> list[int]:
    """The largest local staleness of every stage; of none where some gradient is never applied.

    Examples
    --------
    >>> from schedules.families import build
    >>> most_stale(build("pipedream", 3, 8)), most_stale(build("1f1b", 3, 8))
    ([2, 2, 0], [0, 0, 0])
    """
    policy, pipelines = schedule.policy, schedule.placement.pipelines
    left_over = policy.name != "flush" and schedule.microbatches % (policy.interval * pipelines)
    try:
        return [] if left_over else versions(schedule).local_staleness.max(axis=1).tolist()
    except InvalidScheduleError:  # Its policy has no such versions.
        return []


def most_kept(schedule: Schedule) -> list[int]:
    """The most activations that every rank has between F and the end of B or W.

    Examples
    --------
    >>> from schedules.families import build
    >>> most_kept(build("1f1b", 3, 5)), most_kept(build("zb-h1", 3, 5))
    ([3, 2, 1], [3, 3, 3])
    """
    ended = among(schedule.kind, (Kind.B, Kind.W))
    steps = among(schedule.kind, (Kind.F,)).astype(np.int64) - ended
    bounds = pairwise(schedule.offsets.tolist())
    return [int(np.cumsum(steps[begin:end]).max(initial=0)) for begin, end in bounds]


def size_of(run: Run) -> dict[str, int]:
    """The symbols of formulas at a run."""
    names = {name: number for name, number in run.at.values.items() if name in SYMBOLS}
    return {**names, "p": run.at.p, "M": run.at.M}


def at_size(form: Any, size: Mapping[str, int]) -> Any:
    """A formula at numbers, exactly."""
    return form.xreplace({SYMBOLS[name]: sympy.Integer(value) for name, value in size.items()})
