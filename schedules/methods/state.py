"""What a training method remembers between two rounds."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from schedules.methods.vectors import Vector


@dataclass(frozen=True, eq=False)
class State:
    """A run after t iterations.

    States hold only what later rounds read: equal ones have equal futures under one method. They
    compare and hash by the numbers in them, whatever the library, so that an exact run over all
    samples can merge them. The vectors belong to the state: do not write to them.

    Attributes
    ----------
    t : int
        Iterations done, as the paper counts them.
    model : Vector
        x_t.
    previous : Vector, or None
        x_{t−1} (x_0 for t = 0), where the method reads it.
    held : tuple of Vector, or None
        Gradients that are computed and not yet applied: ``(g_{t+1},)``, or g_{i,t+1} of every
        worker i where the method predicts from it. None: nothing is computed yet.
    applied : tuple of Vector, or None
        What the last update applied, where the method reads it: ``(g_t,)``, or g_{i,t} of every
        worker. None before the first update.

    Examples
    --------
    >>> import numpy as np
    >>> State(0, np.array([1.0])) == State(0, np.array([1.0])), {State(0, np.array([2.0])): 1}
    (True, {State(t=0, model=array([2.]), previous=None, held=None, applied=None): 1})
    """

    t: int
    model: Vector
    previous: Vector | None = None
    held: tuple[Vector, ...] | None = None
    applied: tuple[Vector, ...] | None = None

    @property
    def content(self) -> Hashable:
        """All numbers of the state."""
        previous = None if self.previous is None else (self.previous,)
        groups = ((self.model,), previous, self.held, self.applied)
        return (self.t, *(group and tuple(map(_numbers, group)) for group in groups))

    def __eq__(self, other: object) -> bool:
        return self.content == other.content if isinstance(other, State) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.content)


def _numbers(vector: Vector) -> Hashable:
    return tuple(vector.shape), tuple(vector.reshape(-1).tolist())
