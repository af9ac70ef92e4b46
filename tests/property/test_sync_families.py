"""Laws of 1F1B, the looped and the V families.

Every schedule is valid, complete and never stale, a second, literal way to write the rules gives
the same orders, and some families are others at special parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from schedules import Action, Kind, Schedule, versions
from schedules.families import (
    dualpipe,
    dualpipev,
    gpipe,
    interleaved_1f1b,
    interleaved_zero_bubble,
    looped_bfs,
    one_f_one_b,
    zb_h1,
    zbv,
)
from schedules.validate import validate
from tests.written_out import queued

F, B, I, W = Kind.F, Kind.B, Kind.I, Kind.W  # noqa: E741 - the field's own letters

ROUNDS = (interleaved_1f1b, interleaved_zero_bubble)

ranks, chunks = st.integers(1, 6), st.integers(1, 4)


@st.composite
def rounds(draw: st.DrawFn) -> tuple[int, int, int]:
    """Ranks, microbatches and chunks that rounds of equal size exist for."""
    p = draw(ranks)
    M = draw(st.integers(1, 4 * p).filter(lambda M: M % max(1, M // p) == 0))
    return p, M, draw(chunks)


schedules: SearchStrategy[Schedule] = st.one_of(
    st.builds(one_f_one_b.build, st.integers(1, 8), st.integers(1, 20)),
    rounds().map(lambda size: interleaved_1f1b.build(*size)),
    rounds().map(lambda size: interleaved_zero_bubble.build(*size)),
    st.builds(looped_bfs.build, ranks, st.integers(1, 15), chunks),
    st.builds(zbv.build, ranks, st.integers(1, 24)),
    st.builds(lambda p, more: dualpipev.build(p, 2 * p + more), ranks, st.integers(0, 9)),
)


def same_orders(one: Schedule, other: Schedule) -> bool:
    columns = ("kind", "stage", "microbatch", "offsets")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in columns)


# Every family


@given(schedules)
def test_valid_complete_and_never_stale(schedule: Schedule) -> None:
    assert validate(schedule) == []
    found = versions(schedule)
    assert not found.local_staleness.any()
    assert not found.read.any()
    assert found.stashed.all()


@given(schedules)
def test_each_stage_and_microbatch_once_on_its_rank(schedule: Schedule) -> None:
    """Complete, counted another way than `validate` does."""
    expected = set(product(range(schedule.stages), range(schedule.microbatches)))
    actions = [(rank, action) for rank in range(schedule.ranks) for action in schedule.rank(rank)]
    forwards = [(a.stage, a.microbatch) for _, a in actions if a.kind is F]
    inputs = [(a.stage, a.microbatch) for _, a in actions if a.kind in (B, I)]
    weights = [(a.stage, a.microbatch) for _, a in actions if a.kind in (B, W)]
    for found in (forwards, inputs, weights):
        assert len(found) == len(expected)
        assert set(found) == expected
    assert all(schedule.placement.ranks[0][a.stage] == rank for rank, a in actions)


@given(schedules)
def test_microbatches_keep_their_order(schedule: Schedule) -> None:
    """In every queue of a stage they ascend; in looped BFS the backwards descend."""
    for rank, kinds in product(range(schedule.ranks), ((F,), (B, I), (W, B))):
        queues: dict[int, list[int]] = {}
        for action in schedule.rank(rank):
            if action.kind in kinds:
                queues.setdefault(action.stage, []).append(action.microbatch)
        descend = schedule.name == "looped-bfs" and F not in kinds
        for queue in queues.values():
            assert queue == sorted(queue, reverse=descend)


# The rules, written out a second time


def literal_rounds(p: int, M: int, v: int, split: bool) -> Iterator[list[Action]]:
    """Interleaved 1F1B, or with split backwards: queues by nested loops, merged by hand."""
    count = max(1, M // p)
    k = M // count
    for rank in range(p):

        def queue(chunk_order: range, rank: int = rank) -> list[tuple[int, int]]:
            return [
                (chunk * p + rank, number * k + within)
                for number in range(count)
                for chunk in chunk_order
                for within in range(k)
            ]

        forwards = [Action(F, *at) for at in queue(range(v))]
        back = queue(range(v - 1, -1, -1))
        ahead = min((v - 1) * k + (1 if split else 2) * (p - 1 - rank), v * M)
        order, rest = forwards[:ahead], forwards[ahead:]
        owed = [Action(W, *at) for at in back] if split else []
        for done, at in enumerate(back):
            order += [*rest[:1], Action(I if split else B, *at)]
            rest = rest[1:]
            if split and done >= rank:
                order.append(owed.pop(0))
        yield order + owed


@pytest.mark.parametrize("module", ROUNDS, ids=lambda module: module.FAMILY.name)
@given(size=rounds())
def test_rounds_written_out(module: object, size: tuple[int, int, int]) -> None:
    split = module is interleaved_zero_bubble
    build = interleaved_zero_bubble.build if split else interleaved_1f1b.build
    schedule = build(*size)
    for rank, order in enumerate(literal_rounds(*size, split)):
        assert list(schedule.rank(rank)) == order


@given(ranks, st.integers(1, 12), chunks)
def test_looped_bfs_written_out(p: int, M: int, v: int) -> None:
    schedule = looped_bfs.build(p, M, v)
    for rank in range(p):
        forwards = [Action(F, c * p + rank, m) for c in range(v) for m in range(M)]
        backwards = [replace(action, kind=B) for action in reversed(forwards)]
        assert list(schedule.rank(rank)) == forwards + backwards


@given(ranks, st.integers(1, 24))
def test_zbv_written_out_with_counters(p: int, M: int) -> None:
    """Each rank told what to do next by how much it has done, not by counts of steps."""
    schedule, n = zbv.build(p, M), max(M, 2 * p - 1)
    for rank in range(p):
        down, up = rank, 2 * p - 1 - rank
        done = dict.fromkeys(product((F, I, W), (down, up)), 0)
        order: list[Action] = []

        def do(
            stage: int,
            *kinds: Kind,
            done: dict[tuple[Kind, int], int] = done,
            order: list[Action] = order,
        ) -> None:
            for kind in kinds:
                order.append(Action(kind, stage, done[kind, stage]))
                done[kind, stage] += 1

        while done[F, down] < 2 * (p - rank) - 1:
            do(down, F)
        while done[F, up] < rank:
            do(up, F)
            do(down, F)
        while done[F, up] < p:
            do(up, F, I, W)
        while done[F, up] < n:
            do(down, *([F] if done[F, down] < n else []), I, W)
            do(up, F, I, W)
        while done[I, up] < n:
            do(down, I)
            do(up, I)
        while done[I, down] < n:
            do(down, I, W)
        for stage in (up, down):
            while done[W, stage] < n:
                do(stage, W)
        assert list(schedule.rank(rank)) == [a for a in order if a.microbatch < M]


# Families inside each other


@given(ranks, st.integers(1, 20))
def test_1f1b_is_interleaved_1f1b_with_one_chunk_and_one_hop(p: int, M: int) -> None:
    one = one_f_one_b.build(p, M)
    for rank in range(p):
        lags = {F: 0, B: min(p - 1 - rank, M)}
        assert list(one.rank(rank)) == queued(p, 1, M, M, rank, lags)


@given(ranks, st.integers(1, 4))
def test_interleaved_zero_bubble_with_one_chunk_is_zb_h1(p: int, count: int) -> None:
    one = interleaved_zero_bubble.build(p, count * p, chunks=1)
    assert same_orders(one, zb_h1.build(p, count * p))


@given(ranks, st.integers(1, 12))
def test_looped_bfs_with_one_chunk_is_gpipe_backwards(p: int, M: int) -> None:
    one, other = looped_bfs.build(p, M, chunks=1), gpipe.build(p, M)
    for rank in range(p):
        order, plain = list(one.rank(rank)), list(other.rank(rank))
        assert order == plain[:M] + plain[M:][::-1]


@given(ranks, st.integers(0, 8))
def test_dualpipev_is_one_direction_of_dualpipe_folded(p: int, more: int) -> None:
    """Kinds, stages and overlaps of the first p of 2p ranks; W in the same places."""
    M = 2 * p + more
    folded, whole = dualpipev.build(p, M), dualpipe.build(2 * p, 2 * M)
    for rank in range(p):
        ours, theirs = list(folded.rank(rank)), list(whole.rank(rank))
        assert [(a.kind, a.stage) for a in ours] == [(a.kind, a.stage) for a in theirs]
        assert [a.microbatch for a in ours] == [a.microbatch - M * a.pipeline for a in theirs]
    assert folded.groups == tuple(group for group in whole.groups if group.rank < p)
