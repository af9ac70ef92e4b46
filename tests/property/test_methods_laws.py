"""Laws of the update rules that hold for every function, sample and stepsize."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedules.methods import (
    DistributedSGD,
    Method,
    OneStepStale,
    PipeSGD,
    SAPipe,
    SAPipeDC,
    SAPipeWP,
    State,
    advance,
    delay_compensated,
    outcomes,
    run,
    stale_share,
)

D: Final = 3
ROUNDS: Final = 5

quarters = st.integers(-8, 8).map(lambda k: Fraction(k, 4))
etas = st.integers(1, 8).map(lambda k: Fraction(k, 8))
weights = st.integers(0, 8).map(lambda k: Fraction(k, 4))
vectors = st.lists(quarters, min_size=D, max_size=D).map(lambda row: np.array(row, dtype=object))
workers = st.integers(1, 3)


@st.composite
def draws_of(draw: st.DrawFn, n: int, rounds: int = ROUNDS) -> list[list[Fraction]]:
    return draw(
        st.lists(st.lists(quarters, min_size=n, max_size=n), min_size=rounds, max_size=rounds)
    )


def bent(x: Any, worker: int, z: Any) -> Any:
    """A gradient that depends on everything it is given."""
    return x * x / 8 + (worker + 1) * x / 2 + z * (1 + x)


def every_method(n: int, eta: Any, lam: Any) -> list[OneStepStale]:
    return [
        PipeSGD(n, eta),
        SAPipeDC(n, eta, lam),
        SAPipeDC(n, eta, lam, "diagonal"),
        SAPipeWP(n, eta, 1),
        SAPipeWP(n, eta, 2),
        SAPipeWP(n, eta, 3, lam),
    ]


def course(method: Method, x0: Any, rounds: list[list[Fraction]]) -> list[Any]:
    """x_0, x_1, … without the repetition of Algorithm 3's round 0."""
    found = {s.t: s.model.tolist() for s in run(method, x0, bent, rounds)}
    return list(found.values())


@given(st.data(), vectors, etas, weights)
@settings(max_examples=25)
def test_one_worker_predicts_perfectly(st_data: Any, x0: Any, eta: Any, lam: Any) -> None:
    rounds = st_data.draw(draws_of(1))
    sgd = course(DistributedSGD(1, eta), x0, rounds[:-1])
    assert course(SAPipeWP(1, eta, 1), x0, rounds) == sgd
    for form in ("full", "diagonal"):
        assert course(SAPipeWP(1, eta, 3, lam, form), x0, rounds) == sgd


@pytest.mark.parametrize("seed", range(5))
def test_one_worker_predicts_perfectly_in_floats(seed: int) -> None:
    chance = np.random.default_rng(seed)
    x0, rounds = chance.normal(size=50), chance.normal(size=(6, 1)).tolist()
    sgd = list(run(DistributedSGD(1, 0.1), x0, bent, rounds[:-1]))[-1]
    for method in (SAPipeWP(1, 0.1, 1), SAPipeWP(1, 0.1, 3, 0.7)):
        assert list(run(method, x0, bent, rounds))[-1].model.tobytes() == sgd.model.tobytes()


@given(st.data(), vectors, etas, weights, workers)
@settings(max_examples=20)
def test_nothing_stale_is_sgd(st_data: Any, x0: Any, eta: Any, lam: Any, n: int) -> None:
    rounds = st_data.draw(draws_of(n))
    sgd = course(DistributedSGD(n, eta), x0, rounds)
    for inner in every_method(n, eta, lam):
        first = [] if inner.counts_first else [[Fraction(9)] * n]
        for stale in (0, (False,) * D):
            assert course(SAPipe(inner, stale), x0, first + rounds) == sgd
        twice = [row + [Fraction(7)] * n for row in rounds]
        assert course(SAPipe(inner, 0, "proofs"), x0, first + twice) == sgd


@given(st.data(), vectors, etas, weights, workers)
@settings(max_examples=20)
def test_everything_stale_is_the_method_itself(
    st_data: Any, x0: Any, eta: Any, lam: Any, n: int
) -> None:
    rounds = st_data.draw(draws_of(n))
    for inner in every_method(n, eta, lam):
        alone = list(run(inner, x0, bent, rounds))
        for stale in (D, (True,) * D):
            assert list(run(SAPipe(inner, stale), x0, bent, rounds)) == alone
        first, later = rounds[: not inner.counts_first], rounds[not inner.counts_first :]
        twice = first + [[Fraction(7)] * n + row for row in later]
        assert list(run(SAPipe(inner, D, "proofs"), x0, bent, twice)) == alone


@given(st.data(), vectors, etas, workers)
@settings(max_examples=20)
def test_no_weight_is_no_compensation(st_data: Any, x0: Any, eta: Any, n: int) -> None:
    rounds = st_data.draw(draws_of(n))
    assert course(SAPipeDC(n, eta, 0), x0, rounds) == course(PipeSGD(n, eta), x0, rounds)


@given(st.data(), vectors, etas, weights, workers)
@settings(max_examples=20)
def test_starting_at_rest_drops_the_first_round(
    st_data: Any, x0: Any, eta: Any, lam: Any, n: int
) -> None:
    rounds = st_data.draw(draws_of(n))
    held = [bent(x0, i, z) for i, z in enumerate(rounds[0])]
    for method in every_method(n, eta, lam):
        whole = [s.model.tolist() for s in run(method, x0, bent, rounds)][1:]
        rest = [s.model.tolist() for s in run(method, x0, bent, rounds[1:], held)]
        assert rest == whole


@given(st.data(), vectors, etas, weights, workers)
@settings(max_examples=10)
def test_methods_that_need_only_the_mean_take_it_from_one_worker(
    st_data: Any, x0: Any, eta: Any, lam: Any, n: int
) -> None:
    rounds = st_data.draw(draws_of(n))
    for whole in (PipeSGD(n, eta), SAPipeDC(n, eta, lam), SAPipeWP(n, eta, 2)):

        def reduced(x: Any, worker: int, row: Any) -> Any:
            return sum(bent(x, i, z) for i, z in enumerate(row)) * Fraction(1, len(row))

        states = run(replace(whole, workers=1), x0, reduced, [[row] for row in rounds])
        alone = {state.t: state.model.tolist() for state in states}
        assert list(alone.values()) == course(whole, x0, rounds)


@given(st.data(), vectors, etas, workers)
@settings(max_examples=15)
def test_pipesgd_solves_its_recursion(st_data: Any, x0: Any, eta: Any, n: int) -> None:
    rounds = st_data.draw(draws_of(n))
    x = [s.model for s in run(PipeSGD(n, eta), x0, bent, rounds)]
    assert x[1].tolist() == x[0].tolist()
    for t in range(2, len(x)):
        g = sum(bent(x[t - 2], i, z) for i, z in enumerate(rounds[t - 2])) * Fraction(1, n)
        assert (x[t - 1] - x[t]).tolist() == (eta * g).tolist()


@given(vectors, vectors, weights)
@settings(max_examples=30)
def test_the_forms_agree_in_one_dimension_and_are_linear_in_the_movement(
    g: Any, dx: Any, lam: Any
) -> None:
    one = [delay_compensated(g[:1], dx[:1], lam, form)[0] for form in ("full", "diagonal")]
    assert one[0] == one[1]
    for form in ("full", "diagonal"):
        once = delay_compensated(g, dx, lam, form) - g
        assert (delay_compensated(g, 2 * dx, lam, form) - g).tolist() == (2 * once).tolist()
        assert delay_compensated(g, dx, 2 * lam, form).tolist() == (g + 2 * once).tolist()


@pytest.mark.parametrize("make", [np.float64, np.float32, Fraction], ids=str)
@pytest.mark.parametrize("which", range(6))
@pytest.mark.parametrize("stale", [None, 2, (True, False, True)], ids=str)
def test_no_argument_and_no_state_is_changed(
    make: Callable[[float], Any], which: int, stale: Any
) -> None:
    number = Fraction(1, 8)
    inner = every_method(2, number, number)[which]
    method: Method = inner if stale is None else SAPipe(inner, stale)
    x0 = np.array([make(1.0), make(-2.0), make(0.5)])
    seen = [method.start(x0)]
    kept = [copy.deepcopy(seen[0])]
    for _ in range(4):
        points = method.points(seen[-1])
        gradients = [bent(point, k, number).astype(x0.dtype) for k, point in enumerate(points)]
        before = copy.deepcopy(gradients)
        seen.append(method.step(seen[-1], gradients))
        kept.append(copy.deepcopy(seen[-1]))
        assert all(map(np.array_equal, gradients, before))
        for gradient in gradients:
            gradient[:] = make(77.0)  # the caller may reuse its memory
    assert x0.tolist() == [make(1.0), make(-2.0), make(0.5)]
    x0[:] = make(55.0)
    assert seen == kept


def walk(n: int, rounds: int, method: Method, samples: Any, own: bool = False) -> dict[State, Any]:
    law = {method.start(np.array([Fraction(1), Fraction(-1)])): Fraction(1)}
    for _ in range(rounds):
        law = outcomes(method, law, bent, samples, own)
    return law


@pytest.mark.parametrize("which", range(6))
def test_the_law_is_the_mean_over_all_runs(which: int) -> None:
    method = every_method(2, Fraction(1, 2), Fraction(1, 3))[which]
    samples = ((Fraction(1), Fraction(-1)), (Fraction(0), Fraction(0), Fraction(2)))
    law = walk(2, 3, method, samples)
    counted: dict[State, Fraction] = {}
    one_round = list(product(*samples))
    for rounds in product(one_round, repeat=3):
        x0 = np.array([Fraction(1), Fraction(-1)])
        last = list(run(method, x0, bent, rounds))[-1]
        counted[last] = counted.get(last, Fraction(0)) + Fraction(1, len(one_round) ** 3)
    assert law == counted
    assert sum(law.values()) == 1
    assert len(law) < 6**3  # repeated samples merge


def test_own_samples_and_shared_ones_have_different_laws() -> None:
    method = SAPipe(PipeSGD(1, Fraction(1, 2)), 1, "proofs")
    coin = ((Fraction(1), Fraction(-1)),)
    shared, own = (walk(1, 3, method, coin, own) for own in (False, True))
    assert shared == walk(1, 3, replace(method, reading="system"), coin)
    assert shared != own
    start = {method.start(np.array([Fraction(1), Fraction(1)])): Fraction(1)}
    assert outcomes(method, start, bent, coin) == outcomes(method, start, bent, coin, own=False)
    assert outcomes(method, start, bent, coin) != outcomes(method, start, bent, coin, own=True)
    assert sum(own.values()) == sum(shared.values()) == 1


@given(st.data(), vectors, etas, weights)
@settings(max_examples=10)
def test_a_new_mask_in_every_round(st_data: Any, x0: Any, eta: Any, lam: Any) -> None:
    masks = st_data.draw(st.lists(st.tuples(*[st.booleans()] * D), min_size=4, max_size=4))
    rounds = st_data.draw(draws_of(2, 4))
    for inner in every_method(2, eta, lam):
        state = inner.start(x0)
        for mask, row in zip(masks, rounds, strict=True):
            method = SAPipe(inner, mask)
            before, points = state, method.points(state)
            state = advance(method, state, bent, row)
            if before.held is None:
                continue
            step = (before.model - state.model) / eta
            held = inner.stale_gradient(before, mask)
            computed = [bent(p, i, z) for i, (p, z) in enumerate(zip(points, row, strict=True))]
            fresh = sum(computed) * Fraction(1, 2)
            assert step.tolist() == [(held if stale else fresh)[j] for j, stale in enumerate(mask)]


def test_states_with_the_same_numbers_are_the_same() -> None:
    method = SAPipeWP(2, Fraction(1, 2), 3, Fraction(1))
    exact = list(run(method, np.array([Fraction(1, 2), Fraction(1)]), bent, [[0, 1]] * 3))[-1]
    again = pickle.loads(pickle.dumps(exact))
    assert exact == again
    assert hash(exact) == hash(again)
    assert exact != replace(exact, t=exact.t + 1)
    assert exact != replace(exact, previous=exact.model)
    assert exact != replace(exact, applied=None)
    assert exact != replace(exact, model=exact.model.reshape(1, 2))
    assert exact != exact.content


@given(st.lists(st.booleans(), min_size=1, max_size=9))
def test_the_share_counts_stale_elements(mask: list[bool]) -> None:
    assert stale_share(tuple(mask), len(mask)) == Fraction(sum(mask), len(mask))
    assert stale_share(sum(mask), len(mask)) == Fraction(sum(mask), len(mask))
