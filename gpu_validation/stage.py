"""One stage on one rank: forwards, backwards, and what forwards leave for their backwards."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.func import functional_call

from gpu_validation.errors import ModelError
from gpu_validation.spec import Memory
from gpu_validation.weights import WeightCopy, Weights


@dataclass(slots=True)
class Entry:
    """What a forward leaves for its backward.

    - `labels`: of the last stage.
    - `output`: with its graph; None where the backward computes the stage anew.
    - `used`: the weights that the graph was made with, the very tensors; empty without a graph.
    - `gradient`: of the output, between I and W.
    """

    inputs: Tensor
    labels: Tensor | None
    output: Tensor | None
    used: Weights
    gradient: Tensor | None = None


class Stage:
    """A stage that works on one weight copy.

    - `number`, `stages`: which stage of how many.
    - `module`: its layers; their own weights are not used.
    - `keeps_version`: whether a backward uses what its forward read; else it computes the stage
      anew, with the newest weights.
    """

    def __init__(
        self, number: int, stages: int, module: nn.Module, copy: WeightCopy, keeps_version: bool
    ) -> None:
        self.number, self.last = number, number == stages - 1
        self.module, self.copy, self.keeps_version = module, copy, keeps_version
        self.stash: dict[int, Entry] = {}
        self._bytes_a_forward = 0
        self._peak = Memory()

    def forward(
        self, microbatch: int, inputs: Tensor, labels: Tensor | None, wanted: int
    ) -> tuple[Tensor, Weights]:
        """Compute F: the output, without its graph, and the weights that were used.

        - `labels`: for the last stage, whose output is the loss.
        - `wanted`: the version that stage 0 read for this microbatch.
        """
        inputs = inputs.detach()
        if self.number and inputs.is_floating_point():
            inputs.requires_grad_()
        used = self.copy.read(microbatch, wanted)
        entry = Entry(inputs, labels, None, used)
        if not self.keeps_version:
            with torch.no_grad():
                output = self._call(entry)
            # Nobody needs this version for the backward: let go of it.
            entry.used = {}
            self._bytes_a_forward = inputs.nbytes
        else:
            output = self._call(entry) if self._bytes_a_forward else self._weighed(entry)
            entry.output = output
        self.stash[microbatch] = entry
        self._note_memory()
        return output.detach(), used

    def backward(self, microbatch: int, gradient: Tensor | None) -> tuple[Tensor | None, Weights]:
        """Compute B: the input's gradient, None at stage 0, and the weights that were used."""
        entry = self._for_backward(microbatch)
        del self.stash[microbatch]
        inputs = [entry.inputs] if entry.inputs.requires_grad else []
        found = self._gradients(entry, [*inputs, *entry.used.values()], gradient)
        self._hand_over(entry, found[len(inputs) :])
        return (found[0] if inputs else None), entry.used

    def backward_input(
        self, microbatch: int, gradient: Tensor | None
    ) -> tuple[Tensor | None, Weights]:
        """Compute I: as `backward`, but leave the gradients of the weights to W."""
        entry = self._for_backward(microbatch)
        entry.gradient = gradient
        if not entry.inputs.requires_grad:
            return None, entry.used
        found = self._gradients(entry, [entry.inputs], gradient, keep=True)
        return found[0], entry.used

    def backward_weight(self, microbatch: int) -> Weights:
        """Compute W: the gradients of the weights; returns the weights that were used."""
        entry = self.stash.pop(microbatch)
        self._hand_over(entry, self._gradients(entry, list(entry.used.values()), entry.gradient))
        return entry.used

    def memory(self) -> Memory:
        """Largest memory in use so far."""
        self._note_memory()
        return self._peak

    def _for_backward(self, microbatch: int) -> Entry:
        """What the forward left, with a graph to go back through."""
        entry = self.stash[microbatch]
        if entry.output is None:
            entry.used = self.copy.newest
            entry.output = self._call(entry)
        return entry

    def _call(self, entry: Entry) -> Tensor:
        arguments = (entry.inputs, entry.labels) if self.last else (entry.inputs,)
        output: Tensor = functional_call(self.module, dict(entry.used), arguments)
        return output

    def _weighed(self, entry: Entry) -> Tensor:
        """The first forward; counts the bytes that it keeps beside the weights."""
        weights = {tensor.untyped_storage().data_ptr() for tensor in entry.used.values()}
        kept: dict[int, int] = {entry.inputs.untyped_storage().data_ptr(): entry.inputs.nbytes}

        def weigh(tensor: Tensor) -> Tensor:
            where = tensor.untyped_storage().data_ptr()
            if where not in weights:
                kept[where] = tensor.untyped_storage().nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(weigh, lambda tensor: tensor):
            output = self._call(entry)
        self._bytes_a_forward = max(1, sum(kept.values()))
        return output

    def _gradients(
        self, entry: Entry, targets: list[Tensor], gradient: Tensor | None, keep: bool = False
    ) -> list[Tensor]:
        """Gradients of the output with respect to `targets`; zeros for what it ignores."""
        assert entry.output is not None
        found = torch.autograd.grad(
            entry.output, targets, gradient, retain_graph=keep, allow_unused=True
        )
        if all(one is None for one in found):
            raise ModelError(
                "the output of a stage depends on its weights, but no gradient reaches them",
                f"stage {self.number}",
                "give every stage at least one layer with weights that its output depends on",
            )
        return [
            torch.zeros_like(target) if one is None else one
            for one, target in zip(found, targets, strict=True)
        ]

    def _hand_over(self, entry: Entry, gradients: list[Tensor]) -> None:
        self.copy.add(dict(zip(entry.used, gradients, strict=True)))

    def _note_memory(self) -> None:
        """Keep the largest use; it is largest right after a forward."""
        newest = self.copy.newest
        alive = {id(entry.used): entry.used for entry in self.stash.values() if entry.used}
        alive |= {id(weights): weights for weights in self.copy.kept()}
        others = [weights for weights in alive.values() if weights is not newest]
        peak, state = self._peak, self.copy.state
        self._peak = Memory(
            weights=_size(newest),
            stash=max(peak.stash, sum(map(_size, others))),
            activations=max(peak.activations, len(self.stash) * self._bytes_a_forward),
            optimizer=max(peak.optimizer, _size(state.first) + _size(state.second)),
            versions=max(peak.versions, 1 + len(others)),
        )


def _size(weights: Weights) -> int:
    return sum(tensor.nbytes for tensor in weights.values())
