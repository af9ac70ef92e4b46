"""Peak memory of every stage, by purpose: what was kept, and what the schedule says is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpu_validation.prediction import Prediction
from gpu_validation.spec import CopyOfStage, Memory
from schedules.analysis import peaks

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

    Examples
    --------
    >>> from schedules import build
    >>> from gpu_validation.prediction import predict
    >>> rows = memory_by_stage({(0, 0): Memory(weights=8)}, predict(build("gpipe", 1, 3)))
    >>> rows[0]["weights"], rows[0]["predicted_versions"], rows[0]["predicted_activations"]
    (8, 1, 3)
    """
    kept = peaks(predicted.line)
    return [
        {
            "stage": stage,
            "copy": copy,
            "weights": memory.weights,
            "stash": memory.stash,
            "activations": memory.activations,
            "optimizer": memory.optimizer,
            "total": memory.weights + memory.stash + memory.activations + memory.optimizer,
            "versions": memory.versions,
            "predicted_versions": kept.versions_by_stage[stage],
            "predicted_activations": kept.activations_by_stage[stage],
        }
        for (stage, copy), memory in sorted(found.items())
    ]


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory does not suffice, on the host or on a device.

    Examples
    --------
    >>> out_of_memory(MemoryError()), out_of_memory(RuntimeError("shapes differ"))
    (True, False)
    """
    says = str(error).lower()
    told = ("out of memory", "can't allocate", "memoryerror", "can't start new thread")
    return isinstance(error, MemoryError) or any(words in says for words in told)
