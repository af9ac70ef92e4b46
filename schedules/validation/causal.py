"""Causal: everything stands where what it needs can have happened before."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from schedules.actions import COMPUTE, MESSAGES, WAITED_SENDS, Action, Kind, among
from schedules.cycles import Wait, describe_cycle, find_cycles
from schedules.dependencies import MISSING, Edges, edges, in_range, tables
from schedules.messages.channels import folded
from schedules.messages.queues import readers
from schedules.schedule import IntArray, Schedule
from schedules.timeline import run_to_end
from schedules.validation.gathered import ungathered
from schedules.validation.kept import not_kept
from schedules.validation.violation import Arrow, Case, Finding, Marks, Violation, listed

SLOT_OF_KIND = {Kind.F: 0, Kind.B: 1, Kind.I: 1, Kind.W: 2}
"""Computations of one (stage, microbatch) that stand for each other in a dependency."""


def causal(schedule: Schedule, finishes: Callable[[], bool] = lambda: False) -> list[Violation]:
    """What stands before something it needs, or never gets it, and what waits in a circle.

    An order that one rank breaks by itself is reported once for each pair; circles of several
    ranks are looked for among the other dependencies. Where a computation is missing, or there
    twice, nothing is concluded from it. In a schedule with messages, what a computation needs
    from another rank has to be received before it on its own rank: nothing else brings it there.
    A wait stands behind the send or reduction that it is for, one behind each. In a schedule with
    ``UNSHARD``, a stage computes on gathered parameters only. What is recomputed or taken off the
    device is there again when it is needed. `finishes` says whether the schedule is known to come
    to its end with all its dependencies, so that circles need not be looked for.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> [found.message for found in causal(parse_csv("0B0,0F0", "a.csv"))]
    ['a.csv:row 1:cell 1: an action stands behind what it needs, but 0B0 stands before 0F0
    (a.csv:row 1:cell 2), whose forward it needs; move 0B0 behind 0F0']
    """
    twice, found = ambiguous(schedule), edges(schedule)
    count = len(found.source)
    found = _choose(found, ~(twice[found.source] | twice[found.target]))
    rank = schedule.rank_of_action
    inverted = (rank[found.source] == rank[found.target]) & (found.source > found.target)
    whole = len(found.source) == count and not inverted.any()
    known = whole and finishes()
    findings = [
        _mixed_pipelines(schedule),
        _inversions(schedule, _choose(found, inverted)),
        _not_received(schedule, twice, found.target[inverted]),
        _waits_for_nothing(schedule),
        ungathered(schedule),
        not_kept(schedule),
        *([] if known else [_circles(schedule, _choose(found, ~inverted))]),
    ]
    return listed(schedule, "causal", findings)


def _choose(found: Edges, chosen: NDArray[np.bool_]) -> Edges:
    return Edges(found.source[chosen], found.target[chosen], found.kind[chosen])


def ambiguous(schedule: Schedule) -> NDArray[np.bool_]:
    """Which computations are there twice (a B beside an I counts as twice)."""
    slots = np.full(len(Kind), len(SLOT_OF_KIND), dtype=np.int64)
    slots[list(SLOT_OF_KIND)] = list(SLOT_OF_KIND.values())
    computed = np.flatnonzero(among(schedule.kind, COMPUTE) & in_range(schedule))
    pair = schedule.stage[computed] * schedule.microbatches + schedule.microbatch[computed]
    key = pair * len(SLOT_OF_KIND) + slots[schedule.kind[computed]]
    _, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
    twice = np.zeros(len(schedule), dtype=np.bool_)
    twice[computed] = counts[inverse] > 1
    return twice


def _mixed_pipelines(schedule: Schedule) -> Finding:
    computed = np.flatnonzero(among(schedule.kind, COMPUTE) & in_range(schedule))
    first = np.full(schedule.microbatches, -1, dtype=np.int64)
    first[schedule.microbatch[computed[::-1]]] = computed[::-1]
    peer = first[schedule.microbatch[computed]]
    differs = computed[schedule.pipeline[computed] != schedule.pipeline[peer]]
    _, where = np.unique(schedule.microbatch[differs], return_index=True)
    strangers = differs[where]

    def describe(case: int) -> Case:
        index = int(strangers[case])
        microbatch = int(schedule.microbatch[index])
        one, other = int(first[microbatch]), index
        pipelines = [int(schedule.pipeline[one]), int(schedule.pipeline[other])]
        return Case(
            schedule.place(index),
            f"a microbatch stays in one pipeline, but {schedule.action(one)} "
            f"({schedule.place(one)}) is in pipeline {pipelines[0]} and {schedule.action(other)} "
            f"in pipeline {pipelines[1]}",
            f"put all actions of microbatch {microbatch} in one pipeline",
            {"microbatch": microbatch, "pipelines": pipelines},
            Marks((other, one)),
        )

    return Finding("microbatch in two pipelines", len(strangers), describe)


def _inversions(schedule: Schedule, inverted: Edges) -> Finding:
    order = np.lexsort((inverted.source, inverted.target))

    def describe(case: int) -> Case:
        edge = order[case]
        source, target = int(inverted.source[edge]), int(inverted.target[edge])
        needed, early = schedule.action(source), schedule.action(target)
        place = schedule.place(target)
        return Case(
            place,
            f"an action stands behind what it needs, but {early} stands before {needed} "
            f"({schedule.place(source)}), whose {_need(schedule, source, target)} it needs",
            f"move {early} behind {needed}",
            {
                "action": str(early),
                "place": place,
                "needs": str(needed),
                "needs_place": schedule.place(source),
            },
            Marks((target, source), (Arrow(target, source, "needs"),)),
        )

    return Finding("action before what it needs", len(order), describe)


def _need(schedule: Schedule, source: int, target: int) -> str:
    if schedule.kind[source] in (Kind.RECV_F, Kind.RECV_B):
        return "activation" if schedule.kind[source] == Kind.RECV_F else "gradient"
    if schedule.stage[source] == schedule.stage[target]:
        return "forward" if schedule.kind[source] == Kind.F else "input gradient"
    return "activation" if schedule.kind[source] == Kind.F else "gradient"


def _not_received(schedule: Schedule, twice: NDArray[np.bool_], inverted: IntArray) -> Finding:
    """What runs without its input; a receive behind its computation is an inversion already."""
    source, target = _from_other_ranks(schedule)
    received = np.zeros(len(schedule), dtype=np.bool_)
    received[readers(schedule)[1]] = True
    received[inverted] = True
    lacks = np.flatnonzero(~(received[target] | twice[target] | twice[source]))

    def describe(case: int) -> Case:
        maker, index = int(source[lacks[case]]), int(target[lacks[case]])
        forward = schedule.kind[index] == Kind.F
        tensor, receive = ("activation", "RECV_F") if forward else ("gradient", "RECV_B")
        action, place = schedule.action(index), schedule.place(index)
        message = f"{action.stage}{receive}{action.microbatch}"
        rank = int(schedule.rank_of_action[index])
        return Case(
            place,
            f"what a computation needs from another rank is received before it, but {action} "
            f"needs the {tensor} of {schedule.action(maker)} ({schedule.place(maker)}) and rank "
            f"{rank} has no {message} before it",
            f"add {message} before {action}, and the send that belongs to it if that is missing",
            {
                "action": str(action),
                "place": place,
                "needs": str(schedule.action(maker)),
                "needs_place": schedule.place(maker),
                "missing": message,
            },
            Marks((index, maker), (Arrow(maker, index, "does not reach"),)),
        )

    return Finding("input that is not received", len(lacks), describe)


def _from_other_ranks(schedule: Schedule) -> tuple[IntArray, IntArray]:
    """Computations and what they need from another rank by message; none without messages."""
    nothing = np.zeros(0, dtype=np.int64)
    if not among(schedule.kind, MESSAGES).any():
        return nothing, nothing
    index, rank = tables(schedule), schedule.rank_of_action
    source = np.concatenate([index.forward[:-1].ravel(), index.backward[1:].ravel()])
    target = np.concatenate([index.forward[1:].ravel(), index.backward[:-1].ravel()])
    crosses = (source != MISSING) & (target != MISSING) & (rank[source] != rank[target])
    return source[crosses], target[crosses]


def _waits_for_nothing(schedule: Schedule) -> Finding:
    """Waits that no send, or reduction, of their label stands before since the wait before."""
    pairs = {**WAITED_SENDS, Kind.REDUCE: Kind.WAIT_REDUCE}
    reverse = {wait: begin for begin, wait in pairs.items()}
    chosen = np.flatnonzero(among(schedule.kind, reverse))
    if len(chosen):
        chosen = np.flatnonzero(among(schedule.kind, [*pairs, *reverse]))
    family = np.arange(len(Kind))
    family[list(reverse)] = list(reverse.values())
    columns = [schedule.rank_of_action, family[schedule.kind], schedule.stage]
    columns += [schedule.microbatch, schedule.pipeline]
    label = folded([column[chosen] for column in columns])
    order = np.argsort(label, kind="stable")
    label, waits = label[order], among(schedule.kind[chosen[order]], reverse)
    alone = waits.copy()
    alone[1:] &= waits[:-1] | (label[1:] != label[:-1])
    lonely = np.sort(chosen[order[alone]])

    def describe(case: int) -> Case:
        index = int(lonely[case])
        action = schedule.action(index)
        begin = Action(reverse[action.kind], action.stage, action.microbatch, action.pipeline)
        return Case(
            schedule.place(index),
            f"a wait stands behind what it is for, one wait behind each, but {action} has no "
            f"{begin} before it that is still to be waited for, on rank "
            f"{int(schedule.rank_of_action[index])}",
            f"move {action} behind {begin}, or drop it",
            {"action": str(action), "missing": str(begin)},
            Marks((index,)),
        )

    return Finding("wait for nothing", len(lonely), describe)


def _circles(schedule: Schedule, found: Edges) -> Finding:
    _, stuck = run_to_end(schedule, np.zeros(len(schedule), dtype=np.int64), found)
    cycles = find_cycles(schedule, stuck, found) if stuck else []

    def describe(case: int) -> Case:
        cycle = cycles[case]
        return Case(
            schedule.place(cycle[0].action),
            "ranks must not wait for each other in a circle, but "
            + describe_cycle(schedule, cycle),
            "reorder the actions of one of these ranks",
            {"cycle": [_link(schedule, wait) for wait in cycle]},
            Marks(
                tuple(wait.action for wait in cycle),
                tuple(Arrow(wait.action, wait.awaited, "waits for") for wait in cycle),
            ),
        )

    return Finding("circle of waits", len(cycles), describe)


def _link(schedule: Schedule, wait: Wait) -> dict[str, str]:
    return {
        "action": str(schedule.action(wait.action)),
        "place": schedule.place(wait.action),
        "waits_for": str(schedule.action(wait.awaited)),
        "waits_for_place": schedule.place(wait.awaited),
    }
