"""Polyak's momentum around the rules of `schedules.methods`, as papers train with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schedules.methods import Method, SAPipeWP
from schedules.methods.state import State
from schedules.methods.vectors import Vector


@dataclass(frozen=True, eq=False)
class Moving(State):
    """A state that moves: the next update adds to this velocity."""

    velocity: Any = 0.0


@dataclass(frozen=True)
class Polyak:
    """v_t = μ v_{t−1} + g_t and x_t = x_{t−1} − η v_t, g_t being what the method applies.

    The optimizer that predicts weights is the one that makes them, as printed:
    x_{t−1} − η(μ v_{t−1} + g̃). Compensations see x_{t−1} − x_{t−2}, momentum included.

    Attributes
    ----------
    method : Method
        Of `schedules.methods`.
    rate : float
        η, the method's own.
    momentum : float
        μ, 0 ≤ μ < 1.

    Examples
    --------
    >>> import numpy as np
    >>> from schedules.methods import DistributedSGD
    >>> method = Polyak(DistributedSGD(1, 0.5), 0.5, 0.5)
    >>> state = method.start(np.array([8.0]))
    >>> for _ in range(3):  # f(x) = x²/2
    ...     state = method.step(state, method.points(state))
    ...     print(state.model)
    [4.]
    [0.]
    [-2.]
    """

    method: Method
    rate: float
    momentum: float

    @property
    def workers(self) -> int:
        """Number of workers, n."""
        return self.method.workers

    def start(self, model: Vector, held: Sequence[Vector] | None = None) -> State:
        """The method's start, at rest."""
        return self.method.start(model, held)

    def points(self, state: State) -> tuple[Vector, ...]:
        """The method's; predicted ones go along with the velocity."""
        found = self.method.points(state)
        if not isinstance(self.method, SAPipeWP) or state.held is None:
            return found
        return tuple(point - self.rate * self.momentum * _velocity(state) for point in found)

    def step(self, state: State, gradients: Sequence[Vector]) -> State:
        """The method's step, and what is left of those before it."""
        after = self.method.step(state, gradients)
        velocity = self.momentum * _velocity(state) + (state.model - after.model) / self.rate
        model = state.model - self.rate * velocity
        return Moving(after.t, model, after.previous, after.held, after.applied, velocity)


def _velocity(state: State) -> Any:
    return state.velocity if isinstance(state, Moving) else 0.0
