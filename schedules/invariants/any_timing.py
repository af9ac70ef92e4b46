"""Delay under any timing: the largest over all orders in which a schedule's events can happen.

For an update u at active stage i, of a gradient of microbatch m, and the forward f of m at
block j, the delay is the number of updates between f and u. Everything that f does not need may
happen behind f, and everything that does not need u before u, both in one order, as f itself is
needed for u. So the largest delay is

    updates − 1 − (updates that f needs) − (updates that need u),

and is attained. What an action needs is, on every rank, a beginning of its program order: one
position for each rank, a vector clock; a BARRIER needs all that stands before its counterparts.
Messages are buffered without limit here; other queues only take orders away.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from schedules.dependencies import MISSING, edges, past_receives
from schedules.invariants.invariant import Answer, Undecided
from schedules.invariants.run import Run
from schedules.schedule import IntArray
from schedules.validation.violation import Arrow, Case, Finding, Marks, listed

MOST_RANKS: Final = 16
"""Ranks up to which clocks are kept."""


def decide_delay_any_timing(run: Run, bound: int) -> Answer:
    """No order of events delays a gradient of the steady window by more than `bound`."""
    schedule = run.schedule
    if schedule.ranks > MOST_RANKS:
        return Undecided(f"it is decided up to {MOST_RANKS} ranks, found {schedule.ranks}")
    first, last = schedule.stages, schedule.microbatches - schedule.stages
    if first >= last:
        return Undecided(
            f"no microbatch m has S ≤ m < M − S with S = {schedule.stages} stages; take "
            f"M ≥ {2 * schedule.stages + 1}"
        )
    found, needed = worst_delays(run)
    inside = np.zeros(found.shape, dtype=np.bool_)
    inside[:, first:last] = found[:, first:last] != MISSING
    if not inside.any():
        return Undecided(f"no gradient of microbatches {first} … {last - 1} is applied")
    wrong = run.in_file_order(inside & (found > bound), run.tables.gradient)

    def describe(case: int) -> Case:
        stage, microbatch = wrong[case]
        gradient = int(run.tables.gradient[stage, microbatch])
        block = int(needed[:, microbatch].argmin())
        forward = int(run.tables.forward[block, microbatch])
        delay = int(found[stage, microbatch])
        return Case(
            schedule.place(gradient),
            f"whatever the timing, a global delay is at most {bound} in the steady window "
            f"{first} ≤ m < {last}, but between {run.words(forward)} and the update of "
            f"{schedule.action(gradient)} there can be {delay} updates",
            f"allow delay-any-timing<={int(found[inside].max())}, or admit fewer microbatches",
            {
                "action": str(schedule.action(gradient)),
                "delay": delay,
                "most": int(found[inside].max()),
                "bound": bound,
                "block": block,
                "forward": str(schedule.action(forward)),
                "forward_place": schedule.place(forward),
            },
            Marks((gradient, forward), (Arrow(forward, gradient, f"up to {delay} updates"),)),
        )

    return listed(schedule, "delay-any-timing", [Finding("delayed gradient", len(wrong), describe)])


def worst_delays(run: Run) -> tuple[IntArray, IntArray]:
    """Largest delay of every gradient over the blocks and all orders of events.

    Returns
    -------
    delay : ndarray of int, shape (stages, M)
        `MISSING` where the gradient is not applied.
    needed : ndarray of int, shape (stages, M)
        Updates that each forward needs.

    Examples
    --------
    >>> from schedules import build
    >>> worst_delays(Run(build("pipedream", 2, 3)))[0].tolist()
    [[2, 4, 3], [0, 2, 2]]
    """
    schedule, updates = run.schedule, run.updates
    applied = run.update_at_or_after(run.tables.gradient.ravel())
    chosen = np.unique(applied[applied != MISSING])
    found = past_receives(schedule, edges(schedule))
    before = clocks(schedule.offsets, found.source, found.target)[run.tables.forward.ravel()]
    last = len(schedule) - 1
    mirrored = len(schedule) - schedule.offsets[::-1]
    behind = clocks(mirrored, last - found.target, last - found.source)[last - chosen]
    # Updates among the first k actions of the flat order.
    so_far = np.zeros(len(schedule) + 1, dtype=np.int64)
    so_far[updates + 1] = 1
    so_far = np.cumsum(so_far)
    begin, end = schedule.offsets[:-1], schedule.offsets[1:]
    needed = (so_far[begin + before] - so_far[begin]).sum(axis=1).reshape(run.tables.forward.shape)
    # The clock of an update counts the update itself.
    needing = (so_far[end] - so_far[end - behind[:, ::-1]]).sum(axis=1)
    most = np.append(len(updates) - needing, 0)[np.searchsorted(chosen, applied)]
    delay = most.reshape(needed.shape) - needed.min(axis=0)
    return np.where(applied.reshape(needed.shape) == MISSING, MISSING, delay), needed


def clocks(offsets: IntArray, source: IntArray, target: IntArray) -> NDArray[np.int32]:
    """Vector clocks: how much of every rank's program order each action needs, itself included.

    Parameters
    ----------
    offsets : ndarray of int, shape (ranks + 1,)
        Actions ``offsets[r] … offsets[r + 1] − 1`` are those of rank r, in program order.
    source, target : ndarray of int
        ``target[k]`` waits for ``source[k]``; no cycle.

    Returns
    -------
    ndarray of int32, shape (actions, ranks)

    Examples
    --------
    >>> clocks(np.array([0, 2, 4]), np.array([0]), np.array([3])).tolist()
    [[1, 0], [2, 0], [0, 1], [1, 2]]
    """
    count, ranks = int(offsets[-1]), len(offsets) - 1
    rank_of = np.repeat(np.arange(ranks), np.diff(offsets))
    crosses = np.flatnonzero(rank_of[source] != rank_of[target])
    crosses = crosses[np.argsort(target[crosses], kind="stable")]
    bounds = np.searchsorted(target[crosses], np.arange(count + 1)).tolist()
    sources = source[crosses].tolist()
    found = np.zeros((count, ranks), dtype=np.int32)
    at, ends = offsets[:-1].tolist(), offsets[1:].tolist()
    done = [False] * count
    waiting: dict[int, list[int]] = {}
    ready = list(range(ranks))
    clock = np.zeros((ranks, ranks), dtype=np.int32)
    while ready:
        rank = ready.pop()
        mine, index = clock[rank], at[rank]
        while index < ends[rank]:
            needs = sources[bounds[index] : bounds[index + 1]]
            missing = next((needed for needed in needs if not done[needed]), None)
            if missing is not None:
                waiting.setdefault(missing, []).append(rank)
                break
            for needed in needs:
                np.maximum(mine, found[needed], out=mine)
            mine[rank] += 1
            found[index] = mine
            done[index] = True
            ready += waiting.pop(index, ())
            index += 1
        at[rank] = index
    return found
