"""Time that messages take: the same whether they are actions or implied by the computations."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedules import FAMILIES, Kind, Schedule, WeightPolicy, build, timeline
from schedules.actions import COMPUTE
from schedules.dependencies import EdgeKind, edges
from schedules.errors import ScheduleError
from schedules.lowering import PLACEMENTS, erase_messages, lower
from tests.strategies import any_schedules, durations

SENDS, RECEIVES = (Kind.SEND_F, Kind.SEND_B), (Kind.RECV_F, Kind.RECV_B)
WAITS = (Kind.WAIT_SEND_F, Kind.WAIT_SEND_B)

placements = st.sampled_from(list(PLACEMENTS))
flush = st.just(WeightPolicy("flush"))
message_times = st.integers(0, 5)


def starts_of_computations(
    schedule: Schedule, times: dict[Kind, int], message_time: int
) -> dict[str, int]:
    line = timeline(schedule, times, message_time)
    computes = np.isin(schedule.kind, list(COMPUTE))
    return {
        f"{schedule.action(index)} {schedule.pipeline[index]}": int(line.start[index])
        for index in np.flatnonzero(computes).tolist()
    }


@given(any_schedules(flush), durations, message_times, placements)
def test_explicit_and_implicit_messages_take_the_same_time(
    schedule: Schedule, times: dict[Kind, int], message_time: int, placement: str
) -> None:
    lowered = lower(schedule, placement)
    implicit = starts_of_computations(schedule, times, message_time)
    assert starts_of_computations(lowered, times, message_time) == implicit
    one, other = timeline(schedule, times, message_time), timeline(lowered, times, message_time)
    assert (one.length, one.busy, one.idle) == (other.length, other.busy, other.idle)


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("size", [(1, 2), (2, 4), (4, 8)])
@pytest.mark.parametrize("family", FAMILIES)
def test_makespan_of_families(family: str, size: tuple[int, int], placement: str) -> None:
    """The same; behind a group a send waits for the whole of it, which never makes it shorter."""
    try:
        order = erase_messages(build(family, *size))
    except ScheduleError:
        return  # not in the family's domain
    lowered = lower(order, placement)
    for message_time in (0, 1, 3):
        implicit = timeline(order, message_time=message_time).length
        explicit = timeline(lowered, message_time=message_time).length
        assert explicit >= implicit if order.groups else explicit == implicit


def longest_paths(schedule: Schedule, times: dict[Kind, int], message_time: int) -> dict[int, int]:
    """Start of every action that is no receive: longest paths over all dependencies but waits.

    Written from the model: a rank's own actions one after the other, its receives left out;
    a tensor is there `message_time` after what stands for its departure has ended, and then the
    wait for its send can end.
    """
    graph: nx.DiGraph[int] = nx.DiGraph()
    kind, rank_of = schedule.kind.tolist(), schedule.rank_of_action.tolist()
    queue = [index for index in range(len(schedule)) if kind[index] not in RECEIVES]
    graph.add_nodes_from(queue)
    for before, after in pairwise(queue):
        if rank_of[before] == rank_of[after]:
            graph.add_edge(before, after, weight=times.get(Kind(kind[before]), 0))
    found = edges(schedule)
    pairs = list(zip(found.source.tolist(), found.target.tolist(), strict=True))
    sender = {target: source for source, target in pairs if kind[target] in RECEIVES}
    for source, target in pairs:
        if kind[target] in RECEIVES:
            continue
        origin = sender[source] if kind[source] in RECEIVES else source
        carried = rank_of[origin] != rank_of[target] or kind[target] in WAITS
        weight = times.get(Kind(kind[origin]), 0) + message_time * carried
        if not graph.has_edge(origin, target) or graph.edges[origin, target]["weight"] < weight:
            graph.add_edge(origin, target, weight=weight)
    begin = dict.fromkeys(queue, 0)
    for node in nx.topological_sort(graph):
        for _, after, data in graph.out_edges(node, data=True):
            begin[after] = max(begin[after], begin[node] + data["weight"])
    return begin


@given(any_schedules(flush), durations, message_times, placements, st.booleans())
def test_timeline_with_messages_is_the_longest_path(
    schedule: Schedule, times: dict[Kind, int], message_time: int, placement: str, explicit: bool
) -> None:
    times = {**times, Kind.SEND_F: 1, Kind.SEND_B: 2}
    played = lower(schedule, placement) if explicit else schedule
    line = timeline(played, times, message_time)
    for index, begin in longest_paths(played, times, message_time).items():
        assert line.start[index] == begin


@given(any_schedules(flush), durations, message_times, placements)
def test_receives_complete_when_posted_and_arrived(
    schedule: Schedule, times: dict[Kind, int], message_time: int, placement: str
) -> None:
    lowered = lower(schedule, placement)
    line, found = timeline(lowered, times, message_time), edges(lowered)
    for source, target in zip(found.source.tolist(), found.target.tolist(), strict=True):
        if lowered.kind[target] in RECEIVES:
            queue = range(int(lowered.offsets[lowered.rank_of_action[target]]), target)
            own = [line.end[i] for i in queue if lowered.kind[i] not in RECEIVES]
            assert line.start[target] == max([line.end[source] + message_time, *own])
            assert line.end[target] == line.start[target]


@given(any_schedules(flush), durations, message_times)
def test_slower_messages_delay_nothing_less(
    schedule: Schedule, times: dict[Kind, int], message_time: int
) -> None:
    slow, fast = (
        timeline(schedule, times, message_time + 1),
        timeline(schedule, times, message_time),
    )
    assert (slow.start >= fast.start).all()


@given(any_schedules(flush), placements)
def test_message_edges_replace_the_direct_ones(schedule: Schedule, placement: str) -> None:
    lowered = lower(schedule, placement)
    direct, found = edges(schedule), edges(lowered)
    rank = lowered.rank_of_action
    crossing = found.kind == EdgeKind.MESSAGE
    assert set(lowered.kind[found.source[crossing]].tolist()) <= set(SENDS)
    assert set(lowered.kind[found.target[crossing]].tolist()) <= {*RECEIVES, *WAITS}
    waits = np.isin(lowered.kind[found.target], WAITS).sum()
    messages = crossing.sum() - waits
    assert (rank[found.source] != rank[found.target]).sum() == messages
    assert waits == (messages if placement == "with-waits" else 0)
    assert len(found.kind) == len(direct.kind) + 2 * messages + waits
