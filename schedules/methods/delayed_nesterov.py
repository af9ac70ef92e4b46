"""Nesterov's method with gradients that are a fixed number of iterations late, (10) of AsyncPP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from schedules.errors import ParameterError
from schedules.methods.errors import GradientError
from schedules.methods.method import descended, require_gradients, require_setting
from schedules.methods.state import State
from schedules.methods.vectors import Number, Vector, copied, mean, number_for, require_vector


@dataclass(frozen=True)
class DelayedNesterov:
    """x_{t+1} = x_t + d_t − η(1 − γ_t)∇f(x_{t−τ} + d_{t−τ}), d_t = γ_t(x_t − x_{t−1}), t ≥ 1.

    γ_t = (t − 2)/t, and γ_1 = 0. The start, which is not printed, is at rest: what would be read
    before iteration 1 is x_1. States count iterations done, so that of x_1 has t = 0.

    Attributes
    ----------
    workers : int
        n ≥ 1; their mean is applied.
    learning_rate : number
        η > 0; exact (int, Fraction) for exact models.
    delay : int
        τ ≥ 0.

    Raises
    ------
    ParameterError
        A parameter outside its domain.

    Examples
    --------
    On a line every step is −ηG, whatever the delay:

    >>> import numpy as np
    >>> method = DelayedNesterov(workers=1, learning_rate=Fraction(1, 2), delay=2)
    >>> state = method.start(np.array([Fraction(0)]))
    >>> for _ in range(4):
    ...     state = method.step(state, [np.array([Fraction(3)])])
    ...     print(*map(str, state.model))
    -3/2
    -3
    -9/2
    -6
    """

    workers: int
    learning_rate: Number
    delay: int

    def __post_init__(self) -> None:
        require_setting(self.workers, self.learning_rate)
        if not isinstance(self.delay, int) or isinstance(self.delay, bool) or self.delay < 0:
            raise ParameterError(
                f"a delay is a whole number of iterations, at least 0, found {self.delay!r}",
                "delay", "give 0 or more",
            )  # fmt: skip

    def start(self, model: Vector, held: Sequence[Vector] | None = None) -> State:
        """The state at x_1, at rest.

        Raises
        ------
        ParameterError
            A vector that cannot be calculated with; gradients to start with.
        """
        require_vector(model, "model", ParameterError)
        if held is not None:
            raise ParameterError(
                "a run starts at rest, found gradients to hold", "held", "leave them out"
            )
        return State(0, copied(model), copied(model), ())

    def points(self, state: State) -> tuple[Vector, ...]:
        """x_t + d_t, for every worker."""
        return (self._ahead(state),) * self.workers

    def step(self, state: State, gradients: Sequence[Vector]) -> State:
        """The state after one iteration, which applies what was computed τ iterations ago.

        Raises
        ------
        GradientError
            The gradients do not fit, the state is another method's, or the model is finite no
            more.
        """
        if state.held is None or state.previous is None:
            raise GradientError(
                "this method holds the gradients of the last iterations and x_{t−1}, found a "
                "state without", "state", "begin with its own start()",
            )  # fmt: skip
        computed = mean(require_gradients(gradients, self.workers, state.model, "gradients"))
        window = (*state.held, computed)
        damped = window[0] * number_for(1 - self._momentum(state), state.model, "momentum")
        moved = descended(self._ahead(state), damped, self.learning_rate)
        return State(state.t + 1, moved, state.model, window[max(len(window) - self.delay, 0) :])

    def _momentum(self, state: State) -> Fraction:
        """γ_t of the iteration that follows."""
        return Fraction(max(state.t - 1, 0), state.t + 1)

    def _ahead(self, state: State) -> Vector:
        weight = number_for(self._momentum(state), state.model, "momentum")
        return state.model + weight * (state.model - state.previous)
