"""Update-once: each gradient is applied by exactly one update, which closes its window.

An update applies all gradients of its weights since the update before. The window of a gradient
is what the policy gives: the next `interval` gradients of the weights in program order; under
``flush`` a step, which holds the same microbatches at all stages. Reductions over replicas come in
between: see `schedules.invariants.reductions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from schedules.actions import NO_MICROBATCH, Kind
from schedules.dependencies import MISSING
from schedules.invariants.invariant import Answer
from schedules.invariants.reductions import applied_unreduced, reduced_again
from schedules.invariants.run import Run
from schedules.schedule import IntArray
from schedules.validation.violation import Arrow, Case, Finding, Marks, listed
from schedules.versions import weights_of_action


def decide_update_once(run: Run, _: int) -> Answer:
    """Each gradient is applied by exactly one update, the one that closes its window."""
    findings = [
        _never_applied(run),
        _without_update(run),
        _apply_nothing(run),
        _wrong_window(run),
        applied_unreduced(run),
        reduced_again(run),
    ]
    if run.schedule.policy.name == "flush":
        findings.append(_different_windows(run))
    return listed(run.schedule, "update-once", findings)


def _applied_by(run: Run) -> IntArray:
    """Flat index of the update that applies each gradient, shape (stages, M); or `MISSING`."""
    return run.update_at_or_after(run.tables.gradient.ravel()).reshape(run.tables.gradient.shape)


def _never_applied(run: Run) -> Finding:
    """Weights whose last gradients no update follows."""
    schedule = run.schedule
    left = np.sort(run.tables.gradient[_applied_by(run) == MISSING])
    weights = weights_of_action(schedule)[left]
    _, first, count = np.unique(weights, return_index=True, return_counts=True)
    order = np.argsort(first)
    first, count = left[first[order]], count[order]

    def describe(case: int) -> Case:
        gradient, missing = int(first[case]), int(count[case])
        others = f" and {missing - 1} more behind it" if missing > 1 else ""
        return Case(
            schedule.place(gradient),
            f"each gradient is applied by one update, but none follows "
            f"{schedule.action(gradient)}{others}",
            _remedy(run, gradient),
            {
                "action": str(schedule.action(gradient)),
                "unapplied": missing,
                "policy": schedule.policy.name,
                "interval": schedule.policy.interval,
            },
            Marks((gradient,)),
        )

    return Finding("weights with gradients that are never applied", len(first), describe)


def other_labels(run: Run) -> Iterator[str]:
    """Updates whose microbatch is not that of the last gradient they apply, in one text.

    Where backwards are not in order of microbatches, the largest one may be named too.
    """
    schedule = run.schedule
    named = (schedule.kind == Kind.U) & (schedule.microbatch != NO_MICROBATCH)
    if not named.any():
        return
    gradients = np.sort(run.tables.gradient.ravel())
    applied: dict[int, list[int]] = {index: [] for index in np.flatnonzero(named).tolist()}
    for gradient, update in zip(gradients, run.update_at_or_after(gradients).tolist(), strict=True):
        if update in applied:
            applied[update].append(int(schedule.microbatch[gradient]))
    wrong = [
        index
        for index, numbers in applied.items()
        if schedule.microbatch[index] not in {*numbers[-1:], max(numbers, default=NO_MICROBATCH)}
    ]
    if wrong:
        first = wrong[0]
        numbers = applied[first]
        action, stage = schedule.action(first), int(schedule.stage[first])
        these, fix = "none", "move it behind the backwards that it is meant for, or drop it"
        if numbers:
            these = f"those of {_listed(numbers)}"
            fix = f"name the last of them ({stage}U{numbers[-1]}), or none"
        more = f" (and of {len(wrong) - 1} more the label is another)" if len(wrong) > 1 else ""
        yield (
            f"{schedule.place(first)}: an update applies all gradients of its weights since the "
            f"one before, so {action} applies {these}, whatever microbatch it names; {fix}: "
            f"gradients that wait in a queue cannot be written{more}"
        )


def _listed(numbers: Sequence[int], most: int = 4) -> str:
    """Some microbatches in words, a long list by its ends."""
    if len(numbers) > most:
        return f"microbatches {numbers[0]}, {numbers[1]}, …, {numbers[-1]} ({len(numbers)})"
    plural = "es" if len(numbers) > 1 else ""
    return f"microbatch{plural} {', '.join(map(str, numbers))}"


def _remedy(run: Run, gradient: int) -> str:
    if _explicit(run)[weights_of_action(run.schedule)[gradient]]:
        return "add an action U behind it"
    return (
        f"take a number of microbatches that the window of {run.schedule.policy.interval} "
        "divides, or another window"
    )


def _explicit(run: Run) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Which weights have actions U."""
    schedule = run.schedule
    found = np.zeros(schedule.stages * schedule.placement.copy_count, dtype=np.bool_)
    found[weights_of_action(schedule)[schedule.kind == Kind.U]] = True
    return found


def _without_update(run: Run) -> Finding:
    """Weights without an action U, where others have some."""
    schedule, explicit = run.schedule, _explicit(run)
    gradients = run.tables.gradient.ravel()
    last = np.full(len(explicit), MISSING, dtype=np.int64)
    np.maximum.at(last, weights_of_action(schedule)[gradients], gradients)
    bare = last[(last != MISSING) & ~explicit] if explicit.any() else last[:0]
    has = int(np.flatnonzero(schedule.kind == Kind.U)[0]) if explicit.any() else MISSING

    def describe(case: int) -> Case:
        gradient = int(bare[case])
        stage = int(schedule.stage[gradient])
        return Case(
            schedule.place(gradient),
            f"either all weights of a schedule have their actions U or none, but those of stage "
            f"{stage} have none and others do, such as {run.words(has)}",
            f"add {stage}U behind {schedule.action(gradient)}",
            {
                "stage": stage,
                "last_gradient": str(schedule.action(gradient)),
                "other": str(schedule.action(has)),
                "other_place": schedule.place(has),
            },
            Marks((gradient, has)),
        )

    return Finding("weights without an action U", len(bare), describe)


def _gradients_by_update(run: Run) -> IntArray:
    """How many gradients each update applies, in the order of `run.updates`."""
    applied = _applied_by(run).ravel()
    place = np.searchsorted(run.updates, applied[applied != MISSING])
    return np.bincount(place, minlength=len(run.updates))


def _apply_nothing(run: Run) -> Finding:
    schedule = run.schedule
    empty = run.updates[_gradients_by_update(run) == 0]

    def describe(case: int) -> Case:
        update = int(empty[case])
        return Case(
            schedule.place(update),
            f"an update applies at least one gradient, but {schedule.action(update)} has none "
            "since the update before",
            "drop it, or move it behind the backwards that it is meant for",
            {"action": str(schedule.action(update))},
            Marks((update,)),
        )

    return Finding("update that applies nothing", len(empty), describe)


def _wrong_window(run: Run) -> Finding:
    """Actions U that stand before the end of their window, or behind it."""
    schedule, policy = run.schedule, run.schedule.policy
    counts = _gradients_by_update(run)
    wrong = np.flatnonzero((counts > 0) & (counts != policy.interval))
    if policy.name == "flush":
        wrong = wrong[:0]

    def describe(case: int) -> Case:
        update, count = int(run.updates[wrong[case]]), int(counts[wrong[case]])
        return Case(
            schedule.place(update),
            f"an update closes its window of {policy.interval} gradients (policy {policy.name}), "
            f"but {schedule.action(update)} applies {count}",
            f"move it behind every {policy.interval} gradients, or state the interval {count}",
            {
                "action": str(schedule.action(update)),
                "gradients": count,
                "interval": policy.interval,
                "policy": policy.name,
            },
            Marks((update,)),
        )

    return Finding("update at the wrong interval", len(wrong), describe)


def _different_windows(run: Run) -> Finding:
    """Under ``flush``: microbatches that two stages apply in different updates."""
    schedule, applied = run.schedule, _applied_by(run)
    number = run.versions.at_update
    differs = (np.ptp(number, axis=0) > 0) & (applied != MISSING).all(axis=0)
    wrong = np.flatnonzero(differs)
    low, high = number[:, wrong].argmin(axis=0), number[:, wrong].argmax(axis=0)
    pairs = np.stack([applied[low, wrong], applied[high, wrong]])
    _, first, count = np.unique(pairs, axis=1, return_index=True, return_counts=True)

    def describe(case: int) -> Case:
        chosen = first[case]
        microbatch = int(wrong[chosen])
        one, other = int(pairs[0, chosen]), int(pairs[1, chosen])
        numbers = int(number[low[chosen], microbatch]), int(number[high[chosen], microbatch])
        return Case(
            schedule.place(other),
            "the stages apply the gradients of a microbatch in the same step (policy flush), but "
            f"those of microbatch {microbatch} are applied by {run.words(one)}, update "
            f"{numbers[0]} of its stage, and by {run.words(other)}, update {numbers[1]}",
            "put the updates of all stages behind the same microbatches",
            {
                "microbatch": microbatch,
                "microbatches": int(count[case]),
                "first": {"action": str(schedule.action(one)), "update": numbers[0]},
                "second": {"action": str(schedule.action(other)), "update": numbers[1]},
                "first_place": schedule.place(one),
            },
            Marks((other, one), (Arrow(other, one, "applies the same microbatch"),)),
        )

    return Finding("microbatch applied in different steps", len(first), describe)
