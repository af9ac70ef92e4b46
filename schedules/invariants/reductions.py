"""Part of ``update-once``: gradients are reduced over replicas before they are applied.

A ``REDUCE`` that names no microbatch adds the gradients of a stage up over replicas that the
schedule does not hold: those of its weight copy that stand before it. It is complete where it
stands, or at its ``WAIT_REDUCE`` in a schedule that has any. Where one copy is reduced, all are. An
update that the policy implies has no place of its own: it may come as late as the next computation
of its weights, under ``flush`` at the end.

Gradients are reduced once: a runtime scales what it reduces, so a reduction right behind another
one of its weights, with no gradient and no update in between, scales the same gradients again.
"""

from __future__ import annotations

import numpy as np

from schedules.actions import COMPUTE, NO_MICROBATCH, Kind, among
from schedules.delays import next_update
from schedules.dependencies import MISSING
from schedules.invariants.run import Run
from schedules.schedule import IntArray, Schedule
from schedules.validation.violation import Arrow, Case, Finding, Marks
from schedules.versions import weights_of_action


def applied_unreduced(run: Run) -> Finding:
    """Updates that apply gradients which no reduction stands behind."""
    schedule, gradients = run.schedule, np.sort(run.tables.gradient.ravel())
    updates = run.update_at_or_after(gradients)
    gradients, updates = gradients[updates != MISSING], updates[updates != MISSING]
    reductions = _reductions(run)
    place = next_update(schedule, reductions, gradients)
    over = np.append(_over(run, reductions), MISSING)
    reduced = np.where(place < 0, len(schedule), over[place])
    late = reduced >= _latest(run, updates)
    if not len(reductions):
        late = np.zeros_like(late)
    wrong, begin, count = np.unique(updates[late], return_index=True, return_counts=True)
    first, behind = gradients[late][begin], reduced[late][begin]

    def describe(case: int) -> Case:
        update, gradient = int(wrong[case]), int(first[case])
        reduction = int(behind[case])
        comes = (
            "no REDUCE that is complete before it follows"
            if reduction == len(schedule)
            else f"the next REDUCE is complete behind it: {run.words(reduction)}"
        )
        others = f" and {int(count[case]) - 1} more" if count[case] > 1 else ""
        met = () if reduction == len(schedule) else (reduction,)
        return Case(
            schedule.place(gradient),
            f"gradients are reduced before they are applied, but that of "
            f"{schedule.action(gradient)}{others} is applied by the update at "
            f"{run.words(update)} and {comes}",
            _remedy(schedule, gradient, update),
            {
                "action": str(schedule.action(gradient)),
                "gradients": int(count[case]),
                "update": str(schedule.action(update)),
                "update_place": schedule.place(update),
                "reduce_place": schedule.place(reduction) if met else None,
            },
            Marks(
                (gradient, update, *met) if gradient != update else (gradient, *met),
                tuple(Arrow(one, update, "comes behind") for one in met),
            ),
        )

    return Finding("update before the reduction", len(wrong), describe)


def reduced_again(run: Run) -> Finding:
    """Reductions of what the one before has reduced: no gradient and no update lies in between."""
    schedule = run.schedule
    fresh = np.append(run.tables.gradient.ravel(), np.flatnonzero(schedule.kind == Kind.U))
    reductions = _reductions(run)
    events = np.append(fresh[fresh != MISSING], reductions)
    reduces = np.repeat([False, True], [len(events) - len(reductions), len(reductions)])
    weights = weights_of_action(schedule)[events]
    order = np.lexsort((events, weights))
    events, reduces, weights = events[order], reduces[order], weights[order]
    twice = reduces[1:] & reduces[:-1] & (weights[1:] == weights[:-1])
    earlier, wrong = events[:-1][twice], events[1:][twice]

    def describe(case: int) -> Case:
        first, again = int(earlier[case]), int(wrong[case])
        return Case(
            schedule.place(again),
            f"gradients are reduced once before they are applied, but {schedule.action(again)} "
            f"reduces again what {run.words(first)} has reduced: no gradient and no update is in "
            "between",
            f"drop {schedule.action(again)}",
            {"action": str(schedule.action(again)), "reduced_place": schedule.place(first)},
            Marks((again, first), (Arrow(again, first, "reduces the same gradients"),)),
        )

    return Finding("reduction of what is reduced", len(wrong), describe)


def _remedy(schedule: Schedule, gradient: int, update: int) -> str:
    """A reduction; or the wait for it, where it is there and others are waited for."""
    stage = int(schedule.stage[gradient])
    end = update if schedule.kind[update] == Kind.U else len(schedule)
    reduces = (schedule.kind == Kind.REDUCE) & (schedule.stage == stage)
    waited = (schedule.kind == Kind.WAIT_REDUCE).any()
    what = "WAIT_REDUCE behind its REDUCE" if waited and reduces[gradient:end].any() else "REDUCE"
    return f"put {stage}{what} between the gradients and their update"


def _reductions(run: Run) -> IntArray:
    """Flat indices of the reductions of whole stages."""
    schedule = run.schedule
    whole = schedule.microbatch == NO_MICROBATCH
    return np.flatnonzero((schedule.kind == Kind.REDUCE) & whole)


def _over(run: Run, reductions: IntArray) -> IntArray:
    """When each reduction is complete: at its wait where there are waits, else where it stands."""
    schedule, count = run.schedule, len(run.schedule)
    waits = np.flatnonzero(schedule.kind == Kind.WAIT_REDUCE)
    if not len(waits):
        return reductions
    seat = (schedule.rank_of_action * schedule.stages + schedule.stage) * (count + 1)
    keys = np.append(np.sort((seat + np.arange(count))[waits]), np.iinfo(np.int64).max)
    following = keys[np.searchsorted(keys, (seat + np.arange(count))[reductions])]
    return np.asarray(np.minimum(following - seat[reductions], count))


def _latest(run: Run, updates: IntArray) -> IntArray:
    """The action in front of which each update has come at the latest."""
    schedule = run.schedule
    computes = np.flatnonzero(among(schedule.kind, COMPUTE))
    keys = weights_of_action(schedule) * len(schedule) + np.arange(len(schedule))
    order = computes[np.argsort(keys[computes], kind="stable")]
    found = np.searchsorted(keys[order], keys[updates], side="right")
    following = np.append(order, MISSING)[found]
    weights = np.append(weights_of_action(schedule), MISSING)
    same = (following != MISSING) & (weights[following] == weights[updates])
    implied = np.where(same, following, len(schedule))
    return np.where(schedule.kind[updates] == Kind.U, updates, implied)
