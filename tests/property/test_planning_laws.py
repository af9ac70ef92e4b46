"""Laws of schedules on measured layers: partitions, message times, waiting for messages."""

from fractions import Fraction
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedules import Kind, Schedule, build
from schedules.actions import COMPUTE, Action
from schedules.analysis import critical_shares, exposed_communication
from schedules.analysis.critical_path import critical_indices
from schedules.errors import ParameterError
from schedules.lowering import lower
from schedules.planning.costs import Costs, crossing, split, stage_times
from schedules.planning.layers import Layer, Layers
from schedules.planning.network import Link, Network
from schedules.planning.partition import constrained, least_largest, longest_stage

times = st.integers(0, 6)
FAMILIES = ("gpipe", "1f1b", "zb-h1", "zbv", "pipedream", "interleaved-1f1b", "chimera")


def test_more_stages_than_layers_are_refused() -> None:
    with pytest.raises(ParameterError, match="found 3 stages and 2 layers"):
        longest_stage([1, 2], 3)


def partitions(layers: int, stages: int) -> list[tuple[int, ...]]:
    return [(0, *cuts, layers) for cuts in combinations(range(1, layers), stages - 1)]


@given(st.data())
def test_partition_is_the_best_of_all(data: st.DataObject) -> None:
    layers = data.draw(st.integers(1, 8))
    stages = data.draw(st.integers(1, layers))
    taken = data.draw(st.lists(times, min_size=layers, max_size=layers))
    row = st.lists(times, min_size=layers + 1, max_size=layers + 1)
    crossed = data.draw(st.lists(row, min_size=stages - 1, max_size=stages - 1))
    cells = data.draw(st.sets(st.tuples(*[st.integers(0, 8)] * 3), max_size=20))
    allowed = np.ones((stages, layers + 1, layers + 1), dtype=np.bool_)
    for s, i, j in cells:
        if s < stages and i <= layers and j <= layers:
            allowed[s, i, j] = False

    def judged(bounds: tuple[int, ...]) -> tuple[int, int]:
        stage = [sum(taken[a:b]) for a, b in pairwise(bounds)]
        between = [crossed[s][bounds[s + 1]] for s in range(stages - 1)]
        return max(stage + between), sum(one * one for one in stage)

    possible = [
        bounds
        for bounds in partitions(layers, stages)
        if all(allowed[s, a, b] for s, (a, b) in enumerate(pairwise(bounds)))
    ]
    found = constrained(taken, stages, crossed, lambda s: allowed[s])
    assert (found is None) == (not possible)
    if found is not None:
        assert found in possible
        assert judged(found) == min(map(judged, possible))
    free = longest_stage(taken, stages, crossed)
    assert judged(free) == min(map(judged, partitions(layers, stages)))
    # Scaled beyond 64-bit squares, the answer is the same.
    large = [10**12 * time for time in taken]
    assert judged(longest_stage(large, stages, [[10**12 * t for t in r] for r in crossed])) == (
        judged(free)
    )


@given(st.data())
def test_least_largest_cost(data: st.DataObject) -> None:
    layers = data.draw(st.integers(1, 6))
    stages = data.draw(st.integers(1, layers))
    cost = np.array(
        data.draw(
            st.lists(
                times, min_size=stages * (layers + 1) ** 2, max_size=stages * (layers + 1) ** 2
            )
        )
    ).reshape(stages, layers + 1, layers + 1)
    found = least_largest(stages, lambda s: cost[s])
    assert found is not None
    bounds, value = found
    values = {
        each: max(cost[s, a, b] for s, (a, b) in enumerate(pairwise(each)))
        for each in partitions(layers, stages)
    }
    assert value == values[bounds] == min(values.values())


@st.composite
def measured(draw: st.DrawFn) -> tuple[Schedule, Costs]:
    """A schedule on layers of any durations, with links of their own."""
    schedule = build(draw(st.sampled_from(FAMILIES)), 2, draw(st.sampled_from([2, 4])))
    if draw(st.booleans()):
        schedule = lower(schedule, draw(st.sampled_from(["as-soon-as-possible", "with-waits"])))
    count = draw(st.integers(schedule.stages, 7))
    time = st.fractions(0, 4, max_denominator=4)
    size = st.integers(0, 9)
    layers = tuple(
        Layer(str(k), draw(time) + 1, draw(time), draw(time), draw(size), draw(size), draw(size))
        for k in range(count)
    )
    link = st.builds(Link, time, st.none() | st.fractions(Fraction(1, 3), 5, max_denominator=3))
    network = Network(draw(link), {(0, 1): draw(link)})
    found = Layers(layers, network=network)
    return schedule, split(found, schedule.placement)


@settings(max_examples=20)
@given(measured())
def test_times_are_longest_paths(drawn: tuple[Schedule, Costs]) -> None:
    """Starts as by the public graph, its messages weighed one by one in fractions."""
    schedule, costs = drawn
    line, network, layers = costs.timeline(schedule), costs.layers.network, costs.layers
    graph, starts = schedule.dag(), dict[Action, Fraction]()
    assert layers.exact_messages
    for action in nx.topological_sort(graph):
        ready = [Fraction(0)]
        for before, _, data in graph.in_edges(action, data=True):
            end = starts[before] + Fraction(costs.durations.get((before.kind, before.stage), 0))
            lag = Fraction(0)
            if data["kind"] == "message":
                up = before.kind in (Kind.F, Kind.SEND_F)
                lower_stage = before.stage if up else before.stage - 1
                ranks = schedule.placement.ranks[before.pipeline]
                ends = ranks[before.stage], ranks[before.stage + (1 if up else -1)]
                carried = layers.layers[costs.bounds[lower_stage + 1] - 1].output_bytes
                lag = network.link(*ends).time(carried) * layers.ticks
            ready.append(end + lag)
        starts[action] = max(ready)
    for index in np.flatnonzero(np.isin(schedule.kind, list(COMPUTE))).tolist():
        assert line.start[index] == starts[schedule.action(index)]


@settings(max_examples=20)
@given(measured())
def test_waiting_for_messages(drawn: tuple[Schedule, Costs]) -> None:
    schedule, costs = drawn
    line = costs.timeline(schedule)
    links = exposed_communication(line, costs.message_time)
    assert sum(link.exposed for link in links) <= line.idle
    assert all(0 <= link.exposed <= link.busy for link in links)
    still = exposed_communication(Costs(_instant(costs.layers), costs.bounds).timeline(schedule), 0)
    assert not any(link.exposed for link in still)


@settings(max_examples=20)
@given(measured())
def test_critical_path_adds_up(drawn: tuple[Schedule, Costs]) -> None:
    schedule, costs = drawn
    line = costs.timeline(schedule)
    path = critical_indices(line, costs.message_time)
    assert line.start[path[0]] == 0
    assert sum(share.time for share in critical_shares(line, costs.message_time)) == line.length


def _instant(layers: Layers) -> Layers:
    """The same layers, in the same ticks, with messages that take no time."""
    return Layers(layers.layers, layers.unit, layers.file, Network(Link(Fraction(0, 1))))


@settings(max_examples=20)
@given(measured())
def test_layers_of_stages_add_up(drawn: tuple[Schedule, Costs]) -> None:
    schedule, costs = drawn
    layers = costs.layers
    whole = sum(
        costs.durations[kind, s] for s in range(costs.stages) for kind in (Kind.F, Kind.I, Kind.W)
    )
    assert whole == layers.total * layers.ticks == sum(stage_times(layers))
    assert sum(costs.sizes.column("weights", costs.stages)) == layers.sums("parameter_bytes")[-1]
    assert len(crossing(layers, schedule.placement)) in (0, costs.stages - 1)
