"""Which of PyTorch's schedules drives a run."""

from __future__ import annotations

import os
import tempfile
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import torch
from torch import Tensor
from torch.distributed.pipelining import schedules as torch_schedules

from gpu_validation.devices import stream_of_its_own
from gpu_validation.errors import MeasureError, NotRunnableError
from gpu_validation.event_log import EventLog
from gpu_validation.executor import run_rank
from gpu_validation.messages import Endpoint
from gpu_validation.models import boundaries
from gpu_validation.spec import RankOutcome, RunSpec
from gpu_validation.transports.gloo import join
from gpu_validation.transports.launch import ForkedGroup, JoinedGroup, processes
from gpu_validation.transports.member import Member, Program
from gpu_validation.transports.nccl import join_with_gpu, require_gpus
from gpu_validation.transports.torch_runtime.chunks import ChunkRunner, Part, RecordedStage
from gpu_validation.workplace import Workplace
from schedules.actions import COMPUTE, among
from schedules.adapters.torch_schedules import CLASSES
from schedules.errors import ScheduleError
from schedules.families import build
from schedules.formats.pytorch_csv import write_csv
from schedules.lowering.erase import erase_messages
from schedules.schedule import Schedule

if TYPE_CHECKING:
    from torch.distributed.distributed_c10d import Store

BACKENDS: Final = "cpu:gloo,cuda:nccl"
"""What carries the tensors of a process with a GPU."""

LOADER: Final = "_PipelineScheduleRuntime"
"""PyTorch's runtime for orders that a file gives."""


def require_drivable(spec: RunSpec) -> None:
    """Refuse what PyTorch's runtime cannot do.

    Raises `NotRunnableError`: a free-running order; several pipelines; anything but computations; a
    rank without stages.
    """
    schedule = erase_messages(spec.schedule)
    placement = schedule.placement
    wrong = None
    if spec.order != "static":
        wrong = "PyTorch's runtime follows a given order, found the order 'free-running'"
    elif placement.pipelines != 1:
        wrong = f"PyTorch's runtime drives one pipeline, found {placement.pipelines}"
    elif not among(schedule.kind, COMPUTE).all():
        wrong = "PyTorch's runtime is given computations alone, found others"
    elif set(placement.ranks[0]) != set(range(schedule.ranks)):
        wrong = "PyTorch's runtime needs a stage on every rank"
    if wrong is not None:
        raise NotRunnableError(wrong, schedule.name, "take --transport gloo")


def driver_name(schedule: Schedule) -> str:
    """PyTorch's class for a schedule.

    Its own class of the family where the schedule is the one that the family generates.
    """
    if schedule.name not in CLASSES:
        return LOADER
    schedule = erase_messages(schedule)
    try:
        usual = build(
            schedule.name, schedule.ranks, schedule.microbatches, **dict(schedule.parameters)
        )
    except (ScheduleError, TypeError):
        return LOADER
    same = usual.placement.ranks == schedule.placement.ranks and all(
        np.array_equal(getattr(usual, column), getattr(schedule, column))
        for column in ("kind", "stage", "microbatch", "offsets")
    )
    return CLASSES[schedule.name].name if same else LOADER


def driver(schedule: Schedule, stages: list[Any]) -> Any:
    """PyTorch's schedule object that drives a run.

    - `stages`: those of this rank, ascending.
    """
    name = driver_name(schedule)
    single = schedule.name in CLASSES and CLASSES[schedule.name].single and name != LOADER
    made = getattr(torch_schedules, name)(
        stages[0] if single else stages, schedule.microbatches, loss_fn=_loss
    )
    if name == LOADER:
        _load(made, erase_messages(schedule))
    return made


def _load(made: Any, schedule: Schedule) -> None:
    """Give an order to PyTorch's runtime, by the file that it reads."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "order.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(write_csv(schedule))
        made._load_csv(path)


def _loss(output: Tensor, target: Tensor) -> Tensor:
    """The loss, which the last stage has computed already."""
    return output.squeeze()


def open_group(
    device: str, ranks: int, share_gpus: bool = False
) -> AbstractContextManager[ForkedGroup | JoinedGroup]:
    """Give a group of processes; they start with the first run.

    Raises `CapacityError`: no GPU for every rank of this node, where the device is ``cuda``.
    """
    if device == "cpu":
        return processes(connect, ranks)
    require_gpus(device, ranks, share_gpus)
    return processes(partial(connect_gpu, share_gpus=share_gpus), ranks)


def connect(store: Store, rank: int, ranks: int) -> Program:
    """Join the others; returns what a rank does in a run."""
    join(store, rank, ranks)
    return run


def connect_gpu(store: Store, rank: int, ranks: int, share_gpus: bool = False) -> Program:
    """The same with a GPU: what lies there travels with NCCL, and anything else with gloo."""
    device = join_with_gpu(store, rank, ranks, BACKENDS, share_gpus)

    def run_there(spec: RunSpec, member: Member, recorder: EventLog) -> RankOutcome:
        with stream_of_its_own(device):
            return run(spec, member, recorder)

    return run_there


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
        parts = [Part(self, s, spec.schedule.stages, spec.device) for s in self._mine]
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
