"""Runs of the update rules that were worked out by hand."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from schedules.methods import (
    DistributedSGD,
    Method,
    PipeSGD,
    SAPipe,
    SAPipeDC,
    SAPipeWP,
    prefix,
    run,
    stale_share,
)

HALF = Fraction(1, 2)


def vector(*numbers: Any) -> Any:
    return np.array([Fraction(number) for number in numbers], dtype=object)


def same(x: Any, worker: int, z: Any) -> Any:
    """The gradient of ‖x‖²/2."""
    return x


def first_elements(method: Method, x0: Any, rounds: int, **how: Any) -> list[tuple[int, Any]]:
    points = 2 if getattr(method, "reading", "") == "proofs" else 1
    states = run(
        method, x0, how.pop("gradient", same), [(None,) * method.workers * points] * rounds, **how
    )
    return [(state.t, state.model[0]) for state in states]


def test_sgd_moves_at_once() -> None:
    assert first_elements(DistributedSGD(1, HALF), vector(8), 2) == [(0, 8), (1, 4), (2, 2)]


def test_pipesgd_passes_once_and_is_one_step_late() -> None:
    # x_t = x_{t−1} − x_{t−2}/2: 8 8 4 0 −2 −2
    found = first_elements(PipeSGD(1, HALF), vector(8), 5)
    assert found == [(0, 8), (1, 8), (2, 4), (3, 0), (4, -2), (5, -2)]


def test_pipesgd_at_rest_with_the_largest_stepsize_never_settles() -> None:
    # x_t = x_{t−1} − x_{t−2} has the period 6
    found = first_elements(PipeSGD(1, 1), vector(1), 12, held=[vector(1)])
    assert [x for _, x in found[:7]] == [1, 0, -1, -1, 0, 1, 1]
    assert [x for _, x in found[6:]] == [x for _, x in found[:7]]


def test_prediction_with_the_synchronised_gradient() -> None:
    # t = 1: g_0 = 0, x̃ = 8, g_1 = 8.  t = 2: x̃ = 4 − 4, g_2 = 8.  t = 3: x̃ = 0 − 4, g_3 = 0.
    # t = 4: x̃ = 0 − 0, g_4 = −4.  t = 5: g_5 = 0.
    found = first_elements(SAPipeWP(1, HALF, 2), vector(8), 6)
    assert found == [(0, 8), (0, 8), (1, 4), (2, 0), (3, 0), (4, 2), (5, 2)]


def test_prediction_with_unequal_workers_can_stall() -> None:
    # f_1 = f_2 = x²/2, f_3 = −x²/2, η = 1/3: Σ c_i x̃_i = 0 from iteration 2 on.
    method = SAPipeWP(3, Fraction(1, 3), 1)
    found = first_elements(
        method, vector(9), 9, gradient=lambda x, worker, z: -x if worker == 2 else x
    )
    assert [x for _, x in found] == [9, 9, *[8] * 8]


def test_the_third_option_by_hand() -> None:
    # n = 2, f_i = i·x²/2 (i = 1, 2), η = λ = 1/2, x_0 = 4. g_{i,1} = 4, 8.
    # t = 1: g̃ = g_{i,1}/2: x̃ = 4 − 1, 4 − 2; g_1 = 6, x_1 = 1. g_{i,2} = 3, 4.
    # t = 2: others: 4, 2, Δx = −3: DC = 4 − 24, 2 − 6; g̃ = −20 + 3/2, −4 + 2;
    #        x̃ = 1 + 37/4, 1 + 1; g_2 = 7/2, x_2 = −3/4. g_{i,3} = 41/4, 4; g_3 = 57/8.
    method = SAPipeWP(2, HALF, 3, HALF)
    found = first_elements(method, vector(4), 4, gradient=lambda x, worker, z: (worker + 1) * x)
    assert found == [(0, 4), (0, 4), (1, 1), (2, Fraction(-3, 4)), (3, Fraction(-69, 16))]


def test_the_forms_of_compensation_differ_in_two_dimensions() -> None:
    # at rest g = x_0 = (1, 2): x_1 = (1/2, 1), Δx = −(1/2, 1); gᵀΔx = −5/2
    # full: g(1 − 5/2) = −(3/2, 3); diagonal: g − g∘g∘(1/2, 1) = (1/2, −2)
    for form, wanted in (("full", [Fraction(5, 4), Fraction(5, 2)]), ("diagonal", [HALF / 2, 2])):
        method = SAPipeDC(1, HALF, 1, form)
        states = run(
            method, vector(1, 2), lambda x, worker, z: vector(1, 2), [(0,)] * 2, [vector(1, 2)]
        )
        assert list(states)[-1].model.tolist() == wanted


def test_a_system_compensates_only_what_it_knows_to_be_stale() -> None:
    # element 0 stale, gradient (1, 2) everywhere, λ = η = 1: x_1 = (0, −2), x_2 = x_1 − …
    # system: 1 + 1·(1·0); proofs: 1 + 1·(1·0 + 2·(−2)) = −3
    moved = {}
    for reading in ("system", "proofs"):
        method = SAPipe(SAPipeDC(1, 1, 1), 1, reading)
        draws = [(0,) * (2 if reading == "proofs" else 1)] * 2
        states = list(run(method, vector(0, 0), lambda x, worker, z: vector(1, 2), draws))
        assert states[1].model.tolist() == [0, -2]
        moved[reading] = states[2].model.tolist()
    assert moved == {"system": [-1, -4], "proofs": [3, -4]}


def test_where_partially_predicted_gradients_are_computed() -> None:
    inner = SAPipeWP(1, HALF, 1)
    state = list(run(SAPipe(inner, 1), vector(8, 8), same, [(None,)]))[-1]
    (system,) = SAPipe(inner, 1).points(state)
    fresh, own = SAPipe(inner, 1, "proofs").points(state)
    assert (system.tolist(), fresh.tolist(), own.tolist()) == ([4, 8], [8, 8], [4, 4])


def test_workers_are_averaged() -> None:
    state = DistributedSGD(3, Fraction(1)).start(vector(0))
    after = DistributedSGD(3, Fraction(1)).step(state, [vector(1), vector(2), vector(6)])
    assert after.model.tolist() == [-3]


@pytest.mark.parametrize(("layers", "elements"), [(0, 0), (1, 6), (2, 9), (3, 9), (4, 17)])
def test_elements_of_the_first_layers(layers: int, elements: int) -> None:
    sizes = [6, 3, 0, 8]
    assert prefix(sizes, layers) == elements
    assert stale_share(elements, sum(sizes)) == Fraction(elements, 17)


def test_methods_are_plain_data() -> None:
    methods = {
        make(): None
        for _ in range(2)
        for make in (
            lambda: DistributedSGD(2, HALF),
            lambda: PipeSGD(2, HALF),
            lambda: SAPipeDC(2, HALF, 1),
            lambda: SAPipeWP(2, HALF, 1),
            lambda: SAPipeWP(2, HALF, 2),
            lambda: SAPipe(PipeSGD(2, HALF), 1),
            lambda: SAPipe(PipeSGD(2, HALF), (True, False)),
        )
    }
    assert len(methods) == 7


def test_a_state_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        PipeSGD(1, HALF).start(vector(1)).t = 1  # type: ignore[misc]


def test_numpy_numbers_are_parameters_too() -> None:
    large = 3**30  # its square does not fit numpy's integers
    method = DistributedSGD(1, np.int64(large))  # type: ignore[arg-type]
    after = method.step(method.start(vector(0)), [vector(large)])
    assert after.model.tolist() == [-large * large]
    single = DistributedSGD(1, np.float32(0.5))  # type: ignore[arg-type]
    assert single.step(single.start(np.array([1.0])), [np.array([1.0])]).model.tolist() == [0.5]
