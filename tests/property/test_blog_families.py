"""Laws of the blog's schedules: their messages meet, and how long they take.

Messages are played by a small simulation of posts that end only when both sides are there.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from schedules import Action, Kind, Schedule, timeline
from schedules.actions import MESSAGES
from schedules.families import blog_1f1b, blog_gpipe, blog_naive
from schedules.validation.facts import in_flight

F, B = Kind.F, Kind.B

blogs: SearchStrategy[Schedule] = st.one_of(
    st.builds(blog_naive.build, st.integers(2, 6), st.just(1)),
    st.builds(blog_gpipe.build, st.integers(2, 6), st.integers(2, 12)),
    st.builds(blog_1f1b.build, st.integers(2, 7), st.integers(2, 12)),
)

PARTNER = {
    Kind.SEND_F: (Kind.RECV_F, 1),
    Kind.RECV_F: (Kind.SEND_F, -1),
    Kind.SEND_B: (Kind.RECV_B, -1),
    Kind.RECV_B: (Kind.SEND_B, 1),
}


def partner(message: Action) -> Action:
    kind, step = PARTNER[message.kind]
    return Action(kind, message.stage + step, message.microbatch)


def posts(schedule: Schedule, batched: bool) -> list[list[list[Action]]]:
    """Per rank: what it posts at once and waits for."""
    result = []
    for rank in range(schedule.ranks):
        order = list(schedule.rank(rank))
        sizes = {group.first: group.count for group in schedule.groups if group.rank == rank}
        at, program = 0, []
        while at < len(order):
            count = sizes.get(at, 1) if batched else 1
            program.append(order[at : at + count])
            at += count
        result.append(program)
    return result


def meets(schedule: Schedule, batched: bool) -> bool:
    """Whether all ranks finish if a message ends only when both sides have posted it."""
    programs = posts(schedule, batched)
    at = [0] * len(programs)
    open_or_done: set[Action] = set()
    moved = True
    while moved:
        moved = False
        for rank, program in enumerate(programs):
            while at[rank] < len(program):
                post = program[at[rank]]
                open_or_done.update(post)
                messages = [action for action in post if action.kind in MESSAGES]
                if any(partner(action) not in open_or_done for action in messages):
                    break
                at[rank] += 1
                moved = True
    return all(reached == len(program) for reached, program in zip(at, programs, strict=True))


@given(blogs)
def test_every_message_has_both_ends_and_stands_by_its_computation(schedule: Schedule) -> None:
    everything = [schedule.action(index) for index in range(len(schedule))]
    counts = Counter(everything)
    assert set(counts.values()) == {1}
    for rank in range(schedule.ranks):
        order = list(schedule.rank(rank))
        at = {action: place for place, action in enumerate(order)}
        for action in order:
            if action.kind in MESSAGES:
                assert partner(action) in counts
            if action.kind in (F, B):
                before, after = (
                    (Kind.RECV_F, Kind.SEND_F) if action.kind is F else (Kind.RECV_B, Kind.SEND_B)
                )
                s, m = action.stage, action.microbatch
                ends = (0, schedule.stages - 1) if action.kind is F else (schedule.stages - 1, 0)
                needs, gives = Action(before, s, m), Action(after, s, m)
                assert (needs in at) == (s != ends[0])
                assert (gives in at) == (s != ends[1])
                assert at.get(needs, -1) < at[action] < at.get(gives, len(order))


@given(blogs)
def test_the_blogs_batches_never_hang(schedule: Schedule) -> None:
    assert meets(schedule, batched=True)


@pytest.mark.parametrize(("p", "M"), [(3, 2), (3, 6), (4, 4), (5, 8)])
def test_control_without_batches_blog_1f1b_hangs(p: int, M: int) -> None:
    assert not meets(blog_1f1b.build(p, M), batched=False)


@pytest.mark.parametrize(("p", "M"), [*product(range(2, 9), (2, 3, 5, 8, 16))])
def test_blog_1f1b_takes_turns(p: int, M: int) -> None:
    schedule = blog_1f1b.build(p, M)
    assert timeline(schedule).length == 2 * p + 4 * (M - 1)
    assert timeline(schedule, {B: 2}).length == 3 * p + 6 * (M - 1)
    assert in_flight(schedule) == [max(1, min(p - s - 1, M)) for s in range(p)]


@pytest.mark.parametrize(("p", "M"), [*product(range(2, 7), (2, 5, 12))])
def test_blog_gpipe_and_naive(p: int, M: int) -> None:
    schedule = blog_gpipe.build(p, M)
    assert timeline(schedule).length == 2 * (M + p - 1)
    assert in_flight(schedule) == [M] * p
    assert timeline(blog_naive.build(p, 1)).length == 2 * p
