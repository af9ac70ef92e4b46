"""Partial staleness: some elements of the model stale, the others as in distributed SGD."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from schedules.errors import ParameterError
from schedules.methods.method import OneStepStale, descended, require_gradients
from schedules.methods.stale_elements import Stale, mixed, require_fit, require_stale
from schedules.methods.state import State
from schedules.methods.vectors import Vector, mean, zeros_like

READINGS: Final = ("system", "proofs")


@dataclass(frozen=True)
class SAPipe:
    """Stale elements are updated by a one-step-stale method, fresh ones by distributed SGD.

    Vanilla SAPipe is this around `PipeSGD`: element j of g_{i,t} is that of ∇f(x_{t−2}; z_{i,t−1})
    where j is stale, else that of ∇f(x_{t−1}; z_{i,t}). In iteration 1 stale elements pass and
    fresh ones move. For stale elements drawn anew in every iteration (Assumption 5), change `stale`
    with `dataclasses.replace` before each round; the states carry over.

    The paper applies compensation "only to the first k layers" and proves something simpler, so
    there are two readings:

    - "system": one gradient a worker and round, as a training system computes it. Its fresh
      elements are applied at once, its stale ones in the next iteration, so every sample z_{i,t}
      serves twice. Weights are predicted, and a compensation sees Δx, for stale elements alone.
    - "proofs": two gradients a worker and round, at the first n points for the fresh elements
      (x_{t−1}) and at the other n for the stale ones (the method's own points: predicted for all
      elements). The caller says whether both come from one sample.

    Attributes
    ----------
    method : PipeSGD, SAPipeDC or SAPipeWP
        What stale elements do.
    stale : int or tuple of bool
        The first so many elements (see `prefix` for layers), or one bool an element.
    reading : {"system", "proofs"}

    Raises
    ------
    ParameterError
        A parameter outside its domain.

    Examples
    --------
    >>> import numpy as np
    >>> from schedules.methods import PipeSGD
    >>> method = SAPipe(PipeSGD(workers=1, learning_rate=0.5), stale=1)
    >>> state = method.start(np.array([8.0, 8.0]))
    >>> for _ in range(3):  # f(x) = ‖x‖²/2
    ...     state = method.step(state, method.points(state))
    ...     print(state.t, state.model)
    1 [8. 4.]
    2 [4. 2.]
    3 [0. 1.]
    """

    method: OneStepStale
    stale: Stale
    reading: str = "system"

    def __post_init__(self) -> None:
        if not isinstance(self.method, OneStepStale):
            raise ParameterError(
                f"what stale elements do is PipeSGD, SAPipeDC or SAPipeWP, found {self.method!r}",
                "method",
                "take one of them",
            )
        require_stale(self.stale)
        if self.reading not in READINGS:
            raise ParameterError(
                f"a reading is one of {', '.join(READINGS)}, found {self.reading!r}",
                "reading",
                "take one",
            )

    @property
    def workers(self) -> int:
        """Number of workers, n."""
        return self.method.workers

    def start(self, model: Vector, held: Sequence[Vector] | None = None) -> State:
        """The state at x_0, as `OneStepStale.start`; the model is flat.

        Raises
        ------
        ParameterError, GradientError
            A vector that cannot be calculated with, or to which `stale` does not fit; gradients
            that do not fit.
        """
        state = self.method.start(model, held)
        require_fit(self.stale, state.model.shape)
        return state

    def points(self, state: State) -> tuple[Vector, ...]:
        """Where gradients are wanted: n points, or 2n ("proofs"; n in a round 0).

        Raises
        ------
        ParameterError, GradientError
            `stale` does not fit the model; the state is another method's.
        """
        require_fit(self.stale, state.model.shape)
        own = self.method.points(state, self._seen)
        if self._only_computes(state):
            return own
        if self.reading == "proofs":
            return (state.model,) * self.workers + own
        return tuple(mixed(self.stale, point, state.model) for point in own)

    def step(self, state: State, gradients: Sequence[Vector]) -> State:
        """The state after this round.

        Parameters
        ----------
        state : State
            Of the inner method.
        gradients : sequence of Vector
            One for each of `points(state)`.

        Raises
        ------
        ParameterError, GradientError
            `stale` or the gradients do not fit; the state is another method's; the model is finite
            no more.
        """
        require_fit(self.stale, state.model.shape)
        self.method.require_state(state)
        twice = self.reading == "proofs" and not self._only_computes(state)
        count = self.workers * (2 if twice else 1)
        computed = require_gradients(gradients, count, state.model, "gradients")
        if self._only_computes(state):
            return self.method.first(state, computed)
        fresh, ahead = computed[: self.workers], computed[-self.workers :]
        moved = descended(
            state.model,
            mixed(self.stale, self._stale_gradient(state), mean(fresh)),
            self.method.learning_rate,
        )
        return self.method.following(state, moved, self._applied(state, fresh), ahead)

    @property
    def _seen(self) -> Stale | None:
        """Elements whose movement a compensation sees."""
        return self.stale if self.reading == "system" else None

    def _only_computes(self, state: State) -> bool:
        """Whether this is a round 0."""
        return state.held is None and not self.method.counts_first

    def _stale_gradient(self, state: State) -> Vector:
        if state.held is None:
            return zeros_like(state.model)
        return self.method.stale_gradient(state, self._seen)

    def _applied(self, state: State, fresh: Sequence[Vector]) -> tuple[Vector, ...]:
        """g_{i,t} of every worker, for methods that predict with it."""
        if state.held is None or not self.method.predicts:
            return ()
        return tuple(mixed(self.stale, *pair) for pair in zip(state.held, fresh, strict=True))
