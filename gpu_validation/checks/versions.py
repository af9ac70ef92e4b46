"""Check ``versions``: predicted versions were used, and updates came where they are predicted.

Versions in a log come from the identity of the tensors, so this is what the machine read.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gpu_validation.checks.finding import Finding, fails, holds, undecided
from gpu_validation.checks.observed import UNSEEN, Observed, values_at
from gpu_validation.prediction import Prediction
from schedules.actions import COMPUTE, Kind
from schedules.schedule import IntArray
from schedules.versions import update_after

NAME: Final = "versions"


def check(seen: Observed, predicted: Prediction) -> Finding:
    """Compare the version of every computation with what the weight policy says."""
    computes = np.flatnonzero(np.isin(predicted.schedule.kind, list(COMPUTE)))
    at = seen.find(predicted.schedule)[computes]
    expected = _expected(predicted)[computes]
    found, horizon = values_at(seen.version, at), values_at(seen.horizon, at)
    ahead = np.flatnonzero(horizon > predicted.versions.horizon)
    if len(ahead):
        early = str(predicted.schedule.action(int(computes[ahead[0]])))
        says = f"{early} was to look at most {predicted.versions.horizon} updates ahead"
        return fails(NAME, f"{says} and looked {horizon[ahead[0]]}", action=early)
    wrong = np.flatnonzero((found != expected) & (found != UNSEEN))
    if len(wrong):
        first = int(wrong[0])
        action = predicted.schedule.action(int(computes[first]))
        return fails(
            NAME,
            f"{action} was to use version {expected[first]} and used {found[first]}; "
            f"{len(wrong)} of {len(found)} differ",
            len(found),
            action=str(action),
            predicted=int(expected[first]),
            found=int(found[first]),
        )
    absent = int((found == UNSEEN).sum())
    if absent:
        return undecided(NAME, f"the log lacks the version of {absent} of {len(found)} actions")
    return _updates(seen, predicted, len(found))


def _updates(seen: Observed, predicted: Prediction, compared: int) -> Finding:
    """Compare behind which actions an update comes."""
    at = seen.find(predicted.schedule)
    expected = update_after(predicted.schedule)
    found = np.append(seen.updated, False)[at]
    wrong = np.flatnonzero(found != expected)
    if len(wrong):
        action = str(predicted.schedule.action(int(wrong[0])))
        what = ("an update", "none") if expected[wrong[0]] else ("no update", "one")
        return fails(
            NAME,
            f"behind {action} {what[0]} was to come and {what[1]} came; "
            f"{len(wrong)} of {len(at)} differ",
            compared,
            action=action,
            predicted=what[0],
        )
    return holds(
        NAME,
        compared + len(at),
        f"{compared} computations used the predicted version, and {int(expected.sum())} updates "
        "came where predicted",
    )


def _expected(predicted: Prediction) -> IntArray:
    """Version of every action: read by F, used by B, I and W."""
    schedule, found = predicted.schedule, predicted.versions
    where = schedule.stage, np.maximum(schedule.microbatch, 0)
    return np.where(schedule.kind == Kind.F, found.read[where], found.used[where])
