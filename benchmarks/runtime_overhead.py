"""A step of 1F1B on gloo: our executor against PyTorch's own runtime, in the same processes.

Run with ``python -m benchmarks.runtime_overhead``. The same ranks run, in turn,

- PyTorch's ``Schedule1F1B`` as it comes: stages with ``nn.Parameter``, an SGD step at the end;
- the same class with our stages, recorded: the transport ``torch``;
- our executor, recorded: the transport ``gloo``.

Weights, data, order, processes and the number of updates are the same. PyTorch's runtime has had
one step to set up its buffers before the one that is timed. Nothing is hashed.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, Final

import torch
from torch.distributed.pipelining import PipelineStage, Schedule1F1B

from benchmarks.measure import CELLS, Sample, main, table
from gpu_validation.event_log import EventLog
from gpu_validation.executor import START_SECONDS
from gpu_validation.models import ModelSpec, boundaries, build_stage, microbatch
from gpu_validation.run import RunSpec
from gpu_validation.spec import RankOutcome
from gpu_validation.transports import gloo
from gpu_validation.transports.launch import processes
from gpu_validation.transports.member import Member, Program
from gpu_validation.transports.torch_runtime import drivers as hooked
from schedules import build

RANKS: Final = 2
MICROBATCHES: Final = 16
RUNS: Final = 25
SIZES: Final = {"small": ModelSpec(width=32, batch=4), "large": ModelSpec(width=512, batch=64)}


def own_runtime(spec: RunSpec, member: Member, recorder: EventLog) -> RankOutcome:
    """One rank of PyTorch's 1F1B with nothing of ours in it."""
    stages, rank = spec.schedule.stages, member.rank
    shapes = boundaries(spec.model, stages)
    module: Any = build_stage(spec.model, rank, stages)
    loss = module.loss if rank == stages - 1 else None
    module = module.body if rank == stages - 1 else module
    made = [microbatch(spec.model, number) for number in range(spec.schedule.microbatches)]
    inputs, labels = (torch.cat(tensors) for tensors in zip(*made, strict=True))
    example = torch.zeros(shapes[rank - 1], requires_grad=True) if rank else made[0][0]
    stage = PipelineStage(
        module, rank, stages, torch.device("cpu"),
        input_args=(example,), output_args=(module(example),),
    )  # fmt: skip
    schedule = Schedule1F1B(
        stage, spec.schedule.microbatches, loss_fn=loss or unused, scale_grads=False
    )
    optimizer = torch.optim.SGD(module.parameters(), lr=spec.optimizer.lr)

    def step() -> float:
        began = time.monotonic()
        schedule.step(*([inputs] if rank == 0 else []), target=labels if loss is not None else None)
        optimizer.step()
        seconds = time.monotonic() - began
        optimizer.zero_grad()
        return seconds

    step()
    member.meet(START_SECONDS)
    return RankOutcome(rank, seconds=step())


def unused(*_: object) -> torch.Tensor:
    """Loss of stages that are not the last; PyTorch wants one to know that there are backwards."""
    raise AssertionError("only the last stage has a loss")


PROGRAMS: Final[dict[str, Program]] = {
    "PyTorch's runtime as it comes": own_runtime,
    "PyTorch's runtime, our stages, recorded": hooked.run,
    "our executor, recorded": gloo.run,
}


def connect(store: Any, rank: int, ranks: int) -> Program:
    """Join the others; the programs take turns, run by run."""
    gloo.connect(store, rank, ranks)
    programs = list(PROGRAMS.values())

    def run(spec: RunSpec, member: Member, recorder: EventLog) -> RankOutcome:
        return programs[member.number % len(programs)](spec, member, recorder)

    return run


def measured(model: ModelSpec) -> dict[str, Sample]:
    """Seconds of the slowest rank, by program."""
    spec = RunSpec(build("1f1b", RANKS, MICROBATCHES), "gloo", model=model, hashing="off")
    found: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    with processes(connect, RANKS) as group:
        for number in range(RUNS + 1):
            for times in found.values():
                launched = group.run(spec)
                if launched.failure is not None:
                    raise launched.failure
                if number:
                    times.append(max(outcome.seconds for outcome in launched.outcomes))
    return {name: Sample(tuple(times)) for name, times in found.items()}


def section(size: str) -> Callable[[], str]:
    """The table of one size of model."""
    model = SIZES[size]

    def made() -> str:
        found = measured(model)
        base, *others = found.values()
        pairs = [
            statistics.median(a / b for a, b in zip(other.seconds, base.seconds, strict=True))
            for other in others
        ]
        rows = [[name, *sample.cells()] for name, sample in found.items()]
        return (
            f"1f1b, p = {RANKS}, M = {MICROBATCHES}, MLP of width {model.width}, {model.batch} "
            f"samples a microbatch. Against PyTorch's runtime as it comes, median of the ratios "
            f"of neighbouring runs: {pairs[0]:.2f} with our stages in it, {pairs[1]:.2f} with our "
            f"executor.\n\n{table(['one step', *CELLS], rows)}"
        )

    return made


if __name__ == "__main__":
    # Forked ranks import this file by its name, which it does not have when it is the program.
    from benchmarks import runtime_overhead

    assert __doc__ is not None
    main(
        __doc__.splitlines()[0],
        lambda: [f"torch {torch.__version__}", *(runtime_overhead.section(s)() for s in SIZES)],
    )
