"""The problem as a model for OR-tools' CP-SAT."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from schedules.actions import Kind
from schedules.planning.synthesis.problem import KINDS, Problem

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


def posed(
    problem: Problem, least: int, horizon: int
) -> tuple[cp_model.CpModel, dict[Kind, Any], cp_model.IntVar]:
    """The problem as a CP-SAT model: the model, starts by kind, and the makespan."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    stages, count = range(problem.stages), problem.microbatches
    begins: dict[Kind, Any] = {}
    for kind in KINDS:
        table = np.empty((problem.stages, count), dtype=object)
        for s in stages:
            for m in range(count):
                latest = horizon - problem.durations[kind][s]
                table[s, m] = model.new_int_var(0, latest, f"{s}{kind.name}{m}")
        begins[kind] = table
    total = model.new_int_var(least, horizon, "makespan")
    on_rank: list[list[cp_model.IntervalVar]] = [[] for _ in problem.fixed]
    for kind, table in begins.items():
        for s in stages:
            taken = problem.durations[kind][s]
            for m in range(count):
                interval = model.new_fixed_size_interval_var(
                    table[s, m], taken, f"{s}{kind.name}{m}i"
                )
                on_rank[problem.ranks[s]].append(interval)
                if m:
                    model.add(table[s, m] >= table[s, m - 1] + taken)
                for other, at, lag in problem.needs(kind, s):
                    ready = begins[other][at, m] + problem.durations[other][at] + lag
                    model.add(table[s, m] >= ready)
            model.add(total >= table[s, count - 1] + taken)
    for intervals in on_rank:
        model.add_no_overlap(intervals)
    _keep_memory(problem, model, begins, horizon)
    _keep_staleness(problem, model, begins)
    model.minimize(total)
    return model, begins, total


def _keep_memory(
    problem: Problem, model: cp_model.CpModel, begins: dict[Kind, Any], horizon: int
) -> None:
    for rank in set(problem.ranks):
        own, free = problem.stages_of(rank), problem.free(rank)
        if free is None:
            continue
        for s in own:
            room, taken = problem.room(s), problem.durations[Kind.W][s]
            for m in range(room, problem.microbatches):
                model.add(begins[Kind.F][s, m] >= begins[Kind.W][s, m - room] + taken)
        if len(own) < 2:
            continue
        lives, sizes = [], []
        for s in own:
            for m in range(problem.microbatches):
                end = begins[Kind.W][s, m] + problem.durations[Kind.W][s]
                length = model.new_int_var(0, horizon, "")
                lives.append(model.new_interval_var(begins[Kind.F][s, m], length, end, ""))
                sizes.append(problem.activations[s])
        model.add_cumulative(lives, sizes, free)


def _keep_staleness(problem: Problem, model: cp_model.CpModel, begins: dict[Kind, Any]) -> None:
    window, behind = problem.window, (problem.lag + 1) * problem.window
    for s in range(problem.stages):
        taken = problem.durations[Kind.W][s]
        for first in range(behind, problem.microbatches, window):
            last = begins[Kind.W][s, first - behind + window - 1]
            model.add(begins[Kind.F][s, first] >= last + taken)
