"""Laws of affine programs and slot orders, tried on numbers beside the proofs for all of them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from schedules import Kind
from schedules.families import get_family
from schedules.lowering import lower
from schedules.schedule import Schedule
from schedules.validation.facts import in_flight
from theory.laws.static_orders.applied import applied_staleness
from theory.laws.static_orders.matrix import AFFINE
from theory.laws.static_orders.program import posted, posts
from theory.laws.static_orders.replays import built
from theory.laws.static_orders.slots import with_messages
from theory.laws.static_orders.symbols import K, M, p, s

families = st.sampled_from(tuple(AFFINE))
stages = st.integers(1, 9)
counts = st.integers(1, 16)
intervals = st.integers(1, 16)


def made(family: str, stages: int, count: int, every: int) -> Schedule | None:
    size = {"p": stages, "M": count, "K": every}
    return built(get_family(family), AFFINE[family].updates.interval, size)


@given(families, stages, counts, intervals)
@settings(max_examples=60)
def test_numbers_are_the_closed_forms(family: str, stages: int, count: int, every: int) -> None:
    schedule = made(family, stages, count, every)
    if schedule is None or (AFFINE[family].program is None and stages == 1):
        return
    found = {
        "staleness": applied_staleness(schedule).tolist(),
        "in-flight": in_flight(schedule),
    }
    for name, form in AFFINE[family].closed.items():
        values = [{p: stages, s: stage, M: count, K: every} for stage in range(stages)]
        assert found[name] == [form.subs(one) for one in values]


@given(families, stages, counts)
@settings(max_examples=60)
def test_programs_are_the_lowered_families(family: str, stages: int, count: int) -> None:
    program = AFFINE[family].program
    schedule = made(family, stages, count, stages if family == "pipedream-2bw" else 1)
    if program is None or schedule is None:
        return
    lowered = lower(schedule)
    for stage in range(stages):
        assert posts(program, stage, stages, count) == posted(lowered, stage)


def blocking(schedule: Schedule) -> bool:
    """Whether ranks come to their end that wait at every message for its other end."""
    lines = [list(schedule.rank(rank)) for rank in range(schedule.ranks)]
    at = [0] * len(lines)
    meets = {Kind.SEND_F: (1, Kind.RECV_F), Kind.SEND_B: (-1, Kind.RECV_B)}
    moved = True
    while moved:
        moved = False
        for rank, line in enumerate(lines):
            if at[rank] == len(line):
                continue
            action = line[at[rank]]
            if action.kind in (Kind.F, Kind.B):
                at[rank] += 1
                moved = True
            elif action.kind in meets:
                step, kind = meets[action.kind]
                other = lines[rank + step][at[rank + step] :][:1]
                if other and (other[0].kind, other[0].microbatch) == (kind, action.microbatch):
                    at[rank] += 1
                    at[rank + step] += 1
                    moved = True
    return at == [len(line) for line in lines]


@given(families, st.integers(2, 9), counts)
@settings(max_examples=60)
def test_blocking_ranks_come_to_their_end(family: str, stages: int, count: int) -> None:
    """The proved waits: each rank stands at each message until its other end is there."""
    if AFFINE[family].program is None:
        assert blocking(with_messages(get_family(family), stages, count))
        return
    schedule = made(family, stages, count, stages if family == "pipedream-2bw" else 1)
    if schedule is not None:
        assert blocking(lower(schedule))


def test_blocking_notices_1f1b_with_receives_just_in_time() -> None:
    schedule = get_family("1f1b").build(4, 8)
    assert blocking(lower(schedule))
    assert not blocking(lower(schedule, "just-in-time"))
