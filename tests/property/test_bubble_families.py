"""Laws of the zero-bubble, bidirectional and blog families; the blog's own: test_blog_families.

Published figures are compared with timelines; those of overlapped pairs, which a timeline plays one
action after the other, with longest paths over pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from schedules import Kind, Schedule, timeline, versions
from schedules.dependencies import edges
from schedules.families import blog_1f1b, blog_gpipe, blog_naive, chimera, dualpipe, zb_h1, zb_h2
from schedules.validate import validate
from tests.written_out import timetable

F, B, I, W = Kind.F, Kind.B, Kind.I, Kind.W  # noqa: E741 - the field's own letters


blogs: SearchStrategy[Schedule] = st.one_of(
    st.builds(blog_naive.build, st.integers(2, 6), st.just(1)),
    st.builds(blog_gpipe.build, st.integers(2, 6), st.integers(2, 12)),
    st.builds(blog_1f1b.build, st.integers(2, 7), st.integers(2, 12)),
)

zero_bubbles: SearchStrategy[Schedule] = st.one_of(
    st.builds(lambda p, more: zb_h1.build(p, p + more), st.integers(1, 6), st.integers(0, 12)),
    st.builds(
        lambda p, more: zb_h2.build(p, 2 * p - 1 + more), st.integers(1, 6), st.integers(0, 12)
    ),
)

bidirectionals: SearchStrategy[Schedule] = st.one_of(
    st.builds(
        lambda half, units: chimera.build(2 * half, 2 * half * units),
        st.integers(1, 4),
        st.integers(1, 4),
    ),
    st.builds(
        lambda half, more: dualpipe.build(2 * half, 4 * half + 2 * more),
        st.integers(1, 4),
        st.integers(0, 6),
    ),
)

schedules = st.one_of(zero_bubbles, bidirectionals, blogs)


def rank_slices(schedule: Schedule) -> Iterator[slice]:
    for rank in range(schedule.ranks):
        yield slice(int(schedule.offsets[rank]), int(schedule.offsets[rank + 1]))


def held(schedule: Schedule, until: tuple[Kind, ...]) -> list[int]:
    """Per rank: most microbatches between F and the first of `until`, over all its stages."""
    peaks = []
    for rank in range(schedule.ranks):
        now = peak = 0
        for action in schedule.rank(rank):
            now += (action.kind is F) - (action.kind in until)
            peak = max(peak, now)
        peaks.append(peak)
    return peaks


def pauses(schedule: Schedule, durations: dict[Kind, int] | None = None) -> list[int]:
    """Per rank: slots it waits between its first and its last action."""
    line = timeline(schedule, durations)
    return [
        int(line.end[part].max() - line.start[part].min() - (line.end - line.start)[part].sum())
        for part in rank_slices(schedule)
    ]


# Every family


@given(schedules)
def test_valid_complete_and_never_stale(schedule: Schedule) -> None:
    assert validate(schedule) == []
    found = versions(schedule)
    assert not found.local_staleness.any()
    assert not found.read.any()
    assert found.stashed.all()


@given(schedules)
def test_microbatches_keep_their_order_in_each_direction(schedule: Schedule) -> None:
    """Forwards of a stage in order; backwards too, but for the blog's GPipe: in reverse."""
    for rank, kinds in product(range(schedule.ranks), ((F,), (B, I))):
        by_stage: dict[int, list[int]] = {}
        for action in schedule.rank(rank):
            if action.kind in kinds:
                by_stage.setdefault(action.stage, []).append(action.microbatch)
        reverse = schedule.name == "blog-gpipe" and F not in kinds
        for found in by_stage.values():
            assert found == sorted(found, reverse=reverse)


# Zero bubble

GRID = [(p, M) for p in range(2, 9) for M in (2 * p, 2 * p + 1, 3 * p, 6 * p)]


@pytest.mark.parametrize(("p", "M"), [*GRID, *((p, p) for p in range(1, 9))])
def test_zb_h1_has_a_third_of_the_bubble_in_the_same_memory(p: int, M: int) -> None:
    schedule = zb_h1.build(p, M)
    line = timeline(schedule)
    assert line.length == 3 * M + p - 1
    assert line.idle == p * (p - 1)
    assert pauses(schedule) == [p - 1 - s for s in range(p)]
    assert held(schedule, (W,)) == [p] * p
    assert held(schedule, (I,)) == [p - s for s in range(p)]


@pytest.mark.parametrize(("p", "M"), [*GRID, *((p, 2 * p - 1) for p in range(1, 9))])
def test_zb_h2_is_a_parallelogram(p: int, M: int) -> None:
    schedule = zb_h2.build(p, M)
    line = timeline(schedule)
    assert line.length == 3 * M + p - 1
    assert pauses(schedule) == [0] * p
    for s, part in enumerate(rank_slices(schedule)):
        assert (line.start[part].min(), line.end[part].max()) == (s, 3 * M + s)
    assert held(schedule, (W,)) == [2 * p - 1] * p
    assert held(schedule, (I,)) == [2 * (p - 1 - s) + 1 for s in range(p)]


@pytest.mark.parametrize(("f", "i", "w"), [*product(range(1, 4), repeat=3)])
def test_published_zero_bubble_expressions_where_they_hold(f: int, i: int, w: int) -> None:
    durations = {F: f, I: i, W: w}
    for p, M in ((2, 4), (3, 6), (5, 9), (4, 16)):
        one, two = zb_h1.build(p, M), zb_h2.build(p, M)
        longest = max(pauses(one, durations))
        assert longest >= (p - 1) * (f + i - w)
        assert (longest == (p - 1) * (f + i - w)) == (w <= f)
        if w <= min(f, i):
            assert max(pauses(two, durations)) == (p - 1) * (f + i - 2 * w)


# Chimera


@pytest.mark.parametrize(("p", "units"), [*product((2, 4, 6, 8), (1, 2, 3, 5))])
def test_chimera_bubbles(p: int, units: int) -> None:
    M = units * p
    schedule = chimera.build(p, M)
    line = timeline(schedule)
    assert line.length == 2 * M + p - 2
    assert line.idle == p * (p - 2)
    assert timeline(schedule, {B: 2}).length == 3 * M + (p - 2) * (units + 1)
    assert held(schedule, (B,)) == [p // 2 + 1 + min(r, p - 1 - r) for r in range(p)]


@pytest.mark.parametrize("p", [2, 4, 6, 8, 10])
def test_chimera_idles_half_in_forwards_and_half_in_backwards(p: int) -> None:
    """In the published timetable of one unit: p/2 − 1 empty slots in either half."""
    for rank in range(p):
        slots = timetable(rank, p, p)
        first_half, second_half = slots[: len(slots) // 2], slots[len(slots) // 2 :]
        assert first_half.count(None) == second_half.count(None) == p // 2 - 1


@given(st.sampled_from((2, 4, 6, 8)), st.integers(1, 4))
def test_chimera_runs_by_its_timetable(p: int, units: int) -> None:
    """No action starts after its slot, and no dependency is broken by the slots."""
    schedule = chimera.build(p, units * p)
    slot = {
        action: at
        for rank in range(p)
        for at, action in enumerate(timetable(rank, p, units * p))
        if action
    }
    line = timeline(schedule)
    for index in range(len(schedule)):
        assert line.start[index] <= slot[schedule.action(index)]
    found = edges(schedule)
    for source, target in zip(found.source.tolist(), found.target.tolist(), strict=True):
        assert slot[schedule.action(source)] < slot[schedule.action(target)]


# DualPipe


def idle_with_pairs(schedule: Schedule, durations: dict[Kind, int], pair: int) -> list[int]:
    """Idle time of every rank if an overlap is one action that takes `pair`.

    By longest paths on networkx: both results of a pair are there when it ends.
    """
    node = list(range(len(schedule)))
    time = {index: durations[schedule.action(index).kind] for index in node}
    for group in schedule.groups:
        first = int(schedule.offsets[group.rank]) + group.first
        assert (schedule.kind[first], schedule.kind[first + 1]) == (F, B)
        node[first + 1] = first
        time[first] = pair
        del time[first + 1]
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(time)
    parts = list(rank_slices(schedule))
    for part in parts:
        nx.add_path(graph, dict.fromkeys(node[part]))
    found = edges(schedule)
    for source, target in zip(found.source.tolist(), found.target.tolist(), strict=True):
        if node[source] != node[target]:
            graph.add_edge(node[source], node[target])
    end: dict[int, int] = {}
    for at in nx.topological_sort(graph):
        end[at] = time[at] + max((end[before] for before in graph.predecessors(at)), default=0)
    length = max(end.values())
    return [length - sum(time[at] for at in set(node[part])) for part in parts]


def published_dualpipe_bubble(p: int, f_and_b: int, b: int, w: int) -> int:
    return (p // 2 - 1) * (f_and_b + b - 3 * w)


@pytest.mark.parametrize(("p", "M"), [(2, 4), (4, 8), (4, 14), (6, 12), (6, 20), (8, 16)])
@pytest.mark.parametrize(("f", "w"), [(1, 1), (2, 1), (2, 2), (3, 2)])
def test_dualpipe_has_the_published_bubble(p: int, M: int, f: int, w: int) -> None:
    schedule = dualpipe.build(p, M)
    b = f + w
    for pair in range(b, f + b + 1):
        idle = idle_with_pairs(schedule, {F: f, I: f, W: w, B: b}, pair)
        assert max(idle) == published_dualpipe_bubble(p, pair, b, w)


@pytest.mark.parametrize(("f", "i", "w"), [(1, 2, 1), (2, 3, 2), (2, 1, 1), (3, 2, 1)])
def test_dualpipe_bubble_needs_equal_forward_and_input_gradient(f: int, i: int, w: int) -> None:
    idle = idle_with_pairs(dualpipe.build(6, 12), {F: f, I: i, W: w, B: i + w}, f + i + w)
    published = published_dualpipe_bubble(6, f + i + w, i + w, w)
    assert max(idle) < published if i > f else max(idle) > published


@pytest.mark.parametrize("p", [4, 6, 8])
def test_dualpipe_control_without_split_backwards(p: int) -> None:
    """With a full backward for every I, and no W, the bubble is larger than published."""
    good = dualpipe.build(p, 2 * p)
    orders = [
        [replace(action, kind=B if action.kind is I else action.kind) for action in good.rank(rank)]
        for rank in range(p)
    ]
    groups = [
        replace(group, first=group.first - sum(a.kind is W for a in order[: group.first]))
        for group in good.groups
        for order in [orders[group.rank]]
    ]
    orders = [[action for action in order if action.kind is not W] for order in orders]
    fused = Schedule.from_orders(
        "fused", orders, 2 * p, good.policy, placement=good.placement, groups=groups
    )
    assert validate(fused) == []
    idle = idle_with_pairs(fused, {F: 1, I: 1, W: 1, B: 2}, 3)
    assert max(idle) > published_dualpipe_bubble(p, 3, 2, 1)


@pytest.mark.parametrize(("p", "M"), [(2, 4), (2, 10), (4, 8), (4, 18), (6, 12), (8, 16), (8, 24)])
def test_dualpipe_played_one_after_the_other(p: int, M: int) -> None:
    schedule = dualpipe.build(p, M)
    assert timeline(schedule).length == 3 * M + p // 2 - 1
    assert held(schedule, (B, I)) == held(schedule, (B, W)) == [p + 1] * p


@given(st.integers(1, 4), st.integers(0, 5))
def test_dualpipe_weight_gradients_are_first_in_first_out(half: int, more: int) -> None:
    schedule = dualpipe.build(2 * half, 4 * half + 2 * more)
    for rank in range(schedule.ranks):
        order = list(schedule.rank(rank))
        owed = [(a.stage, a.microbatch) for a in order if a.kind is I]
        assert owed == [(a.stage, a.microbatch) for a in order if a.kind is W]
