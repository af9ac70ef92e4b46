"""Whether this machine can hold a run at all, before anything is started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from gpu_validation.devices import claim_device
from gpu_validation.errors import CapacityError
from gpu_validation.models import ModelSpec, stage_bytes
from gpu_validation.options import OptimizerName
from gpu_validation.prediction import Prediction, predict
from gpu_validation.spec import CopyOfStage, Memory, RunSpec
from schedules.analysis import peaks
from schedules.schedule import Schedule

_MOMENTS: Final[dict[OptimizerName, int]] = {"sgd": 0, "momentum": 1, "adamw": 2, "nadam": 2}

GIB: Final = 1024**3


def require_capacity(spec: RunSpec) -> None:
    """Refuse what cannot fit: a missing device, or weights beyond the memory there is.

    Raises `CapacityError`: with what would be needed. Stashes and activations come on top of that.
    """
    if spec.device == "cuda":
        claim_device()
    # Ranks that share a machine share its memory; processes with GPUs have one each.
    apart = spec.device == "cuda" and spec.transport != "threads"
    free = None if apart else free_bytes(spec.device)
    needed = needed_bytes(spec)
    if free is not None and needed > free:
        placement = spec.schedule.placement
        raise CapacityError(
            f"weights, gradients and optimizer state of p = {spec.schedule.ranks} ranks with "
            f"{placement.stages} stages take {needed / GIB:.1f} GiB at least, and "
            f"{free / GIB:.1f} GiB are free",
            f"device {spec.device}",
            "take fewer stages or a smaller model, or spread the ranks over more GPUs with "
            "--transport nccl",
        )


def needed_bytes(spec: RunSpec) -> int:
    """Least memory of a run: weights, gradients and optimizer state of every weight copy.

    Examples
    --------
    >>> from schedules import build
    >>> from gpu_validation.optimizers import OptimizerSpec
    >>> plain = RunSpec(build("pipedream", 2, 4))
    >>> adam = RunSpec(build("pipedream", 2, 4), optimizer=OptimizerSpec("adamw"))
    >>> needed_bytes(adam) / needed_bytes(plain)
    2.0
    """
    rows = spec.schedule.placement.copies
    return _bytes(spec, {(stage, copy): 1 for row in rows for stage, copy in enumerate(row)})


def replay_bytes(spec: RunSpec) -> int:
    """Least memory of a replay in one thread: versions that are still read, gradients, state.

    Examples
    --------
    >>> from schedules import build
    >>> sizes = [replay_bytes(RunSpec(build("pipedream", p, 16))) for p in (1, 8)]
    >>> sizes[1] > 8 * sizes[0]
    True
    """
    return _bytes(spec, most_versions(spec.schedule))


def _bytes(spec: RunSpec, versions: Mapping[CopyOfStage, int]) -> int:
    """Size of so many versions of every weight copy, of its gradients and of its state."""
    more = 1 + _MOMENTS[spec.optimizer.name]
    stages = spec.schedule.stages
    sizes = {stage: _stage_bytes(spec.model, stage, stages) for stage, _ in versions}
    return sum(sizes[stage] * (count + more) for (stage, _), count in versions.items())


def most_versions(schedule: Schedule) -> dict[CopyOfStage, int]:
    """How many versions of every weight copy a replay keeps at most; nothing is computed."""
    found = predict(schedule)
    most = peaks(found.line).versions_by_stage
    # Who extrapolates needs the version before the newest too.
    least = 2 if found.versions.horizon else 1
    rows = schedule.placement.copies
    return {(s, copy): max(most[s], least) for row in rows for s, copy in enumerate(row)}


def _stage_bytes(model: ModelSpec, stage: int, stages: int) -> int:
    # The stages between the first and the last of a built-in model are alike.
    alike = 1 if model.built_in and 0 < stage < stages - 1 else stage
    return stage_bytes(model, alike, stages)


def free_bytes(device: str) -> int | None:
    """Free memory, None where the system does not tell.

    ``ulimit -v`` is not looked at: what a process has reserved and does not use is unknown.
    """
    if device == "cuda":
        import torch

        # Of the present device, which is the one that was claimed.
        return int(torch.cuda.mem_get_info()[0])
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            return int(rest.split()[0]) * 1024
    return None


COUNTED: Final = (
    "counted, not measured: the sizes of the tensors that the harness says it keeps; only "
    "device_peak_bytes is what an allocator measured"
)
"""What the numbers of `memory_by_stage` are."""


def memory_by_stage(
    found: Mapping[CopyOfStage, Memory], predicted: Prediction
) -> list[dict[str, Any]]:
    """A row for every weight copy of a stage, in bytes, beside the predicted counts.

    ``weights`` is the newest version, ``stash`` whatever else of versions was kept,
    ``activations`` what forwards left for backwards, ``optimizer`` its state: each at its own
    peak. ``versions`` counts versions at their peak, and ``predicted_versions`` what the schedule
    needs at least.
    """
    kept = peaks(predicted.line)
    return [
        {
            "stage": stage,
            "copy": copy,
            **asdict(memory),
            "total": memory.weights + memory.stash + memory.activations + memory.optimizer,
            "predicted_versions": kept.versions_by_stage[stage],
            "predicted_activations": kept.activations_by_stage[stage],
        }
        for (stage, copy), memory in sorted(found.items())
    ]


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory does not suffice, on the host or on a device."""
    says = str(error).lower()
    told = ("out of memory", "can't allocate", "memoryerror", "can't start new thread")
    return isinstance(error, MemoryError) or any(words in says for words in told)
