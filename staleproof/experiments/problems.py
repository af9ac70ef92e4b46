"""Finite-sum objectives with exact gradients: what the synthetic experiments minimise.

S draws of the data are minimised at once, each at R points: iterates are arrays (S, …, d, R).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


class Loss(NamedTuple):
    """Of a prediction and a label, with its derivative in the prediction."""

    value: Callable[[Array, Array], Array]
    slope: Callable[[Array, Array], Array]


SQUARES: Final = Loss(lambda at, y: (at - y) ** 2 / 2, lambda at, y: at - y)
LOGISTIC: Final = Loss(lambda at, y: np.logaddexp(0, -y * at), lambda at, y: -y * expit(-y * at))
"""log(1 + exp(−y ⟨a, w⟩)) for labels ±1, without overflow."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Mean loss of linear predictions ⟨a, w⟩, and λ‖w‖²/2; for S draws of the data at once.

    Attributes
    ----------
    a : ndarray, shape (S, n, d)
    y : ndarray, shape (S, n)
    batches : int
        N, minibatches of equal size in the order of rows.
    loss : Loss
    weight : float
        λ.
    """

    a: Array
    y: Array
    batches: int
    loss: Loss = SQUARES
    weight: float = 0.0

    @property
    def size(self) -> int:
        """Number of parameters, d."""
        return int(self.a.shape[2])

    @cached_property
    def _minibatches(self) -> tuple[Array, Array]:
        """Samples as columns, so that a block of parameters lies in one piece, and labels."""
        count = self.a.shape[1] // self.batches
        a, y = (part[:, : count * self.batches] for part in (self.a, self.y))
        shape = len(a), self.batches, count, -1
        return np.ascontiguousarray(a.reshape(shape).swapaxes(2, 3)), y.reshape(shape)

    def minibatch(self, draws: Integers | slice, batches: Integers | int) -> tuple[Array, Array]:
        """Samples (…, d, b) and labels (…, b, 1) of a minibatch of each of these draws."""
        a, y = self._minibatches
        return a[draws, batches], y[draws, batches]

    def slopes(self, w: Array, a: Array, y: Array) -> Array:
        """Derivative of a minibatch's mean loss in each prediction, (…, b, R)."""
        found: Array = self.loss.slope(a.swapaxes(-1, -2) @ w, y) / y.shape[-2]
        return found

    def gradient(self, w: Array, a: Array, slopes: Array) -> Array:
        """The gradient's coordinates in a block, of which `w` and `a` have what is in it."""
        found: Array = a @ slopes
        return found + self.weight * w if self.weight else found

    def value(self, w: Array) -> Array:
        """The full objective, shape (S, R)."""
        losses = self.loss.value(self.a @ w, self.y[..., None]).mean(1)
        found: Array = losses + self.weight / 2 * (w**2).sum(1) if self.weight else losses
        return found


def together(problems: Sequence[Problem]) -> Problem:
    """Draws of one problem, as one."""
    a, y = ([getattr(one, part) for one in problems] for part in ("a", "y"))
    return replace(problems[0], a=np.concatenate(a), y=np.concatenate(y))


def random_logistic(samples: int, size: int, weight: float, seed: int) -> Problem:
    """Gaussian data, a Gaussian truth, labels drawn from its odds; one sample a minibatch.

    Drawn as those authors draw it: its least objective comes out to ten digits.

    Examples
    --------
    >>> round(float(random_logistic(50, 128, 1e-3, 0).value(np.zeros((1, 128, 1)))[0, 0]), 6)
    0.693147
    """
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((samples, size))
    odds = 1 / (1 + np.exp(-a @ rng.standard_normal(size)))
    labels = rng.binomial(1, odds).astype(np.float64)
    return Problem(a[None], 2 * labels[None] - 1, samples, LOGISTIC, weight)


@lru_cache(maxsize=1)
def random_quadratic(samples: int, size: int, batches: int, seed: int = 0) -> Problem:
    """Least squares with Gaussian data and a Gaussian solution, without noise.

    Drawn as the authors of the first such experiment draw it (data first, by
    ``numpy.random.default_rng``): objective at 0 and smoothness are theirs to the last digit.

    Examples
    --------
    >>> problem = random_quadratic(2000, 512, 20)
    >>> float(problem.value(np.zeros((1, 512, 1)))[0, 0])
    260.410252989068
    """
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((samples, size))
    return _solved(a, rng, batches)


def tridiagonal_quadratic(samples: int, size: int, batches: int, seed: int = 0) -> Problem:
    """Least squares with the Hessian tridiag(−1, 2, −1) + I/100 and a Gaussian solution.

    The rows have random directions, drawn as the authors of the first such experiment draw them.

    Examples
    --------
    >>> problem = tridiagonal_quadratic(600, 512, 120)
    >>> round(float(problem.value(np.zeros((1, 512, 1)))[0, 0]), 6)
    471.162249
    """
    rng = np.random.default_rng(seed)
    turned, _ = np.linalg.qr(rng.standard_normal((samples, size)))
    hessian = 2.01 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1)
    a = np.sqrt(samples) * turned @ np.linalg.cholesky(hessian).T
    return _solved(a, rng, batches)


def _solved(a: Array, rng: np.random.Generator, batches: int) -> Problem:
    return Problem(a[None], (a @ rng.standard_normal(a.shape[1]))[None], batches)
