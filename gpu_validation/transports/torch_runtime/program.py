"""What a rank does in a run that PyTorch's runtime drives."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import torch

from gpu_validation.errors import MeasureError
from gpu_validation.event_log import EventLog
from gpu_validation.executor import run_rank
from gpu_validation.messages import Endpoint
from gpu_validation.models import boundaries
from gpu_validation.spec import RankOutcome, RunSpec
from gpu_validation.transports.gloo import join
from gpu_validation.transports.member import Member, Program
from gpu_validation.transports.torch_runtime.chunks import ChunkRunner, Part, RecordedStage
from gpu_validation.transports.torch_runtime.drivers import driver
from gpu_validation.workplace import Workplace

if TYPE_CHECKING:
    from torch.distributed.distributed_c10d import Store


def connect(store: Store, rank: int, ranks: int) -> Program:
    """Join the others; returns what a rank does in a run."""
    join(store, rank, ranks)
    return run


def run(spec: RunSpec, member: Member, recorder: EventLog) -> RankOutcome:
    """Run the program of one rank; see `gpu_validation.executor.run_rank`."""
    # A runner asks for its rank, to meet, and whether to stop; messages are PyTorch's.
    return run_rank(spec, cast(Endpoint, member), recorder, DrivenRunner)


class DrivenRunner(ChunkRunner):
    """Lets PyTorch's schedule object call for every chunk of the rank."""

    def __init__(
        self, spec: RunSpec, endpoint: Endpoint, recorder: EventLog, workplace: Workplace
    ) -> None:
        super().__init__(spec, endpoint, recorder, workplace)
        shapes = boundaries(spec.model, spec.schedule.stages)
        self._mine = sorted(stage for stage, _ in workplace.stages)
        parts = [Part(self, stage, spec.schedule.stages) for stage in self._mine]
        self._driver = driver(spec.schedule, [RecordedStage(part, shapes) for part in parts])

    def carry_out(self) -> None:
        """Take one step of PyTorch's schedule."""
        self.wait()
        numbers = torch.arange(self.schedule.microbatches)
        last = self._mine[-1] == self.schedule.stages - 1
        inputs = [numbers] if self._mine[0] == 0 else []
        try:
            self._driver.step(*inputs, target=numbers if last else None)
        except Exception as error:
            raise _own(error) from error


def _own(error: Exception) -> Exception:
    """The error that PyTorch's runtime has wrapped in others, if it is one of ours."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, MeasureError):
            return inner
        inner = inner.__cause__ or inner.__context__
    return error
