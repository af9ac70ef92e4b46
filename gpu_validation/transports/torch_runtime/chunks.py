"""Stages of PyTorch's runtime whose chunk calls are recorded and whose weights have versions.

Beside every activation travels a second tensor, the tag: Lamport clock, microbatch, and the
version that stage 0 read. It comes back as its own gradient, with the clock of the backward. So
clocks travel both ways in PyTorch's own messages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

import torch
from torch import Tensor, nn
from torch.distributed.pipelining import PipelineStage

from gpu_validation.errors import MeasureError
from gpu_validation.event_log import EventLog
from gpu_validation.messages import NO_VERSION, Endpoint, Label, Message
from gpu_validation.runner import Runner
from gpu_validation.spec import RunSpec
from gpu_validation.workplace import Workplace
from schedules.actions import Action, Kind
from schedules.formats.trace import NONE

TAG: Final = torch.float64
"""Type of tags: whole numbers up to 2⁵³ are exact."""

TAG_SIZE: Final = 3

Pair: TypeAlias = tuple[Tensor | None, Tensor | None]
"""A tensor and its tag; nothing beyond the ends of the pipeline."""


class ChunkRunner(Runner):
    """Does and records single actions, when PyTorch's runtime calls for them."""

    def __init__(
        self, spec: RunSpec, endpoint: Endpoint, recorder: EventLog, workplace: Workplace
    ) -> None:
        super().__init__(spec, endpoint, recorder, workplace)
        self._arriving: Message | None = None
        self._leaving: Message | None = None

    def act(self, action: Action, arriving: Message | None) -> Message | None:
        """Do one action; returns what is to be sent, if anything."""
        self.recorder.waiting, self.recorder.doing = False, f"does {action}"
        self._arriving, self._leaving = arriving, None
        self.do(action)
        self.wait()
        return self._leaving

    def wait(self) -> None:
        """Say that PyTorch's runtime has the word."""
        self.recorder.waiting = True
        self.recorder.doing = "waits for PyTorch's runtime to call for its next chunk"

    def receive(self, action: Action) -> Message | None:
        """What came with PyTorch's call."""
        return self._arriving

    def send(self, action: Action, kind: Kind, version: int, tensor: Tensor | None) -> None:
        """Keep it for PyTorch, which sends what its call returns."""
        label = Label(kind, action.stage, action.microbatch, action.pipeline)
        self._leaving = Message(label, self.clock, version, tensor)


@dataclass
class Part:
    """A stage, between PyTorch's calls and the runner.

    - `device`: where tensors and tags are. A tag is read when its chunk begins, so that the host
      waits for the device there.
    - `chunk`: microbatch of the present call, as PyTorch's runtime counts.
    - `whole`: whether the present backward includes the gradients of the weights.
    """

    runner: ChunkRunner
    stage: int
    stages: int
    device: str = "cpu"
    chunk: int = NONE
    whole: bool = True

    def forward(self, inputs: Tensor, tag: Tensor | None) -> Pair:
        """Do F; returns what the module returns, and its tag."""
        # Stage 0 gets its microbatch's number as its input: PyTorch has split a list of them.
        number = int(inputs.item()) if tag is None else int(tag[1].item())
        if number != self.chunk:
            raise MeasureError(
                f"PyTorch's runtime calls for microbatch {self.chunk}, but that of {number} "
                "has arrived",
                f"stage {self.stage}",
                "look at the order of its messages",
            )
        arriving = None
        if tag is not None:
            label = Label(Kind.SEND_F, self.stage - 1, number, 0)
            arriving = Message(label, int(tag[0].item()), int(tag[2].item()), inputs)
        leaving = self.runner.act(Action(Kind.F, self.stage, number, 0), arriving)
        if leaving is None:
            return self.runner.losses[number].reshape(1), None
        return leaving.tensor, self._tag(leaving)

    def backward(self, number: int, gradient: Tensor, tag: Tensor | None) -> Pair:
        """Do B or I; returns the gradient of the input, and its tag."""
        arriving = None
        if tag is not None:
            label = Label(Kind.SEND_B, self.stage + 1, number, 0)
            arriving = Message(label, int(tag[0].item()), NO_VERSION, gradient)
        kind = Kind.B if self.whole else Kind.I
        leaving = self.runner.act(Action(kind, self.stage, number, 0), arriving)
        return (None, None) if leaving is None else (leaving.tensor, self._tag(leaving))

    def weight_work(self) -> Callable[[], None]:
        """What is left to do of the present backward: W, or nothing."""
        if self.whole:
            return lambda: None
        action = Action(Kind.W, self.stage, self.chunk, 0)
        return lambda: cast(None, self.runner.act(action, None))

    def _tag(self, message: Message) -> Tensor:
        values = [message.clock, message.label.microbatch, message.version]
        return torch.tensor(values, dtype=TAG, device=self.device)


class _Chunk(torch.autograd.Function):
    """Calls a part in PyTorch's forward and backward passes."""

    @staticmethod
    def forward(ctx: Any, part: Part, anchor: Tensor, inputs: Tensor, tag: Tensor | None) -> Any:
        """Inputs and tag → output and tag; the last stage: the loss alone."""
        with torch.enable_grad():
            output, sent = part.forward(inputs, tag)
        ctx.part, ctx.number = part, part.chunk
        return output if sent is None else (output, sent)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        """Gradients of output and tag → those of inputs and tag."""
        gradient, tag = gradients if len(gradients) == 2 else (gradients[0], None)
        with torch.enable_grad():
            found = ctx.part.backward(ctx.number, gradient, tag)
        return (None, None, *found)


class PartModule(nn.Module):
    """The module of a stage, as PyTorch's runtime sees it."""

    def __init__(self, part: Part) -> None:
        super().__init__()
        self.part = part
        # Nothing that stage 0 takes needs a gradient, but its backward has to be called.
        self.anchor = torch.zeros((), requires_grad=True)

    def forward(self, inputs: Tensor, tag: Tensor | None = None) -> Any:
        """Run the chunk call that is under way."""
        return _Chunk.apply(self.part, self.anchor, inputs, tag)  # type: ignore[no-untyped-call]


class RecordedStage(PipelineStage):
    """A stage of PyTorch's whose chunk calls tell their part what they are about.

    - `shapes`: of the activations between all neighbouring stages.
    """

    def __init__(self, part: Part, shapes: tuple[tuple[int, ...], ...]) -> None:
        last = part.stage == part.stages - 1
        # Numbers of microbatches stay on the host, also where everything else is on a GPU.
        index = torch.zeros(1, dtype=torch.int64)
        loss = torch.zeros(1, device=part.device, requires_grad=True)
        super().__init__(
            PartModule(part),
            part.stage,
            part.stages,
            torch.device(part.device),
            input_args=_example(shapes[part.stage - 1], part.device) if part.stage else (index,),
            output_args=(loss,) if last else _example(shapes[part.stage], part.device),
            dw_builder=part.weight_work,
        )
        self._part = part

    def forward_one_chunk(self, fwd_chunk_id: int, *args: Any, **kwargs: Any) -> Any:
        """Do F of a microbatch."""
        self._part.chunk = fwd_chunk_id
        return super().forward_one_chunk(fwd_chunk_id, *args, **kwargs)

    def backward_one_chunk(
        self,
        bwd_chunk_id: int,
        loss: Tensor | None = None,
        full_backward: bool = True,
        last_backward: bool = False,
    ) -> Any:
        """Do B of a microbatch, or I."""
        self._part.chunk, self._part.whole = bwd_chunk_id, full_backward
        return super().backward_one_chunk(bwd_chunk_id, loss, full_backward, last_backward)


def _example(shape: tuple[int, ...], device: str) -> tuple[Tensor, Tensor]:
    """Tensors like those that travel between two stages."""
    return (
        torch.zeros(shape, device=device, requires_grad=True),
        torch.zeros(TAG_SIZE, dtype=TAG, device=device, requires_grad=True),
    )
