"""Optimizers as pure functions: (weights, gradients, state) → (new weights, new state).

Nothing is written in place, so every version of the weights stays what it was. The operations are
those of `torch.optim` with one tensor at a time, in the same order, and so are the results.

========== ===============================================================================
name       update; λ = `weight_decay`, decoupled in all of them: w is scaled by 1 − lr·λ first
========== ===============================================================================
``sgd``    w − lr·g
``momentum`` u ← μ·u + g, w − lr·u
``adamw``  Adam with bias correction
``nadam``  Adam with Nesterov momentum, and the momentum schedule of `torch.optim.NAdam`
========== ===============================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, get_args

from gpu_validation.errors import SpecError

if TYPE_CHECKING:
    from torch import Tensor

OptimizerName = Literal["sgd", "momentum", "adamw", "nadam"]

OPTIMIZER_NAMES: Final[tuple[OptimizerName, ...]] = get_args(OptimizerName)

MOMENTUM_DECAY: Final = 4e-3
"""Of NAdam's momentum schedule, as in torch."""

Tensors = Mapping[str, "Tensor"]


@dataclass(frozen=True)
class OptimizerSpec:
    """Which optimizer, and its numbers.

    Attributes
    ----------
    name : str
        One of `OPTIMIZER_NAMES`.
    lr : float
        Step size, positive.
    momentum : float
        μ of ``momentum``, in [0, 1).
    betas : tuple of float
        Decay of the first and second moment of ``adamw`` and ``nadam``, in [0, 1).
    eps : float
        Added to the root of the second moment, positive.
    weight_decay : float
        λ ≥ 0.

    Raises
    ------
    SpecError
        Unknown name, or a number outside its domain.
    """

    name: OptimizerName = "sgd"
    lr: float = 0.01
    momentum: float = 0.9
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    weight_decay: float = 0.0

    def __post_init__(self) -> None:
        if self.name not in OPTIMIZER_NAMES:
            raise SpecError(
                f"an optimizer is one of {', '.join(OPTIMIZER_NAMES)}, not {self.name!r}",
                "optimizer",
                "name one of them",
            )
        # Every comparison with "not a number" is false, so that it is refused as well.
        domains = (
            ("lr", self.lr, 0 < self.lr < float("inf"), "positive"),
            ("momentum", self.momentum, 0 <= self.momentum < 1, "in [0, 1)"),
            ("betas[0]", self.betas[0], 0 <= self.betas[0] < 1, "in [0, 1)"),
            ("betas[1]", self.betas[1], 0 <= self.betas[1] < 1, "in [0, 1)"),
            ("eps", self.eps, 0 < self.eps < float("inf"), "positive"),
            ("weight_decay", self.weight_decay, 0 <= self.weight_decay < float("inf"), "0 or more"),
        )
        for name, value, holds, domain in domains:
            if not holds:
                raise SpecError(
                    f"{name} is {domain}, found {value!r}", f"optimizer {self.name}", "change it"
                )


@dataclass(frozen=True)
class OptimizerState:
    """What an optimizer remembers between updates.

    Attributes
    ----------
    step : int
        Updates so far.
    first, second : mapping of str to Tensor
        Momentum or first moments, and second moments, by name of the weight; empty where the
        optimizer has none, and before the first update.
    product : float
        Product of NAdam's momenta so far.
    """

    step: int = 0
    first: Tensors = field(default_factory=dict)
    second: Tensors = field(default_factory=dict)
    product: float = 1.0


def update(
    spec: OptimizerSpec, weights: Tensors, gradients: Tensors, state: OptimizerState
) -> tuple[dict[str, Tensor], OptimizerState]:
    """Make the next version of the weights.

    Parameters
    ----------
    spec : OptimizerSpec
    weights, gradients : mapping of str to Tensor
        The same names, shapes and devices; left as they are.
    state : OptimizerState
        Left as it is.

    Returns
    -------
    weights : dict of str to Tensor
        New tensors, none shared with the old version.
    state : OptimizerState

    Examples
    --------
    >>> import torch
    >>> one = {"w": torch.tensor([1.0])}
    >>> made, state = update(OptimizerSpec("sgd", lr=0.5), one, one, OptimizerState())
    >>> made["w"].item(), state.step
    (0.5, 1)
    """
    import torch

    with torch.no_grad():
        decay = 1 - spec.lr * spec.weight_decay
        scaled = {name: w * decay for name, w in weights.items()} if decay != 1 else weights
        return _RULES[spec.name](spec, scaled, gradients, state)


Made = tuple[dict[str, "Tensor"], OptimizerState]


def _sgd(spec: OptimizerSpec, weights: Tensors, gradients: Tensors, state: OptimizerState) -> Made:
    made = {name: w.add(gradients[name], alpha=-spec.lr) for name, w in weights.items()}
    return made, OptimizerState(state.step + 1)


def _momentum(
    spec: OptimizerSpec, weights: Tensors, gradients: Tensors, state: OptimizerState
) -> Made:
    first = {
        name: state.first[name].mul(spec.momentum).add_(g) if state.first else g.clone()
        for name, g in gradients.items()
    }
    made = {name: w.add(first[name], alpha=-spec.lr) for name, w in weights.items()}
    return made, OptimizerState(state.step + 1, first)


def _moments(
    spec: OptimizerSpec, gradients: Tensors, state: OptimizerState
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """First and second moments after one more gradient."""
    from torch import zeros_like

    beta1, beta2 = spec.betas
    first, second = {}, {}
    for name, g in gradients.items():
        m = state.first[name] if state.first else zeros_like(g)
        v = state.second[name] if state.second else zeros_like(g)
        first[name] = m.lerp(g, 1 - beta1)
        second[name] = v.mul(beta2).addcmul_(g, g, value=1 - beta2)
    return first, second


def _adamw(
    spec: OptimizerSpec, weights: Tensors, gradients: Tensors, state: OptimizerState
) -> Made:
    step = state.step + 1
    first, second = _moments(spec, gradients, state)
    size = spec.lr / (1 - spec.betas[0] ** step)
    root = (1 - spec.betas[1] ** step) ** 0.5
    made = {
        name: w.addcdiv(first[name], (second[name].sqrt() / root).add_(spec.eps), value=-size)
        for name, w in weights.items()
    }
    return made, OptimizerState(step, first, second)


def _nadam(
    spec: OptimizerSpec, weights: Tensors, gradients: Tensors, state: OptimizerState
) -> Made:
    from torch import tensor

    step = state.step + 1
    beta1, beta2 = spec.betas
    now, then = (beta1 * (1.0 - 0.5 * 0.96 ** (at * MOMENTUM_DECAY)) for at in (step, step + 1))
    # Torch keeps this product in single precision; so do we, to agree to the bit.
    product = float(tensor(state.product) * now)
    first, second = _moments(spec, gradients, state)
    made = {}
    for name, w in weights.items():
        below = second[name].div(1 - beta2**step).sqrt().add_(spec.eps)
        half = w.addcdiv(gradients[name], below, value=-spec.lr * (1.0 - now) / (1.0 - product))
        made[name] = half.addcdiv_(
            first[name], below, value=(-spec.lr * then) / (1.0 - product * then)
        )
    return made, OptimizerState(step, first, second, product)


Rule = Callable[[OptimizerSpec, Tensors, Tensors, OptimizerState], Made]

_RULES: Final[Mapping[OptimizerName, Rule]] = {
    "sgd": _sgd,
    "momentum": _momentum,
    "adamw": _adamw,
    "nadam": _nadam,
}
