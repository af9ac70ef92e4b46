"""Partial staleness worked out by hand: the model, the answers, the algorithms' printed lines."""

from fractions import Fraction

import pytest

from schedules.errors import ParameterError, SizeError
from schedules.partial_staleness import (
    Iteration,
    Late,
    Layer,
    Model,
    Orders,
    fewest_stale,
    fewest_stale_of_graph,
    heuristic,
    iterations,
    late_gradient,
    printed_fewest_stale,
    sequential,
    simulate,
    stall,
)
from schedules.partial_staleness.algorithms import (
    Communications,
    algorithm_4,
    algorithm_5,
    printed_algorithm_4,
    printed_algorithm_5,
)
from schedules.partial_staleness.graph import linear_extensions
from schedules.partial_staleness.layers import MOST_DENOMINATOR, MOST_IN_GRAPH
from schedules.partial_staleness.stalls import arrivals

# Backwards end at 1, 2, 11 and 12; forwards begin at 12, 13, 15 and 16, and end at 17.
# Gradients arrive at 2, 4, 15 and 18: that of layer 1 is needed at 13.
FOUR = sequential(
    backward=[1, 9, 1, 1],
    forward=[1, 2, 1, 1],
    communication=[3, 4, 2, 1],
    names=["conv1", "conv2", "conv3", "fc"],
)


def graph(times: dict[str, tuple[int, int, int]], after: tuple[tuple[int, ...], ...]) -> Model:
    return Model(tuple(Layer(name, *row) for name, row in times.items()), after)


DIAMOND = graph(
    {"in": (1, 1, 1), "left": (1, 1, 2), "right": (3, 1, 1), "out": (1, 1, 1)},
    ((), (0,), (0,), (1, 2)),
)


def test_four_layers_by_hand() -> None:
    assert (FOUR.computation, FOUR.channel) == (17, 10)
    assert fewest_stale(FOUR) == 2
    assert [stall(FOUR, range(k)) for k in range(5)] == [6, 2, 0, 0, 0]
    assert next(iterations(FOUR, range(2))) == Iteration(
        backward=(11, 2, 1, 0),
        communication=(15, 11, 2, 1),
        forward=(12, 13, 15, 16),
        begin=0,
        end=17,
        stall=0,
    )


def test_printed_program_by_hand() -> None:
    # 10 ≤ 11 already: the program takes the channel to be done at 1 + 10 = 11.
    assert printed_fewest_stale(FOUR) == 0
    assert late_gradient(FOUR, 0) == Late(0, needed=12, printed=11, arrives=18, waited_for=1)
    assert late_gradient(FOUR, 1) == Late(1, needed=13, printed=8, arrives=15, waited_for=1)
    assert late_gradient(FOUR, 2) is None
    assert late_gradient(FOUR, 4) is None


def test_channel_that_is_free_just_in_time_has_not_waited() -> None:
    # Gradient 1 has been sent at 3, when backward 0 ends.
    model = sequential(backward=[2, 1], forward=[1, 1], communication=[1, 2])
    late = late_gradient(model, 0)
    assert late is None
    assert arrivals(model, (1, 0)) == [(4, 1), (3, 1)]


def test_program_that_knows_a_layer_is_late_has_no_late_gradient() -> None:
    model = sequential(backward=[1, 1], forward=[1, 9], communication=[1, 9])
    assert printed_fewest_stale(model) == 2
    assert late_gradient(model, 1) is None


def test_no_number_of_layers_is_enough() -> None:
    model = sequential(backward=[1, 1], forward=[1, 1], communication=[4, 1])
    assert fewest_stale(model) is None
    assert printed_fewest_stale(model) is None
    assert heuristic(model) is None
    assert stall(model, range(2)) == 1


def test_arriving_just_in_time_is_in_time() -> None:
    """Σv = P, and every gradient at the very moment at which it is needed."""
    model = sequential(backward=[2, 1], forward=[2, 1], communication=[3, 3])
    assert fewest_stale(model) == 1
    assert fewest_stale(sequential([2, 1], [2, 1], [3, Fraction(301, 100)])) is None


def test_stale_gradient_is_waited_for_too() -> None:
    """A channel that is always busy: the stale layer waits for what is one iteration old."""
    model = sequential(backward=[1], forward=[1], communication=[5])
    first, second, third, fourth = (simulate(model, {0}).iteration(t) for t in range(4))
    # Gradient 0 is on its way from 1 to 6, gradient 1 from 6 to 11; iteration 1 waits for 0.
    assert (first.stall, second.stall) == (0, 3)
    assert second.forward == (6,)
    assert (third.forward, fourth.forward) == ((11,), (16,))
    assert simulate(model, {0}).stall == 3


def test_first_iteration_has_no_older_gradient() -> None:
    model = sequential(backward=[1], forward=[1], communication=[100])
    assert next(iterations(model, {0})).stall == 0


def test_mean_over_the_iterations_that_come_again() -> None:
    run = simulate(sequential([1], [1], [5]), {0})
    assert run.first > 0
    assert run.period == len(run.iterations) - run.first == 1
    later = run.iteration(20)
    assert later.begin - run.iteration(19).begin == 5
    assert (later.backward[0], later.communication[0]) == (97, 101)


def test_simulation_that_would_take_too_long_is_given_up() -> None:
    """The backlog grows by 1 an iteration, from 2 up to 1001, where backwards end."""
    model = sequential(backward=[1000, 1], forward=[1000, 1], communication=[1, 2002])
    with pytest.raises(SizeError, match="within 10 iterations"):
        simulate(model, {0, 1}, most=10)
    run = simulate(model, {0, 1})
    assert (stall(model, {0, 1}), run.stall) == (1, 1)
    assert [iteration.stall for iteration in run.iterations].index(1) == 1001


def test_fractions_are_exact() -> None:
    third = Fraction(1, 3)
    model = sequential([third, third], [third, third], [third, third])
    assert (fewest_stale(model), stall(model, ())) == (1, third)
    assert model.denominator == 3


@pytest.mark.parametrize("time", [0, -1, 1.0, True, float("nan"), "1", Fraction(-1, 2)])
def test_durations_are_exact_and_above_0(time: object) -> None:
    with pytest.raises(ParameterError, match="an int or Fraction above 0"):
        Model((Layer("a", 1, time, 1),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("layers", "after", "words"),
    [
        ((), None, "found none"),
        ((Layer("a", 1, 1, 1), Layer("a", 1, 1, 1)), None, "'a' twice"),
        ((Layer("a", 1, 1, 1),), ((0,),), "cycle: a → a"),
        (
            (Layer("a", 1, 1, 1), Layer("b", 1, 1, 1), Layer("c", 1, 1, 1)),
            ((), (0, 2), (1,)),
            "cycle",
        ),
        ((Layer("a", 1, 1, 1), Layer("b", 1, 1, 1)), ((), ()), "that needs no other, found 2"),
        (
            (Layer("a", 1, 1, 1), Layer("b", 1, 1, 1), Layer("c", 1, 1, 1)),
            ((), (0,), (0,)),
            "that no other needs, found 2: b, c",
        ),
        ((Layer("a", 1, 1, 1),), ((4,),), "found 1 lists"),
        ((Layer("a", 1, 1, 1),), (), "found 0 lists"),
    ],
)
def test_models_that_are_none(
    layers: tuple[Layer, ...], after: tuple[tuple[int, ...], ...] | None, words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        Model(layers, after)


def test_durations_share_a_denominator() -> None:
    with pytest.raises(SizeError, match="10\\^60"):
        sequential([Fraction(1, MOST_DENOMINATOR + 1)], [1], [1])
    with pytest.raises(ParameterError, match="found 1 names and 1, 2 and 1 durations"):
        sequential([1], [1, 2], [1])


def test_stale_layers_and_orders_fit_the_model() -> None:
    with pytest.raises(ParameterError, match="among 0 … 3, found 4"):
        stall(FOUR, {4})
    with pytest.raises(ParameterError, match="after those they need"):
        simulate(FOUR, (), Orders((0, 1, 2, 3), (0, 1, 2, 3)))
    with pytest.raises(ParameterError, match="after those they need"):
        simulate(FOUR, (), Orders((3, 2, 1, 0), (3, 2, 1, 0)))
    with pytest.raises(ParameterError, match="after those they need"):
        simulate(FOUR, (), Orders((3, 2, 1, 0), (0, 1, 2)))
    for ask in (fewest_stale, printed_fewest_stale):
        with pytest.raises(ParameterError, match="this model is a graph"):
            ask(DIAMOND)
    with pytest.raises(ParameterError, match="this model is a graph"):
        stall(DIAMOND, ())


def test_algorithm_4_line_by_line() -> None:
    """Line 7 takes starts of backwards for completions, line 16 does not wait for them."""
    assert printed_algorithm_4(FOUR) == Communications(
        order=(3, 2, 1, 0), ready=(11, 2, 1, 0), start=(7, 3, 1, 0)
    )
    assert algorithm_4(FOUR) == Communications(
        order=(3, 2, 1, 0), ready=(12, 11, 2, 1), start=(15, 11, 2, 1)
    )


def test_algorithm_4_by_layer_number_is_not_first_in_first_out() -> None:
    """At 4, gradients 1 and 0 are taken to be ready; the smaller number goes first."""
    model = sequential(backward=[1, 1, 1], forward=[1, 1, 1], communication=[1, 1, 4])
    assert printed_algorithm_4(model, reading="ready").start == (5, 4, 0)
    assert printed_algorithm_4(model, reading="layer").start == (4, 5, 0)
    at_once = sequential(backward=[1, 1, 1], forward=[1, 1, 1], communication=[1, 1, 2])
    assert printed_algorithm_4(at_once, reading="layer").start == (2, 3, 0), "r(v_1) ≤ t"


def test_algorithm_5_marks_fewer_than_needed() -> None:
    assert printed_algorithm_5(FOUR, printed_algorithm_4(FOUR)).stale == frozenset()
    assert algorithm_5(FOUR, algorithm_4(FOUR)).stale == {0, 1}


def test_algorithm_5_marks_what_is_late_beyond_its_forward() -> None:
    # Communication of layer 0 starts at 9; its forward ends at 3.
    model = sequential(backward=[1, 1], forward=[1, 9], communication=[1, 9])
    assert printed_algorithm_5(model, printed_algorithm_4(model)).stale == {0}


def test_printed_algorithms_run_a_layer_of_a_graph_too_early_and_twice() -> None:
    """Lines 5 and 6: a layer is offered after its first predecessor, and again after the next."""
    communications = printed_algorithm_4(DIAMOND)
    assert communications.order == (3, 1, 0, 2, 0)
    marking = printed_algorithm_5(DIAMOND, communications)
    assert marking.order == (0, 1, 2, 3)
    last_first = printed_algorithm_5(DIAMOND, communications, choose=lambda offered: offered[-1])
    assert last_first.order == (0, 2, 3, 1, 3)
    assert not Orders(communications.order, marking.order).fit(DIAMOND)


def test_printed_algorithm_5_keeps_what_it_says_last() -> None:
    """Layer "mid" is run at 7 and again at 10, and its communication starts at 10."""
    names = ("in", "a", "b", "mid", "out")
    model = graph(dict.fromkeys(names, (1, 1, 1)), ((), (0,), (0,), (1, 2), (3,)))
    marking = [
        printed_algorithm_5(
            model,
            Communications((), (), (0, 0, 0, start, 0)),
            choose=lambda offered: offered[-1],
        )
        for start in (10, 12)
    ]
    assert marking[0].order == (0, 2, 3, 4, 1, 3, 4)
    assert [each.stale for each in marking] == [frozenset(), {3}]


def test_printed_algorithm_that_would_not_end_is_refused() -> None:
    """A ladder of diamonds: the last layer offered runs as often as paths lead to it."""
    rungs = 16
    after: list[tuple[int, ...]] = [()]
    for _ in range(rungs):
        top = len(after) - 1
        after += [(top,), (top,), (top + 1, top + 2)]
    model = Model(tuple(Layer(str(i), 1, 1, 1) for i in range(len(after))), tuple(after))
    communications = Communications((), (), (0,) * model.count)
    with pytest.raises(SizeError, match="again and again"):
        printed_algorithm_5(model, communications, choose=lambda offered: offered[-1])


def test_graph_whose_order_matters() -> None:
    """The slow gradient first in the backwards, and last in the forwards."""
    model = graph(
        {"in": (1, 1, 1), "slow": (1, 1, 5), "long": (4, 3, 1), "out": (1, 1, 1)},
        ((), (0,), (0,), (1, 2)),
    )
    plan = fewest_stale_of_graph(model)
    assert plan is not None
    assert plan.stale == {0}
    assert plan.orders.backward.index(1) < plan.orders.backward.index(2)
    other = Orders((3, 2, 1, 0), (0, 1, 2, 3))
    assert stall(model, {0}, other) > 0
    best = heuristic(model)
    assert best is not None
    assert best.stale == {0}


@pytest.mark.parametrize(
    ("rows", "after", "fewest"),
    [
        # A gradient that arrives at the very moment it is needed does not count as late.
        ("113 211 113 112 112", ((), (0,), (0, 1), (0,), (1, 2, 3)), 1),
        # The first order that reaches a set of layers is not the best one.
        ("225 334 231 421 327 134", ((), (0,), (0,), (1,), (1,), (0, 2, 3, 4)), 1),
        ("111 235 335 146 443", ((), (0,), (0, 1), (0, 1), (0, 2, 3)), 2),
    ],
)
def test_graphs_that_need_the_best_order(
    rows: str, after: tuple[tuple[int, ...], ...], fewest: int
) -> None:
    columns = zip(*(map(int, row) for row in rows.split()), strict=True)
    layers = tuple(map(Layer, map(str, range(len(after))), *columns))
    plan = fewest_stale_of_graph(Model(layers, after))
    assert plan is not None
    assert len(plan.stale) == fewest


def test_large_graphs_are_refused() -> None:
    names = ("in", *(str(i) for i in range(12)), "out")
    after = ((), *((0,) for _ in range(12)), tuple(range(1, 13)))
    model = graph(dict.fromkeys(names, (1, 1, 1)), after)
    with pytest.raises(SizeError, match="more than 1000000 steps"):
        fewest_stale_of_graph(model)
    assert heuristic(model) is not None


def test_long_graphs_with_few_orders_are_decided() -> None:
    """A chain given as a graph, as long as a graph may be."""
    times = {str(i): (1, 1, 1) for i in range(MOST_IN_GRAPH)}
    after = ((), *((i,) for i in range(MOST_IN_GRAPH - 1)))
    plan = fewest_stale_of_graph(graph(times, after))
    assert plan is not None
    assert plan.stale == {0}
    with pytest.raises(SizeError, match="a graph has at most 1000 layers, found 1001"):
        graph({**times, "more": (1, 1, 1)}, (*after, (0,)))


def test_linear_extensions_of_nothing_in_common() -> None:
    assert len(set(linear_extensions([[]] * 5))) == 120
    assert list(linear_extensions([[], [0], [1]])) == [(0, 1, 2)]
