"""One rank of a run, from building its stages to handing over what it found."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeAlias

import torch

from gpu_validation.event_log import EventLog
from gpu_validation.messages import Endpoint
from gpu_validation.profiling import of_rank
from gpu_validation.runner import Runner
from gpu_validation.spec import RankOutcome, RunSpec
from gpu_validation.workplace import Workplace

START_SECONDS: Final = 300.0
"""Time that the ranks have to build their stages."""

Make: TypeAlias = Callable[[RunSpec, Endpoint, EventLog, Workplace], Runner]
"""Makes what carries the actions of a rank out."""


def run_rank(
    spec: RunSpec, endpoint: Endpoint, recorder: EventLog, make: Make = Runner
) -> RankOutcome:
    """Run the program of one rank.

    On a GPU, call it on the stream that the rank is to use.

    - `spec`: runnable: see `gpu_validation.run.require_runnable`.
    - `endpoint`: knows the rank. It is left open.
    - `recorder`: holds what was recorded also when an error is raised.
    - `make`: makes what carries the actions out.
    - raises `StoppedError`, `RankHangError`: as the endpoint.
    - raises `MeasureError`: whatever goes wrong in the rank itself; errors of torch pass through.
    """
    recorder.doing = "builds its stages"
    if spec.device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    rank = endpoint.rank
    workplace = Workplace(spec, rank)
    runner = make(spec, endpoint, recorder, workplace)
    recorder.doing = "waits for all ranks to have built their stages"
    endpoint.meet(START_SECONDS)
    with of_rank(spec, rank) as profiles:
        began, cpu_began = time.monotonic(), time.thread_time()
        runner.run()
        seconds, cpu_seconds = time.monotonic() - began, time.thread_time() - cpu_began
    recorder.doing = "hands its results over"
    return RankOutcome(
        rank,
        recorder.finish(),
        workplace.final_weights(),
        workplace.memory(),
        {m: float(loss.item()) for m, loss in runner.losses.items()},
        torch.cuda.max_memory_allocated() if spec.device == "cuda" else 0,
        seconds,
        cpu_seconds,
        profiles[0] if profiles else None,
    )
