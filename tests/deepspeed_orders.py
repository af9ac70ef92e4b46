"""DeepSpeed's training order, with a chosen number of buffers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Document = dict[str, Any]


def stated(p: int, M: int) -> Callable[[int], int]:
    """Buffers that DeepSpeed gives each stage."""
    return lambda stage: max(2, min(p - stage, M))


def training(p: int, M: int, buffers: Callable[[int], int] | None = None) -> Document:
    """What ``TrainSchedule.steps()`` of DeepSpeed 0.19.8 yields, if a stage has `buffers`."""
    count = buffers or stated(p, M)
    return {
        "micro_batches": M,
        "stages": p,
        "ranks": [
            {"stage_id": s, "num_pipe_buffers": count(s), "steps": _steps(p, M, s, count(s))}
            for s in range(p)
        ],
    }


def _steps(p: int, M: int, stage: int, buffers: int) -> list[list[Any]]:
    steps, last = [], 2 * (M + p - 1) - 1
    before = -1

    def order(name: str, microbatch: int, wanted: bool) -> list[Any]:
        there = wanted and 0 <= microbatch < M
        return [[name, {"buffer_id": microbatch % buffers}]] if there else []

    for step in range(last + 1):
        forward = step % 2 == stage % 2
        microbatch = (step - stage) // 2 if forward else (step + stage + 1) // 2 - p
        ends = stage in (0, p - 1)
        if forward:
            found = order("SendGrad", before, stage > 0)
            found += order("RecvActivation", microbatch, stage > 0)
            found += order("LoadMicroBatch", microbatch, ends)
            found += order("ForwardPass", microbatch, True)
        else:
            found = order("RecvGrad", microbatch, stage < p - 1)
            found += order("SendActivation", before, stage < p - 1)
            found += order("BackwardPass", microbatch, True)
        if step == last:
            found += [["ReduceTiedGrads", {}], ["ReduceGrads", {}], ["OptimizerStep", {}]]
        steps.append(found)
        before = microbatch
    return steps
