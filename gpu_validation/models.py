"""Models, cut into stages, and the data of every microbatch; both follow from a seed alone.

``mlp`` has residual blocks, an input layer on the first stage, classes and cross-entropy on the
last; ``transformer`` pre-norm blocks with causal attention, an embedding, and next-token
cross-entropy. A model of your own is named by its factory, ``path.py:factory`` or
``package.module:factory``, which takes no argument and returns an ``nn.Sequential`` or `Parts`; its
layers are cut into stages of nearly equal length. Every rank builds its own stages and data.

Shapes: B batch, L length (tokens of a sequence), D width.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from gpu_validation.errors import ModelError, SpecError
from gpu_validation.own_models import (
    Parts,
    cut,
    parts_of,
    require_gradients,
    require_tensor,
    require_untied,
)
from gpu_validation.repeatable import DATA, WEIGHTS, mixed, seeded
from schedules.user_code import reason

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["BUILT_IN", "ModelSpec", "Parts", "boundaries", "build_stage", "microbatch"]

BUILT_IN: Final = ("mlp", "transformer")


@dataclass(frozen=True)
class ModelSpec:
    """Which model, how large, and from which seed.

    Attributes
    ----------
    name : str
        ``mlp``, ``transformer`` or where a factory is: see above.
    width : int
        D: features of a token or sample.
    depth : int
        Blocks of a stage, of the built-in models.
    batch : int
        B: samples of a microbatch.
    length : int
        L: tokens of a sequence, of ``transformer``.
    seed : int
        Of weights and data.

    Raises
    ------
    SpecError
        A size below 1, a negative seed, an unknown name.
    """

    name: str = "mlp"
    width: int = 32
    depth: int = 1
    batch: int = 4
    length: int = 16
    seed: int = 0

    @property
    def built_in(self) -> bool:
        """Whether this package brings the model along."""
        return self.name in BUILT_IN

    def __post_init__(self) -> None:
        for name in ("width", "depth", "batch", "length", "seed"):
            value, least = getattr(self, name), int(name != "seed")
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise SpecError(
                    f"{name} of a model is a whole number from {least}, found {value!r}",
                    f"model {self.name}",
                    "give another one",
                )
        if not self.built_in and ":" not in self.name:
            raise SpecError(
                f"a model is one of {', '.join(BUILT_IN)} or written path:factory, found "
                f"{self.name!r}",
                "model",
                "name one of them, or write the file and the function as file.py:function",
            )


def build_stage(spec: ModelSpec, stage: int, stages: int) -> nn.Module:
    """Build one stage of the model, the same whoever builds it, on the CPU.

    The module of the last stage takes (input, labels) and returns the loss, the others take their
    input alone. Random numbers of the process stay as they were.

    Raises `ModelError`: the model has fewer layers than there are stages, a factory fails, or a
    layer draws random numbers.
    """
    if spec.built_in:
        with seeded(spec.seed, WEIGHTS, stage):
            return _built_in(spec, stage, stages)
    from gpu_validation import layers

    parts = parts_of(spec)
    first, last = cut(spec, len(parts.layers), stage, stages)
    body = copy.deepcopy(parts.layers[first:last])
    return layers.WithLoss(body, parts.loss) if stage == stages - 1 else body


def stage_bytes(spec: ModelSpec, stage: int, stages: int) -> int:
    """Size of the weights of a stage; those of a built-in model are not built for this.

    Examples
    --------
    >>> stage_bytes(ModelSpec(width=3), 1, 3)
    48
    """
    import torch

    if spec.built_in:
        with torch.device("meta"):
            module = _built_in(spec, stage, stages)
    else:
        module = build_stage(spec, stage, stages)
    return sum(tensor.nbytes for tensor in module.parameters())


def _built_in(spec: ModelSpec, stage: int, stages: int) -> nn.Module:
    from gpu_validation import layers

    if spec.name == "mlp":
        return layers.mlp_stage(spec.width, spec.depth, stage, stages)
    return layers.transformer_stage(spec.width, spec.depth, spec.length, stage, stages)


def microbatch(spec: ModelSpec, number: int) -> tuple[Tensor, Tensor]:
    """Inputs and labels of a microbatch, on the CPU."""
    import torch

    from gpu_validation import layers

    generator = torch.Generator().manual_seed(mixed(spec.seed, DATA, number))
    if spec.name == "mlp":
        inputs = torch.randn(spec.batch, spec.width, generator=generator)
        return inputs, torch.randint(layers.CLASSES, (spec.batch,), generator=generator)
    if spec.name == "transformer":
        shape = (spec.batch, spec.length + 1)
        tokens = torch.randint(layers.VOCABULARY, shape, generator=generator)
        return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()
    return parts_of(spec).sample(generator)


def boundaries(spec: ModelSpec, stages: int) -> tuple[tuple[int, ...], ...]:
    """Shape of the activation that stage s hands to stage s + 1, for every s < stages − 1.

    All are of torch's type ``float32``. Models of your own are run once for this.

    Raises `ModelError`: the stages do not chain: a stage does not accept what the one before it
    returns, or does not return one tensor of real numbers, or the loss is no scalar.
    """
    if spec.name == "mlp":
        return ((spec.batch, spec.width),) * (stages - 1)
    if spec.name == "transformer":
        return ((spec.batch, spec.length, spec.width),) * (stages - 1)
    return _probed(spec, stages)


@lru_cache(maxsize=8)
def _probed(spec: ModelSpec, stages: int) -> tuple[tuple[int, ...], ...]:
    """Run a model of the user's once, stage by stage."""
    import torch

    require_untied(spec, stages)
    value, labels = _sample(spec)
    shapes = []
    for stage in range(stages):
        module = build_stage(spec, stage, stages)
        if not list(module.parameters()):
            raise ModelError(
                "every stage has weights, since versions are told apart by them, but there are "
                f"none in stage {stage}",
                f"model {spec.name}",
                "take fewer stages, or layers with weights in every one",
            )
        last = stage == stages - 1
        inputs = value.detach().requires_grad_(stage > 0)
        written = inputs._version
        try:
            with torch.enable_grad():
                value = module(inputs, labels) if last else module(inputs)
        except (Exception, SystemExit) as error:
            raise ModelError(
                "a stage accepts what the stage before it returns, but stage "
                f"{stage} fails on it: {reason(error)}",
                f"model {spec.name}",
                "let every layer take the one tensor that the layer before it returns, and let the "
                "first layer of a stage not work in place",
            ) from None
        require_tensor(spec, stage, value, last)
        if inputs._version != written:
            raise ModelError(
                f"a stage leaves its input as it is, but stage {stage} writes into it",
                f"model {spec.name}",
                "let its first layer not work in place",
            )
        require_gradients(spec, stage, inputs, value, module)
        shapes.append(tuple(value.shape))
    return tuple(shapes[:-1])


def _sample(spec: ModelSpec) -> tuple[Tensor, Tensor]:
    """Draw inputs and labels of a model of the user's once."""
    import torch

    try:
        inputs, labels = microbatch(spec, 0)
    except (Exception, SystemExit) as error:
        found = reason(error)
    else:
        if isinstance(inputs, torch.Tensor):
            return inputs, labels
        found = f"its inputs are of type {type(inputs).__name__}"
    raise ModelError(
        f"a sample is a pair of tensors, inputs and labels, but {found}",
        f"model {spec.name}",
        "correct the function that draws it",
    )
