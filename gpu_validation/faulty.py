"""Stages and weight copies that behave as `gpu_validation.faults` says, and sound ones without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from torch import nn, no_grad

from gpu_validation.spec import RunSpec
from gpu_validation.stage import Entry, Stage
from gpu_validation.weights import WeightCopy, Weights


def weight_copy_of(
    spec: RunSpec,
    stage: int,
    initial: Weights,
    gradients: int | None,
    forwards: Sequence[Sequence[int]],
) -> WeightCopy:
    """The weight copy that a run uses at a stage."""
    fault = spec.fault if spec.fault is not None and spec.fault.stage == stage else None
    make = _COPIES.get(fault.name, WeightCopy) if fault is not None else WeightCopy
    copy = make(initial, spec.schedule.policy, spec.optimizer, gradients, forwards)
    if isinstance(copy, DroppingCopy | DelayingCopy) and fault is not None:
        copy.at = fault.microbatch
    return copy


def stage_of(spec: RunSpec, number: int, module: nn.Module, copy: WeightCopy) -> Stage:
    """The stage that a run uses."""
    stages, keeps = spec.schedule.stages, spec.schedule.policy.keeps_forward_version
    fault = spec.fault
    if fault is None or fault.stage != number:
        return Stage(number, stages, module, copy, keeps)
    if fault.name == "swapped-microbatch":
        swapping = SwappingStage(number, stages, module, copy, keeps)
        swapping.at = fault.microbatch
        return swapping
    return Stage(number, stages, module, copy, keeps and fault.name != "no-stash")


class OverwritingCopy(WeightCopy):
    """Overwrites the version before, as an optimizer that works in place does."""

    def apply(self, gradients: Weights) -> None:
        """Make the next version, then copy it over the one before."""
        before = self.newest
        super().apply(gradients)
        with no_grad():
            for name, tensor in before.items():
                # Autograd does not notice what is written through `.data`.
                tensor.data.copy_(self.newest[name])


class DroppingCopy(WeightCopy):
    """Never makes the update that one microbatch completes."""

    at = 0

    def due(self, microbatch: int) -> list[tuple[int, Weights]]:
        """The sums to apply: none at that microbatch."""
        sums = super().due(microbatch)
        return [] if microbatch == self.at else sums


class DelayingCopy(WeightCopy):
    """Makes the update that one microbatch completes together with the next one."""

    at = 0
    _late: tuple[tuple[int, Weights], ...] = ()

    def due(self, microbatch: int) -> list[tuple[int, Weights]]:
        """The sums to apply: the late one before the next one."""
        sums = super().due(microbatch)
        if microbatch == self.at:
            self._late = tuple(sums)
            return []
        return [*self.left(), *sums]

    def left(self) -> list[tuple[int, Weights]]:
        """What is still late."""
        late, self._late = list(self._late), ()
        return late


class SwappingStage(Stage):
    """Takes what the forward of another microbatch left, at the backward of one microbatch."""

    at = 0

    def _for_backward(self, microbatch: int) -> Entry:
        others = [number for number in sorted(self.stash) if number != microbatch]
        if microbatch == self.at and others:
            one, other = microbatch, others[0]
            self.stash[one], self.stash[other] = self.stash[other], self.stash[one]
        return super()._for_backward(microbatch)


_COPIES: Final[dict[str, type[WeightCopy]]] = {
    "in-place": OverwritingCopy, "dropped-update": DroppingCopy, "delayed-update": DelayingCopy
}  # fmt: skip
