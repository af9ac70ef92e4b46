"""SAPipe with weight prediction: Algorithm 3, options 1, 2 and 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from schedules.errors import ParameterError
from schedules.methods.compensation import compensated, require_form, require_weight
from schedules.methods.errors import GradientError
from schedules.methods.method import OneStepStale, descended
from schedules.methods.stale_elements import Stale, only_stale
from schedules.methods.state import State
from schedules.methods.vectors import Number, Vector, mean, share, zeros_like

OPTIONS: Final = (1, 2, 3)


@dataclass(frozen=True)
class SAPipeWP(OneStepStale):
    """x_t = x_{t−1} − η g_t, g_t = (1/n) Σ_i g_{i,t}, g_{i,t} = ∇f(x̃_{i,t−1}; z_{i,t−1}), t ≥ 1.

    Worker i predicts x̃_{i,t} = x_{t−1} − η g̃_{i,t}, where g̃_{i,t} is

    - option 1: g_{i,t}, its own gradient;
    - option 2: g_{t−1}, the mean applied last;
    - option 3: DC_λ(g_{t−1} − g_{i,t−1}/n, x_{t−1} − x_{t−2}) + g_{i,t}/n.

    What the paper leaves open is read so: round 0 is line 5, ∇f(x_0; z_{i,0}); it is no iteration,
    and x̃_{i,0} = x_0. Lines 7 to 14 then run for t = 1 too, as g_{i,2} needs x̃_{i,1}. At t = 1,
    g_0 = g_{i,0} = 0 and x_{−1} = x_0.

    Attributes
    ----------
    workers, learning_rate
        As in `OneStepStale`.
    option : {1, 2, 3}
    lambda_ : number
        λ ≥ 0 of option 3; exact for exact models. The others do not read it.
    form : {"full", "diagonal"}
        Of option 3, see `delay_compensated`.

    Raises
    ------
    ParameterError
        A parameter outside its domain; λ ≠ 0 for options 1 and 2.

    Examples
    --------
    With one worker, options 1 and 3 predict perfectly:

    >>> import numpy as np
    >>> method = SAPipeWP(workers=1, learning_rate=0.5, option=1)
    >>> state = method.start(np.array([8.0]))
    >>> for _ in range(4):  # f(x) = x²/2
    ...     state = method.step(state, method.points(state))
    ...     print(state.t, state.model)
    0 [8.]
    1 [4.]
    2 [2.]
    3 [1.]
    """

    option: int
    lambda_: Number = 0
    form: str = "full"

    counts_first: ClassVar[bool] = False
    predicts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.option not in OPTIONS or isinstance(self.option, bool):
            raise ParameterError(
                f"weights are predicted by option 1, 2 or 3, found {self.option!r}",
                "option",
                "take one of them",
            )
        require_weight(self.lambda_)
        require_form(self.form)
        if self.option != 3 and self.lambda_ != 0:
            raise ParameterError(
                f"only option 3 compensates, found λ = {self.lambda_!r} with option {self.option}",
                "lambda_",
                "leave λ out, or take option 3",
            )

    @property
    def reads_previous(self) -> bool:
        """Whether x_{t−1} is read: for Δx of option 3."""
        return self.option == 3

    def require_state(self, state: State) -> None:
        """Refuse a state that lacks what this option reads.

        Raises
        ------
        GradientError
        """
        super().require_state(state)
        wanted = {1: None, 2: 1, 3: self.workers}[self.option] if state.t else None
        found = None if state.applied is None else len(state.applied)
        if found != wanted:
            raise GradientError(
                f"option {self.option} after iteration {state.t} remembers {wanted} applied "
                f"gradient(s), found {found}",
                "state",
                "begin with this method's own start()",
            )

    def points(self, state: State, stale: Stale | None = None) -> tuple[Vector, ...]:
        """x̃_{i,t} of every worker i; x_0 in round 0."""
        self.require_state(state)
        if state.held is None:
            return (state.model,) * self.workers
        return tuple(
            descended(
                state.model, guess, self.learning_rate, f"weights predicted by worker {worker}"
            )
            for worker, guess in enumerate(self._guesses(state, stale))
        )

    def stale_gradient(self, state: State, stale: Stale | None = None) -> Vector:
        """g_t, the mean of the gradients at the predicted weights of the round before."""
        return mean(self.held_by(state))

    def _guesses(self, state: State, stale: Stale | None) -> list[Vector]:
        """g̃_{i,t} of every worker i."""
        held = self.held_by(state)
        if self.option == 1:
            return list(held)
        if self.option == 2:
            latest = zeros_like(held[0]) if state.applied is None else state.applied[0]
            return [latest] * self.workers
        shares = [share(own, self.workers) for own in held]
        if state.applied is None:
            return shares
        latest, movement = mean(state.applied), only_stale(stale, state.model - state.previous)
        others = [latest - share(before, self.workers) for before in state.applied]
        return [
            compensated(rest, movement, self.lambda_, self.form) + own
            for rest, own in zip(others, shares, strict=True)
        ]

    def _used(self, applied: Sequence[Vector]) -> tuple[Vector, ...] | None:
        if self.option == 1:
            return None
        return (mean(applied),) if self.option == 2 else tuple(applied)
