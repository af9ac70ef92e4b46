"""Orders as tables of starts: from a schedule, and back to one that the simulator runs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from schedules.actions import Action, Kind
from schedules.dependencies import tables
from schedules.planning.synthesis.problem import KINDS, Problem
from schedules.schedule import IntArray, Schedule

Starts = dict[Kind, IntArray]
"""By kind, shape (stages, microbatches), in units of the problem."""


def starts_of(problem: Problem, schedule: Schedule) -> Starts | None:
    """When each F, I and W begins, each kind in ascending order; a fused backward is cut.

    None where the schedule is placed otherwise, or does not keep to the problem.
    """
    if schedule.placement.ranks != problem.placement.ranks:
        return None
    if schedule.microbatches != problem.microbatches:
        return None
    line, index = problem.costs.timeline(schedule), tables(schedule)
    start = line.start // problem.grain
    inputs = np.array(problem.durations[Kind.I])[:, None]
    fused = index.backward == index.gradient
    found = {
        Kind.F: start[index.forward],
        Kind.I: start[index.backward],
        Kind.W: np.where(fused, start[index.backward] + inputs, start[index.gradient]),
    }
    ordered = {kind: np.sort(table, axis=1) for kind, table in found.items()}
    return ordered if keeps(problem, ordered) else None


def makespan(problem: Problem, starts: Starts) -> int:
    """End of the last action, in units of the problem."""
    return max(
        int(starts[kind][s, -1]) + problem.durations[kind][s]
        for kind in KINDS
        for s in range(problem.stages)
    )


def keeps(problem: Problem, starts: Starts) -> bool:
    """Whether starts keep memory and staleness; that they are possible is for the simulator."""
    ends = starts[Kind.W] + np.array(problem.durations[Kind.W])[:, None]
    window, behind = problem.window, (problem.lag + 1) * problem.window
    for first in range(behind, problem.microbatches, window):
        if (starts[Kind.F][:, first] < ends[:, first - behind + window - 1]).any():
            return False
    return all(_fits(problem, starts, ends, rank) for rank in set(problem.ranks))


def _fits(problem: Problem, starts: Starts, ends: IntArray, rank: int) -> bool:
    free, own = problem.free(rank), problem.stages_of(rank)
    if free is None:
        return True
    size = np.repeat([problem.activations[s] for s in own], problem.microbatches)
    when = np.concatenate([starts[Kind.F][own].ravel(), ends[own].ravel()])
    change = np.concatenate([size, -size])
    order = np.lexsort((change, when))  # what is freed goes first
    return int(np.cumsum(change[order]).max(initial=0)) <= free


def schedule_of(problem: Problem, starts: Starts, name: str) -> Schedule:
    """The order of starts as a schedule."""
    ranked: list[list[tuple[int, int, int, int, Action]]] = [[] for _ in problem.fixed]
    for place, (kind, s) in enumerate(_topological(problem)):
        for m in range(problem.microbatches):
            begin = int(starts[kind][s, m])
            end = begin + problem.durations[kind][s]
            action = Action(kind, s, m)
            # Of what takes no time, microbatches go one after the other, each in its own order.
            ranked[problem.ranks[s]].append((begin, end, m, place, action))
    orders = [[entry[-1] for entry in sorted(row)] for row in ranked]
    return Schedule.from_orders(
        name, orders, problem.microbatches, problem.policy, placement=problem.placement
    )


def _topological(problem: Problem) -> Iterable[tuple[Kind, int]]:
    """Kinds and stages in an order in which a microbatch can pass them."""
    stages = range(problem.stages)
    yield from ((Kind.F, s) for s in stages)
    for s in reversed(stages):
        yield from ((Kind.I, s), (Kind.W, s))
