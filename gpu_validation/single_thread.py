"""An independent replay: the same training, action after action, in one thread.

It shares models and optimizers with the executor and nothing else. A version is kept as long as
something will read it. What a forward or backward reads comes from `schedules.versions`, and a
backward computes its stage anew with these weights. On a CPU with one thread, its final weights are
those of a run to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpu_validation.models import ModelSpec, build_stage, microbatch
from gpu_validation.optimizers import OptimizerSpec, OptimizerState, Tensors, update
from gpu_validation.repeatable import one_torch_thread
from schedules.actions import Action, Kind
from schedules.lowering.erase import erase_messages
from schedules.schedule import Schedule
from schedules.timeline import timeline
from schedules.versions import update_after, versions

if TYPE_CHECKING:
    from torch import Tensor, nn

CopyOfStage: TypeAlias = tuple[int, int]
Values: TypeAlias = dict[str, NDArray[np.generic]]
Step: TypeAlias = Callable[
    [Tensors, Tensors, OptimizerState], tuple["dict[str, Tensor]", OptimizerState]
]
"""(weights, gradients, state) ↦ (new weights, new state)."""


@dataclass
class _Copy:
    """A weight copy: the versions that are still read, and the gradients since the last one.

    - `versions`: number → tensors; always the newest.
    - `last_read`: number of a version → position of the last action that reads it.
    """

    versions: dict[int, dict[str, Tensor]]
    last_read: dict[int, int] = field(default_factory=dict)
    state: OptimizerState = field(default_factory=OptimizerState)
    sum: dict[str, Tensor] | None = None

    def add(self, gradients: Mapping[str, Tensor]) -> None:
        if self.sum is None:
            self.sum = dict(gradients)
        else:
            self.sum = {name: total + gradients[name] for name, total in self.sum.items()}

    @property
    def newest(self) -> dict[str, Tensor]:
        return self.versions[max(self.versions)]

    def update(self, step: Step, position: int) -> None:
        """Make the next version, and forget those that nothing behind a position reads."""
        newest, number = self.newest, max(self.versions) + 1
        total = self.sum or {name: 0 * tensor for name, tensor in newest.items()}
        made, self.state = step(newest, total, self.state)
        self.sum = None
        kept = {v: w for v, w in self.versions.items() if self.last_read.get(v, -1) > position}
        self.versions = kept | {number: made}

    def ahead(self, version: int, horizon: int) -> dict[str, Tensor]:
        """A version, extrapolated by as many updates like the one that made it."""
        base = self.versions[version]
        if not (horizon and version):
            return base
        before = self.versions[version - 1]
        return {name: w.add(w - before[name], alpha=horizon) for name, w in base.items()}


def replay(
    schedule: Schedule, model: ModelSpec, optimizer: OptimizerSpec, device: str = "cpu"
) -> dict[CopyOfStage, Values]:
    """Train as a schedule says, in one thread: (stage, copy) → name → final values.

    - `schedule`: declared, or of a log: then with the updates as they were made.
    - raises `InvalidScheduleError`: as `schedules.versions.versions`.
    """
    with one_torch_thread():
        replayed = Replay(erase_messages(schedule), model, optimizer, device)
        for position, index in enumerate(replayed.order):
            replayed.do(index, position)
        return {
            key: {name: tensor.detach().cpu().numpy() for name, tensor in copy.newest.items()}
            for key, copy in sorted(replayed.copies.items())
        }


def _one_after_the_other(schedule: Schedule) -> list[int]:
    """Flat indices in an order that respects every dependency and every rank's program.

    By unit times: computations last 1 or more, so what waits for one ends later, or takes no time
    and starts later; what takes no time follows its program.
    """
    line = timeline(schedule)
    order = np.lexsort((np.arange(len(schedule)), line.start, line.end))
    return [int(index) for index in order]


def _copies(schedule: Schedule) -> list[CopyOfStage]:
    rows = schedule.placement.copies
    return sorted({(stage, copy) for row in rows for stage, copy in enumerate(row)})


def _copy_of(schedule: Schedule, action: Action) -> CopyOfStage:
    return action.stage, schedule.placement.copies[action.pipeline][action.stage]


def _last_reads(schedule: Schedule, order: Sequence[int]) -> dict[CopyOfStage, dict[int, int]]:
    """Weight copy → version → position of the last action that reads it.

    A forward that extrapolates also reads the version before its own.
    """
    found = versions(schedule)
    last: dict[CopyOfStage, dict[int, int]] = {}
    for position, index in enumerate(order):
        action, read = schedule.action(index), list[int]()
        if action.kind is Kind.F:
            version = int(found.read[action.stage, action.microbatch])
            read = [version, version - 1] if found.horizon else [version]
        elif action.kind in (Kind.B, Kind.I, Kind.W):
            read = [int(found.used[action.stage, action.microbatch])]
        last.setdefault(_copy_of(schedule, action), {}).update(dict.fromkeys(read, position))
    return last


class Replay:
    """What has been computed so far; a subclass may train by a rule of its own (`step_of`)."""

    def __init__(
        self, schedule: Schedule, model: ModelSpec, optimizer: OptimizerSpec, device: str
    ) -> None:
        self.schedule, self.model, self.optimizer, self.device = schedule, model, optimizer, device
        self.modules: list[nn.Module] = [
            build_stage(model, stage, schedule.stages).to(device)
            for stage in range(schedule.stages)
        ]
        self.order = _one_after_the_other(schedule)
        reads = _last_reads(schedule, self.order)
        self.copies: dict[CopyOfStage, _Copy] = {}
        for key in _copies(schedule):
            initial = {n: w.detach() for n, w in self.modules[key[0]].named_parameters()}
            self.copies[key] = _Copy({0: initial}, reads.get(key, {}))
        self.found = versions(schedule)
        self.updates = update_after(schedule)
        self.activations: dict[tuple[int, int], Tensor] = {}
        self.gradients: dict[tuple[int, int], Tensor] = {}
        # Averaging changes weights and not their number: what a forward read is kept as it was.
        self.read: dict[tuple[int, int], dict[str, Tensor]] = {}

    def _copy(self, action: Action) -> _Copy:
        return self.copies[_copy_of(self.schedule, action)]

    def step_of(self, action: Action) -> Step:
        """What makes new weights of the old ones at the update behind an action."""
        return partial(update, self.optimizer)

    def do(self, index: int, position: int) -> None:
        """Carry one action out."""
        action = self.schedule.action(index)
        copy = self._copy(action)
        where = (action.stage, action.microbatch)
        if action.kind is Kind.F:
            version = int(self.found.read[where])
            self.read[where] = copy.ahead(version, self.found.horizon)
            self._forward(action)
        elif action.kind in (Kind.B, Kind.I, Kind.W):
            used = self.read[where]
            if not self.schedule.policy.keeps_forward_version:
                used = copy.versions[int(self.found.used[where])]
            self._backward(action, copy, used)
            self._forget(action)
        elif action.kind is Kind.REDUCE:
            self._average(action.stage)
        if self.updates[index]:
            copy.update(self.step_of(action), position)

    def _forget(self, action: Action) -> None:
        """Drop what nothing reads behind the last backward of a microbatch at a stage."""
        stage, m = action.stage, action.microbatch
        if action.kind is not Kind.I:
            self.read.pop((stage, m), None)
            self.activations.pop((stage - 1, m), None)
            self.gradients.pop((stage + 1, m), None)

    def _call(self, action: Action, weights: Mapping[str, Tensor], inputs: Tensor) -> Tensor:
        from torch.func import functional_call

        arguments: tuple[Tensor, ...] = (inputs,)
        if action.stage == self.schedule.stages - 1:
            labels = microbatch(self.model, action.microbatch)[1]
            arguments = (inputs, labels.to(self.device))
        output: Tensor = functional_call(self.modules[action.stage], dict(weights), arguments)
        return output

    def _inputs(self, action: Action) -> Tensor:
        if action.stage:
            return self.activations[action.stage - 1, action.microbatch]
        return microbatch(self.model, action.microbatch)[0].to(self.device)

    def _forward(self, action: Action) -> None:
        from torch import no_grad

        where = (action.stage, action.microbatch)
        with no_grad():
            self.activations[where] = self._call(action, self.read[where], self._inputs(action))

    def _backward(self, action: Action, copy: _Copy, used: Mapping[str, Tensor]) -> None:
        """The input's gradient (B, I) and those of the weights (B, W), from a fresh forward."""
        from torch.autograd import grad

        stage, m = action.stage, action.microbatch
        weights = {name: tensor.detach().requires_grad_() for name, tensor in used.items()}
        inputs = self._inputs(action).detach()
        wants_input = stage > 0 and action.kind is not Kind.W
        if stage:
            inputs.requires_grad_()
        targets = [
            *([inputs] if wants_input else []),
            *(weights.values() if action.kind is not Kind.I else []),
        ]
        if not targets:
            return
        output = self._call(action, weights, inputs)
        found = grad(output, targets, self.gradients.get((stage + 1, m)), materialize_grads=True)
        if wants_input:
            self.gradients[stage, m] = found[0]
        if action.kind is not Kind.I:
            copy.add(dict(zip(weights, found[wants_input:], strict=True)))

    def _average(self, stage: int) -> None:
        """Give all copies of a stage the mean of their newest weights."""
        from torch import no_grad

        mine = [copy for key, copy in sorted(self.copies.items()) if key[0] == stage]
        if len(mine) == 1:
            return
        with no_grad():
            mean = {
                name: sum((copy.newest[name] for copy in mine[1:]), first) / len(mine)
                for name, first in mine[0].newest.items()
            }
        for copy in mine:
            copy.versions[max(copy.versions)] = mean
