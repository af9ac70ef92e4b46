"""What a rank does in a run that PyTorch's runtime drives."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import torch
import torch.distributed as dist

from gpu_validation.errors import MeasureError
from gpu_validation.executor import START_SECONDS
from gpu_validation.models import boundaries
from gpu_validation.recorder import Recorder
from gpu_validation.spec import RankOutcome, RunSpec
from gpu_validation.transports.member import Member, Program
from gpu_validation.transports.torch_runtime.chunks import ChunkRunner, Part, RecordedStage
from gpu_validation.transports.torch_runtime.drivers import driver
from gpu_validation.workplace import Workplace

if TYPE_CHECKING:
    from torch.distributed.distributed_c10d import Store

PATIENCE: Final = timedelta(days=7)
"""Of gloo itself; how long a rank may take is watched from outside."""


def connect(store: Store, rank: int, ranks: int) -> Program:
    """Join the others; returns what a rank does in a run."""
    dist.init_process_group("gloo", store=store, rank=rank, world_size=ranks, timeout=PATIENCE)
    return run


def run(spec: RunSpec, member: Member, recorder: Recorder) -> RankOutcome:
    """Run the program of one rank.

    Raises
    ------
    StoppedError, RankHangError
        As `gpu_validation.transports.member.Member`.
    MeasureError
        Whatever goes wrong in the rank itself; errors of torch pass through.
    """
    recorder.doing = "builds its stages"
    workplace = Workplace(spec, member.rank)
    runner = ChunkRunner(spec, member, recorder, workplace)
    shapes = boundaries(spec.model, spec.schedule.stages)
    mine = sorted(stage for stage, _ in workplace.stages)
    parts = [Part(runner, stage, spec.schedule.stages) for stage in mine]
    made = driver(spec.schedule, [RecordedStage(part, shapes) for part in parts])
    recorder.doing = "waits for all ranks to have built their stages"
    member.meet(START_SECONDS)
    runner.wait()
    numbers = torch.arange(spec.schedule.microbatches)
    last = mine[-1] == spec.schedule.stages - 1
    began = time.monotonic()
    try:
        made.step(*([numbers] if mine[0] == 0 else []), target=numbers if last else None)
    except Exception as error:
        raise _own(error) from error
    runner.finish()
    seconds = time.monotonic() - began
    recorder.doing = "hands its results over"
    return RankOutcome(
        member.rank,
        recorder.finish(),
        workplace.final_weights(),
        workplace.memory(),
        {m: float(loss.item()) for m, loss in runner.losses.items()},
        0,
        seconds,
    )


def _own(error: Exception) -> Exception:
    """The error that PyTorch's runtime has wrapped in others, if it is one of ours."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, MeasureError):
            return inner
        inner = inner.__cause__ or inner.__context__
    return error
