"""A weight copy of a stage: immutable versions, found again by the identity of their tensors."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass

from torch import Tensor, no_grad, zeros_like
from torch.utils.weak import WeakTensorKeyDictionary

from gpu_validation.errors import MeasureError
from gpu_validation.optimizers import OptimizerSpec, OptimizerState, update
from schedules.policies import WeightPolicy

Weights = Mapping[str, Tensor]
"""One version: a tensor a name. Nobody writes into it once it exists."""


@dataclass(frozen=True, slots=True)
class Tag:
    """What a set of tensors is.

    - `version`: updates that went into it.
    - `horizon`: updates ahead that it is extrapolated.
    - `averages`: averagings over weight copies that went into it.
    """

    version: int
    horizon: int = 0
    averages: int = 0


class Identities:
    """Which version a tensor belongs to, by the tensor object itself.

    Tensors are held weakly: what nobody uses any more is forgotten.
    """

    def __init__(self) -> None:
        self._tags: MutableMapping[Tensor, Tag] = WeakTensorKeyDictionary()

    def register(self, weights: Weights, tag: Tag) -> None:
        """Remember what new tensors are."""
        for tensor in weights.values():
            self._tags[tensor] = tag

    def tag_of(self, weights: Weights) -> Tag:
        """What the tensors of one computation are.

        Raises `MeasureError`: they are of several versions, or of none that is known.
        """
        found = {self._tags.get(tensor) for tensor in weights.values()}
        match list(found):
            case [Tag() as tag]:
                return tag
        raise MeasureError(
            f"a computation uses weights of one known version, found {len(found)}: "
            f"{sorted(map(str, found))}",
            "identity of the weights",
            "update weights out of place, and all of them together",
        )

    def alive(self) -> set[Tag]:
        """Every version of which a tensor exists."""
        return set(self._tags.values())


class WeightCopy:
    """The weights of one stage, their versions and their optimizer.

    - `initial`: version 0; becomes property of the copy.
    - `gradients`: gradients that one update sums up; None if only actions U update.
    - `forwards`: for every pipeline that uses the copy: its microbatches, in the order in which
      stage 0 reads weights for them.
    - `current`: updates so far: the number of `newest`.
    """

    def __init__(
        self,
        initial: Weights,
        policy: WeightPolicy,
        optimizer: OptimizerSpec,
        gradients: int | None,
        forwards: Sequence[Sequence[int]] = (),
    ) -> None:
        self.policy, self.optimizer, self.gradients = policy, optimizer, gradients
        self.identities = Identities()
        self.current, self.averages = 0, 0
        self.state = OptimizerState()
        self._gathered: dict[str, Tensor] | None = None
        self._owned = False
        self._count = 0
        self._ahead: Weights | None = None
        self._kept: dict[int, Weights] = {}
        self._unread = [deque(order) for order in forwards]
        self._asked: dict[int, int] = {}
        self._floors = [0] * len(self._unread)
        self.previous: Weights | None = None
        self.newest: Weights = {}
        self._publish(initial)

    def read(self, microbatch: int, wanted: int) -> Weights:
        """The weights that the policy gives to a forward.

        Raises `MeasureError`: that version does not exist at this stage yet.

        - `wanted`: the version that stage 0 read for this microbatch.
        """
        if self.policy.reads_stage_zero:
            return self._read_as_stage_zero(microbatch, wanted)
        if self.policy.horizon:
            return self._extrapolated()
        return self.newest

    def add(self, gradients: Weights) -> None:
        """Add the gradients of one microbatch to the sum that the next update applies."""
        self._count += 1
        with no_grad():
            if self._gathered is None:
                self._gathered, self._owned = dict(gradients), False
            elif not self._owned:
                self._gathered = {name: g + gradients[name] for name, g in self._gathered.items()}
                self._owned = True
            else:
                for name, total in self._gathered.items():
                    total.add_(gradients[name])

    @property
    def complete(self) -> bool:
        """Whether the policy wants an update now."""
        return self.gradients is not None and self._count >= self.gradients

    def due(self, microbatch: int) -> list[tuple[int, Weights]]:
        """The gradient sums to apply now, each with the microbatch that completed it."""
        return [(microbatch, self._take())]

    def left(self) -> list[tuple[int, Weights]]:
        """What is still to be applied when the program is over."""
        return []

    def apply(self, gradients: Weights) -> None:
        """Make the next version, out of place."""
        made, self.state = update(self.optimizer, self.newest, gradients, self.state)
        if self.policy.horizon:
            self.previous = self.newest
        self.current += 1
        self._publish(made)

    def replace(self, weights: Weights) -> None:
        """Put averaged weights in the place of the newest version; its number stays."""
        self.averages += 1
        self._publish(weights)

    def kept(self) -> Iterable[Weights]:
        """What is kept beside the newest version and the stash of the stage."""
        extras = (self.previous, self._ahead)
        return [*self._kept.values(), *(weights for weights in extras if weights is not None)]

    def _publish(self, weights: Weights) -> None:
        for tensor in weights.values():
            tensor.requires_grad_()
        self.newest, self._ahead = weights, None
        self.identities.register(weights, Tag(self.current, 0, self.averages))
        if self.policy.reads_stage_zero and any(self._unread):
            self._kept[self.current] = weights

    def _take(self) -> Weights:
        """The sum so far, which starts anew; zeros if there is none."""
        gathered, self._gathered, self._count = self._gathered, None, 0
        if gathered is None:
            return {name: zeros_like(tensor) for name, tensor in self.newest.items()}
        return gathered

    def _extrapolated(self) -> Weights:
        """Newest + horizon · last update, made once a version."""
        if self.previous is None:
            return self.newest
        if self._ahead is None:
            with no_grad():
                self._ahead = {
                    name: w.add(w - self.previous[name], alpha=self.policy.horizon)
                    for name, w in self.newest.items()
                }
            for tensor in self._ahead.values():
                tensor.requires_grad_()
            tag = Tag(self.current, self.policy.horizon, self.averages)
            self.identities.register(self._ahead, tag)
        return self._ahead

    def _read_as_stage_zero(self, microbatch: int, wanted: int) -> Weights:
        if wanted not in self._kept:
            raise MeasureError(
                f"policy {self.policy.name} reads the version that stage 0 read, but version "
                f"{wanted} is not among {sorted(self._kept)}",
                f"microbatch {microbatch}",
                "use policy 'stash', or let later stages update no later than stage 0",
            )
        weights = self._kept[wanted]
        self._forget_before(microbatch, wanted)
        return weights

    def _forget_before(self, microbatch: int, wanted: int) -> None:
        """Drop versions that no forward can ask for any more.

        Stage 0 reads ever newer versions, so who comes later in its order asks for the same
        version or a newer one.
        """
        self._asked[microbatch] = wanted
        for number, unread in enumerate(self._unread):
            while unread and unread[0] in self._asked:
                self._floors[number] = self._asked.pop(unread.popleft())
        floors = [f for f, unread in zip(self._floors, self._unread, strict=True) if unread]
        for version in [v for v in self._kept if not floors or v < min(floors)]:
            del self._kept[version]


def average(copies: Sequence[WeightCopy]) -> None:
    """Replace the newest weights of all copies by their mean, in the order of the copies."""
    with no_grad():
        mean = {}
        for name, first in copies[0].newest.items():
            total = first.clone()
            for other in copies[1:]:
                total.add_(other.newest[name])
            mean[name] = total.div_(len(copies))
    for copy in copies:
        copy.replace({name: tensor.clone() for name, tensor in mean.items()})
