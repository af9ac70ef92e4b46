"""The condition for no stall, against two simulations: by events, and tick by tick."""

import random
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import chain, combinations, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from schedules.partial_staleness import (
    Layer,
    Model,
    Orders,
    fewest_stale,
    fewest_stale_of_graph,
    heuristic,
    late_gradient,
    printed_fewest_stale,
    sequential,
    simulate,
    stall,
)
from schedules.partial_staleness.algorithms import (
    algorithm_4,
    algorithm_5,
    printed_algorithm_4,
    printed_algorithm_5,
    random_choice,
)
from tests.stale_machine import every_chain, orders_of_graph, random_chains, waits

times = st.integers(1, 9) | st.fractions(Fraction(1, 3), 9, max_denominator=3)


@st.composite
def chains(draw: DrawFn, most: int = 6) -> Model:
    m = draw(st.integers(1, most))
    b, u, v = (draw(st.lists(times, min_size=m, max_size=m)) for _ in range(3))
    return sequential(b, u, v)


@st.composite
def graphs(draw: DrawFn, most: int = 5) -> Model:
    """Graphs with one beginning and one end, and random edges between."""
    m = draw(st.integers(2, most))
    after: list[tuple[int, ...]] = [()]
    for layer in range(1, m):
        needs = draw(st.sets(st.integers(0, layer - 1), min_size=1, max_size=2))
        after.append(tuple(sorted(needs)))
    used = set(chain.from_iterable(after))
    after[-1] = tuple(sorted({*after[-1], *(set(range(m - 1)) - used)}))
    most_each = (3, 3, 4)  # communications so long that several layers are stale
    layers = tuple(
        Layer(str(i), *(draw(st.integers(1, top)) for top in most_each)) for i in range(m)
    )
    return Model(layers, tuple(after))


def require_right(models: Iterable[Model]) -> Counter[str]:
    """Condition, pace, fewest and monotonicity as in the simulation; how the program fares."""
    seen: Counter[str] = Counter()
    for model in models:
        runs = [simulate(model, range(k)) for k in range(model.count + 1)]
        for k, run in enumerate(runs):
            assert run.stall == stall(model, range(k)), (model, k)
            assert run.never_stalls == (run.stall == 0), (model, k)
        enough = [run.stall == 0 for run in runs]
        first = enough.index(True) if any(enough) else None
        assert fewest_stale(model) == first, model
        assert enough == sorted(enough), model
        printed = printed_fewest_stale(model)
        assert (printed is None) == (first is None), model
        if printed is None or first is None:
            seen["no k"] += 1
            continue
        assert printed <= first, model
        assert (late_gradient(model, printed) is None) == (printed == first), model
        seen["program right" if printed == first else "program wrong"] += 1
    return seen


def test_condition_on_all_small_models() -> None:
    models = chain(every_chain(1, 4), every_chain(2, 3), every_chain(3, 2))
    seen = require_right(models)
    assert seen == {"program right": 1090, "program wrong": 204, "no k": 11}


def test_condition_on_random_models() -> None:
    seen = require_right(islice(random_chains(seed=1), 2_000))
    assert seen["program wrong"] > 300
    assert seen["no k"] > 50


@pytest.mark.slow
def test_condition_on_tens_of_thousands_of_models() -> None:
    models = chain(every_chain(3, 3), islice(random_chains(seed=2, most=6), 30_000))
    seen = require_right(models)
    assert seen.total() == 49_683
    assert seen["program wrong"] > 5_000


def require_same_waits(models: Iterable[Model], iterations: int = 6) -> int:
    """Both simulations wait as long in every one of the first iterations."""
    stalled = 0
    for model in models:
        for k in range(model.count + 1):
            run = simulate(model, range(k))
            expected = [run.iteration(number).stall for number in range(iterations)]
            assert waits(model, range(k), iterations) == expected, (model, k)
            stalled += any(expected)
    return stalled


def test_events_are_those_of_the_tick_machine() -> None:
    assert require_same_waits(islice(random_chains(seed=3, most=4), 400)) > 300


@pytest.mark.slow
def test_events_are_those_of_the_tick_machine_on_many_models() -> None:
    models = chain(every_chain(2, 3), islice(random_chains(seed=4), 10_000))
    assert require_same_waits(models) > 5_000


@settings(max_examples=40)
@given(chains(most=4), st.randoms(use_true_random=False))
def test_any_set_of_stale_layers(model: Model, draw: random.Random) -> None:
    stale = {layer for layer in range(model.count) if draw.random() < 0.5}
    run = simulate(model, stale)
    assert run.stall == stall(model, stale)
    assert waits(model, stale, 5) == [run.iteration(number).stall for number in range(5)]


@settings(max_examples=40)
@given(chains(most=4))
def test_no_smaller_set_of_stale_layers_will_do(model: Model) -> None:
    fewest = fewest_stale(model)
    for size in range(model.count if fewest is None else fewest):
        for stale in combinations(range(model.count), size):
            assert not simulate(model, stale).never_stalls


@settings(max_examples=40)
@given(chains(), st.integers(1, 5), st.integers(1, 5))
def test_other_units_change_nothing(model: Model, n: int, d: int) -> None:
    factor = Fraction(n, d)
    b, u, v = ([model.time(ticks) * factor for ticks in row] for row in (model.b, model.u, model.v))
    other = sequential(b, u, v)
    assert fewest_stale(other) == fewest_stale(model)
    assert stall(other, ()) == factor * stall(model, ())


@settings(max_examples=50)
@given(chains(most=5))
def test_runs_repeat_at_once_or_wait(model: Model) -> None:
    k = fewest_stale(model)
    if k is not None:
        run = simulate(model, range(k))
        assert (run.period, run.never_stalls) == (1, True)
        assert run.iteration(7).begin == 7 * run.iterations[0].end
        assert len(run.iterations) <= 3


@settings(max_examples=50)
@given(chains())
def test_algorithms_on_sequential_models(model: Model) -> None:
    """Repaired they are right; as printed they never mark a layer too many, but too few."""
    right = {i for i in range(model.count) if stall(model, set(range(model.count)) - {i}) > 0}
    repaired = algorithm_5(model, algorithm_4(model)).stale
    if model.channel <= model.computation:
        assert repaired == right == set(range(fewest_stale(model) or 0))
    printed = printed_algorithm_5(model, printed_algorithm_4(model)).stale
    assert printed <= repaired
    assert 0 in repaired
    assert printed == set(range(len(printed)))


@settings(max_examples=80)
@given(graphs())
def test_exact_answer_of_a_graph(model: Model) -> None:
    """Against all orders and all sets of stale layers, tried out."""
    plan = fewest_stale_of_graph(model)
    if plan is None:
        assert model.channel > model.computation
        return
    assert simulate(model, plan.stale, plan.orders).never_stalls
    for orders in orders_of_graph(model):
        for size in range(len(plan.stale)):
            for stale in combinations(range(model.count), size):
                assert stall(model, stale, Orders(*orders)) > 0


@settings(max_examples=40)
@given(graphs(most=5), st.randoms(use_true_random=False))
def test_pace_of_a_graph_in_any_orders(model: Model, draw: random.Random) -> None:
    pairs = list(orders_of_graph(model))
    orders = draw.choice(pairs)
    stale = {layer for layer in range(model.count) if draw.random() < 0.5}
    run = simulate(model, stale, Orders(*orders))
    assert run.stall == stall(model, stale, Orders(*orders))
    assert waits(model, stale, 5, orders) == [run.iteration(n).stall for n in range(5)]


@settings(max_examples=40)
@given(graphs(), st.integers(0, 99))
def test_repaired_heuristic_never_stalls(model: Model, seed: int) -> None:
    if model.channel <= model.computation:
        choose = random_choice(seed)
        communications = algorithm_4(model, choose)
        marking = algorithm_5(model, communications, choose)
        assert stall(model, marking.stale, Orders(communications.order, marking.order)) == 0
        best, exact = heuristic(model, tries=5), fewest_stale_of_graph(model)
        assert best is not None
        assert exact is not None
        assert len(best.stale) >= len(exact.stale)


@settings(max_examples=50)
@given(chains())
def test_a_sequential_model_is_a_graph_too(model: Model) -> None:
    graph = Model(model.layers, model.predecessors)
    plan = fewest_stale_of_graph(graph)
    assert (None if plan is None else len(plan.stale)) == fewest_stale(model)
