"""Training a network as a schedule says, with a rule of one's own for the updates.

Order, weight versions and delays are those of the harness' replay in one thread
(`gpu_validation.single_thread`), which takes them from `schedules`. Where one copy of a stage keeps
the optimizer state for all, a window's gradients go to it, and when it has
a window of every copy, all copies take one step along the sum of them. So copies stay alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from gpu_validation.models import ModelSpec
from gpu_validation.optimizers import OptimizerSpec, OptimizerState, Tensors, update
from gpu_validation.repeatable import one_torch_thread
from gpu_validation.single_thread import Replay, Step
from schedules.actions import Action, Kind
from schedules.lowering.erase import erase_messages
from schedules.schedule import Schedule
from staleproof.experiments.data import DATA

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class Seen:
    """What an update knows of the gradient that it applies.

    Attributes
    ----------
    stage : int
    staleness : int
        Updates of the stage since the forward that the gradient belongs to.
    read : mapping of str to Tensor
        The weights that this forward read.
    """

    stage: int
    staleness: int
    read: Tensors


class Rule(Protocol):
    """What a stage does with a gradient; it may keep what it needs from call to call."""

    def backward(self, seen: Seen, newest: Tensors, used: Tensors) -> Tensors:
        """Weights for a backward, of those that the schedule's policy says."""
        ...

    def step(
        self, seen: Seen, weights: Tensors, gradients: Tensors, state: OptimizerState
    ) -> tuple[dict[str, Tensor], OptimizerState]:
        """New weights."""
        ...


@dataclass(frozen=True)
class Plain:
    """An optimizer of the harness, as it is."""

    optimizer: OptimizerSpec

    def backward(self, seen: Seen, newest: Tensors, used: Tensors) -> Tensors:
        """What the policy says."""
        return used

    def step(
        self, seen: Seen, weights: Tensors, gradients: Tensors, state: OptimizerState
    ) -> tuple[dict[str, Tensor], OptimizerState]:
        """The optimizer's."""
        return update(self.optimizer, weights, gradients, state)


@dataclass(frozen=True)
class Trained:
    """What a run leaves behind.

    Attributes
    ----------
    losses : list of float
        Of every microbatch, at its forward; what is not finite is infinite.
    gaps, cosines : list of float
        By update of stage 0: root mean square of Δ_t = w_t − w_{t−τ}, and the cosine of Δ_t and
        w_t − w_{t−1}; 0 where one of both is 0.
    """

    losses: list[float]
    gaps: list[float]
    cosines: list[float]


class _Trainer(Replay):
    """A replay that asks a rule for backward weights and updates, and watches stage 0."""

    def __init__(self, schedule: Schedule, model: ModelSpec, rule: Rule) -> None:
        super().__init__(schedule, model, OptimizerSpec(), "cpu")
        self.rule = rule
        self.trained = Trained([], [], [])
        self._before: Tensors | None = None
        self._last: dict[int, Seen] = {}
        self._sent: defaultdict[tuple[int, int], list[dict[str, Tensor]]] = defaultdict(list)

    def do(self, index: int, position: int) -> None:
        """Carry one action out."""
        action = self.schedule.action(index)
        if self._owned and action.kind is Kind.REDUCE:
            self._gather(action)
        else:
            super().do(index, position)

    @property
    def _owned(self) -> bool:
        return self.schedule.placement.owners is not None

    def _gather(self, action: Action) -> None:
        """Send a copy's gradients to the owner, who updates all copies when each has sent some."""
        copies = {key: copy for key, copy in self.copies.items() if key[0] == action.stage}
        for key, copy in copies.items():
            if copy is self._copy(action):
                self._sent[key].append(copy.sum or {})
                copy.sum = None
        if not all(self._sent[key] for key in copies):
            return
        parts = [self._sent[key].pop(0) for key in copies]
        first, *rest = parts
        total = {name: sum((part[name] for part in rest), first[name]) for name in first}
        for copy in copies.values():
            made, copy.state = self.rule.step(
                self._last[action.stage], copy.newest, total, copy.state
            )
            copy.versions[max(copy.versions)] = made

    def _seen(self, action: Action) -> Seen:
        where = (action.stage, action.microbatch)
        return Seen(action.stage, int(self.found.local_staleness[where]), self.read[where])

    def _backward(self, action: Action, copy: object, used: Mapping[str, Tensor]) -> None:
        mine = self._copy(action)
        self._last[action.stage] = self._seen(action)  # the update behind it applies it
        super()._backward(
            action, mine, self.rule.backward(self._last[action.stage], mine.newest, used)
        )

    def step_of(self, action: Action) -> Step:
        """The rule's step, for the gradient that came last."""
        if self._owned:  # the owner has made it already
            return lambda weights, gradients, state: (dict(weights), state)
        if action.stage == 0:
            self._watch(self._copy(action).newest, self._last[0])
        return partial(self.rule.step, self._last[action.stage])

    def _watch(self, newest: Tensors, seen: Seen) -> None:
        import torch

        def flat(of: Tensors, minus: Tensors) -> Tensor:
            return torch.cat([(w - minus[name]).detach().reshape(-1) for name, w in of.items()])

        gap, before = flat(newest, seen.read), self._before
        moved = flat(newest, newest if before is None else before)
        size = float(gap.norm() * moved.norm())
        self.trained.gaps.append(float(gap.square().mean().sqrt()))
        self.trained.cosines.append(float(gap @ moved) / size if 0 < size < float("inf") else 0.0)
        self._before = newest


def train(schedule: Schedule, model: ModelSpec, rule: Rule, data: str | None = None) -> Trained:
    """Carry every action of a schedule out, in one thread; networks read such data.

    Examples
    --------
    >>> from schedules import build
    >>> rule = Plain(OptimizerSpec("sgd", lr=0.1))
    >>> found = train(build("pipedream", 2, 3), ModelSpec(width=2), rule)
    >>> len(found.losses), len(found.gaps), found.gaps[0]
    (3, 3, 0.0)
    """
    token = DATA.set(data)
    with one_torch_thread():
        trainer = _Trainer(erase_messages(schedule), model, rule)
        for position, index in enumerate(trainer.order):
            trainer.do(index, position)
    DATA.reset(token)
    last = schedule.stages - 1
    losses = [float(trainer.activations[last, m]) for m in range(schedule.microbatches)]
    finite = [one if one == one else float("inf") for one in losses]
    return Trained(finite, trainer.trained.gaps, trainer.trained.cosines)
