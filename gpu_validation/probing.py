"""What is asked of a stage of the user's own when it is run once, before anything is started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_validation.errors import ModelError
from gpu_validation.own_models import reason

if TYPE_CHECKING:
    from torch import Tensor, nn

    from gpu_validation.models import ModelSpec


def require_gradients(
    spec: ModelSpec, stage: int, inputs: Tensor, value: Tensor, module: nn.Module
) -> None:
    """Refuse a stage that gradients do not pass: go back through it once.

    Raises
    ------
    ModelError
    """
    import torch

    weights = list(module.parameters())
    targets = [inputs, *weights] if stage else weights
    found: tuple[Tensor | None, ...] = (None,) * len(targets)
    if value.requires_grad:
        try:
            found = torch.autograd.grad(value.sum(), targets, allow_unused=True)
        except (Exception, SystemExit) as error:
            raise ModelError(
                f"gradients go back through every stage, but stage {stage} fails: {reason(error)}",
                f"model {spec.name}",
                "let its layers not work in place, and call backward on it by itself",
            ) from None
    reached = ["its input"] if stage and found[0] is None else []
    reached += ["its weights"] if all(one is None for one in found[-len(weights) :]) else []
    if reached:
        raise ModelError(
            f"gradients go back through every stage, but in stage {stage} none reaches "
            f"{' and '.join(reached)}",
            f"model {spec.name}",
            "let its output depend on its input and its weights, without detach or no_grad",
        )


def require_tensor(spec: ModelSpec, stage: int, value: Any, last: bool) -> None:
    """Refuse what a stage cannot hand on, or what is no loss.

    Raises
    ------
    ModelError
    """
    import torch

    good = isinstance(value, torch.Tensor) and value.dtype == torch.float32
    if good and (value.ndim == 0 or not last):
        return
    found = f"{value.dtype} of shape {tuple(value.shape)}" if good else type(value).__name__
    if isinstance(value, torch.Tensor) and not good:
        found = f"a tensor of {value.dtype}"
    wanted = "the loss, one number" if last else "one tensor"
    raise ModelError(
        f"stage {stage} has to return {wanted}, of type float32, and returns {found}",
        f"model {spec.name}",
        "change its last layer, or the loss",
    )
