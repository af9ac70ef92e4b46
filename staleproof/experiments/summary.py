"""What the conclusions of experiments share: runs by parameter, curves with bands, tuned rates."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from staleproof.experiments.cells import Finished, Result
from staleproof.experiments.problems import Array
from staleproof.experiments.protocol import Line

Runs = Sequence[Any] | Array
"""Results of several seeds: axis 0."""


def by(finished: Finished, *names: str) -> dict[Any, list[Result]]:
    """Results by these parameters of their cells, a tuple of them if there are several.

    Examples
    --------
    >>> by([({"p": 2, "seed": 0}, "a"), ({"p": 2, "seed": 1}, "b")], "p")
    {2: ['a', 'b']}
    """
    found: dict[Any, list[Result]] = {}
    for cell, result in finished:
        key = tuple(cell[name] for name in names)
        found.setdefault(key[0] if len(names) == 1 else key, []).append(result)
    return found


def geometric(runs: Runs) -> Array:
    """Geometric mean over runs (axis 0), of what differs by orders of magnitude.

    Examples
    --------
    >>> float(geometric([1e-6, 1e-2]).round(9))
    0.0001
    """
    with np.errstate(all="ignore"):
        found: Array = np.exp(np.mean(np.log(np.array(runs)), axis=0))
    return found


def arithmetic(runs: Runs) -> Array:
    """Mean over runs (axis 0)."""
    with np.errstate(all="ignore"):
        found: Array = np.mean(np.array(runs, dtype=np.float64), axis=0)
    return found


def tuned(runs: Runs, middle: Callable[[Runs], Array] = arithmetic) -> int:
    """Place of the best rate: the least mean over runs of shape (rates,); 0 if all diverge.

    Examples
    --------
    >>> tuned([[3.0, 1.0, float("nan")], [3.0, 2.0, 1.0]])
    1
    """
    means = middle(runs)
    return int(np.argmin(np.where(np.isfinite(means), means, np.inf)))


def band(
    label: str,
    x: Sequence[float],
    runs: Runs,
    middle: Callable[[Runs], Array] = arithmetic,
    dashed: bool = False,
) -> Line:
    """A curve: the mean of the runs, between the lowest and the highest of them."""
    every = np.array(runs, dtype=np.float64)
    low, high = every.min(0).tolist(), every.max(0).tolist()
    return Line(label, list(x), middle(runs).tolist(), low, high, dashed)
