"""Changes to a log, such as a wrong run would have left it: negative controls without a run.

Each takes a sound log and the action at which something goes wrong.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpu_validation.checks.observed import UNSEEN, Observed
from gpu_validation.checks.stash import content_key
from schedules.actions import Action, Kind, among
from schedules.errors import InvalidScheduleError
from schedules.schedule import IntArray


def without_stash(seen: Observed, action: Action) -> Observed:
    """A backward used the newest weights."""
    at, version, hashes = _at(seen, action), seen.version.copy(), list(seen.hashes)
    version[at] = seen.current[at]
    changed = replace(seen, version=version)
    # What the newest version holds, or nothing: the old content would be that of another version.
    hashes[at] = seen.created.get(content_key(changed, at)) if hashes[at] else None
    return replace(changed, hashes=tuple(hashes))


def written(seen: Observed, action: Action) -> Observed:
    """The weights that a backward used had been written to since its forward."""
    at, hashes = _at(seen, action), list(seen.hashes)
    if seen.version[at] == UNSEEN:
        raise _not_done(seen, f"the version of {action}")
    hashes[at] = f"{hashes[at] or 'some content'}, written to"
    forward = _at(seen, Action(Kind.F, action.stage, action.microbatch, action.pipeline))
    hashes[forward] = hashes[forward] or "some content"
    return replace(seen, hashes=tuple(hashes))


def late_update(seen: Observed, action: Action) -> Observed:
    """The update behind an action comes with the next gradient."""
    at = _at(seen, action)
    later = behind(seen.weights, at)
    gradients = np.flatnonzero(among(seen.schedule.kind[later], (Kind.B, Kind.W)))
    return _without_update(seen, at, later[: gradients[0] + 1] if len(gradients) else later)


def dropped(seen: Observed, action: Action) -> Observed:
    """The update behind an action never comes."""
    at = _at(seen, action)
    return _without_update(seen, at, behind(seen.weights, at))


def counted_too_far(seen: Observed, action: Action) -> Observed:
    """An action is logged with one update more than its weights had had."""
    at, current = _at(seen, action), seen.current.copy()
    current[at] += 1
    return replace(seen, current=current)


def ahead(seen: Observed, action: Action) -> Observed:
    """An action's Lamport clock ends behind everything."""
    at, end = _at(seen, action), seen.lamport_end.copy()
    if end[at] == UNSEEN:
        raise _not_done(seen, f"the Lamport stamp of {action}")
    end[at] = end.max() + 1
    return replace(seen, lamport_end=end)


def logged_last(seen: Observed, action: Action) -> Observed:
    """An action is logged at a time after everything else."""
    at, start, end = _at(seen, action), seen.start.copy(), seen.end.copy()
    start[at] = max(int(end.max()), int(seen.update_end.max())) + 1
    end[at] = start[at] + 1
    return replace(seen, start=start, end=end)


def behind(weights: IntArray, index: int) -> IntArray:
    """What works on the same weights later."""
    same = np.flatnonzero(weights == weights[index])
    return same[same > index]


def sent_elsewhere(seen: Observed, action: Action) -> Observed:
    """What an action made is logged as sent to another rank; nothing where no message is logged."""
    schedule, peer = seen.log.schedule, seen.log.peer.copy()
    sent = among(schedule.kind, (Kind.SEND_F, Kind.SEND_B))
    sent &= (schedule.stage == action.stage) & (schedule.microbatch == action.microbatch)
    peer[np.flatnonzero(sent)[:1]] += 1
    return replace(seen, log=replace(seen.log, peer=peer))


def _backwards_of(seen: Observed, computations: IntArray) -> IntArray:
    """Backwards that used the same version as one of the forwards among some computations."""
    schedule = seen.schedule
    forwards = computations[schedule.kind[computations] == Kind.F]
    read = {(schedule.stage[i], schedule.microbatch[i], seen.version[i]) for i in forwards.tolist()}
    backwards = np.flatnonzero(among(schedule.kind, (Kind.B, Kind.I, Kind.W)))
    used = (
        i
        for i in backwards.tolist()
        if (schedule.stage[i], schedule.microbatch[i], seen.version[i]) in read
    )
    return np.fromiter(used, dtype=np.int64)


def _at(seen: Observed, action: Action) -> int:
    """Where an action stands in a log.

    Raises `InvalidScheduleError`: it was not done.
    """
    chosen = np.flatnonzero(
        (seen.schedule.kind == action.kind)
        & (seen.schedule.stage == action.stage)
        & (seen.schedule.microbatch == action.microbatch)
    )
    if len(chosen):
        return int(chosen[0])
    raise _not_done(seen, str(action))


def _not_done(seen: Observed, what: str) -> InvalidScheduleError:
    return InvalidScheduleError(
        f"a control changes the log at {what}, which was not done",
        seen.schedule.name,
        "run again, to the end",
    )


def _without_update(seen: Observed, at: int, until: IntArray) -> Observed:
    """A log without the update behind `at`; the actions `until` see one version less."""
    current, version, updated = seen.current.copy(), seen.version.copy(), seen.updated.copy()
    updated[at] = False
    last = int(current[at])
    newer = until[version[until] > last]
    newer = np.union1d(newer, _backwards_of(seen, newer))
    current[until] -= 1
    version[newer] -= 1
    # Contents behind a missing update are ones that the sound log does not have.
    unknown, copy = set(newer.tolist()), int(seen.weights[at])
    return replace(
        seen,
        current=current,
        version=version,
        updated=updated,
        hashes=tuple(None if i in unknown else text for i, text in enumerate(seen.hashes)),
        creations=tuple(
            (content, text)
            for content, text in seen.creations
            if content.copy != copy or content.version <= last
        ),
    )
