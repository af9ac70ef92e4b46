"""Vanilla distributed SGD: Algorithm 1 of SAPipe, blue lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schedules.errors import ParameterError
from schedules.methods.errors import GradientError
from schedules.methods.method import descended, require_gradients, require_setting
from schedules.methods.state import State
from schedules.methods.vectors import Number, Vector, copied, mean, require_vector


@dataclass(frozen=True)
class DistributedSGD:
    """x_t = x_{t−1} − η (1/n) Σ_i ∇f(x_{t−1}; z_{i,t}), from t = 1 on.

    Attributes
    ----------
    workers : int
        n ≥ 1.
    learning_rate : number
        η > 0.

    Raises
    ------
    ParameterError
        A parameter outside its domain.

    Examples
    --------
    >>> import numpy as np
    >>> method = DistributedSGD(workers=2, learning_rate=0.5)
    >>> state = method.start(np.array([4.0]))
    >>> method.step(state, [np.array([3.0]), np.array([5.0])])
    State(t=1, model=array([2.]), previous=None, held=None, applied=None)
    """

    workers: int
    learning_rate: Number

    def __post_init__(self) -> None:
        require_setting(self.workers, self.learning_rate)

    def start(self, model: Vector, held: Sequence[Vector] | None = None) -> State:
        """The state at x_0; no gradients are held.

        Raises
        ------
        ParameterError
            A vector that cannot be calculated with; gradients to start with.
        """
        require_vector(model, "model", ParameterError)
        if held is not None:
            raise ParameterError(
                "distributed SGD applies every gradient at once, found gradients to hold",
                "held",
                "leave them out",
            )
        return State(0, copied(model))

    def points(self, state: State) -> tuple[Vector, ...]:
        """x_{t−1}, for every worker."""
        return (state.model,) * self.workers

    def step(self, state: State, gradients: Sequence[Vector]) -> State:
        """The state after one iteration.

        Raises
        ------
        GradientError
            The gradients do not fit, the state is another method's, or the model is finite no
            more.
        """
        if state.held is not None:
            raise GradientError(
                "distributed SGD holds no gradients, found a state that holds some",
                "state",
                "begin with its own start()",
            )
        computed = require_gradients(gradients, self.workers, state.model, "gradients")
        return State(state.t + 1, descended(state.model, mean(computed), self.learning_rate))
