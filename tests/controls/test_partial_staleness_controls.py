"""Wrong conditions for no stall: each must disagree with the simulation, and not be proved."""

from collections.abc import Callable, Sequence
from itertools import accumulate, islice

import pytest
import z3

from schedules.partial_staleness import Model, printed_fewest_stale, sequential, simulate, stall
from schedules.partial_staleness.algorithms import (
    algorithm_4,
    algorithm_5,
    printed_algorithm_4,
    printed_algorithm_5,
)
from tests.stale_machine import every_chain, random_chains
from theory.papers.sapipe.lemmas.partial_staleness import Chain, symbolic
from theory.smt.solver import Outcome, Statement, Term, decide
from theory.verdicts import Verdict

Condition = Callable[[Model, int], bool]


def printed(model: Model, k: int) -> bool:
    first = printed_fewest_stale(model)
    return first is not None and k >= first


def sums(model: Model) -> tuple[int, int, int]:
    return sum(model.b), sum(model.u), sum(model.v)


def without_channel(model: Model, k: int) -> bool:
    """Forgets that everything must fit into an iteration."""
    return arrives_by(model, k, k)


def without_release(model: Model, k: int) -> bool:
    """Takes every gradient to be there when the backwards begin."""
    b, u, v = sums(model)
    return v <= b + u and sum(model.v[k:]) <= b + sum(model.u[:k])


def one_layer_later(model: Model, k: int) -> bool:
    """Lets the first fresh layer's forward be late by itself."""
    b, u, v = sums(model)
    return v <= b + u and arrives_by(model, k, k + 1)


def at_the_start(model: Model, k: int) -> bool:
    """Takes a gradient to be there when its communication starts, as Algorithm 5 does."""
    b, u, v = sums(model)
    return v <= b + u and (k == model.count or arrives_by(model, k, k, less=model.v[k]))


def backlog_counted_twice(model: Model, k: int) -> bool:
    """Asks every iteration to be done with its communications at its end."""
    b, u, v = sums(model)
    ends = list(accumulate(reversed(model.b)))[::-1]
    last = max(ends[j] + sum(model.v[: j + 1]) for j in range(model.count))
    return v <= b + u and last <= b + u and arrives_by(model, k, k)


def arrives_by(model: Model, k: int, begin: int, less: int = 0) -> bool:
    ends = list(accumulate(reversed(model.b)))[::-1]
    needed = sum(model.b) + sum(model.u[:begin])
    return all(ends[j] + sum(model.v[k : j + 1]) - less <= needed for j in range(k, model.count))


def right(model: Model, k: int) -> bool:
    b, u, v = sums(model)
    return v <= b + u and arrives_by(model, k, k)


def wrong_on(condition: Condition, models: Sequence[Model]) -> tuple[int, int]:
    """How often it promises what stalls, and how often it refuses what does not."""
    promised = refused = 0
    for model in models:
        for k in range(model.count + 1):
            truth = simulate(model, range(k)).never_stalls
            promised += condition(model, k) > truth
            refused += condition(model, k) < truth
    return promised, refused


@pytest.fixture(scope="module")
def models() -> list[Model]:
    return [*every_chain(2, 2), *islice(random_chains(seed=5), 600)]


def test_the_right_condition_is_never_wrong(models: list[Model]) -> None:
    assert wrong_on(right, models) == (0, 0)


@pytest.mark.parametrize(
    "condition", [printed, without_channel, without_release, one_layer_later, at_the_start]
)
def test_conditions_that_promise_too_much(condition: Condition, models: list[Model]) -> None:
    promised, refused = wrong_on(condition, models)
    assert promised > 20
    assert refused == 0


def test_condition_that_refuses_too_much(models: list[Model]) -> None:
    promised, refused = wrong_on(backlog_counted_twice, models)
    assert promised == 0
    assert refused > 20


def test_smallest_witness_against_the_program() -> None:
    """Two layers; with one it is right, whatever the durations: k = 1, as v_1 ≤ 0 fails."""
    model = sequential(backward=[2, 1], forward=[1, 1], communication=[1, 1])
    assert printed_fewest_stale(model) == 0
    assert simulate(model, ()).stall == 1
    assert simulate(model, {0}).never_stalls
    assert all(printed_fewest_stale(one) in (1, None) for one in every_chain(1, 5))


@pytest.mark.parametrize("m", range(2, 12))
def test_program_says_none_where_all_but_one_are_needed(m: int) -> None:
    b, u, v = [1] * m, [1] * m, [1] * m
    b[m - 2], v[m - 2] = 3 * m, 2 * m
    model = sequential(b, u, v)
    assert printed_fewest_stale(model) == 0
    assert [stall(model, range(k)) == 0 for k in range(m + 1)] == [False] * (m - 1) + [True] * 2


def test_answer_of_the_program_takes_up_to_twice_as_long() -> None:
    model = sequential(backward=[1000, 1], forward=[1, 1], communication=[999, 1])
    assert printed_fewest_stale(model) == 0
    assert (stall(model, ()), model.computation) == (999, 1003)


def half_repaired(
    model: Model, start_waits: bool, completion: bool, before_it_runs: bool
) -> frozenset[int]:
    """Algorithms 4 and 5 with some of the three repairs: all of them are needed."""
    communications = algorithm_4(model) if start_waits else printed_algorithm_4(model)
    stale, t = set(), sum(model.b)
    for layer in range(model.count):
        t += 0 if before_it_runs else model.u[layer]
        if t < communications.start[layer] + (model.v[layer] if completion else 0):
            stale.add(layer)
        t += model.u[layer] if before_it_runs else 0
    return frozenset(stale)


@pytest.mark.parametrize(
    "repairs", [(True, True, False), (True, False, True), (False, True, True), (False,) * 3]
)
def test_every_repair_of_the_algorithms_is_needed(
    repairs: tuple[bool, bool, bool], models: list[Model]
) -> None:
    fitting = [model for model in models if model.channel <= model.computation]
    wrong = 0
    for model in fitting:
        found = half_repaired(model, *repairs)
        if repairs == (False,) * 3:
            assert found == printed_algorithm_5(model, printed_algorithm_4(model)).stale
        wrong += stall(model, found) > 0
    assert wrong > 20
    assert all(
        half_repaired(model, True, True, True) == algorithm_5(model, algorithm_4(model)).stale
        for model in fitting
    )


def outcome(hypotheses: Sequence[Term], goal: Term) -> Outcome:
    return decide(Statement("control", "a false statement", tuple(hypotheses), goal))


def first_iteration(chain: Chain, k: int, backlog: Term) -> Term:
    sent, begins = chain.sent(backlog), chain.begins()
    return z3.And(*(sent[i] <= begins[i] for i in range(k, chain.count)))


def test_false_statements_are_refuted() -> None:
    chain, positive = symbolic(3)
    zero, backlog = z3.RealVal(0), z3.Real("backlog")
    fits = sum(chain.v) <= chain.computation
    enough = z3.And(*chain.in_time(1))
    program = z3.And(fits, chain.printed(1))
    false = {
        "program sufficient": ((*positive, program), first_iteration(chain, 1, zero)),
        "any backlog": (
            (*positive, fits, enough, backlog >= 0),
            first_iteration(chain, 1, backlog),
        ),
        "fits is enough": ((*positive, fits), first_iteration(chain, 1, zero)),
        "k enough, so k − 1": ((*positive, fits, enough), z3.And(*chain.in_time(0))),
        "backlog never grows": (
            (*positive, backlog >= 0),
            chain.sent(backlog)[0] - chain.computation <= backlog,
        ),
    }
    for name, (hypotheses, goal) in false.items():
        assert outcome(hypotheses, goal).verdict is Verdict.REFUTED, name
