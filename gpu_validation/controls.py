"""Negative controls: a run that is wrong on purpose has to be called wrong.

================== ==============================================================================
control            what is wrong
================== ==============================================================================
no-stash           backwards of a stage use the newest weights, not what their forwards read
in-place-write     updates of a stage also write into the tensors of the version before
swapped-microbatch a backward uses what the forward of another microbatch left
wrong-schedule     nothing: the run is compared with the prediction for another order
delayed-update     one update happens one gradient too late
dropped-update     one update never happens
================== ==============================================================================

A control applies where the predictor says that its run differs: without a version that is older
than the newest (policy ``flush``) stashing changes nothing, and leaving it out cannot be seen. It
is caught if some check fails. The executor runs them as faults; where there is only a log, the log
is changed the way such a run would have changed it (`Control.edit`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from gpu_validation.checks.observed import Observed
from gpu_validation.prediction import Prediction
from schedules.actions import Action, Kind
from schedules.dependencies import tables
from schedules.errors import InvalidScheduleError
from schedules.schedule import IntArray, Schedule
from schedules.versions import update_after

NO_STASH: Final = "no-stash"
IN_PLACE_WRITE: Final = "in-place-write"
SWAPPED_MICROBATCH: Final = "swapped-microbatch"
WRONG_SCHEDULE: Final = "wrong-schedule"
DELAYED_UPDATE: Final = "delayed-update"
DROPPED_UPDATE: Final = "dropped-update"

Edit = Callable[[Observed, Action], Observed]


@dataclass(frozen=True)
class Control:
    """One negative control.

    Attributes
    ----------
    name, says : str
        What is wrong in its run.
    target : callable
        ``target(prediction)`` → the action at which to do it so that the run differs, or None
        where it would not.
    edit : callable or None
        The log such a run leaves; None where the prediction is wrong and not the run.
    """

    name: str
    says: str
    target: Callable[[Prediction], Action | None]
    edit: Edit | None


def _first(schedule: Schedule, indices: IntArray) -> Action | None:
    return schedule.action(int(indices[0])) if len(indices) else None


def stale_backward(found: Prediction) -> Action | None:
    """The first backward that has to use an older version than the newest."""
    index = tables(found.schedule).backward
    return _first(found.schedule, np.sort(index[found.versions.used != found.versions.at_backward]))


def crowded_backward(found: Prediction) -> Action | None:
    """The first backward that runs while another microbatch is in flight at its stage."""
    schedule, index = found.schedule, tables(found.schedule)
    for backward in np.sort(index.backward, axis=None).tolist():
        stage, pipeline = schedule.stage[backward], schedule.pipeline[backward]
        others = index.forward[stage] < backward
        others &= index.backward[stage] > backward
        others &= schedule.pipeline[index.forward[stage]] == pipeline
        if others.any():
            return schedule.action(backward)
    return None


def visible_update(found: Prediction) -> Action | None:
    """The first gradient with an update that a forward reads before the next gradient."""
    schedule = found.schedule
    for update in np.flatnonzero(update_after(schedule)).tolist():
        behind = _behind(found.weights, update)
        gradients = np.flatnonzero(np.isin(schedule.kind[behind], (Kind.B, Kind.W)))
        if len(gradients) and (schedule.kind[behind[: gradients[0]]] == Kind.F).any():
            return schedule.action(update)
    return None


def any_update(found: Prediction) -> Action | None:
    """The first gradient with an update behind it."""
    return _first(found.schedule, np.flatnonzero(update_after(found.schedule)))


def _behind(weights: IntArray, index: int) -> IntArray:
    """What works on the same weights later."""
    same = np.flatnonzero(weights == weights[index])
    return same[same > index]


def other_order(schedule: Schedule) -> Schedule | None:
    """A valid order on the same placement that differs; None if this version knows none.

    Microbatch by microbatch, or, where the schedule does that itself, all forwards first.

    Examples
    --------
    >>> from schedules import build
    >>> print(*other_order(build("gpipe", 2, 2)).rank(0))
    0F0 0B0 0F1 0B1
    >>> print(*other_order(build("naive", 2, 2)).rank(0))
    0F0 0F1 0B0 0B1
    >>> other_order(build("gpipe", 2, 1)) is None
    True
    """
    for key in (_one_by_one, _forwards_first):
        orders = [sorted(schedule.rank(rank), key=key) for rank in range(schedule.ranks)]
        if any(order != list(schedule.rank(rank)) for rank, order in enumerate(orders)):
            return Schedule.from_orders(
                f"another order than {schedule.name}",
                orders,
                schedule.microbatches,
                schedule.policy,
                placement=schedule.placement,
            )
    return None


def _one_by_one(action: Action) -> tuple[int, ...]:
    return (action.microbatch, *_within(action))


def _forwards_first(action: Action) -> tuple[int, ...]:
    return (action.kind != Kind.F, action.microbatch, *_within(action))


def _within(action: Action) -> tuple[int, ...]:
    """The order of a microbatch's actions: down the stages, up again, reduction last."""
    if action.kind is Kind.F:
        return 0, action.stage, 0
    return 1 + (action.kind is Kind.REDUCE), -action.stage, action.kind


def _another(found: Prediction) -> Action | None:
    return found.schedule.action(0) if other_order(found.schedule) is not None else None


def _at(seen: Observed, action: Action) -> int:
    """Where an action stands in a log.

    Raises
    ------
    InvalidScheduleError
        It was not done.
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


def _without_stash(seen: Observed, action: Action) -> Observed:
    at, version = _at(seen, action), seen.version.copy()
    version[at] = seen.current[at]
    return replace(seen, version=version)


def _written(seen: Observed, action: Action) -> Observed:
    at, hashes = _at(seen, action), list(seen.hashes)
    hashes[at] = f"{hashes[at] or 'some content'}, written to"
    forward = _at(seen, Action(Kind.F, action.stage, action.microbatch, action.pipeline))
    hashes[forward] = hashes[forward] or "some content"
    return replace(seen, hashes=tuple(hashes))


def _swapped(seen: Observed, action: Action) -> Observed:
    """The backward takes the place of another that comes later."""
    at, schedule = _at(seen, action), seen.schedule
    behind = _behind(seen.weights, at)
    later = behind[np.isin(schedule.kind[behind], (Kind.B, Kind.I))]
    if not len(later):
        raise _not_done(seen, f"a backward behind {action}")
    other = later[0]
    microbatch = schedule.microbatch.copy()
    microbatch[[at, other]] = microbatch[[other, at]]
    return replace(seen, schedule=replace(schedule, microbatch=microbatch))


def _late(seen: Observed, action: Action) -> Observed:
    at = _at(seen, action)
    behind = _behind(seen.weights, at)
    gradients = np.flatnonzero(np.isin(seen.schedule.kind[behind], (Kind.B, Kind.W)))
    return _without_update(seen, at, behind[: gradients[0] + 1] if len(gradients) else behind)


def _dropped(seen: Observed, action: Action) -> Observed:
    at = _at(seen, action)
    return _without_update(seen, at, _behind(seen.weights, at))


def _without_update(seen: Observed, at: int, until: IntArray) -> Observed:
    """A log without the update behind `at`; the actions `until` see one version less."""
    current, version, updated = seen.current.copy(), seen.version.copy(), seen.updated.copy()
    updated[at] = False
    newer = until[version[until] > current[at]]
    current[until] -= 1
    version[newer] -= 1
    return replace(seen, current=current, version=version, updated=updated)


CONTROLS: Final[dict[str, Control]] = {
    control.name: control
    for control in (
        Control(NO_STASH, "backwards use the newest weights", stale_backward, _without_stash),
        Control(IN_PLACE_WRITE, "a version is written to in place", stale_backward, _written),
        Control(SWAPPED_MICROBATCH, "two microbatches are swapped", crowded_backward, _swapped),
        Control(WRONG_SCHEDULE, "another order is predicted", _another, None),
        Control(DELAYED_UPDATE, "an update comes one gradient late", visible_update, _late),
        Control(DROPPED_UPDATE, "an update never happens", any_update, _dropped),
    )
}
"""Every control by its name."""
