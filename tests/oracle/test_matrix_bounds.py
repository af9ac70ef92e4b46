"""The stated bounds against counts by hand, over the actions one by one, and larger sizes."""

from __future__ import annotations

from collections import defaultdict

import pytest

from schedules import Kind, build
from schedules.errors import ParameterError
from schedules.schedule import Schedule
from theory.schedules.matrix.forms import value
from theory.schedules.matrix.grid import ALL, Size
from theory.schedules.matrix.table import STATED

BEYOND = {
    "interleaved-1f1b": [{"p": 5, "M": 15, "chunks": 4}, {"p": 3, "M": 10, "chunks": 5}],
    "interleaved-zero-bubble": [{"p": 5, "M": 15, "chunks": 4}, {"p": 3, "M": 10, "chunks": 5}],
    "looped-bfs": [{"p": 3, "M": 9, "chunks": 5}],
    "localsgd": [{"p": 6, "M": 30, "replicas": 7, "local_steps": 3}],
    "chimera": [{"p": 10, "M": 30}],
    "dualpipe": [{"p": 8, "M": 22}],
    "amdp": [
        {"p": 6, "M": 20, "admission": 5, "pipelines": 1, "stage_cap": 0},
        {"p": 6, "M": 20, "admission": 5, "pipelines": 2, "stage_cap": 1},
    ],
    "pipedream-2bw": [{"p": 4, "M": 15, "window": 5}],
    "pipemare": [{"p": 7, "M": 20, "update_interval": 4}],
    "xpipe": [{"p": 7, "M": 20, "update_interval": 4}],
    "asyncpp": [{"p": 7, "M": 20, "update_interval": 4}],
    "blog-naive": [{"p": 9, "M": 1}],
}
"""Sizes outside the grids."""


def counted(schedule: Schedule) -> tuple[list[int], list[int]]:
    """Microbatches in flight and local staleness, the most of every stage."""
    split = bool((schedule.kind == Kind.W).any())
    flying: dict[tuple[int, int], set[int]] = defaultdict(set)
    gradients: dict[tuple[int, int], int] = defaultdict(int)
    seen: dict[tuple[int, int], int] = {}
    most, stale = [0] * schedule.stages, [0] * schedule.stages
    for rank in range(schedule.ranks):
        for action in schedule.rank(rank):
            stage, m = action.stage, action.microbatch
            copy = (stage, schedule.placement.copies[action.pipeline][stage])
            updates = gradients[copy] // schedule.policy.interval
            flush = schedule.policy.name == "flush"
            if action.kind is Kind.F:
                flying[stage, rank].add(m)
                seen[stage, m] = 0 if flush else updates
                most[stage] = max(most[stage], len(flying[stage, rank]))
            elif action.kind in (Kind.B, Kind.W):
                flying[stage, rank].remove(m)
                late = 0 if flush else updates - seen[stage, m]
                stale[stage] = max(stale[stage], late)
                gradients[copy] += 1
    assert split or not any(flying.values())
    return most, stale


def sizes(family: str) -> list[Size]:
    """Some of the grid and some beyond it."""
    row = STATED[family]
    inside = [size for size, _ in row.grid.schedules(family)][::7]
    plain = [{"p": 8, "M": M} for M in (1, 5, 9, 16, 24)] if not row.grid.values else []
    return [*inside, *plain, *BEYOND.get(family, [])]


@pytest.mark.parametrize("family", STATED)
def test_bounds_are_what_is_counted(family: str) -> None:
    row, compared = STATED[family], 0
    for size in sizes(family):
        given = {name: number for name, number in size.items() if name not in ("p", "M")}
        try:
            schedule = build(family, size["p"], size["M"], **given)
        except ParameterError:
            continue
        known = {"window": 1, "stash": 0, **size} if family == "amdp" else size
        found = dict(zip(("in-flight", "staleness"), counted(schedule), strict=True))
        for column, formulas in (("in-flight", row.in_flight), ("staleness", row.staleness)):
            if row.limits.get(column, ALL).admits(known):
                stated = [value(formulas, known, stage) for stage in range(schedule.stages)]
                assert stated == found[column], (column, size)
                compared += 1
    assert compared >= 4
