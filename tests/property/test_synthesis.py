"""The best order by CP-SAT, against all orders gone through one by one."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedules import Kind, build, timeline
from schedules.placement import Placement
from schedules.planning.costs import Costs
from schedules.planning.layers import Layer, Layers
from schedules.planning.network import Link, Network
from schedules.planning.plans import staleness
from schedules.planning.synthesis import model, solve
from schedules.planning.synthesis.greedy import best_greedy
from schedules.planning.synthesis.orders import keeps, makespan, schedule_of, starts_of
from schedules.planning.synthesis.problem import NoRoomError, Problem, lower_bound
from schedules.planning.synthesis.solve import synthesize

Op = tuple[Kind, int, int]
TIME = st.fractions(0, 3, max_denominator=2)


def problem(
    placement: Placement,
    microbatches: int,
    times: list[tuple[Fraction, Fraction, Fraction]],
    latency: Fraction = Fraction(0),
    memory: int | None = None,
    window: int | None = None,
    stale: int | None = None,
) -> Problem:
    """Stages of a layer each that keeps a byte a microbatch and has no weights."""
    layers = tuple(Layer(str(s), *three, 1, 0, 0) for s, three in enumerate(times))
    costs = Costs(
        Layers(layers, network=Network(Link(latency))), tuple(range(placement.stages + 1))
    )
    return Problem(costs, placement, microbatches, window or microbatches, memory, stale)


def orders(given: Problem, rank: int) -> Iterator[list[Op]]:
    """All orders of a rank that keep what is decided on the rank alone, whatever the labels."""
    stages, count = given.stages_of(rank), given.microbatches
    chains = [
        [(kind, s, m) for kind in (Kind.F, Kind.I, Kind.W)] for s in stages for m in range(count)
    ]
    yield from (order for order in interleaved(chains) if _keeps(given, order))


def interleaved(chains: list[list[Op]]) -> Iterator[list[Op]]:
    if not any(chains):
        yield []
    for k, chain in enumerate(chains):
        if chain:
            rest = [*chains[:k], chain[1:], *chains[k + 1 :]]
            yield from ([chain[0], *order] for order in interleaved(rest))


def _keeps(given: Problem, order: list[Op]) -> bool:
    kept, updates, seen = 0, dict.fromkeys(range(given.stages), 0), dict[tuple[int, int], int]()
    done = dict.fromkeys(range(given.stages), 0)
    for kind, s, m in order:
        if kind is Kind.F:
            kept += 1
            seen[s, m] = updates[s]
        if kind is Kind.W:
            kept -= 1
            if given.staleness is not None and updates[s] - seen[s, m] > given.staleness:
                return False
            done[s] += 1
            updates[s] = done[s] // given.window
        if given.memory is not None and kept > given.memory:
            return False
    return True


def length(given: Problem, order: tuple[list[Op], ...]) -> int | None:
    """Makespan of an order by repeated passes; None if it never ends."""
    end: dict[Op, int] = {}
    at, free = [0] * len(order), [0] * len(order)
    moved = True
    while moved:
        moved = False
        for rank, row in enumerate(order):
            while at[rank] < len(row):
                kind, s, m = row[at[rank]]
                needed: list[tuple[Op, int]] = []
                if kind is Kind.F and s:
                    needed.append(((Kind.F, s - 1, m), given.up[s - 1]))
                if kind is Kind.I and s + 1 < given.stages:
                    needed.append(((Kind.I, s + 1, m), given.down[s]))
                if any(op not in end for op, _ in needed):
                    break
                start = max([free[rank], *(end[op] + lag for op, lag in needed)])
                free[rank] = end[kind, s, m] = start + given.durations[kind][s]
                at[rank] += 1
                moved = True
    return max(end.values()) if all(at[r] == len(order[r]) for r in range(len(order))) else None


def brute_force(given: Problem) -> int | None:
    spans = (
        length(given, order)
        for order in product(*(list(orders(given, r)) for r in sorted(set(given.ranks))))
    )
    return min((span for span in spans if span is not None), default=None)


@st.composite
def small(draw: st.DrawFn) -> Problem:
    one = Placement.one_stage_a_rank(2)
    placement = draw(st.sampled_from([one, Placement.v_shape(2), Placement.loop(1, 3)]))
    count = 2 if placement == one else 1
    times = draw(
        st.lists(st.tuples(TIME, TIME, TIME), min_size=placement.stages, max_size=placement.stages)
    )
    times[0] = (times[0][0] + 1, *times[0][1:])
    memory = draw(st.none() | st.integers(placement.stages // placement.rank_count, 3))
    window = draw(st.sampled_from([1, count]))
    stale = draw(st.sampled_from([0, 1]))
    return problem(placement, count, times, draw(TIME), memory, window, stale)


@settings(max_examples=12)
@given(small())
def test_optimum_of_all_orders(given: Problem) -> None:
    found = synthesize(given, [], 60)
    best = brute_force(given)
    assert best is not None
    assert found.optimal
    assert found.plan.line.length == best * given.grain
    assert lower_bound(given) <= best
    first = best_greedy(given)
    if first is not None:
        assert keeps(given, first)
        assert best <= makespan(given, first)
        assert makespan(given, first) * given.grain == (
            given.costs.timeline(schedule_of(given, first, "greedy")).length
        )


@pytest.mark.parametrize(
    ("memory", "stale", "window"), [(None, None, 2), (1, 0, 2), (2, 0, 1), (2, 1, 1)]
)
def test_optimum_on_three_ranks(memory: int | None, stale: int | None, window: int) -> None:
    times = [(Fraction(2), Fraction(3), Fraction(1)), (Fraction(1), Fraction(2), Fraction(2))]
    given = problem(
        Placement.one_stage_a_rank(3), 2, [*times, times[0]], Fraction(1), memory, window, stale
    )
    found, best = synthesize(given, [], 60), brute_force(given)
    assert best is not None
    assert found.optimal
    assert found.plan.line.length == best * given.grain


CASE = [(Fraction(1), Fraction(2), Fraction(1))] * 3


@pytest.mark.parametrize(
    ("memory", "stale", "window"), [(2, None, 6), (None, 0, 2), (4, 1, 2), (3, 2, 1)]
)
def test_an_order_keeps_what_it_was_made_for(
    memory: int | None, stale: int | None, window: int
) -> None:
    given = problem(Placement.one_stage_a_rank(3), 6, CASE, Fraction(1, 2), memory, window, stale)
    found = synthesize(given, [("1f1b", build("1f1b", 3, 6))], 60)
    assert found.optimal
    assert memory is None or found.plan.peak_memory <= memory
    assert stale is None or found.plan.staleness <= stale
    again = timeline(found.plan.schedule, given.costs.durations, given.costs.message_time)
    assert again.length == found.plan.line.length == found.bound
    starts = starts_of(given, found.plan.schedule)
    assert starts is not None
    assert makespan(given, starts) * given.grain == found.bound


def test_more_staleness_never_takes_longer() -> None:
    """Further weight versions take the memory of microbatches, but nobody has to keep them."""
    layers = tuple(Layer(str(s), 1, 2, 1, 1, 2, 0) for s in range(3))
    costs = Costs(Layers(layers), (0, 1, 2, 3))
    placement = Placement.one_stage_a_rank(3)
    for memory in (7,):
        spans = [
            synthesize(Problem(costs, placement, 6, 2, memory, stale), [], 60)
            for stale in range(3)
            if 2 * (stale + 1) < memory
        ]
        assert all(found.optimal for found in spans)
        lengths = [found.plan.line.length for found in spans]
        assert lengths == sorted(lengths, reverse=True)
        assert all(found.plan.peak_memory <= memory for found in spans)


def test_controls_what_is_not_posed_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its constraint, the memory (the staleness) is exceeded, and that is seen."""
    tight = problem(Placement.one_stage_a_rank(3), 6, CASE, memory=2)
    fresh = problem(Placement.one_stage_a_rank(3), 6, CASE, window=1, stale=0)
    right = [synthesize(each, [], 60).plan.line.length for each in (tight, fresh)]
    monkeypatch.setattr(model, "_keep_memory", lambda *_: None)
    monkeypatch.setattr(model, "_keep_staleness", lambda *_: None)
    monkeypatch.setattr(solve, "lower_bound", lambda _: 0)
    wrong = [synthesize(each, [], 60).plan for each in (tight, fresh)]
    assert wrong[0].line.length < right[0]
    assert wrong[0].peak_memory > 2
    assert wrong[1].line.length < right[1]
    assert staleness(wrong[1].schedule) > 0
    assert all(
        starts_of(each, plan.schedule) is None
        for each, plan in zip((tight, fresh), wrong, strict=True)
    )


def test_bounds_and_caps_of_known_schedules() -> None:
    """If F = I = W, ZB-H1 is optimal in the memory of p microbatches, ZB-H2 in that of 2p − 1."""
    even = [(Fraction(1),) * 3] * 4
    for memory, name in ((4, "zb-h1"), (7, "zb-h2")):
        given = problem(Placement.one_stage_a_rank(4), 8, even, memory=memory)
        found = synthesize(given, [(name, build(name, 4, 8))], 60)
        assert (found.optimal, found.seed) == (True, name)
        assert found.plan.line.length == 3 * 8 + 3
    with pytest.raises(NoRoomError, match="takes 1 bytes"):
        problem(Placement.one_stage_a_rank(4), 8, even, memory=0)


@given(st.integers(2, 4), st.sampled_from(["1f1b", "gpipe", "zb-h1", "blog-gpipe"]))
def test_schedules_become_starts_and_come_back(p: int, name: str) -> None:
    schedule = build(name, p, 2 * p)
    given = problem(
        Placement.one_stage_a_rank(p), 2 * p, [(Fraction(1), Fraction(2), Fraction(1))] * p
    )
    starts = starts_of(given, schedule)
    assert starts is not None
    assert keeps(given, starts)
    back = given.costs.timeline(schedule_of(given, starts, "back"))
    assert back.length <= given.costs.timeline(schedule).length
