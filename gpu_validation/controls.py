"""Negative controls: a run that is wrong on purpose has to be called wrong.

`CONTROLS` has them all; docs/how-to/measuring.md says what each does. A control applies where the
predictor says that its run differs: without a version that is older than the newest (``flush``)
leaving out the stash cannot be seen. It is caught if every check that is there to see it fails
(`Control.by`): that some other check fails would hide one that has gone blind. The executor runs
what is a fault of a run; the last four, and all of them where there is only a log, are changes to
the log as such a run would have left it (`Control.edit`). A swapped microbatch leaves no trace in a
log: order, versions and contents are those of a sound run, and only the final weights differ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from gpu_validation import log_edits
from gpu_validation.checks import (
    causality,
    final_weights,
    hash,
    lamport,
    local_staleness,
    messages,
    order,
    real_time,
    stash,
    versions,
)
from gpu_validation.checks.observed import Observed
from gpu_validation.prediction import Prediction
from schedules.actions import Action, Kind, among
from schedules.dependencies import tables
from schedules.schedule import IntArray, Schedule
from schedules.versions import update_after

NO_STASH: Final = "no-stash"
IN_PLACE_WRITE: Final = "in-place-write"
SWAPPED_MICROBATCH: Final = "swapped-microbatch"
WRONG_SCHEDULE: Final = "wrong-schedule"
DELAYED_UPDATE: Final = "delayed-update"
DROPPED_UPDATE: Final = "dropped-update"
MISCOUNTED_UPDATE: Final = "miscounted-update"
WRONG_RECEIVER: Final = "wrong-receiver"
CLOCK_AHEAD: Final = "clock-ahead"
LATE_FORWARD: Final = "late-forward"

Edit = Callable[[Observed, Action], Observed]


@dataclass(frozen=True)
class Control:
    """One negative control.

    - `name`, `says`: what is wrong in its run.
    - `target`: ``target(prediction)`` → the action at which to do it so that the run differs, or
      None where it would not.
    - `by`: the checks that have to see it, each where it applies.
    - `edit`: the log such a run leaves; None where the prediction is wrong and not the run, and
      where the log would not differ.
    """

    name: str
    says: str
    target: Callable[[Prediction], Action | None]
    by: tuple[str, ...]
    edit: Edit | None = None


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
        later = log_edits.behind(found.weights, update)
        gradients = np.flatnonzero(among(schedule.kind[later], (Kind.B, Kind.W)))
        if len(gradients) and (schedule.kind[later[: gradients[0]]] == Kind.F).any():
            return schedule.action(update)
    return None


def any_update(found: Prediction) -> Action | None:
    """The first gradient with an update behind it."""
    return _first(found.schedule, np.flatnonzero(update_after(found.schedule)))


def first_gradient(found: Prediction) -> Action | None:
    """The first gradient."""
    return _first(found.schedule, np.sort(tables(found.schedule).gradient, axis=None))


def first_sender(found: Prediction) -> Action | None:
    """A computation whose result goes to another rank."""
    return next((way.maker for way in messages.crossings(found.schedule)), None)


def first_of_many(found: Prediction) -> Action | None:
    """The first forward of a rank that does something else afterwards."""
    schedule = found.schedule
    for rank in range(schedule.ranks):
        actions = list(schedule.rank(rank))
        if len(actions) > 1 and actions[0].kind is Kind.F:
            return actions[0]
    return None


def other_order(schedule: Schedule) -> Schedule | None:
    """A valid order on the same placement that differs; None if this version knows none.

    Microbatch by microbatch, or, where the schedule does that itself, all forwards first.
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


CONTROLS: Final[dict[str, Control]] = {
    row[0]: Control(*row)
    for row in (
        (NO_STASH, "backwards use the newest weights", stale_backward,
         (versions.NAME, stash.NAME), log_edits.without_stash),
        (IN_PLACE_WRITE, "a version is written to in place", stale_backward,
         (stash.NAME, hash.NAME), log_edits.written),
        (SWAPPED_MICROBATCH, "two microbatches are swapped", crowded_backward,
         (final_weights.NAME,), None),
        (WRONG_SCHEDULE, "another order is predicted", _another, (order.NAME,), None),
        (DELAYED_UPDATE, "an update comes one gradient late", visible_update,
         (versions.NAME,), log_edits.late_update),
        (DROPPED_UPDATE, "an update never happens", any_update,
         (versions.NAME,), log_edits.dropped),
        (MISCOUNTED_UPDATE, "a gradient counts an update too many", first_gradient,
         (local_staleness.NAME,), log_edits.counted_too_far),
        (WRONG_RECEIVER, "a message is logged as sent to another rank", first_sender,
         (messages.NAME,), log_edits.sent_elsewhere),
        (CLOCK_AHEAD, "a Lamport stamp is too late", first_of_many,
         (lamport.NAME, causality.NAME), log_edits.ahead),
        (LATE_FORWARD, "a forward is logged after everything else", first_of_many,
         (real_time.NAME, causality.NAME), log_edits.logged_last),
    )
}  # fmt: skip
"""Every control by its name."""
