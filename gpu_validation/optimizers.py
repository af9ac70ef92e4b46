"""Optimizers as pure functions: (weights, gradients, state) → (new weights, new state).

Those of `torch.optim`, one tensor at a time, on copies: every version of the weights stays what it
was. Its functions are called and not its classes, whose first use imports a compiler for seconds.
``sgd``: w − lr·g; ``momentum``: u ← μ·u + g, w − lr·u; ``adamw`` with bias correction; ``nadam``
with the momentum schedule of `torch.optim.NAdam`. `weight_decay` λ is decoupled in all of them: w
is scaled by 1 − lr·λ first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from gpu_validation.errors import SpecError, require_one_of
from gpu_validation.options import OPTIMIZERS, OptimizerName

if TYPE_CHECKING:
    from torch import Tensor

MOMENTUM_DECAY: Final = 4e-3
"""Of NAdam's momentum schedule, as in torch."""

Tensors = Mapping[str, "Tensor"]


@dataclass(frozen=True)
class OptimizerSpec:
    """Which optimizer, and its numbers.

    Attributes
    ----------
    name : str
        One of `OPTIMIZERS`.
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
        require_one_of(self.name, OPTIMIZERS, "optimizer")
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

    - `step`: updates so far.
    - `first`, `second`: momentum or first moments, and second moments, by name of the weight; empty
      where the optimizer has none, and before the first update.
    - `product`: product of NAdam's momenta so far.
    """

    step: int = 0
    first: Tensors = field(default_factory=dict)
    second: Tensors = field(default_factory=dict)
    product: float = 1.0


def update(
    spec: OptimizerSpec, weights: Tensors, gradients: Tensors, state: OptimizerState
) -> tuple[dict[str, Tensor], OptimizerState]:
    """Make the next version of the weights.

    `weights` and `gradients` have the same names, shapes and devices; they and `state` are left as
    they are. New tensors are returned, none shared with the old version, and the new state.
    """
    import torch
    from torch.optim.adam import adam
    from torch.optim.nadam import nadam
    from torch.optim.sgd import sgd

    names, grads = list(weights), [gradients[name] for name in weights]
    decay, product = 1 - spec.lr * spec.weight_decay, state.product
    with torch.no_grad():
        # Torch writes in place: into copies, so that the old version and state stay as they are.
        made = [w * decay if decay != 1 else w.detach().clone() for w in weights.values()]
        first, second = (
            [old[name].clone() for name in names] if old else []
            for old in (state.first, state.second)
        )
        if spec.name in ("sgd", "momentum"):
            moving: list[Tensor | None] = [*first] or [None for _ in made]
            sgd(
                made, grads, moving, foreach=False, fused=False, weight_decay=0.0, lr=spec.lr,
                momentum=spec.momentum if spec.name == "momentum" else 0.0,
                dampening=0.0, nesterov=False, maximize=False,
            )  # fmt: skip
            first = [buffer for buffer in moving if buffer is not None]
        else:
            first = first or [torch.zeros_like(w) for w in made]
            second = second or [torch.zeros_like(w) for w in made]
            steps = [torch.tensor(float(state.step)) for _ in made]
            products = [torch.tensor(product) for _ in made]
            numbers: dict[str, Any] = {
                "foreach": False, "beta1": spec.betas[0], "beta2": spec.betas[1], "lr": spec.lr,
                "weight_decay": 0.0, "eps": spec.eps, "maximize": False,
            }  # fmt: skip
            if spec.name == "adamw":
                adam(made, grads, first, second, [], steps, fused=False, amsgrad=False, **numbers)
            else:
                more = {"momentum_decay": MOMENTUM_DECAY, **numbers}
                nadam(made, grads, first, second, products, steps, **more)
            product = float(products[0])
    return dict(zip(names, made, strict=True)), OptimizerState(
        state.step + 1,
        dict(zip(names, first, strict=False)),
        dict(zip(names, second, strict=False)),
        product,
    )
