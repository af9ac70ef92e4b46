"""Corrections of late gradients, as rules of `staleproof.experiments.training`.

All begin with Adam, with a warm-up over 6 % of the updates and a cosine decay to a tenth.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from gpu_validation.optimizers import OptimizerSpec, OptimizerState, Tensors, update
from schedules.methods.compensation import compensated
from staleproof.experiments.problems import Array
from staleproof.experiments.training import Seen

if TYPE_CHECKING:
    from torch import Tensor

HISTORY, DECAY, WARM, COOL = 8, 0.9, 0.06, 0.1


@dataclass(frozen=True)
class Correction:
    """What is done about a delay.

    Attributes
    ----------
    optimizer : OptimizerSpec
    updates : int
        Of a stage, in the whole run.
    discount : bool
        Divide the rate by τ^ρ, ρ falling from 1 to 0 over the first 12 % of the updates. Where τ
        is 0 the rate stays as it is.
    forecast : str
        Gradients moved on to now: by λ g∘g∘Δ with λ = 1 (``second-order``), or by a parabola and
        the periodic rest through the last eight (``polynomial``).
    estimate : bool
        Backwards use the newest weights less τ times a running mean of their steps.
    damped : bool
        Whether momentum takes gradients times 1 − γ, as NAdam does.
    spread : int
        With so many stages, momenta from 0.9 at the last to 0.99 towards the first; 0: none.
    """

    optimizer: OptimizerSpec
    updates: int
    discount: bool = False
    forecast: Literal["", "second-order", "polynomial"] = ""
    estimate: bool = False
    damped: bool = True
    spread: int = 0

    def at(self, stage: int, staleness: int, step: int) -> OptimizerSpec:
        """The optimizer of a stage at an update."""
        warm = max(WARM * self.updates, 1)
        done = min(max(step - warm, 0) / max(self.updates - warm, 1), 1)
        factor = min((step + 1) / warm, 1) * (
            COOL + (1 - COOL) * (1 + math.cos(math.pi * done)) / 2
        )
        if self.discount:
            factor /= max(staleness, 1) ** max(1 - step / (2 * warm), 0)
        betas = self.optimizer.betas
        if self.spread:
            betas = (0.9 + 0.09 * (self.spread - 1 - stage) / self.spread, betas[1])
        return replace(self.optimizer, lr=self.optimizer.lr * factor, betas=betas)


@dataclass
class Corrected:
    """A correction at work: it remembers gradients and steps of every stage."""

    correction: Correction
    gradients: dict[int, deque[Tensors]] = field(default_factory=dict)
    velocity: dict[int, Tensors] = field(default_factory=dict)

    def backward(self, seen: Seen, newest: Tensors, used: Tensors) -> Tensors:
        """What the policy says, or an estimate of what the forward read."""
        steps = self.velocity.get(seen.stage)
        if not self.correction.estimate or steps is None:
            return used
        return {name: w - seen.staleness * steps[name] for name, w in newest.items()}

    def step(
        self, seen: Seen, weights: Tensors, gradients: Tensors, state: OptimizerState
    ) -> tuple[dict[str, Tensor], OptimizerState]:
        """The optimizer's step with corrected gradient, rate and momentum."""
        optimizer = self.correction.at(seen.stage, seen.staleness, state.step)
        moved = self._forecast(seen, weights, gradients)
        act = update if self.correction.damped else undamped
        made, after = act(optimizer, weights, moved, state)
        if self.correction.estimate:
            before = self.velocity.get(seen.stage, {})
            self.velocity[seen.stage] = {
                name: DECAY * before.get(name, 0) + (1 - DECAY) * (w - weights[name])
                for name, w in made.items()
            }
        return made, after

    def _forecast(self, seen: Seen, weights: Tensors, gradients: Tensors) -> Tensors:
        if self.correction.forecast == "second-order":
            return {name: compensated(g, weights[name] - seen.read[name], 1, "diagonal")
                    for name, g in gradients.items()}  # fmt: skip
        if self.correction.forecast != "polynomial":
            return gradients
        known = self.gradients.setdefault(seen.stage, deque(maxlen=HISTORY))
        known.append(gradients)
        if len(known) < HISTORY or not seen.staleness:
            return gradients
        shares = extrapolation(HISTORY, seen.staleness).tolist()
        return {name: sum(share * old[name] for share, old in zip(shares, known, strict=True))
                for name in gradients}  # fmt: skip


def undamped(
    spec: OptimizerSpec, weights: Tensors, gradients: Tensors, state: OptimizerState
) -> tuple[dict[str, Tensor], OptimizerState]:
    """Momentum u ← γu + g and a step along g + γu, over Adam's root of the second moment.

    Examples
    --------
    >>> import torch
    >>> one = {"w": torch.tensor([1.0])}
    >>> spec = OptimizerSpec("nadam", lr=0.5, betas=(0.9, 0.999))
    >>> made, _ = undamped(spec, one, one, OptimizerState())
    >>> round(made["w"].item(), 4)
    0.05
    """
    gamma, decay = spec.betas
    made, first, second = {}, {}, {}
    for name, g in gradients.items():
        first[name] = gamma * state.first.get(name, 0) + g
        second[name] = decay * state.second.get(name, 0) + (1 - decay) * g * g
        root = (second[name] / (1 - decay ** (state.step + 1))).sqrt() + spec.eps
        kept = weights[name] * (1 - spec.lr * spec.weight_decay)
        made[name] = kept - spec.lr * (g + gamma * first[name]) / root
    return made, OptimizerState(state.step + 1, first, second, state.product)


def extrapolation(known: int, ahead: int) -> Array:
    """Weights by which the last values give the one that is so many steps ahead.

    A parabola is fitted to them; what it leaves is continued periodically, as the discrete Fourier
    series through it.

    Examples
    --------
    >>> squares = np.arange(8.0) ** 2
    >>> round(float(extrapolation(8, 3) @ squares), 9)
    100.0
    """
    powers = np.vander(np.arange(known + ahead), 3).astype(np.float64)
    fit = np.linalg.pinv(powers[:known])
    rest = np.eye(known) - powers[:known] @ fit
    found: Array = powers[-1] @ fit + rest[(known - 1 + ahead) % known]
    return found
