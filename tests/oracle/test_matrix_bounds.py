"""The stated bounds against counts by hand, over the actions one by one, and larger sizes."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import pytest
import sympy

from schedules import Kind, build
from schedules.errors import ParameterError
from schedules.families import get_family
from schedules.schedule import Schedule
from schedules.versions import versions
from tests.verdicts_of import first
from theory.laws.static_orders.symbols import K, M, p, s
from theory.papers.schedules.matrix.forms import bounded, value
from theory.papers.schedules.matrix.grid import ALL, Size
from theory.papers.schedules.matrix.proving import bound_holds, reached
from theory.papers.schedules.matrix.table import STATED
from theory.verdicts import Verdict

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
    "pipedream-2bw": [{"p": 4, "M": M, "window": 5} for M in (15, 19)],
    "pipemare": [{"p": 7, "M": M, "update_interval": 4} for M in (20, 23)],
    "xpipe": [{"p": 7, "M": M, "update_interval": 4} for M in (20, 23)],
    "asyncpp": [{"p": 7, "M": M, "update_interval": 4} for M in (20, 23)],
    "blog-naive": [{"p": 9, "M": 1}],
}
"""Sizes outside the grids."""


def counted(schedule: Schedule) -> tuple[list[int], list[int]]:
    """Microbatches in flight and local staleness, the most of every stage.

    A gradient that no update applies is as stale as nothing. Where there are actions U, they are
    the updates.
    """
    explicit = bool((schedule.kind == Kind.U).any())
    flush, double = (schedule.policy.name == name for name in ("flush", "double-buffer"))
    split = bool((schedule.kind == Kind.W).any())
    flying: dict[tuple[int, int], set[int]] = defaultdict(set)
    gradients: dict[tuple[int, int], int] = defaultdict(int)
    made: dict[tuple[int, int], int] = defaultdict(int)

    def updates_of(copy: tuple[int, int]) -> int:
        return made[copy] if explicit else gradients[copy] // schedule.policy.interval

    seen: dict[tuple[int, int], int] = {}
    most, stale = [0] * schedule.stages, [0] * schedule.stages
    late: list[tuple[tuple[int, int], int, int]] = []
    for rank in range(schedule.ranks):
        for action in schedule.rank(rank):
            stage, m = action.stage, action.microbatch
            copy = (stage, schedule.placement.copies[action.pipeline][stage])
            updates = updates_of(copy)
            if action.kind is Kind.F:
                flying[stage, rank].add(m)
                seen[stage, m] = 0 if flush else updates
                most[stage] = max(most[stage], len(flying[stage, rank]))
            elif action.kind in (Kind.B, Kind.W):
                flying[stage, rank].remove(m)
                read = max(0, updates - 1) if double else seen[stage, m]
                late.append((copy, updates, 0 if flush else updates - read))
                gradients[copy] += 1
            elif action.kind is Kind.U:
                made[copy] += 1
    for copy, before, between in late:
        if flush or before < updates_of(copy):
            stale[copy[0]] = max(stale[copy[0]], between)
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
            limit = ALL if reached(family, column) else row.limits.get(column, ALL)
            if limit.admits(known):
                stated = [value(formulas, known, stage) for stage in range(schedule.stages)]
                assert stated == found[column], (column, size)
                compared += 1
    assert compared >= 4


@pytest.mark.sampled(4)
@pytest.mark.parametrize("family", ["pipedream-2bw", "pipemare", "xpipe", "asyncpp"])
def test_staleness_in_windows_that_do_not_divide_the_microbatches(family: str) -> None:
    """Also where M is no multiple of K, so that the last gradients are never applied."""
    interval, cut = get_family(family).interval, 0
    for ranks, microbatches, every in product(range(1, 9), range(1, 25), range(1, 7)):
        try:
            schedule = build(family, ranks, microbatches, **{interval: every})
        except ParameterError:
            assert microbatches < every or (family == "pipedream-2bw" and every < ranks)
            continue
        size = {"p": ranks, "M": microbatches, interval: every}
        windows = microbatches // every
        stated = [min(-(-behind // every), windows - 1) for behind in reversed(range(ranks))]
        if family == "pipedream-2bw":
            stated = [min(1, windows - 1)] * ranks
        assert microbatches >= every
        if every < 4 or microbatches < 9:
            assert counted(schedule)[1] == stated, size
        cut += microbatches % every > 0
        if microbatches % every and microbatches < 9:
            row = [value(STATED[family].staleness, size, stage) for stage in range(ranks)]
            assert row == stated == counted(schedule)[1], size
    assert cut >= 200


def test_a_gradient_that_is_never_applied_is_not_stale() -> None:
    """F0 F1 B0 F2 B1 B2 at stage 0: F2 comes before the only update, B2 after it."""
    schedule = build("asyncpp", 2, 3, update_interval=2)
    assert [str(action) for action in schedule.rank(0)] == "0F0 0F1 0B0 0F2 0B1 0B2".split()
    assert versions(schedule).local_staleness[0].tolist() == [0, 0, 1]
    assert counted(schedule)[1] == [0, 0]
    before = sympy.Min(sympy.ceiling((p - 1 - s) / K), sympy.floor((M - 1) / K))
    named = bounded(before, K=sympy.Symbol("update_interval"))
    assert first(bound_holds("asyncpp", "staleness", named)) is not Verdict.PROVED
