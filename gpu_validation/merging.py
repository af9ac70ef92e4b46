"""The logs of several ranks as one, and one log of several steps as several.

Ranks write a file each. A rank that was killed may leave a torn last line: what stands before it
is kept, and the log counts as partial, which never agrees.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from gpu_validation.checks.observed import causes
from gpu_validation.event_log import PARTIAL
from gpu_validation.profiler_trace import is_profile, log_lines
from schedules.actions import COMPUTE, Kind
from schedules.dependencies import MISSING
from schedules.errors import FormatError
from schedules.formats.strict_json import display_name, unreadable
from schedules.formats.trace import NONE, Extra, Trace
from schedules.formats.trace_reader import parse_trace, read_trace
from schedules.lowering.rebuild import with_only
from schedules.schedule import Schedule
from schedules.timeline import Timeline
from schedules.versions import update_after, weights_of_action

STEP: Final = "step"
"""Number of the step of an event, from 0, in ``extra``; without it, step 0."""


def files_of(paths: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """The logs that are meant: a folder stands for its ``*.jsonl``, or for its profiler traces.

    Raises `FormatError`: there is none.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(path.glob("*.jsonl")) or sorted(filter(is_profile, path.iterdir()))
        if not inside:
            raise FormatError(
                "a folder of logs holds a file *.jsonl for every rank, found none",
                display_name(path),
                "name the folder that the Recorder was given",
            )
        found += inside
    return found


def merged_logs(paths: Sequence[str | os.PathLike[str]]) -> Trace:
    """Read the logs of several ranks as one.

    Raises `FormatError`: a file cannot be read, does not follow the format, or is of another run.
    """
    files = files_of(paths)
    if all(map(is_profile, files)):
        return parse_trace(log_lines(files), ", ".join(map(display_name, files)))
    if len(files) == 1:
        return read_trace(files[0])
    texts = [_text(path) for path in files]
    torn = any(map(_torn, texts))
    whole = [text[: text.rfind("\n") + 1] if torn else text for text in texts]
    name = ", ".join(display_name(path) for path in files)
    try:
        trace = parse_trace("".join(whole), name)
    except FormatError:
        for text, path in zip(whole, files, strict=True):
            parse_trace(text, display_name(path))  # Its own error names the line of the file.
        raise
    return _as_partial(trace) if torn else trace


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise unreadable(error, display_name(path)) from None


def _torn(text: str) -> bool:
    return bool(text) and not text.endswith("\n")


def _as_partial(trace: Trace) -> Trace:
    parameters = {**trace.schedule.parameters, PARTIAL: 1}
    schedule = dataclasses.replace(trace.schedule, parameters=parameters)
    line = Timeline(schedule, trace.timeline.start, trace.timeline.end)
    return dataclasses.replace(trace, timeline=line)


def steps_of(trace: Trace) -> list[Trace]:
    """The steps of a run, each as a run of its own that starts from version 0.

    A version from before its step has no number there, and the event says so.
    """
    step = np.zeros(len(trace.schedule), dtype=np.int64)
    for index, extra in trace.extra.items():
        number = extra.get(STEP)
        step[index] = number if type(number) is int else 0
    numbers = sorted(set(step.tolist()))
    if len(numbers) <= 1:
        return [trace]
    return [_of_step(trace, np.flatnonzero(step == number)) for number in numbers]


def _of_step(trace: Trace, chosen: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Trace:
    step = _only(trace, chosen)
    schedule, version = step.schedule, step.version.copy()
    extra = [dict(step.extra.get(index, {})) for index in range(len(chosen))]
    weights = weights_of_action(schedule).tolist()
    base: dict[int, int] = {}
    for index, entry in enumerate(extra):
        current = entry.get("current")
        if type(current) is int and schedule.kind[index] in COMPUTE:
            base[weights[index]] = min(base.get(weights[index], current), current)
    for index, entry in enumerate(extra):
        _renumber(entry, base.get(weights[index], 0), schedule.kind[index] == Kind.F)
        if version[index] != NONE:
            version[index] -= base.get(weights[index], 0)
            if version[index] < 0:
                n = -int(version[index])
                entry["no_version"] = f"they are {n} update{'s' * (n > 1)} older than its step"
                version[index] = NONE
    return dataclasses.replace(step, version=version, extra=dict(enumerate(extra)))


def _renumber(entry: dict[str, Extra], base: int, forward: bool) -> None:
    """Count updates from the beginning of a step."""
    for key in ("current", "read_zero") if forward else ("current",):
        value = entry.get(key)
        if type(value) is int:
            entry[key] = value - base


def settled(trace: Trace, schedule: Schedule) -> Trace:
    """Without blocks that were no update, of those of which nothing was seen to be written.

    Where `schedule` has an update it may have been one: what its stage does then has no number.
    """
    unseen = {index for index, extra in trace.extra.items() if extra.get("unseen")}
    if not unseen:
        return trace
    due = {schedule.action(k) for k in np.flatnonzero(update_after(schedule)).tolist()}
    actions, after = trace.schedule, dict(causes(trace.schedule))
    behind = {cause for cause in after.values() if cause != MISSING}
    kept = {
        index
        for index in unseen - behind
        if after[index] != MISSING and actions.action(after[index]) in due
    }
    weights = list(zip(actions.rank_of_action.tolist(), weights_of_action(actions), strict=True))
    version, extra = trace.version.copy(), {k: dict(each) for k, each in trace.extra.items()}
    first: dict[tuple[int, int], int] = {}
    for index in sorted(kept):
        first.setdefault(weights[index], index)
    for index, entry in extra.items():
        since = first.get(weights[index])
        if since is not None and since < index:
            says = f"{actions.action(since)}: {extra[since].get('undecided')}"
            version[index] = NONE
            entry.pop("current", None)
            entry.setdefault("undecided", says)
    stays = [index for index in range(len(actions)) if index not in unseen - kept]
    return _only(dataclasses.replace(trace, version=version, extra=extra), np.array(stays))


def _only(trace: Trace, chosen: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Trace:
    """Some of its events."""
    keep = np.zeros(len(trace.schedule), dtype=np.bool_)
    keep[chosen] = True
    schedule = with_only(trace.schedule, keep)
    return dataclasses.replace(
        trace,
        timeline=Timeline(schedule, trace.timeline.start[chosen], trace.timeline.end[chosen]),
        peer=trace.peer[chosen],
        channel=trace.channel[chosen],
        version=trace.version[chosen],
        extra={k: trace.extra[n] for k, n in enumerate(chosen.tolist()) if n in trace.extra},
    )
