"""Part of ``buffer-safe``: forwards find their labels, and backwards their gradients.

Labels come in the order of the microbatches: its k-th ``LoadMicroBatch`` brings those of
microbatch k, whatever buffer it goes to. Received gradients have no buffer of their own for each
microbatch: DeepSpeed's engine keeps one a rank (``grad_layer``), which every ``RecvGrad`` writes.
"""

from __future__ import annotations

import numpy as np

from schedules.dependencies import MISSING
from schedules.invariants.visits import BACKWARDS, FORWARD, LOAD, RECEIVE_GRAD, Visits
from schedules.validation.violation import Arrow, Case, Finding, Marks


def without_gradient(visits: Visits) -> Finding:
    """Backwards whose gradient went into another buffer, where their rank receives any."""
    received = visits.code == RECEIVE_GRAD
    receives = np.isin(visits.rank, visits.rank[received])
    lacks = visits.done(RECEIVE_GRAD) <= visits.done(*BACKWARDS)
    backward = np.isin(visits.code, BACKWARDS) & visits.sends_on
    wrong = np.flatnonzero(backward & receives & lacks)
    wrong = wrong[np.argsort(visits.index[wrong])]

    def describe(case: int) -> Case:
        visit = int(wrong[case])
        buffer = int(visits.instructions.buffer[visits.index[visit]])
        return Case(
            visits.place(visit),
            "a backward finds the gradient of its output in its buffer, but no RecvGrad has come "
            f"for what {visits.words(visit)} works on",
            f"receive it into buffer {buffer} before that",
            {**visits.data(visit), "microbatch": int(visits.microbatch[visit])},
            Marks((int(visits.instructions.action[visits.index[visit]]),)),
        )

    return Finding("backward without gradient", len(wrong), describe)


def overwritten_gradients(visits: Visits) -> Finding:
    """Gradients received for another buffer that no backward of that buffer has used yet."""
    received = np.flatnonzero(visits.code == RECEIVE_GRAD)
    received = received[np.argsort(visits.index[received])]
    earlier, later = received[:-1], received[1:]
    uses = np.append(np.flatnonzero(np.isin(visits.code, BACKWARDS)), MISSING)
    use = uses[np.searchsorted(uses[:-1], earlier)]
    used = (use != MISSING) & (visits.first[use] == visits.first[earlier])
    used &= visits.index[use] < visits.index[later]
    other = visits.first[earlier] != visits.first[later]
    wrong = np.flatnonzero((visits.rank[earlier] == visits.rank[later]) & other & ~used)

    def describe(case: int) -> Case:
        lost, visit = int(earlier[wrong[case]]), int(later[wrong[case]])
        return Case(
            visits.place(visit),
            "a rank keeps one received gradient, in place of which the next one comes, but "
            f"{visits.words(visit)} comes before a BackwardPass has used that of "
            f"{visits.words(lost)} ({visits.place(lost)})",
            "receive each gradient after the backward that uses the one before it",
            {
                **visits.data(visit),
                "microbatch": int(visits.microbatch[lost]),
                "received": visits.place(lost),
            },
            _both(visits, visit, lost),
        )

    return Finding("second RecvGrad of a rank", len(wrong), describe)


def _both(visits: Visits, visit: int, lost: int) -> Marks:
    """The receive that overwrites, and the one whose gradient is lost."""
    writer, victim = visits.instructions.action[visits.index[[visit, lost]]].tolist()
    return Marks((writer, victim), (Arrow(writer, victim, "overwrites the gradient of"),))


def without_labels(visits: Visits) -> Finding:
    """Forwards of the last stage whose labels went into another buffer, or nowhere."""
    loaded, used = visits.ever_done(LOAD), visits.ever_done(FORWARD)
    at_the_end = (visits.rank > 0) & ~visits.sends_on
    wrong = np.sort(np.flatnonzero(at_the_end & (visits.code == FORWARD) & (loaded <= used)))

    def describe(case: int) -> Case:
        visit = int(wrong[case])
        return Case(
            visits.place(visit),
            "the last stage finds its labels in the buffer of its input, but no LoadMicroBatch "
            f"has come since the last forward of what {visits.words(visit)} reads",
            "load the labels into the same buffer before it",
            {**visits.data(visit), "microbatch": int(visits.microbatch[visit])},
            Marks((int(visits.instructions.action[visits.index[visit]]),)),
        )

    return Finding("forward without labels", len(wrong), describe)


def other_labels(visits: Visits) -> Finding:
    """Forwards of the last stage that find the labels of another microbatch in their buffer."""
    is_label = visits.loads_labels
    place = np.arange(len(is_label))
    latest = np.maximum.accumulate(np.where(is_label, place, MISSING))
    latest = np.where(latest >= visits.first, latest, MISSING)
    loads = place[is_label]
    label = np.full(len(is_label), MISSING, dtype=np.int64)
    label[loads[np.argsort(visits.index[loads])]] = np.arange(len(loads))
    found = np.where(latest == MISSING, MISSING, np.append(label, MISSING)[latest])
    at_the_end = (visits.rank > 0) & ~visits.sends_on & (visits.code == FORWARD)
    wrong = np.flatnonzero(at_the_end & (found != MISSING) & (found != visits.microbatch))
    wrong = wrong[np.argsort(visits.index[wrong])]

    def describe(case: int) -> Case:
        visit = int(wrong[case])
        load, microbatch = int(latest[visit]), int(visits.microbatch[visit])
        return Case(
            visits.place(visit),
            f"a forward of the last stage finds its own labels in its buffer, but "
            f"{visits.words(visit)} is of microbatch {microbatch} and the labels there are those "
            f"of microbatch {int(found[visit])}, brought by LoadMicroBatch "
            f"{int(found[visit]) + 1} of its rank ({visits.place(load)})",
            "load labels in the order of the microbatches, each into the buffer of its input",
            {
                **visits.data(visit),
                "microbatch": microbatch,
                "labels": int(found[visit]),
                "brought": visits.place(load),
            },
            Marks((int(visits.instructions.action[visits.index[visit]]),)),
        )

    return Finding("forward with the labels of another microbatch", len(wrong), describe)
