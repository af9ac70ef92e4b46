"""SAPipe with delay compensation: Algorithm 2."""

from __future__ import annotations

from dataclasses import dataclass

from schedules.methods.compensation import compensated, require_form, require_weight
from schedules.methods.pipesgd import PipeSGD
from schedules.methods.stale_elements import Stale, only_stale
from schedules.methods.state import State
from schedules.methods.vectors import Number, Vector


@dataclass(frozen=True)
class SAPipeDC(PipeSGD):
    """x_t = x_{t−1} − η DC_λ(g_t, x_{t−1} − x_{t−2}), g_t as in PipeSGD, for t ≥ 2.

    Iteration 1 is not printed; x_1 = x_0 here, as in Algorithm 1. So Δx_2 = 0.

    Attributes
    ----------
    workers, learning_rate
        As in `OneStepStale`.
    lambda_ : number
        λ ≥ 0; exact for exact models.
    form : {"full", "diagonal"}
        See `delay_compensated`.

    Raises
    ------
    ParameterError
        A parameter outside its domain.

    Examples
    --------
    >>> import numpy as np
    >>> method = SAPipeDC(workers=1, learning_rate=0.5, lambda_=0.25)
    >>> state = method.start(np.array([4.0]))
    >>> for _ in range(4):  # f(x) = x²/2
    ...     state = method.step(state, method.points(state))
    ...     print(state.t, state.model)
    1 [4.]
    2 [2.]
    3 [4.]
    4 [2.]
    """

    lambda_: Number
    form: str = "full"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_weight(self.lambda_)
        require_form(self.form)

    @property
    def reads_previous(self) -> bool:
        """Whether x_{t−1} is read: for Δx."""
        return True

    def stale_gradient(self, state: State, stale: Stale | None = None) -> Vector:
        """DC_λ(g_t, Δx_t), where Δx_t has zeros outside `stale`."""
        movement = only_stale(stale, state.model - state.previous)
        gradient = super().stale_gradient(state)
        return compensated(gradient, movement, self.lambda_, self.form)
