"""PipeSGD, the stale pipeline: Algorithm 1 of SAPipe, orange lines."""

from __future__ import annotations

from dataclasses import dataclass

from schedules.methods.method import OneStepStale
from schedules.methods.stale_elements import Stale
from schedules.methods.state import State
from schedules.methods.vectors import Vector


@dataclass(frozen=True)
class PipeSGD(OneStepStale):
    """x_1 = x_0; x_t = x_{t−1} − η (1/n) Σ_i ∇f(x_{t−2}; z_{i,t−1}) for t ≥ 2.

    Iteration 1 passes, as printed: it computes ∇f(x_0; z_{i,1}), which iteration 2 applies.
    Parameters and errors: `OneStepStale`.

    Examples
    --------
    >>> import numpy as np
    >>> method = PipeSGD(workers=1, learning_rate=0.5)
    >>> state = method.start(np.array([8.0]))
    >>> for _ in range(4):  # f(x) = x²/2
    ...     state = method.step(state, method.points(state))
    ...     print(state.t, state.model)
    1 [8.]
    2 [4.]
    3 [0.]
    4 [-2.]
    """

    def points(self, state: State, stale: Stale | None = None) -> tuple[Vector, ...]:
        """x_{t−1}, for every worker."""
        return (state.model,) * self.workers

    def stale_gradient(self, state: State, stale: Stale | None = None) -> Vector:
        """g_t = (1/n) Σ_i ∇f(x_{t−2}; z_{i,t−1})."""
        return self.held_by(state)[0]
