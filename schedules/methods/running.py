"""Runs of a method: one round, many rounds, and the exact law of what a round can lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

from schedules.errors import ParameterError
from schedules.methods.method import Method
from schedules.methods.state import State
from schedules.methods.vectors import Vector

Draw: TypeAlias = Any
"""A sample z, of whatever kind the gradient understands."""

Gradient: TypeAlias = Callable[[Vector, int, Draw], Vector]
"""(x, worker, z) ↦ ∇f(x; z)."""


def advance(method: Method, state: State, gradient: Gradient, draws: Sequence[Draw]) -> State:
    """One round: the state that follows when these samples are drawn.

    Parameters
    ----------
    method : Method
    state : State
    gradient : callable
        ``gradient(x, worker, draw)`` is ∇f(x; draw) of that worker.
    draws : sequence
        The sample for each of ``method.points(state)``.

    Raises
    ------
    ParameterError
        More or fewer samples than points.
    GradientError
        A gradient that does not fit, or a model that is finite no more.

    Examples
    --------
    >>> import numpy as np
    >>> from schedules.methods import DistributedSGD
    >>> method = DistributedSGD(workers=2, learning_rate=0.5)
    >>> state = method.start(np.array([4.0]))
    >>> advance(method, state, lambda x, worker, z: x + z, draws=(1.0, -3.0)).model
    array([2.5])
    """
    points = method.points(state)
    if len(draws) != len(points):
        raise ParameterError(
            f"this round computes at {len(points)} points, one sample each, found {len(draws)}",
            f"draws of the round after t = {state.t}",
            "give one sample a point; point k is for worker k mod n",
        )
    n = method.workers
    return method.step(state, [gradient(point, k % n, draws[k]) for k, point in enumerate(points)])


def run(
    method: Method,
    model: Vector,
    gradient: Gradient,
    rounds: Iterable[Sequence[Draw]],
    held: Sequence[Vector] | None = None,
) -> Iterator[State]:
    """All states of a run, the one before the first round included.

    Parameters
    ----------
    method : Method
    model : Vector
        x_0.
    gradient : callable
        As in `advance`.
    rounds : iterable of sequences
        The samples of each round: z_1, z_2, … for Algorithms 1 and 2, and z_0, z_1, … for
        Algorithm 3, whose round 0 is no iteration (its state has t = 0 again).
    held : sequence of Vector, optional
        Gradients at x_0 to start with, see `OneStepStale.start`.

    Raises
    ------
    ParameterError, GradientError
        As `advance` and the method's own `start`.

    Examples
    --------
    >>> import numpy as np
    >>> from schedules.methods import PipeSGD
    >>> states = run(PipeSGD(1, 0.5), np.array([8.0]), lambda x, worker, z: x, [(None,)] * 3)
    >>> [(state.t, float(state.model[0])) for state in states]
    [(0, 8.0), (1, 8.0), (2, 4.0), (3, 0.0)]
    """
    state = method.start(model, held)
    yield state
    for draws in rounds:
        state = advance(method, state, gradient, draws)
        yield state


def outcomes(
    method: Method,
    law: Mapping[State, Fraction],
    gradient: Gradient,
    samples: Sequence[Sequence[Draw]],
    own: bool = False,
) -> dict[State, Fraction]:
    """The exact law of the state after one more round.

    Parameters
    ----------
    method : Method
    law : mapping of State to Fraction
        The probability of every possible state; ``{method.start(x0): Fraction(1)}`` at first.
    gradient : callable
        As in `advance`.
    samples : sequence of n sequences
        What each worker draws from, independently and uniformly; repeat a sample for more weight.
    own : bool
        Where two gradients a worker are wanted (`SAPipe`, reading "proofs"): whether both draw for
        themselves, or share one sample.

    Raises
    ------
    ParameterError
        No samples, or not for every worker.
    GradientError
        As `advance`.

    Examples
    --------
    >>> import numpy as np
    >>> from schedules.methods import PipeSGD
    >>> method = PipeSGD(workers=2, learning_rate=Fraction(1))
    >>> law = {method.start(np.array([Fraction(0)])): Fraction(1)}
    >>> coins = [(Fraction(1), Fraction(-1))] * 2
    >>> for _ in range(2):
    ...     law = outcomes(method, law, lambda x, worker, z: x + z, coins)
    >>> for state, probability in sorted(law.items(), key=lambda each: each[0].content)[:2]:
    ...     print(probability, *map(str, state.model), *map(str, state.held[0]))
    1/16 -1 -1
    1/8 -1 0
    """
    if len(samples) != method.workers or not all(samples):
        raise ParameterError(
            f"each of {method.workers} workers draws from a set of its own, found the sizes "
            f"{[len(each) for each in samples]}",
            "samples",
            "give one non-empty sequence a worker",
        )
    found: dict[State, Fraction] = {}
    for state, probability in law.items():
        copies = len(method.points(state)) // method.workers
        drawn = list(product(*samples, *(samples if own and copies == 2 else ())))
        for draws in drawn:
            all_draws = draws if len(draws) == copies * method.workers else draws * copies
            after = advance(method, state, gradient, all_draws)
            found[after] = found.get(after, Fraction(0)) + probability / len(drawn)
    return found
