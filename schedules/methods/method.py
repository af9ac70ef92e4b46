"""What every training method offers, and what all with one-step-old gradients share.

A round is: `points` says where gradients are wanted, the caller computes them there on one sample a
point, and `step` makes the next state of them. A method is data; a run is a sequence of states.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar, Protocol

from schedules.errors import ParameterError
from schedules.methods.errors import GradientError
from schedules.methods.stale_elements import Stale
from schedules.methods.state import State
from schedules.methods.vectors import (
    Number,
    Vector,
    copied,
    mean,
    number_for,
    require_like,
    require_vector,
)


class Method(Protocol):
    """A training method: where gradients are wanted, and what becomes of them."""

    @property
    def workers(self) -> int:
        """Number of workers, n."""

    def start(self, model: Vector, held: Sequence[Vector] | None = None) -> State:
        """The state before the first round."""

    def points(self, state: State) -> tuple[Vector, ...]:
        """Where this round's gradients are wanted; point k is for worker k mod n."""

    def step(self, state: State, gradients: Sequence[Vector]) -> State:
        """The state after this round, given a stochastic gradient for every point."""


@dataclass(frozen=True)
class OneStepStale(ABC):
    """Methods that apply in every iteration gradients computed in the one before.

    A subclass says where gradients are computed (`points`), what is applied (`stale_gradient`) and
    what a state has to remember (`following`).

    Attributes
    ----------
    workers : int
        n ≥ 1.
    learning_rate : number
        η > 0; exact (int, Fraction) for exact models.

    Raises
    ------
    ParameterError
        A parameter outside its domain.
    """

    workers: int
    learning_rate: Number

    counts_first: ClassVar[bool] = True
    """Whether the round that only computes, with nothing to apply yet, is an iteration."""

    predicts: ClassVar[bool] = False
    """Whether a state holds the gradient of every worker, and not only their mean."""

    def __post_init__(self) -> None:
        require_setting(self.workers, self.learning_rate)

    @property
    def reads_previous(self) -> bool:
        """Whether x_{t−1} is read."""
        return False

    def start(self, model: Vector, held: Sequence[Vector] | None = None) -> State:
        """The state at x_0.

        Parameters
        ----------
        model : Vector
            x_0.
        held : sequence of n Vector, optional
            Gradients at x_0 to start with ("at rest", x_{−1} = x_0): the first round applies them.
            Without them, as printed, there is nothing to apply in the first round.

        Raises
        ------
        ParameterError, GradientError
            A vector that cannot be calculated with; gradients that do not fit.
        """
        require_vector(model, "model", ParameterError)
        model = copied(model)
        gradients = None if held is None else require_gradients(held, self.workers, model, "held")
        return State(
            0,
            model,
            model if self.reads_previous else None,
            None if gradients is None else self._kept(gradients),
        )

    @abstractmethod
    def points(self, state: State, stale: Stale | None = None) -> tuple[Vector, ...]:
        """Where the n workers compute in this round.

        Parameters
        ----------
        state : State
        stale : int, tuple of bool or None
            Elements whose movement a compensation sees; None: all.
        """

    @abstractmethod
    def stale_gradient(self, state: State, stale: Stale | None = None) -> Vector:
        """The gradient that this iteration applies, made of those that the state holds.

        Raises
        ------
        GradientError
            It holds none.
        """

    def step(self, state: State, gradients: Sequence[Vector]) -> State:
        """The state after this round.

        Parameters
        ----------
        state : State
            Of this method.
        gradients : sequence of n Vector
            Worker by worker, ∇f at its point on its sample of this round.

        Raises
        ------
        GradientError
            The gradients do not fit; the state is another method's; the model is finite no more.
        """
        self.require_state(state)
        computed = require_gradients(gradients, self.workers, state.model, "gradients")
        if state.held is None:
            return self.first(state, computed)
        moved = descended(state.model, self.stale_gradient(state), self.learning_rate)
        return self.following(state, moved, state.held, computed)

    def first(self, state: State, computed: Sequence[Vector]) -> State:
        """The state after a round that had nothing to apply."""
        iteration = state.t + self.counts_first
        return State(iteration, state.model, state.previous, self._kept(computed))

    def following(
        self, state: State, model: Vector, applied: Sequence[Vector], computed: Sequence[Vector]
    ) -> State:
        """The state after an update to `model` that applied these and computed those gradients."""
        previous = state.model if self.reads_previous else None
        return State(state.t + 1, model, previous, self._kept(computed), self._used(applied))

    def require_state(self, state: State) -> None:
        """Refuse a state that lacks what this method reads.

        Raises
        ------
        GradientError
        """
        wanted = self.workers if self.predicts else 1
        held = None if state.held is None else len(state.held)
        previous = state.previous is not None
        if held not in (None, wanted) or previous != self.reads_previous:
            raise GradientError(
                f"{type(self).__name__} of {self.workers} workers reads states that hold {wanted} "
                f"gradient(s) or None and have previous: {self.reads_previous}, found {held} and "
                f"{previous}",
                "state",
                "begin with this method's own start()",
            )

    def held_by(self, state: State) -> tuple[Vector, ...]:
        """The gradients that the state holds.

        Raises
        ------
        GradientError
            It holds none, or is another method's.
        """
        self.require_state(state)
        if state.held is None:
            raise GradientError(
                "there is something to apply after the first round, found a state before it",
                "state",
                "step() once",
            )
        return state.held

    def _kept(self, computed: Sequence[Vector]) -> tuple[Vector, ...]:
        return tuple(map(copied, computed)) if self.predicts else (mean(computed),)

    def _used(self, applied: Sequence[Vector]) -> tuple[Vector, ...] | None:
        """What a state remembers of the gradients just applied."""
        return None


def require_setting(workers: int, learning_rate: Number) -> None:
    """Refuse n < 1 and η ≤ 0.

    Raises
    ------
    ParameterError
    """
    if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:
        raise ParameterError(
            f"there is a whole number of workers, at least 1, found {workers!r}",
            "workers",
            "give 1 or more",
        )
    real = isinstance(learning_rate, Real) and not isinstance(learning_rate, bool)
    if not real or not learning_rate > 0 or learning_rate == math.inf:
        raise ParameterError(
            f"a learning rate is finite and above 0, found {learning_rate!r}",
            "learning_rate",
            "give a positive number",
        )


def require_gradients(
    gradients: Sequence[Vector], count: int, model: Vector, where: str
) -> tuple[Vector, ...]:
    """The gradients as a tuple, each looked at.

    Raises
    ------
    GradientError
        Another number of them; one that is not like the model, or not finite.
    """
    listed = isinstance(gradients, (list, tuple))
    if not listed or len(gradients) != count:
        found = len(gradients) if listed else f"a {type(gradients).__name__}"
        raise GradientError(
            f"there is a list with one gradient for each of {count} points, found {found}",
            where,
            "compute one at each of points(state), in that order",
        )
    for index, gradient in enumerate(gradients):
        require_like(gradient, model, f"{where}[{index}]", GradientError)
    return tuple(gradients)


def descended(
    model: Vector,
    gradient: Vector,
    learning_rate: Number,
    where: str = "model after this update",
) -> Vector:
    """The model after a step of −ηg.

    Raises
    ------
    ParameterError
        An inexact η for an exact model.
    GradientError
        The result is not finite.
    """
    moved = model - number_for(learning_rate, model, "learning_rate") * gradient
    require_vector(moved, where, GradientError)
    return moved
