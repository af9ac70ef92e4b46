"""Small sequential models, gone through from the smallest on and simulated event by event."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

from schedules.partial_staleness import Model, sequential, simulate

LAYERS = 3
COMPUTATION = range(1, 3)
COMMUNICATION = {1: range(1, 5), 2: range(1, 4), 3: range(1, 3)}
"""Durations that are replayed; those of communication by number of layers. With one or two layers
there are models in which communication takes longer than computation."""

WORDS = "all models of m = 1, 2, 3 layers with b and u of 1 … 2 and v of 1 … 4, 1 … 3, 1 … 2"


@cache
def chains(layers: int = LAYERS) -> tuple[Model, ...]:
    """All of them: fewest layers first, then the shortest total.

    Examples
    --------
    >>> len(chains(2)), chains(1)[0].layers
    (160, (Layer(name='0', backward=1, forward=1, communication=1),))
    """
    return tuple(model for count in range(1, layers + 1) for model in _of(count))


def _of(count: int) -> Iterator[Model]:
    every = product(*[COMPUTATION] * (2 * count), *[COMMUNICATION[count]] * count)
    for times in sorted(every, key=lambda times: (sum(times), times)):
        yield sequential(times[:count], times[count : 2 * count], times[2 * count :])


@cache
def never_stalls(model: Model, stale: int) -> bool:
    """What the simulation says of the first `stale` layers being stale."""
    return simulate(model, range(stale)).never_stalls


def shown(model: Model) -> dict[str, Any]:
    """A model's durations as data, for a witness."""
    return {"m": model.count, "b": model.b, "u": model.u, "v": model.v}
