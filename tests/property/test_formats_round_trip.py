"""What is written is read back unchanged, in every format and through any chain of them."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from schedules import (
    FAMILIES,
    Action,
    Group,
    Kind,
    Placement,
    Schedule,
    Timeline,
    WeightPolicy,
    build,
    timeline,
    versions,
)
from schedules.actions import NEEDS_MICROBATCH, NO_MICROBATCH
from schedules.errors import FormatError, ScheduleError
from schedules.formats import published_schema
from schedules.formats.megatron import parse_megatron, write_megatron
from schedules.formats.pytorch_csv import parse_csv, write_csv
from schedules.formats.schedule_json import parse_json, write_json
from schedules.formats.trace import NONE, Trace, group_kind, trace_of, write_trace
from schedules.formats.trace_reader import parse_trace
from tests.json_schema import conforms
from tests.strategies import any_schedules, durations, policies

SCHEDULE_SCHEMA = published_schema("staleproof-schedule/1")
TRACE_SCHEMA = published_schema("staleproof-trace/1")
COLUMNS = ("kind", "stage", "microbatch", "pipeline", "offsets")
KINDS = st.sampled_from(list(Kind))


@st.composite
def any_actions(draw: DrawFn) -> Schedule:
    """Any actions at all, in any order, with any placement, policy, parameters and groups."""
    stages, pipelines = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    orders: list[list[Action]] = []
    groups: list[Group] = []
    for rank in range(draw(st.integers(0, 4))):
        order: list[Action] = []
        for kind in draw(st.lists(KINDS, max_size=8)):
            least = 0 if kind in NEEDS_MICROBATCH else NO_MICROBATCH
            microbatch = draw(st.integers(least, 3) | st.just(999_999))
            stage, pipeline = draw(st.integers(0, stages - 1)), draw(st.integers(0, pipelines - 1))
            order.append(Action(kind, stage, microbatch, pipeline))
        cuts = sorted(draw(st.sets(st.integers(0, len(order)), max_size=4)))
        for first, last in zip(cuts[::2], cuts[1::2], strict=False):
            kind_of_group = group_kind(np.array([action.kind for action in order[first:last]]))
            groups.append(Group(rank, first, last - first, kind_of_group))
        orders.append(order)
    rows = st.lists(st.integers(0, 5), min_size=stages, max_size=stages).map(tuple)
    tables = st.lists(rows, min_size=pipelines, max_size=pipelines).map(tuple)
    return Schedule.from_orders(
        draw(st.text()),
        orders,
        draw(st.integers(0, 5)),
        draw(policies),
        placement=Placement(draw(tables), draw(tables)),
        parameters=draw(st.dictionaries(st.text(), st.integers(-5, 2**53 - 1), max_size=3)),
        groups=draw(st.permutations(groups)),
    )


def built(name: str, p: int, M: int) -> Schedule:
    """A schedule of the family, of these sizes if it takes them."""
    for ranks, microbatches in ((p, M), (4, 8), (4, 1)):
        try:
            return build(name, ranks, microbatches)
        except ScheduleError:
            continue
    raise AssertionError(f"no size suits {name}")


family_schedules = st.builds(
    built,
    st.sampled_from(sorted(FAMILIES)),
    st.sampled_from([1, 2, 3, 4]),
    st.sampled_from([1, 2, 4, 6, 8]),
)

SCHEDULES = any_actions() | any_schedules() | family_schedules


def same(one: Schedule, other: Schedule) -> bool:
    """Whether they are equal in all but where they were read."""
    return (
        all(np.array_equal(getattr(one, name), getattr(other, name)) for name in COLUMNS)
        and one.microbatches == other.microbatches
        and one.placement == other.placement
        and one.policy == other.policy
        and dict(one.parameters) == dict(other.parameters)
        and one.groups == other.groups
        and one.name == other.name
    )


def same_trace(one: Trace, other: Trace) -> bool:
    pairs = [
        (one.timeline.start, other.timeline.start),
        (one.timeline.end, other.timeline.end),
        (one.peer, other.peer),
        (one.version, other.version),
    ]
    return (
        same(one.schedule, other.schedule)
        and all(np.array_equal(first, second) for first, second in pairs)
        and [None if c == NONE else one.channels[c] for c in one.channel.tolist()]
        == [None if c == NONE else other.channels[c] for c in other.channel.tolist()]
        and one.unit == other.unit
        and one.extra == other.extra
    )


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_every_family_survives_json_and_trace(name: str) -> None:
    schedule = built(name, 4, 8)
    assert same(parse_json(write_json(schedule), "a.json"), schedule)
    trace = trace_of(timeline(schedule), versions(schedule))
    back = parse_trace(write_trace(trace), "a.jsonl")
    assert same_trace(back, trace)


@given(SCHEDULES)
def test_json(schedule: Schedule) -> None:
    text = write_json(schedule)
    back = parse_json(text, "a.json")
    assert same(back, schedule)
    assert write_json(back) == text
    assert conforms(json.loads(text), SCHEDULE_SCHEMA)


LOCAL = st.sampled_from([WeightPolicy("stash"), WeightPolicy("latest", 2), WeightPolicy("flush")])


@given(any_schedules(LOCAL), durations, st.data())
def test_trace_of_a_timeline(
    schedule: Schedule, taken: dict[Kind, int], data: st.DataObject
) -> None:
    played = timeline(schedule, taken)
    known = versions(schedule) if data.draw(st.booleans()) else None
    trace = trace_of(played, known)
    assert same_trace(parse_trace(write_trace(trace), "a.jsonl"), trace)


@st.composite
def any_traces(draw: DrawFn) -> Trace:
    """Any trace, whether or not a machine could leave it."""
    schedule = draw(any_actions())
    count = len(schedule)
    times = st.integers(0, 2**62)
    start = draw(st.lists(times, min_size=count, max_size=count))
    taken = draw(st.lists(times, min_size=count, max_size=count))
    optional = st.lists(st.integers(NONE, 5), min_size=count, max_size=count)
    channels = tuple(draw(st.lists(st.text(), max_size=3, unique=True)))
    codes = st.lists(st.integers(NONE, len(channels) - 1), min_size=count, max_size=count)
    values = st.text() | st.integers(-9, 9) | st.booleans() | st.none()
    extra = st.dictionaries(st.text(), values, max_size=2)
    events = st.dictionaries(st.integers(0, count - 1), extra, max_size=2) if count else st.just({})
    starts = np.array(start, dtype=np.int64)
    return Trace(
        Timeline(schedule, starts, starts + np.array(taken, dtype=np.int64)),
        draw(st.sampled_from(["slot", "ns"])),
        np.array(draw(optional), dtype=np.int64),
        np.array(draw(codes), dtype=np.int64),
        np.array(draw(optional), dtype=np.int64),
        channels,
        draw(events),
    )


@given(any_traces())
def test_trace(trace: Trace) -> None:
    text = write_trace(trace)
    assert same_trace(parse_trace(text, "a.jsonl"), trace)
    assert all(conforms(json.loads(line), TRACE_SCHEMA) for line in text.splitlines())


@given(any_traces(), st.randoms(use_true_random=False))
def test_ranks_may_take_turns_and_headers_repeat(trace: Trace, random: object) -> None:
    header, *events = write_trace(trace).splitlines()
    queues = [
        events[first:last]
        for first, last in zip(
            trace.schedule.offsets[:-1].tolist(), trace.schedule.offsets[1:].tolist(), strict=True
        )
    ]
    mixed = [header]
    while any(queues):
        queue = random.choice([queue for queue in queues if queue])  # type: ignore[attr-defined]
        mixed += [queue.pop(0), *([header] if random.random() < 0.2 else [])]  # type: ignore[attr-defined]
    assert same_trace(parse_trace("\n".join(mixed), "a.jsonl"), trace)


def csv_rows() -> st.SearchStrategy[Schedule]:
    """What a schedule CSV can hold, microbatches and policy aside."""
    action = st.builds(
        Action, st.sampled_from(sorted(NEEDS_MICROBATCH)), st.integers(0, 3), st.integers(0, 3)
    )
    return st.lists(st.lists(action, max_size=6), min_size=1, max_size=4).map(
        lambda orders: Schedule.from_orders("drawn", orders, 4, WeightPolicy("flush"))
    )


@given(csv_rows() | any_schedules(st.just(WeightPolicy("flush"))))
def test_csv_to_json_and_back(schedule: Schedule) -> None:
    try:
        text = write_csv(schedule)
    except FormatError:
        assert schedule.pipeline.any()
        return
    read = parse_csv(text, "a.csv", schedule.microbatches)
    through = parse_json(write_json(read), "a.csv")
    assert same(through, read)
    assert write_csv(through) == text


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3), st.data())
def test_megatron(p: int, M: int, chunks: int, data: st.DataObject) -> None:
    orders = []
    for rank in range(p):
        own = [
            Action(kind, stage, m)
            for kind in (Kind.F, Kind.B)
            for stage in range(rank, p * chunks, p)
            for m in range(M)
        ]
        orders.append(data.draw(st.permutations(own)) if data.draw(st.booleans()) else own)
    schedule = Schedule.from_orders(
        "a.json",
        orders,
        M,
        WeightPolicy("flush"),
        placement=Placement.from_ranks(tuple(range(p)) * chunks),
        parameters={"chunks": chunks} if chunks > 1 else {},
    )
    text = write_megatron(schedule)
    assert same(parse_megatron(text, "a.json"), schedule)
    through = parse_json(write_json(schedule), "a.json")
    assert write_megatron(through) == text
