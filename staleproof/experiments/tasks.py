"""Small tasks in numpy, their weights one vector, as `schedules.methods` take them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from schedules.partial_staleness import fewest_stale, sequential
from staleproof.experiments.data import digits
from staleproof.experiments.problems import Array, random_quadratic

Indices = NDArray[np.int64]

TESTED: Final = 297
"""Samples that are not trained on."""


@dataclass(frozen=True, eq=False)
class Classifier:
    """Two hidden layers of tanh, and the mean cross-entropy of a softmax.

    Attributes
    ----------
    x : ndarray, shape (n, d)
    y : ndarray of int, shape (n,)
        Classes from 0.
    hidden : int
        Units of a hidden layer.

    Examples
    --------
    >>> net = Classifier(np.eye(3), np.array([0, 1, 2]), 4)
    >>> net.sizes, round(net.loss(np.zeros(sum(net.sizes)), np.arange(3)), 6)
    ([16, 20, 15], 1.098612)
    """

    x: Array
    y: Indices
    hidden: int

    @cached_property
    def shapes(self) -> list[tuple[int, int]]:
        """Of the weights of each layer, with a row for the offset."""
        h = self.hidden
        return [(self.x.shape[1] + 1, h), (h + 1, h), (h + 1, int(self.y.max()) + 1)]

    @property
    def sizes(self) -> list[int]:
        """Weights of each layer."""
        return [a * b for a, b in self.shapes]

    def start(self, seed: int) -> Array:
        """Gaussian weights, scaled by the inputs of a layer."""
        rng = np.random.default_rng(seed)
        parts = [rng.standard_normal(s) / np.sqrt(s[0]) for s in self.shapes]
        return np.concatenate([part.ravel() for part in parts])

    def gradient(self, w: Array, rows: Indices) -> Array:
        """Of the mean loss over these samples."""
        *inputs, scores = self._forward(w, rows)
        error = np.exp(scores)
        error[np.arange(len(rows)), self.y[rows]] -= 1
        found = []
        for entry, weights in zip(inputs[::-1], self._layers(w)[::-1], strict=True):
            found.append((entry.T @ error / len(rows)).ravel())
            error = (error @ weights.T * (1 - entry**2))[:, :-1]
        return np.concatenate(found[::-1])

    def loss(self, w: Array, rows: Indices) -> float:
        """Mean over these samples."""
        scores = self._forward(w, rows)[-1]
        return float(-scores[np.arange(len(rows)), self.y[rows]].mean())

    def right(self, w: Array, rows: Indices) -> float:
        """Share of these samples that are classified as they should be."""
        return float((self._forward(w, rows)[-1].argmax(1) == self.y[rows]).mean())

    def _layers(self, w: Array) -> list[Array]:
        parts = np.split(w, np.cumsum(self.sizes)[:-1])
        return [part.reshape(s) for part, s in zip(parts, self.shapes, strict=True)]

    def _forward(self, w: Array, rows: Indices) -> list[Array]:
        """What every layer takes in, and the logarithms of the odds."""
        one = np.ones((len(rows), 1))
        inputs = [np.hstack([self.x[rows], one])]
        *hidden, last = self._layers(w)
        for weights in hidden:
            inputs.append(np.hstack([np.tanh(inputs[-1] @ weights), one]))
        scores = inputs[-1] @ last
        return [*inputs, scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)]


@dataclass(frozen=True, eq=False)
class Task:
    """What is trained.

    Attributes
    ----------
    start : callable
        Seed ↦ weights.
    gradient : callable
        (weights, rows) ↦ of the mean loss over them.
    value : callable
        Weights ↦ objective on all rows, and the share of other rows that are classified right.
    known, order : ndarray of int
        Rows to draw from, and the same in the order in which unequal data are cut.
    sizes : list of int
        Weights of each layer.
    stale : int
        The fewest first layers that have to be stale.
    """

    start: Callable[[int], Array]
    gradient: Callable[[Array, Indices], Array]
    value: Callable[[Array], tuple[float, float]]
    known: Indices
    order: Indices
    sizes: list[int]
    stale: int


@lru_cache(maxsize=1)
def noisy_quadratic() -> Task:
    """Least squares with noise; unequal: every worker has the rows of one range of targets."""
    made = random_quadratic(400, 40, 1)
    made = replace(made, y=made.y + np.random.default_rng(1).standard_normal(400))
    (a,), (y,) = made.a, made.y

    def value(w: Array) -> float:
        return float(made.value(w[None, :, None])[0, 0])

    def gradient(w: Array, rows: Indices) -> Array:
        found: Array = a[rows].T @ (a[rows] @ w - y[rows]) / len(rows)
        return found

    least = value(np.linalg.lstsq(a, y)[0].astype(np.float64))

    return Task(
        lambda _: np.zeros(40), gradient, lambda w: (value(w) - least, 0.0),
        np.arange(400), np.argsort(y), [20, 20], 1,
    )  # fmt: skip


@lru_cache(maxsize=2)
def digit_classes(path: str | None) -> Task:
    """Two hidden layers of tanh; unequal: every worker has the digits of some classes."""
    net = Classifier(*digits(path), 32)
    mixed = np.random.default_rng(0).permutation(len(net.y))
    held, known = mixed[:TESTED], mixed[TESTED:]
    # A forward takes as long as a layer is large, backward and communication twice that.
    stale = fewest_stale(sequential([2 * n for n in net.sizes], net.sizes,
                                    [2 * n for n in net.sizes]))  # fmt: skip
    assert stale is not None, "communication takes less than computation"
    return Task(
        lambda seed: net.start(1000 + seed), net.gradient,
        lambda w: (net.loss(w, known), net.right(w, held)),
        known, known[np.argsort(net.y[known])], net.sizes, stale,
    )  # fmt: skip
