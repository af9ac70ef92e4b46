"""Bad input to the update rules: refused, with rule, value, place and remedy."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pytest

from schedules.errors import ParameterError, ScheduleError
from schedules.methods import (
    DistributedSGD,
    GradientError,
    PipeSGD,
    SAPipe,
    SAPipeDC,
    SAPipeWP,
    State,
    advance,
    delay_compensated,
    outcomes,
    prefix,
    run,
    stale_share,
)

ONE: Final = np.array([1.0, 2.0])
EXACT: Final = np.array([Fraction(1), Fraction(2)])
PIPE: Final = PipeSGD(2, 0.5)
STATE: Final = PIPE.start(ONE)
EMPTY: Final = np.array([])

PARAMETERS: Final[dict[str, tuple[Callable[[], object], str, str]]] = {
    "no worker": (lambda: PipeSGD(0, 0.5), "workers", "at least 1, found 0"),
    "half a worker": (lambda: DistributedSGD(1.5, 0.5), "workers", "found 1.5"),  # type: ignore[arg-type]
    "a bool of workers": (lambda: PipeSGD(True, 0.5), "workers", "found True"),
    "no worker of WP": (lambda: SAPipeWP(0, 1, 1), "workers", "found 0"),
    "no worker of DC": (lambda: SAPipeDC(0, 1, 1), "workers", "found 0"),
    "no such form of WP": (lambda: SAPipeWP(1, 1, 3, 1, "half"), "form", "found 'half'"),
    "no rate": (lambda: PipeSGD(1, 0), "learning_rate", "above 0, found 0"),
    "a negative rate": (lambda: SAPipeDC(1, -0.5, 1), "learning_rate", "found -0.5"),
    "a rate of NaN": (lambda: PipeSGD(1, math.nan), "learning_rate", "found nan"),
    "an infinite rate": (lambda: DistributedSGD(1, math.inf), "learning_rate", "found inf"),
    "a rate in words": (lambda: PipeSGD(1, "0.1"), "learning_rate", "found '0.1'"),  # type: ignore[arg-type]
    "a negative weight": (lambda: SAPipeDC(1, 1, -1), "lambda_", "at least 0, found -1"),
    "a weight of NaN": (lambda: SAPipeWP(1, 1, 3, math.nan), "lambda_", "found nan"),
    "an infinite weight": (lambda: SAPipeDC(1, 1, math.inf), "lambda_", "found inf"),
    "a weight in words": (lambda: SAPipeDC(1, 1, "1"), "lambda_", "found '1'"),  # type: ignore[arg-type]
    "a weight of True": (lambda: SAPipeDC(1, 1, True), "lambda_", "found True"),
    "a weight of a function": (lambda: delay_compensated(ONE, ONE, -1), "lambda_", "found -1"),
    "a form of a function": (lambda: delay_compensated(ONE, ONE, 1, "x"), "form", "found 'x'"),
    "a gradient of NaN": (lambda: delay_compensated(ONE * math.nan, ONE, 1), "gradient", "NaN"),
    "an unused weight": (lambda: SAPipeWP(1, 1, 2, 0.5), "lambda_", "only option 3"),
    "no such option": (lambda: SAPipeWP(1, 1, 4), "option", "found 4"),
    "an option of True": (lambda: SAPipeWP(1, 1, True), "option", "found True"),
    "no such form": (lambda: SAPipeDC(1, 1, 1, "half"), "form", "found 'half'"),
    "no such reading": (lambda: SAPipe(PIPE, 1, "both"), "reading", "found 'both'"),
    "SAPipe of SGD": (lambda: SAPipe(DistributedSGD(1, 1), 1), "method", "DistributedSGD"),  # type: ignore[arg-type]
    "a negative prefix": (lambda: SAPipe(PIPE, -1), "stale", "found -1"),
    "a prefix of True": (lambda: SAPipe(PIPE, True), "stale", "found True"),
    "a mask of ints": (lambda: SAPipe(PIPE, (1, 0)), "stale", "found (1, 0)"),  # type: ignore[arg-type]
    "a mask as a list": (lambda: SAPipe(PIPE, [True, False]), "stale", "tuple(mask.tolist())"),  # type: ignore[arg-type]
    "a short mask": (lambda: SAPipe(PIPE, (True,)).start(ONE), "stale", "a mask of 1"),
    "a long prefix": (lambda: SAPipe(PIPE, 3).start(ONE), "stale", "a prefix of 3"),
    "a late short mask": (lambda: SAPipe(PIPE, (True,)).points(STATE), "stale", "mask of 1"),
    "a later short mask": (
        lambda: SAPipe(PIPE, (True,)).step(STATE, [ONE, ONE]),
        "stale",
        "a mask of 1",
    ),
    "a model that is not flat": (
        lambda: SAPipe(PIPE, 1).start(np.ones((2, 2))),
        "model",
        "found the shape (2, 2)",
    ),
    "a list as model": (lambda: PIPE.start([1.0]), "model", "found a list"),
    "an empty model": (lambda: DistributedSGD(1, 1).start(EMPTY), "model", "shape (0,)"),
    "a scalar": (lambda: PIPE.start(np.array(1.0)), "model", "shape ()"),
    "whole numbers": (lambda: PIPE.start(np.array([1, 2])), "model", "found int64"),
    "complex numbers": (lambda: PIPE.start(np.array([1j])), "model", "found complex128"),
    "a model of NaN": (lambda: PIPE.start(np.array([1.0, math.nan])), "model", "NaN"),
    "an infinite model": (lambda: PIPE.start(np.array([-math.inf])), "model", "infinite"),
    "floats as objects": (lambda: PIPE.start(ONE.astype(object)), "model", "the float 1.0"),
    "gradients for SGD": (lambda: DistributedSGD(1, 1).start(ONE, [ONE]), "held", "at once"),
    "an inexact rate": (
        lambda: DistributedSGD(1, 0.5).step(State(0, EXACT), [EXACT]),
        "learning_rate",
        "found the float 0.5",
    ),
    "an inexact weight": (
        lambda: delay_compensated(EXACT, EXACT, 0.5),
        "lambda_",
        "found the float 0.5",
    ),
    "a rate beyond floats": (
        lambda: DistributedSGD(1, 10**400).step(State(0, ONE), [ONE]),
        "learning_rate",
        "fits a float",
    ),
    "unequal vectors": (
        lambda: delay_compensated(ONE, np.ones(3), 1),
        "movement",
        "(2,), found (3,)",
    ),
    "a draw too few": (
        lambda: advance(PIPE, STATE, lambda x, worker, z: x, (0,)),
        "draws of the round after t = 0",
        "2 points, one sample each, found 1",
    ),
    "an empty set of samples": (
        lambda: outcomes(PIPE, {STATE: Fraction(1)}, lambda x, worker, z: x, ((0,), ())),
        "samples",
        "the sizes [1, 0]",
    ),
    "too many layers": (lambda: prefix([1, 2], 3), "layers", "0 to 2 are stale, found 3"),
    "a negative layer": (lambda: prefix([1, -2], 1), "sizes", "found [1, -2]"),
    "half an element": (lambda: prefix([1.5], 1), "sizes", "found [1.5]"),  # type: ignore[list-item]
    "a layer of True": (lambda: prefix([1], True), "layers", "found True"),
    "a share of a negative": (lambda: stale_share(-1, 4), "stale", "found -1"),
    "a share of too many": (lambda: stale_share(5, 4), "stale", "a prefix of 5"),
}

GRADIENTS: Final[dict[str, tuple[Callable[[], object], str, str]]] = {
    "too few": (lambda: PIPE.step(STATE, [ONE]), "gradients", "each of 2 points, found 1"),
    "no list": (lambda: PIPE.step(STATE, ONE), "gradients", "found a ndarray"),  # type: ignore[arg-type]
    "another shape": (
        lambda: PIPE.step(STATE, [ONE, np.ones(3)]),
        "gradients[1]",
        "the shape of the model, (2,), found (3,)",
    ),
    "another precision": (
        lambda: PIPE.step(STATE, [ONE.astype(np.float32), ONE]),
        "gradients[0]",
        "float64, found float32",
    ),
    "NaN": (lambda: PIPE.step(STATE, [ONE, ONE * math.nan]), "gradients[1]", "NaN"),
    "held ones that do not fit": (lambda: PIPE.start(ONE, [ONE]), "held", "found 1"),
    "a diverged model": (
        lambda: DistributedSGD(1, 1e300).step(State(0, ONE), [ONE * 1e300]),
        "model after this update",
        "finite",
    ),
    "a diverged prediction": (
        lambda: SAPipeWP(1, 1e300, 1).points(SAPipeWP(1, 1e300, 1).start(ONE, [ONE * 1e300])),
        "weights predicted by worker 0",
        "finite",
    ),
    "nothing to apply yet": (lambda: PIPE.stale_gradient(STATE), "state", "before it"),
    "held by another method": (
        lambda: PIPE.stale_gradient(SAPipeWP(3, 1, 1).start(ONE, [ONE] * 3)),
        "state",
        "hold 1 gradient(s) or None",
    ),
    "a state without x_{t−1}": (
        lambda: SAPipeDC(2, 1, 1).step(STATE, [ONE, ONE]),
        "state",
        "have previous: True, found None and False",
    ),
    "a state without x_{t−1}, partly stale": (
        lambda: SAPipe(SAPipeDC(2, 1, 1), 1).step(STATE, [ONE, ONE]),
        "state",
        "have previous: True, found None and False",
    ),
    "a state of other workers": (
        lambda: SAPipeWP(2, 1, 1).points(SAPipeWP(3, 1, 1).start(ONE, [ONE] * 3)),
        "state",
        "hold 2 gradient(s) or None",
    ),
    "a state of another option": (
        lambda: SAPipeWP(2, 1, 2).points(State(1, ONE, held=(ONE, ONE))),
        "state",
        "remembers 1 applied gradient(s), found None",
    ),
    "a stale state for SGD": (
        lambda: DistributedSGD(1, 1).step(State(1, ONE, held=(ONE,)), [ONE]),
        "state",
        "found a state that holds some",
    ),
}


def check(error: type[ScheduleError], case: tuple[Callable[[], object], str, str]) -> None:
    act, where, says = case
    with pytest.raises(error) as caught, np.errstate(all="ignore"):
        act()
    assert caught.value.where == where
    assert says in str(caught.value)
    assert caught.value.fix
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("case", PARAMETERS.values(), ids=PARAMETERS)
def test_parameters_outside_their_domain(case: tuple[Callable[[], object], str, str]) -> None:
    check(ParameterError, case)


@pytest.mark.parametrize("case", GRADIENTS.values(), ids=GRADIENTS)
def test_gradients_and_states_that_do_not_fit(
    case: tuple[Callable[[], object], str, str],
) -> None:
    check(GradientError, case)


def test_a_run_stops_where_it_leaves_finite_numbers() -> None:
    states = run(PipeSGD(1, 1.0), ONE, lambda x, worker, z: -1e160 * x, [(0,)] * 9)
    with pytest.raises(GradientError, match="smaller learning rate"), np.errstate(all="ignore"):
        list(states)


def test_tensors_that_do_not_fit() -> None:
    torch: Any = pytest.importorskip("torch")
    with pytest.raises(ParameterError, match=r"detach\(\) it"):
        PIPE.start(torch.ones(2, requires_grad=True))
    with pytest.raises(ParameterError, match=r"found torch\.int64"):
        PIPE.start(torch.ones(2, dtype=torch.int64))
    state = PIPE.start(torch.ones(2))
    with pytest.raises(GradientError, match="the dtype of the model"):
        PIPE.step(state, [torch.ones(2).double(), torch.ones(2)])
    with pytest.raises(GradientError, match=r"dtype of the model, torch.float32, found float32"):
        PIPE.step(state, [np.ones(2, np.float32), torch.ones(2)])
    with pytest.raises(GradientError, match="the device of the model, cpu, found meta"):
        PIPE.step(state, [torch.ones(2, device="meta"), torch.ones(2)])
