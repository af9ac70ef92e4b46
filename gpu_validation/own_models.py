"""Models of the user's own: where they come from, and what is asked of them."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gpu_validation.errors import ModelError
from gpu_validation.repeatable import FACTORY, seeded
from schedules.user_code import reason

if TYPE_CHECKING:
    from torch import Generator, Tensor, nn

    from gpu_validation.models import ModelSpec


class Parts(NamedTuple):
    """What the factory of a model of your own may return.

    - `layers`: the model; each layer takes one tensor and returns one.
    - `sample`: ``sample(generator)`` → (inputs, labels) of a microbatch, on the CPU.
    - `loss`: ``loss(output, labels)`` → a scalar.
    """

    layers: nn.Sequential
    sample: Callable[[Generator], tuple[Tensor, Tensor]]
    loss: Callable[[Tensor, Tensor], Tensor]


def cut(spec: ModelSpec, count: int, stage: int, stages: int) -> tuple[int, int]:
    """First layer of a stage, and one past its last."""
    if count < stages:
        raise ModelError(
            f"every stage has at least one layer, found {count} layers for {stages} stages",
            f"model {spec.name}",
            "return more layers, or take fewer stages",
        )
    return stage * count // stages, (stage + 1) * count // stages


@lru_cache(maxsize=8)
def parts_of(spec: ModelSpec) -> Parts:
    """The user's model, built once a process; stages get copies of its layers."""
    import torch
    from torch import nn

    try:
        with seeded(spec.seed, FACTORY, 0):
            made = _factory(spec.name)()
    except ModelError:
        raise
    except (Exception, SystemExit) as error:
        raise ModelError(
            f"the factory has to return a model, but it fails: {reason(error)}",
            f"model {spec.name}",
            "call it by itself and correct it",
        ) from None
    if isinstance(made, nn.Sequential):
        shape = (spec.batch, spec.width)
        made = Parts(
            made,
            lambda generator: (torch.randn(shape, generator=generator), torch.empty(0)),
            lambda output, _: 0.5 * output.square().mean(),
        )
    if not isinstance(made, Parts) or not isinstance(made.layers, nn.Sequential):
        raise ModelError(
            f"the factory returns an nn.Sequential or Parts, found {type(made).__name__}",
            f"model {spec.name}",
            "wrap the layers into torch.nn.Sequential",
        )
    _require_no_chance(spec, made.layers)
    _require_weights_to_train(spec, made.layers)
    return made


def _require_weights_to_train(spec: ModelSpec, model: nn.Module) -> None:
    from torch.nn.parameter import is_lazy

    for name, weights in model.named_parameters():
        if is_lazy(weights):
            raise ModelError(
                f"weights have their shape before the model is run, but {name} takes it from the "
                "first input",
                f"model {spec.name}",
                "use layers that are told their sizes, or run the model once in the factory",
            )
        if not weights.requires_grad:
            raise ModelError(
                f"every weight is trained here, but {name} is frozen (requires_grad is False)",
                f"model {spec.name}",
                "let it require a gradient, or make it a buffer",
            )


def require_untied(spec: ModelSpec, stages: int) -> None:
    """Refuse weights that belong to layers of several stages: every stage would train its own."""
    layers, home = parts_of(spec).layers, dict[int, tuple[int, str]]()
    for stage in range(stages):
        first, last = cut(spec, len(layers), stage, stages)
        for name, weights in layers[first:last].named_parameters():
            other, other_name = home.setdefault(id(weights), (stage, name))
            if other != stage:
                raise ModelError(
                    f"a stage has weights of its own, but {name} of stage {stage} is also "
                    f"{other_name} of stage {other}",
                    f"model {spec.name}",
                    "give each layer its own weights, or take fewer stages so that they share one",
                )


def _require_no_chance(spec: ModelSpec, model: nn.Module) -> None:
    from torch.nn.modules.dropout import _DropoutNd

    for name, module in model.named_modules():
        if isinstance(module, _DropoutNd) and module.p > 0 and module.training:
            raise ModelError(
                "a model that is compared bit by bit draws no random numbers, found "
                f"{type(module).__name__}(p={module.p}) at {name}",
                f"model {spec.name}",
                "set p to 0, or put this layer into evaluation mode",
            )


def _factory(name: str) -> Callable[[], Any]:
    """Find the function that a name such as ``file.py:function`` stands for."""
    where, _, function = name.rpartition(":")
    if where.endswith(".py"):
        path = Path(where)
        found = importlib.util.spec_from_file_location(f"_staged_{path.stem}", path)
        if not path.is_file() or found is None or found.loader is None:
            raise ModelError(
                f"there is no file {where!r} that Python can load",
                f"model {name}",
                "give the path of a Python file",
            )
        module = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
    else:
        module = importlib.import_module(where)
    factory = getattr(module, function, None)
    if not callable(factory):
        raise ModelError(
            f"{where} has no function {function!r}", f"model {name}", "name a function it has"
        )
    made: Callable[[], Any] = factory
    return made


def require_gradients(
    spec: ModelSpec, stage: int, inputs: Tensor, value: Tensor, module: nn.Module
) -> None:
    """Refuse a stage that gradients do not pass: go back through it once."""
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
    """Refuse what a stage cannot hand on, or what is no loss."""
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
