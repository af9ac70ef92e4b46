"""What the files of 1F1B, the looped and the V families call known.

It is checked on the grids below, not proved for all parameters.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from schedules import Kind, Schedule, timeline
from schedules.dependencies import edges
from schedules.families import (
    dualpipev,
    gpipe,
    interleaved_1f1b,
    interleaved_zero_bubble,
    looped_bfs,
    one_f_one_b,
    zbv,
)
from schedules.families.interleaving import ahead, from_last, turn
from schedules.stamps import run_stamped
from schedules.validate import validate

F, B, I, W = Kind.F, Kind.B, Kind.I, Kind.W  # noqa: E741 - the field's own letters


def held(schedule: Schedule, until: tuple[Kind, ...]) -> list[int]:
    """Per rank: most activations between F and the first of `until`, over all its stages."""
    peaks = []
    for rank in range(schedule.ranks):
        now = peak = 0
        for action in schedule.rank(rank):
            now += (action.kind is F) - (action.kind in until)
            peak = max(peak, now)
        peaks.append(peak)
    return peaks


def pauses(schedule: Schedule) -> list[int]:
    """Per rank: slots it waits between its first and its last action."""
    line = timeline(schedule)
    waits = []
    for first, end in zip(schedule.offsets[:-1], schedule.offsets[1:], strict=True):
        busy = (line.end[first:end] - line.start[first:end]).sum()
        waits.append(int(line.end[first:end].max() - line.start[first:end].min() - busy))
    return waits


def with_hops(p: int, M: int, v: int, per_hop: int) -> Schedule:
    """Interleaved 1F1B with another warm-up than two forwards a hop."""
    order = replace(
        interleaved_1f1b.ORDER,
        backward=lambda at: (2 * (turn(at, from_last(at)) + ahead(at, per_hop) + at.rank) + 1,),
    )
    return run_stamped("control", interleaved_1f1b.FAMILY.policy, order, p, M, {"chunks": v})


def idle_with_pairs(schedule: Schedule, durations: dict[Kind, int], pair: int) -> list[int]:
    """Idle time of every rank if an overlap is one action that takes `pair`.

    Ranks are played in turn until nothing is left; both results of a pair are there at its end.
    """
    unit = np.arange(len(schedule))
    for group in schedule.groups:
        first = int(schedule.offsets[group.rank]) + group.first
        assert (schedule.kind[first], schedule.kind[first + 1]) == (F, B)
        unit[first + 1] = first
    paired = set(unit[np.bincount(unit, minlength=len(unit))[unit] == 2].tolist())
    needs: dict[int, set[int]] = {at: set() for at in unit.tolist()}
    found = edges(schedule)
    for source, target in zip(unit[found.source], unit[found.target], strict=True):
        if source != target:
            needs[int(target)].add(int(source))
    left = [
        list(dict.fromkeys(unit[first:last].tolist()))
        for first, last in zip(schedule.offsets[:-1], schedule.offsets[1:], strict=True)
    ]
    end: dict[int, int] = {}
    clock, busy = [0] * schedule.ranks, [0] * schedule.ranks
    while any(left):
        before = len(end)
        for rank, queue in enumerate(left):
            while queue and needs[queue[0]] <= end.keys():
                at = queue.pop(0)
                takes = pair if at in paired else durations[Kind(int(schedule.kind[at]))]
                clock[rank] = max([clock[rank], *(end[need] for need in needs[at])]) + takes
                busy[rank] += takes
                end[at] = clock[rank]
        assert len(end) > before, "nothing can run"
    return [max(clock) - work for work in busy]


SIZES = [(p, M) for p in range(1, 9) for M in (2 * p, 3 * p, 6 * p)]
LOOPS = [(p, M, v) for (p, M), v in product([(p, p) for p in range(1, 9)] + SIZES, (1, 2, 3, 4))]


@pytest.mark.parametrize("p", range(1, 9))
def test_1f1b_makespan_and_peak(p: int) -> None:
    for M in range(1, 4 * p + 1):
        schedule = one_f_one_b.build(p, M)
        assert timeline(schedule).length == 2 * (M + p - 1) == timeline(gpipe.build(p, M)).length
        assert held(schedule, (B,)) == [min(p - s, M) for s in range(p)]


@pytest.mark.parametrize(("p", "M", "v"), LOOPS)
def test_interleaved_1f1b_makespan_and_peak(p: int, M: int, v: int) -> None:
    schedule = interleaved_1f1b.build(p, M, v)
    assert timeline(schedule).length == 2 * v * M + 2 * (p - 1)
    peaks = [min((v - 1) * p + 2 * (p - 1 - r) + 1, v * M) for r in range(p)]
    assert held(schedule, (B,)) == peaks


@pytest.mark.parametrize(("p", "M", "v"), [*LOOPS, (2, 3, 2), (4, 5, 3), (5, 7, 2), (7, 20, 4)])
def test_looped_bfs_makespan_and_peak(p: int, M: int, v: int) -> None:
    schedule = looped_bfs.build(p, M, v)
    assert timeline(schedule).length == 2 * v * M + 2 * (p - 1)
    assert held(schedule, (B,)) == [v * M] * p


@pytest.mark.parametrize(("p", "M", "v"), LOOPS)
def test_interleaved_zero_bubble_makespan_and_peak(p: int, M: int, v: int) -> None:
    schedule = interleaved_zero_bubble.build(p, M, v)
    line = timeline(schedule)
    assert line.length == 3 * v * M + p - 1
    assert line.idle == p * (p - 1)
    assert held(schedule, (W,)) == [v * p] * p
    assert held(schedule, (I,)) == [v * p - r for r in range(p)]


@pytest.mark.parametrize(("p", "M"), [*((p, 2 * p - 1) for p in range(1, 9)), *SIZES])
def test_zbv_makespan_pauses_and_peak(p: int, M: int) -> None:
    schedule = zbv.build(p, M)
    assert timeline(schedule).length == 6 * M + p - 1
    assert pauses(schedule) == [0] * p
    assert held(schedule, (W,)) == held(schedule, (I,)) == [2 * p] * p


@pytest.mark.parametrize(("p", "M"), SIZES)
def test_dualpipev_makespan_and_peak(p: int, M: int) -> None:
    schedule = dualpipev.build(p, M)
    assert timeline(schedule).length == 6 * M + p - 1
    assert held(schedule, (B, I)) == held(schedule, (B, W)) == [2 * p + 1] * p


@pytest.mark.parametrize(("p", "v"), [(2, 1), (2, 2), (3, 2), (4, 1), (4, 3), (6, 2)])
@pytest.mark.parametrize("rounds", [2, 4])
def test_second_hop_of_interleaved_1f1b_pays_for_messages_only(p: int, v: int, rounds: int) -> None:
    M = rounds * p
    two, one = interleaved_1f1b.build(p, M, v), with_hops(p, M, v, 1)
    assert validate(one) == []
    assert timeline(one).length == timeline(two).length
    assert max(held(one, (B,))) < max(held(two, (B,)))
    for message_time in (1, 2):
        slower = timeline(one, {F: 2, B: 2}, message_time)
        assert slower.length > timeline(two, {F: 2, B: 2}, message_time).length


@pytest.mark.parametrize(("p", "M"), [(1, 2), (2, 4), (2, 7), (3, 6), (3, 10), (4, 8), (5, 11)])
@pytest.mark.parametrize(("f", "w"), [(1, 1), (2, 1), (2, 2), (3, 2)])
def test_dualpipev_has_the_bubble_of_dualpipe(p: int, M: int, f: int, w: int) -> None:
    schedule, b = dualpipev.build(p, M), f + w
    for pair in range(b, f + b + 1):
        idle = idle_with_pairs(schedule, {F: f, I: f, W: w, B: b}, pair)
        assert max(idle) == (p - 1) * (pair + b - 3 * w)


# Controls


@pytest.mark.parametrize(("p", "v"), [(2, 1), (3, 2), (4, 3)])
def test_control_no_hop_is_too_few(p: int, v: int) -> None:
    schedule = with_hops(p, 2 * p, v, 0)
    assert validate(schedule) == []
    assert timeline(schedule).length > 4 * v * p + 2 * (p - 1)


@pytest.mark.parametrize(("p", "v"), [(4, 2), (4, 3), (6, 2)])
def test_control_three_hops_are_too_many(p: int, v: int) -> None:
    """The first rank waits for forwards of its later chunks before it does a backward."""
    assert {found.invariant for found in validate(with_hops(p, 2 * p, v, 3))} == {"causal"}


@pytest.mark.parametrize("p", [2, 3, 5])
def test_control_too_few_microbatches_pause_zbv(p: int) -> None:
    assert max(pauses(zbv.build(p, 2 * p - 2))) > 0
