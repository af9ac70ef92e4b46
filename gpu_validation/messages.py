"""What ranks tell each other, and the one interface behind which every transport stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from schedules.actions import Kind
from schedules.schedule import Schedule

if TYPE_CHECKING:
    from torch import Tensor

NO_VERSION = -1
"""Version of a message that carries none."""


@dataclass(frozen=True, slots=True, order=True)
class Label:
    """What names a message; no two messages of a run share a label.

    - `kind`: ``SEND_F`` an activation, ``SEND_B`` a gradient, ``REDUCE`` a token without a tensor:
      the microbatch has had its backward at stage 0, which a barrier waits for.
    - `stage`: the stage that sends; for a token the stage whose REDUCE waits.

    Examples
    --------
    >>> str(Label(Kind.SEND_F, 0, 3, 0))
    '0SEND_F3'
    """

    kind: Kind
    stage: int
    microbatch: int
    pipeline: int

    def __str__(self) -> str:
        pipeline = f"@{self.pipeline}" if self.pipeline else ""
        return f"{self.stage}{self.kind.name}{self.microbatch}{pipeline}"


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """A tensor under way, with what the receiver has to know about its past.

    - `clock`: unit Lamport clock at the end of the computation that made the tensor.
    - `version`: the version index that stage 0 read for this microbatch, in an activation;
      `NO_VERSION` in everything else.
    - `tensor`: none in a token.
    """

    label: Label
    clock: int
    version: int
    tensor: Tensor | None


class Endpoint(Protocol):
    """One rank's end of a transport.

    Every waiting method raises `StoppedError` as soon as another rank has failed, or the run is
    given up because no rank makes progress.
    """

    @property
    def rank(self) -> int:
        """The rank whose end it is."""
        ...

    def send(self, peer: int, message: Message) -> None:
        """Send, and return at once: the receiver need not be ready."""
        ...

    def take(self, label: Label) -> Message:
        """Wait for a message; it is handed out once."""
        ...

    def ready(self, label: Label) -> bool:
        """Whether `take` would not have to wait."""
        ...

    def wait_any(self) -> None:
        """Wait until something has arrived since the last call of this method."""
        ...

    def meet(self, timeout: float) -> None:
        """Wait until every rank is here."""
        ...

    def check(self) -> None:
        """Raise `StoppedError` if another rank has failed; never waits."""
        ...


def sender(schedule: Schedule, label: Label) -> int:
    """The rank that sends a message."""
    stage = 0 if label.kind is Kind.REDUCE else label.stage
    return schedule.placement.ranks[label.pipeline][stage]


def incoming(schedule: Schedule, rank: int) -> Iterator[Label]:
    """Every message that a rank receives, in the order in which its program asks for them.

    Neighbouring stages on one rank hand over without a message.
    """
    for action in schedule.rank(rank):
        label = needed(schedule, action.kind, action.stage, action.microbatch, action.pipeline)
        if label is not None and sender(schedule, label) != rank:
            yield label


def needed(
    schedule: Schedule, kind: Kind, stage: int, microbatch: int, pipeline: int
) -> Label | None:
    """What an action waits for, from its own rank or another one; None if for nothing."""
    if kind is Kind.F and stage > 0:
        return Label(Kind.SEND_F, stage - 1, microbatch, pipeline)
    if kind in (Kind.B, Kind.I) and stage + 1 < schedule.stages:
        return Label(Kind.SEND_B, stage + 1, microbatch, pipeline)
    if kind is Kind.REDUCE and microbatch >= 0:
        return Label(Kind.REDUCE, stage, microbatch, pipeline)
    return None
