"""Check ``versions``: predicted versions were used, and updates came where they are predicted.

Versions in a log come from the identity of the tensors, so this is what the machine read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from gpu_validation.checks.finding import Finding, fails, holds, undecided
from gpu_validation.checks.observed import UNSEEN, Observed, causes, values_at
from gpu_validation.checks.order import EARLY
from gpu_validation.event_log import is_recorded
from gpu_validation.prediction import Prediction
from schedules.actions import COMPUTE, Action, Kind, among
from schedules.dependencies import MISSING, tables
from schedules.schedule import IntArray
from schedules.versions import update_after, weights_of_action

NAME: Final = "versions"


def check(seen: Observed, predicted: Prediction) -> Finding:
    """Compare the version of every computation with what the weight policy says."""
    computes = np.flatnonzero(among(predicted.schedule.kind, COMPUTE))
    at = seen.find(predicted.schedule)[computes]
    expected = _expected(predicted)[computes]
    found, horizon = values_at(seen.version, at), values_at(seen.horizon, at)
    ahead = np.flatnonzero(horizon > predicted.versions.horizon)
    if len(ahead):
        early = str(predicted.schedule.action(int(computes[ahead[0]])))
        says = f"{early} was to look at most {predicted.versions.horizon} updates ahead"
        return fails(NAME, f"{says} and looked {horizon[ahead[0]]}", action=early)
    strange = np.array([i != MISSING and seen.strange[i] is not None for i in at.tolist()], bool)
    wrong = np.flatnonzero(((found != expected) & (found != UNSEEN)) | strange)
    if len(wrong):
        return _first_fault(seen, predicted, computes[wrong], len(found))
    absent = int((found == UNSEEN).sum())
    if absent:
        why = [seen.unsure[index] for index in at.tolist() if index != MISSING]
        first_why = next((f" ({says})" for says in why if says), "")
        return undecided(
            NAME, f"the log lacks the version of {absent} of {len(found)} actions{first_why}"
        )
    finding = _told(seen) or _again(seen) or _updates(seen, predicted, len(found))
    return _unsure(seen) or _lost(seen) or finding if finding.holds else finding


def _first_fault(seen: Observed, predicted: Prediction, wrong: IntArray, compared: int) -> Finding:
    """Name the first fault: in slots, so that a cause comes before what follows from it."""
    start, end = predicted.line.start, predicted.line.end
    at = seen.find(predicted.schedule)
    first = int(wrong[np.argmin(start[wrong])])
    marks = np.append(seen.updated, False)[at]
    updates = np.flatnonzero((marks != update_after(predicted.schedule)) & (at != MISSING))
    if len(updates) and end[updates].min() <= start[first]:
        return _update_fault(predicted, updates[[np.argmin(end[updates])]], compared, len(at))
    update = _strange_update(seen)
    if update is not None and _due(predicted, seen.log.schedule.action(update[0])) <= start[first]:
        action = str(seen.log.schedule.action(update[0]))
        return fails(NAME, f"{action} {update[1]}", compared, action=action)
    action, index = str(predicted.schedule.action(first)), int(at[first])
    expected = int(_expected(predicted)[first])
    found = f"used {seen.version[index]}"
    if seen.strange[index] is not None:
        found = f"used weights that are none: {seen.strange[index]}"
    return fails(
        NAME,
        f"{action} was to use version {expected} and {found}; {len(wrong)} of {compared} differ",
        compared,
        action=action,
        predicted=expected,
        found=None if seen.strange[index] is not None else int(seen.version[index]),
    )


def _due(predicted: Prediction, update: Action) -> int:
    """When the gradient that an update applies is complete, in slots; 0 if there is none."""
    if update.microbatch >= predicted.schedule.microbatches:
        return 0
    where = update.stage, max(update.microbatch, 0)
    return int(predicted.line.end[tables(predicted.schedule).gradient[where]])


def _told(seen: Observed) -> Finding | None:
    """What every forward was told of stage 0 is what stage 0 did; None if so."""
    forward = tables(seen.schedule).forward
    if not forward.size:
        return None
    told, zero = values_at(seen.read_zero, forward), values_at(seen.current, forward[0])
    zero = np.broadcast_to(zero, told.shape)
    if is_recorded(seen.log) and (told == UNSEEN).all():
        return None  # A loop of somebody's own need not tell; what was read is compared anyway.
    absent = int(((told == UNSEEN) | (zero == UNSEEN)).sum())
    if absent:
        return undecided(NAME, f"the log lacks what {absent} forwards were told of stage 0")
    wrong = np.argwhere(told != zero)
    if not len(wrong):
        return None
    stage, m = wrong[0].tolist()
    return fails(
        NAME,
        f"{seen.action(int(forward[stage, m]))} was told that stage 0 had version "
        f"{told[stage, m]}, and it had {zero[stage, m]}",
        stage=stage,
        microbatch=m,
        predicted=int(zero[stage, m]),
        found=int(told[stage, m]),
    )


def _again(seen: Observed) -> Finding | None:
    """No backward adds to a gradient that an update has applied; None if so."""
    for action, name in _noted(seen, "again"):
        says = "adds to the gradient that the update before it has applied, which is not zeroed"
        return fails(NAME, f"{action} {says} ({name})", action=action)
    return None


def _lost(seen: Observed) -> Finding | None:
    """No gradient was zeroed or dropped between a backward and its update; None if so."""
    for action, name in _noted(seen, "lost"):
        says = "was zeroed or dropped behind a backward and before it; unless the loop keeps sums"
        return undecided(NAME, f"a gradient that {action} applies {says}, it is lost ({name})")
    return None


def _unsure(seen: Observed) -> Finding | None:
    """It is known of every update what it made; None if so."""
    for index, extra in sorted(seen.log.extra.items()):
        if seen.log.schedule.kind[index] == Kind.U and extra.get("undecided") is not None:
            return undecided(NAME, f"{seen.log.schedule.action(index)}: {extra['undecided']}")
    return None


def _noted(seen: Observed, key: str) -> Iterator[tuple[str, str]]:
    """Actions of which a log notes something, with the weight."""
    for index, extra in sorted(seen.log.extra.items()):
        if extra.get(key) is not None:
            yield str(seen.log.schedule.action(index)), str(extra[key])


def _updates(seen: Observed, predicted: Prediction, compared: int) -> Finding:
    """Compare behind which actions an update comes."""
    at = seen.find(predicted.schedule)
    expected = update_after(predicted.schedule)
    found = np.append(seen.updated, False)[at]
    last = seen.partial & np.isin(at, seen.schedule.offsets[1:] - 1)  # What came then is not there.
    wrong = np.flatnonzero((found != expected) & ~(last & expected))
    if len(wrong):
        return _update_fault(predicted, wrong, compared, len(at))
    strange = _strange_update(seen)
    if strange is not None:
        index, says = strange
        action = str(seen.log.schedule.action(index))
        return fails(NAME, f"{action} {says}", compared, action=action)
    if (found != expected).any():
        return undecided(NAME, EARLY)
    return holds(
        NAME,
        compared + len(at),
        f"{compared} computations used the predicted version, and {int(expected.sum())} updates "
        "came where predicted",
    )


def _update_fault(predicted: Prediction, wrong: IntArray, compared: int, actions: int) -> Finding:
    """An update is missing behind the first of some actions, or one is too many."""
    first = int(wrong[0])
    action = str(predicted.schedule.action(first))
    what = (
        ("an update", "none") if update_after(predicted.schedule)[first] else ("no update", "one")
    )
    return fails(
        NAME,
        f"behind {action} {what[0]} was to come and {what[1]} came; "
        f"{len(wrong)} of {actions} differ",
        compared,
        action=action,
        predicted=what[0],
    )


def _strange_update(seen: Observed) -> tuple[int, str] | None:
    """An update that is not the one of the gradient it stands behind, and what is wrong with it.

    Every one stands right behind its cause, is that of the same microbatch and pipeline, and makes
    the next version of its weight copy.
    """
    schedule = seen.log.schedule
    weights, rank = weights_of_action(schedule), schedule.rank_of_action
    made: dict[int, int] = {}
    for index, cause in causes(schedule):
        if cause == MISSING or rank[cause] != rank[index]:
            return index, "stands behind nothing that its rank did"
        if schedule.kind[cause] == Kind.U:
            return index, f"is one update more, right behind {schedule.action(cause)}"
        if any(column[cause] != column[index] for column in (weights, schedule.pipeline)):
            return index, f"is of other weights than {schedule.action(cause)}, which it follows"
        if schedule.microbatch[cause] != schedule.microbatch[index]:
            return index, f"is of another microbatch than {schedule.action(cause)} before it"
        copy = int(weights[index])
        made[copy] = made.get(copy, 0) + 1
        extra = seen.log.extra.get(index, {})
        current = extra.get("current")
        if "steps" in extra:
            return index, f"is {extra['steps']} steps of one weight"
        if "no_version" in extra:
            return index, f"was made of weights that are not the newest: {extra['no_version']}"
        if "gradient" in extra:
            return index, f"applies a gradient that is not its own: {extra['gradient']}"
        if current != made[copy] and "undecided" not in extra:
            return index, f"was to make version {made[copy]} and made {current}"
    return None


def _expected(predicted: Prediction) -> IntArray:
    """Version of every action: read by F, used by B, I and W."""
    schedule, found = predicted.schedule, predicted.versions
    where = schedule.stage, np.maximum(schedule.microbatch, 0)
    return np.where(schedule.kind == Kind.F, found.read[where], found.used[where])
