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


def inference(p: int, M: int) -> Document:
    """What ``InferenceSchedule.steps()`` of DeepSpeed yields: two buffers in turn."""
    return _document(p, M, [[_inferred(p, M, s, k) for k in range(M + p - 1)] for s in range(p)], 2)


def _inferred(p: int, M: int, stage: int, step: int) -> list[Any]:
    into, out = (step + stage) % 2, (step + stage + 1) % 2
    microbatch = step - stage
    comes, went = 0 <= microbatch < M, 0 <= microbatch - 1 < M
    found = [_on("LoadMicroBatch", into)] if comes and stage in (0, p - 1) else []
    sends = [_on("SendActivation", out)] if went and stage < p - 1 else []
    receives = [_on("RecvActivation", into)] if comes and stage > 0 else []
    found += [*receives, *sends] if stage % 2 else [*sends, *receives]
    return [*found, *([_on("ForwardPass", into)] if comes else [])]


def zero_bubble(p: int, M: int) -> Document:
    """Megatron-DeepSpeed's ZB-H1: stage s starts s weight gradients late."""
    return _document(p, M, [_postponing(p, M, s) for s in range(p)], None)


def _postponing(p: int, M: int, stage: int) -> list[list[Any]]:
    buffers = p - stage
    steps: list[list[Any]] = []
    forward = backward = weight = 0
    warm = min(buffers - 1, M)
    while backward < M or forward < M:
        found: list[Any] = []
        goes, returns = forward < M, len(steps) >= warm
        if goes:
            found += [_on("RecvActivation", forward % buffers)] if stage else []
            found += [_on("LoadMicroBatch", forward % buffers)] if stage in (0, p - 1) else []
            found += [_on("ForwardPass", forward % buffers)]
        if returns and stage < p - 1:
            found += [_on("RecvGrad", backward % buffers)]
        if goes and stage < p - 1:
            found += [_on("SendActivation", forward % buffers)]
        if returns:
            whole = stage == 0
            found += [_on("BackwardPass" if whole else "BackwardOnlyPass", backward % buffers)]
            found += [_on("SendGrad", backward % buffers)] if stage else []
            if backward >= stage and not whole:
                found += [["WeightPass", {}]]
                weight += 1
        forward, backward = forward + goes, backward + returns
        steps.append(found)
    steps += [[["WeightPass", {}]] for _ in range(M - weight if stage else 0)]
    return [*steps, [["ReduceTiedGrads", {}], ["ReduceGrads", {}], ["OptimizerStep", {}]]]


def _on(name: str, buffer: int) -> list[Any]:
    return [name, {"buffer_id": buffer}]


def _document(p: int, M: int, ranks: list[Any], buffers: int | None) -> Document:
    return {
        "micro_batches": M,
        "stages": p,
        "ranks": [
            {"stage_id": s, "num_pipe_buffers": buffers or p - s, "steps": steps}
            for s, steps in enumerate(ranks)
        ],
    }
