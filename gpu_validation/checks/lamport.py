"""Check ``lamport``: the unit Lamport clock is the slot model's timeline, and so are the delays.

The clock of a rank goes from max(its own, those of the inputs it uses) to that plus the unit
duration of what it does. For a static order this is the schedule with every action as early as it
can be, whatever the real durations are. So stamps and global delays are equal, not close.
"""

from __future__ import annotations

import itertools
from typing import Final

import numpy as np

from gpu_validation.checks.finding import Finding, fails, holds, undecided
from gpu_validation.checks.observed import UNSEEN, Observed, values_at
from gpu_validation.prediction import OBSERVED, Prediction
from schedules.actions import Kind, among
from schedules.delays import Delays, delays
from schedules.errors import ScheduleError
from schedules.linearization import LINEARIZATIONS
from schedules.timeline import Timeline, unit_durations

NAME: Final = "lamport"


def check(seen: Observed, predicted: Prediction) -> Finding:
    """Compare every stamp, and the delay matrix of every linearization."""
    line, at = predicted.line, seen.find(predicted.schedule)
    compared = 0
    for stamps, expected, what in (
        (seen.lamport_start, line.start, "start"),
        (seen.lamport_end, line.end, "end"),
    ):
        found = values_at(stamps, at)
        wrong = np.flatnonzero((found != expected) & (found != UNSEEN))
        if len(wrong):
            index = int(wrong[0])
            action = predicted.schedule.action(index)
            return fails(
                NAME,
                f"{action} was to {what} at Lamport time {expected[index]} and did at "
                f"{found[index]}; {len(wrong)} of {len(found)} differ",
                compared,
                action=str(action),
                at=what,
                predicted=int(expected[index]),
                found=int(found[index]),
            )
        absent = int((found == UNSEEN).sum())
        if absent:
            return undecided(NAME, f"the log lacks {absent} of {len(found)} Lamport stamps")
        compared += len(found)
    return _compare_updates(seen, predicted, compared)


def _compare_updates(seen: Observed, predicted: Prediction, compared: int) -> Finding:
    """An update starts at the clock that the action before it leaves behind."""
    log = seen.log
    done = np.flatnonzero(among(log.schedule.kind, [*OBSERVED, Kind.U]))
    took = unit_durations(log.schedule)[Kind.U]
    for before, update in itertools.pairwise(done.tolist()):
        if log.schedule.kind[update] != Kind.U:
            continue
        clock = log.extra.get(before, {}).get("lamport_end")
        entry = log.extra.get(update, {})
        found = entry.get("lamport_start"), entry.get("lamport_end")
        action = str(log.schedule.action(update))
        if type(clock) is not int or None in found:
            return undecided(NAME, f"the log lacks the Lamport stamps of {action}")
        if found != (clock, clock + took):
            return fails(
                NAME,
                f"{action} was to have the Lamport stamps {clock} and {clock + took} and has "
                f"{found[0]} and {found[1]}",
                compared,
                action=action,
            )
        compared += 2
    return _compare_delays(seen, predicted, compared)


def _compare_delays(seen: Observed, predicted: Prediction, compared: int) -> Finding:
    try:
        found = measured_delays(seen)
    except ScheduleError as error:
        return undecided(NAME, f"the log's delays are not defined: {error}")
    for name, expected in predicted.delays.items():
        if not _equal(expected, found[name]):
            return fails(
                NAME,
                f"the stamps are as predicted, but the global delays ({name}) are not",
                compared,
                linearization=name,
            )
        compared += expected.matrix.size
    return holds(NAME, compared, "stamps and global delays equal those of the slot model")


def measured_delays(seen: Observed) -> dict[str, Delays]:
    """Global delays in Lamport slots of a run, by linearization.

    Raises `InvalidScheduleError`: the log lacks an action that delays are defined by.
    """
    line = Timeline(seen.schedule, seen.lamport_start, seen.lamport_end)
    return {name: delays(line, name) for name in LINEARIZATIONS}


def _equal(one: Delays, other: Delays) -> bool:
    columns = ("stage", "microbatch", "index", "matrix")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in columns)
