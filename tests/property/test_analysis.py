"""Laws of what is computed for a run: each against brute force, slot by slot, or networkx."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from schedules import Action, Kind, Schedule, WeightPolicy, timeline, versions
from schedules.analysis import Sizes, StageSizes, byte_peaks, critical_path, peaks, traffic
from schedules.analysis.critical_path import critical_indices
from schedules.analysis.utilisation import utilisation
from schedules.durations import durations_of_actions
from schedules.lowering import PLACEMENTS, lower
from schedules.timeline import Timeline
from schedules.validation.facts import in_flight, versions_kept
from schedules.versions import update_after, weights_of_action
from tests.property.test_bubble_families import held
from tests.strategies import any_schedules

F, B, I, W = Kind.F, Kind.B, Kind.I, Kind.W  # noqa: E741 - the field's own letters
flush = st.just(WeightPolicy("flush"))
either_key = st.dictionaries(
    st.one_of(
        st.sampled_from((F, B, I, W)),
        st.tuples(st.sampled_from((F, B, I, W)), st.integers(0, 3)),
    ),
    st.integers(0, 4),
    max_size=8,
)


def drawn_sizes(stages: int) -> Sizes:
    table = {s: StageSizes(100 + 7 * s, 11 + 3 * s, 5 + 2 * s, s, 1000 * s) for s in range(stages)}
    return Sizes("drawn", table)


def known(times: dict[Kind | tuple[Kind, int], int], schedule: Schedule) -> dict[object, int]:
    return {
        key: value
        for key, value in times.items()
        if isinstance(key, Kind) or key[1] < schedule.stages
    }


def run(schedule: Schedule, times: dict[Kind | tuple[Kind, int], int], lag: int = 0) -> Timeline:
    return timeline(schedule, known(times, schedule), lag)  # type: ignore[arg-type]


# Durations


@given(any_schedules(), either_key)
def test_durations_by_stage_overrule_those_by_kind(
    schedule: Schedule, times: dict[Kind | tuple[Kind, int], int]
) -> None:
    times = known(times, schedule)  # type: ignore[assignment]
    splits = any(schedule.action(index).kind in (I, W) for index in range(len(schedule)))
    unit = {F: 1, I: 1, W: 1, B: 2 if splits else 1}
    taken = durations_of_actions(schedule, times)
    for index in range(len(schedule)):
        action = schedule.action(index)
        expected = times.get(action.kind, unit[action.kind])
        assert taken[index] == times.get((action.kind, action.stage), expected)


@given(any_schedules(flush), either_key)
def test_start_times_are_longest_paths(
    schedule: Schedule, times: dict[Kind | tuple[Kind, int], int]
) -> None:
    line = run(schedule, times)
    taken = dict(
        zip(
            map(schedule.action, range(len(schedule))),
            (line.end - line.start).tolist(),
            strict=True,
        )
    )
    graph = schedule.dag()
    graph.remove_nodes_from([node for node in graph if node.kind is Kind.U])
    weighted: nx.DiGraph[Action] = nx.DiGraph()
    weighted.add_nodes_from(graph)
    weighted.add_weighted_edges_from((a, b, taken[a]) for a, b in graph.edges)
    start: dict[Action, int] = {}
    for node in nx.topological_sort(weighted):
        arrivals = [start[a] + taken[a] for a in weighted.predecessors(node)]
        start[node] = max(arrivals, default=0)
    assert [start[schedule.action(i)] for i in range(len(schedule))] == line.start.tolist()
    last = [(node, "end", time) for node, time in taken.items()]
    weighted.add_weighted_edges_from(last)
    assert nx.dag_longest_path_length(weighted) == line.length


# Critical path and utilisation


@given(any_schedules(), either_key, st.integers(0, 3), st.sampled_from([None, *PLACEMENTS]))
def test_critical_path_has_no_slack(
    schedule: Schedule,
    times: dict[Kind | tuple[Kind, int], int],
    lag: int,
    placement: str | None,
) -> None:
    schedule = schedule if placement is None else lower(schedule, placement)
    line = run(schedule, times, lag)
    chain = critical_indices(line)
    assert [schedule.action(index) for index in chain] == critical_path(line)
    start, end, rank = line.start, line.end, schedule.rank_of_action
    assert start[chain[0]] == 0
    assert end[chain[-1]] == line.length
    assert len(set(chain)) == len(chain)
    graph = schedule.dag()
    assert all(graph.has_edge(*pair) for pair in pairwise(critical_path(line)))
    waited = 0
    for before, after in pairwise(chain):
        gap = int(start[after] - end[before])
        assert gap == 0 or (gap == lag and rank[before] != rank[after])
        waited += gap
    assert int((end - start)[chain].sum()) + waited == line.length
    if lag == 0:
        assert waited == 0


@given(any_schedules(flush), st.integers(0, 10**6))
def test_longer_action_on_the_critical_path_delays_the_end(schedule: Schedule, seed: int) -> None:
    line = timeline(schedule)
    chosen = critical_path(line)[seed % len(critical_path(line))]
    key = (chosen.kind, chosen.stage)
    slower = timeline(schedule, {key: int((line.end - line.start).max()) + 1})
    assert slower.length > line.length


@given(any_schedules(), either_key)
def test_utilisation_by_counting_slots(
    schedule: Schedule, times: dict[Kind | tuple[Kind, int], int]
) -> None:
    line = run(schedule, times)
    found = utilisation(line)
    for rank in range(schedule.ranks):
        busy = sum(
            1
            for slot in range(line.length)
            for index in range(int(schedule.offsets[rank]), int(schedule.offsets[rank + 1]))
            if line.start[index] <= slot < line.end[index]
        )
        assert found[rank] == (Fraction(busy, line.length) if line.length else 0)
    if line.length:
        assert sum(found) / schedule.ranks == 1 - line.idle_fraction


# Peaks


def kept_at(
    line: Timeline, slot: int
) -> tuple[list[Action], list[Action], list[tuple[int, int, int]]]:
    """By looking: whose activations, whose weight gradients, and (rank, weights, version)."""
    schedule = line.schedule
    at = {schedule.action(i): (int(line.start[i]), int(line.end[i])) for i in range(len(schedule))}
    done = {(a.stage, a.microbatch): end for a, (_, end) in at.items() if a.kind in (B, W)}
    activations = [
        a
        for a, (start, _) in at.items()
        if a.kind is F and start <= slot < done[a.stage, a.microbatch]
    ]
    pending = [
        a for a, (_, end) in at.items() if a.kind is I and end <= slot < done[a.stage, a.microbatch]
    ]
    found, marks = versions(schedule), update_after(schedule)
    weights, rank = weights_of_action(schedule).tolist(), schedule.rank_of_action.tolist()
    needed = set()
    for owner in set(weights):
        mine = [i for i in range(len(schedule)) if weights[i] == owner]
        born = [0, *sorted(int(line.end[i]) for i in mine if marks[i])]
        for version, birth in enumerate(born):
            uses = [
                int(line.end[i])
                for i in mine
                if schedule.kind[i] in (B, I)
                and found.used[schedule.stage[i], schedule.microbatch[i]] == version
            ]
            newest = line.length if version + 1 == len(born) else born[version + 1]
            if birth <= slot < max([newest, *uses]):
                needed.add((rank[mine[0]], owner, version))
    return activations, pending, sorted(needed)


positive = st.dictionaries(
    st.tuples(st.sampled_from((F, B, I, W)), st.integers(0, 2)), st.integers(1, 3), max_size=4
)


@given(any_schedules(most=3), positive)
def test_peaks_slot_by_slot(schedule: Schedule, times: dict[tuple[Kind, int], int]) -> None:
    line = run(schedule, times)  # type: ignore[arg-type]
    stages, ranks = schedule.stages, schedule.ranks
    sizes = drawn_sizes(stages)
    place, copies = schedule.placement, schedule.placement.copy_count
    counts = {name: [0] * (stages if "stage" in name else ranks) for name in vars(peaks(line))}
    weighed = {name: [0] * ranks for name in ("activations", "weights", "total")}
    used = {
        (int(rank), int(owner))
        for rank, owner in zip(schedule.rank_of_action, weights_of_action(schedule), strict=True)
    }
    optimizer = [0] * ranks
    for rank, owner in used:
        optimizer[rank] += sizes.stages[owner // copies].optimizer

    def note(table: dict[str, list[int]], name: str, at: int, value: int) -> None:
        table[name][at] = max(table[name][at], value)

    for slot in range(line.length):
        activations, pending, needed = kept_at(line, slot)
        for name, things in (("activations", activations), ("pending", pending)):
            for stage, rank in product(range(stages), range(ranks)):
                here = [place.ranks[a.pipeline][a.stage] == rank for a in things]
                both = sum(h and a.stage == stage for h, a in zip(here, things, strict=True))
                note(counts, f"{name}_by_stage", stage, both)
                note(counts, f"{name}_by_rank", rank, sum(here))
        for rank in range(ranks):
            here_versions = [owner for r, owner, _ in needed if r == rank]
            note(counts, "versions_by_rank", rank, len(here_versions))
            for owner in here_versions:
                note(counts, "versions_by_stage", owner // copies, here_versions.count(owner))
            kept = sum(
                sizes.stages[a.stage].activations
                for a in activations
                if place.ranks[a.pipeline][a.stage] == rank
            )
            held_bytes = sum(sizes.stages[owner // copies].weights for owner in here_versions)
            note(weighed, "activations", rank, kept)
            note(weighed, "weights", rank, held_bytes)
            note(weighed, "total", rank, kept + held_bytes + optimizer[rank])
    assert vars(peaks(line)) == {name: tuple(values) for name, values in counts.items()}
    found = byte_peaks(line, sizes)
    assert found.optimizer == tuple(optimizer)
    for name, values in weighed.items():
        assert getattr(found, name) == tuple(values)


@given(any_schedules(), positive)
def test_peaks_of_a_static_order_do_not_depend_on_durations(
    schedule: Schedule, times: dict[tuple[Kind, int], int]
) -> None:
    """By stage a rank is sequential, so that the program order alone decides."""
    found = peaks(run(schedule, times))  # type: ignore[arg-type]
    assert found.versions_by_stage == tuple(versions_kept(schedule, versions(schedule)))
    assert found.activations_by_stage == tuple(in_flight(schedule))
    assert found.activations_by_rank == tuple(held(schedule, (B, W)))


# Traffic


@given(any_schedules(flush), st.sampled_from(list(PLACEMENTS)))
def test_traffic_is_counted_and_lowering_keeps_it(schedule: Schedule, placement: str) -> None:
    sizes, ranks = drawn_sizes(schedule.stages), schedule.placement.ranks
    expected: dict[tuple[int, int], tuple[int, int]] = {}
    for index in range(len(schedule)):
        action = schedule.action(index)
        to = action.stage + {F: 1, B: -1, I: -1}.get(action.kind, schedule.stages)
        if 0 <= to < schedule.stages:
            channel = (ranks[action.pipeline][action.stage], ranks[action.pipeline][to])
            if channel[0] != channel[1]:
                count, volume = expected.get(channel, (0, 0))
                size = sizes.stages[min(action.stage, to)].output
                expected[channel] = (count + 1, volume + size)
    for one in (schedule, lower(schedule, placement)):
        found = traffic(one, sizes)
        assert [(c.source, c.target) for c in found] == sorted(expected)
        assert {(c.source, c.target): (c.messages, c.volume) for c in found} == expected
        assert [(c.source, c.target, c.messages) for c in traffic(one)] == [
            (c.source, c.target, c.messages) for c in found
        ]
