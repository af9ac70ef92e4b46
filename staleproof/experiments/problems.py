"""Finite-sum objectives with exact gradients: what the synthetic experiments minimise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Problem(Protocol):
    """An objective over minibatches; iterates of several runs are rows.

    R runs, d parameters, n samples, b samples of a minibatch.
    """

    @property
    def size(self) -> int:
        """Number of parameters."""
        ...

    def slopes(self, w: Array, batch: int) -> Array:
        """Derivative of the loss of each sample in its prediction, over b, shape (b, R)."""
        ...

    def gradient(self, w: Array, slopes: Array, batch: int, block: slice) -> Array:
        """The gradient's coordinates in a block, at the point of these slopes: (R, block)."""
        ...

    def value(self, w: Array) -> Array:
        """The full objective, shape (R,)."""
        ...


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """‖Aw − y‖²/(2n), cut into N minibatches of equal size in the order of rows.

    Attributes
    ----------
    a : ndarray, shape (n, d)
    y : ndarray, shape (n,)
    batches : int
        N.
    """

    a: Array
    y: Array
    batches: int

    @property
    def size(self) -> int:
        """Number of parameters."""
        return int(self.a.shape[1])

    def _rows(self, batch: int) -> slice:
        count = len(self.y) // self.batches
        return slice(batch * count, (batch + 1) * count)

    def slopes(self, w: Array, batch: int) -> Array:
        """Residuals over the size of the minibatch."""
        rows = self._rows(batch)
        found: Array = (self.a[rows] @ w.T - self.y[rows, None]) / (rows.stop - rows.start)
        return found

    def gradient(self, w: Array, slopes: Array, batch: int, block: slice) -> Array:
        """Coordinates of the gradient in a block."""
        found: Array = slopes.T @ self.a[self._rows(batch), block]
        return found

    def value(self, w: Array) -> Array:
        """The full objective."""
        found: Array = ((self.a @ w.T - self.y[:, None]) ** 2).mean(0) / 2
        return found


@dataclass(frozen=True, eq=False)
class Logistic:
    """Mean of log(1 + exp(−y ⟨a, w⟩)) + λ‖w‖²/2, labels y = ±1, one sample a minibatch.

    Attributes
    ----------
    a : ndarray, shape (n, d)
    y : ndarray, shape (n,)
    weight : float
        λ.
    """

    a: Array
    y: Array
    weight: float

    @property
    def size(self) -> int:
        """Number of parameters."""
        return int(self.a.shape[1])

    def slopes(self, w: Array, batch: int) -> Array:
        """−y σ(−y⟨a, w⟩), without overflow."""
        margin = self.y[batch] * (w @ self.a[batch])
        found: Array = (-self.y[batch] * np.exp(-np.logaddexp(0, margin)))[None]
        return found

    def gradient(self, w: Array, slopes: Array, batch: int, block: slice) -> Array:
        """Coordinates of the gradient in a block."""
        found: Array = slopes.T * self.a[batch, block] + self.weight * w[:, block]
        return found

    def value(self, w: Array) -> Array:
        """The full objective."""
        losses = np.logaddexp(0, -self.y[:, None] * (self.a @ w.T)).mean(0)
        found: Array = losses + self.weight / 2 * (w**2).sum(1)
        return found


def random_logistic(samples: int, size: int, weight: float, seed: int) -> Logistic:
    """Gaussian data, a Gaussian truth, labels drawn from its odds.

    Drawn as those authors draw it: its least objective comes out to ten digits.

    Examples
    --------
    >>> round(float(random_logistic(50, 128, 1e-3, 0).value(np.zeros((1, 128)))[0]), 6)
    0.693147
    """
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((samples, size))
    odds = 1 / (1 + np.exp(-a @ rng.standard_normal(size)))
    labels = rng.binomial(1, odds).astype(np.float64)
    return Logistic(a, 2 * labels - 1, weight)


def random_quadratic(samples: int, size: int, batches: int, seed: int = 0) -> LeastSquares:
    """Least squares with Gaussian data and a Gaussian solution, without noise.

    Drawn as the authors of the first such experiment draw it (data first, by
    ``numpy.random.default_rng``): objective at 0 and smoothness are theirs to the last digit.

    Examples
    --------
    >>> problem = random_quadratic(2000, 512, 20)
    >>> float(problem.value(np.zeros((1, 512)))[0])
    260.410252989068
    """
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((samples, size))
    return LeastSquares(a, a @ rng.standard_normal(size), batches)


def tridiagonal_quadratic(samples: int, size: int, batches: int, seed: int = 0) -> LeastSquares:
    """Least squares with the Hessian tridiag(−1, 2, −1) + I/100 and a Gaussian solution.

    The rows have random directions, drawn as the authors of the first such experiment draw them.

    Examples
    --------
    >>> problem = tridiagonal_quadratic(600, 512, 120)
    >>> round(float(problem.value(np.zeros((1, 512)))[0]), 6)
    471.162249
    """
    rng = np.random.default_rng(seed)
    turned, _ = np.linalg.qr(rng.standard_normal((samples, size)))
    hessian = 2.01 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1)
    a = np.sqrt(samples) * turned @ np.linalg.cholesky(hessian).T
    return LeastSquares(a, a @ rng.standard_normal(size), batches)
