"""The published table of pipeline schedules in PyTorch, and what this machine can say about it.

Source: "Pipeline Parallelism in PyTorch", profiled on GPUs with DistilBERT: naive, GPipe and 1F1B,
by hand and with ``torch.distributed.pipelining``. Its memory is the allocator's peak, averaged over
ranks; its shares are of kernel time. Run here: the same schedules with the same samples a step,
naive as one uncut batch; then once more under the profiler, for the shares of a rank's run. Times
of stages that share a device are never presented as those of a pipeline: without a core or a GPU
for every rank shares are `NOT_MEASURED`.

``python -m gpu_validation.seed_table -p 4 -m 8 [--device cuda]`` prints the table as JSON. On GPUs
rows by hand run over NCCL where there is one for every rank and as threads of one otherwise;
PyTorch's share GPUs then.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from gpu_validation.communication import Shares, blind, unmeasured
from gpu_validation.communication import shares as shares_of
from gpu_validation.devices import claim_device
from gpu_validation.environment import cores, environment
from gpu_validation.files import json_text
from gpu_validation.models import ModelSpec
from gpu_validation.optimizers import OptimizerSpec
from gpu_validation.options import DEVICES, whole
from gpu_validation.run import RunResult, run
from gpu_validation.spec import RunSpec
from gpu_validation.timing import NOT_MEASURED
from schedules.errors import ScheduleError
from schedules.families import build

SCHEMA: Final = "staleproof-seed-table/1"

Row: TypeAlias = tuple[str, str]
"""Implementation and schedule."""


@dataclass(frozen=True)
class Published:
    """A row of the source; None where it gives no number. Memory: peak, averaged over ranks."""

    implementation: str
    schedule: str
    memory_megabytes: int | None = None
    communication_share: float | None = None
    compute_utilisation: float | None = None
    overlap: float | None = None

    @property
    def key(self) -> Row:
        """What names it."""
        return self.implementation, self.schedule


PUBLISHED: Final = (
    Published("scratch", "naive", 1250, communication_share=0.68),
    Published("scratch", "gpipe"),
    Published("scratch", "1f1b", 596),
    Published("pytorch", "gpipe", 1990, compute_utilisation=0.59, overlap=0.15),
    Published("pytorch", "1f1b", 900, compute_utilisation=0.59),
)

PUBLISHED_RATIOS: Final = {"scratch": 0.5, "pytorch": 0.45}
"""Memory of 1F1B over that of GPipe: "roughly half", and 900 MB over 1.99 GB."""

_COLUMNS: Final = {
    "communication_share": "share",
    "compute_utilisation": "computation",
    "overlap": "overlap",
}
"""Columns of the source, and our words for what they hold."""

_NOTES: Final = {
    "scratch": (),
    "pytorch": ("memory is that of the stages, PyTorch's own buffers are not counted",),
}

_OF_RUN: Final = "shares are of the run of a rank, and not of kernel time"


def specification(
    row: Published, ranks: int, microbatches: int, model: ModelSpec, gpus: int | None = None
) -> RunSpec:
    """What to run for a row; naive takes the samples of a step as one microbatch.

    With a number of GPUs it runs there; with fewer than ranks, ranks share them.
    """
    transport = _transport(row.implementation, ranks, gpus)
    cut = 1 if row.schedule == "naive" else microbatches
    batch = model.batch * microbatches // cut
    return RunSpec(
        build(row.schedule, ranks, cut),
        transport=transport,
        device="cpu" if gpus is None else "cuda",
        share_gpus=transport == "torch" and gpus is not None and gpus < ranks,
        model=ModelSpec(model.name, model.width, model.depth, batch, model.length, model.seed),
        optimizer=OptimizerSpec("adamw"),
        hashing="off",
    )


def _transport(implementation: str, ranks: int, gpus: int | None) -> str:
    if implementation == "pytorch":
        return "torch"
    if gpus is None:
        return "gloo"
    return "nccl" if gpus >= ranks else "threads"


def table(
    ranks: int, microbatches: int, model: ModelSpec, gpus: int | None = None
) -> dict[str, Any]:
    """Run what can be run, and set it beside the published numbers."""
    memory: dict[Row, float] = {}
    shares: dict[Row, Shares] = {}
    why: dict[Row, str] = {}
    for row in PUBLISHED:
        spec = specification(row, ranks, microbatches, model, gpus)
        try:
            memory[row.key] = mean_peak(run(spec))
            shares[row.key] = profiled(spec, cores())
        except ScheduleError as error:
            why[row.key] = str(error)
    return {
        "schema": SCHEMA,
        "ranks": ranks,
        "microbatches": microbatches,
        "model": {"name": model.name, "width": model.width, "depth": model.depth},
        "rows": rows(memory, shares, why),
        "environment": environment("cpu" if gpus is None else "cuda"),
    }


def profiled(spec: RunSpec, available: int | None) -> Shares:
    """Communication share and overlap of a schedule, if its stages run side by side here.

    - `spec`: with a process for every rank.
    - `available`: cores of this process.
    """
    ranks = spec.schedule.ranks
    unseen = blind(spec.transport, spec.device, spec.share_gpus)
    if unseen is not None:
        return unmeasured(unseen)
    if spec.device == "cpu" and (available is None or available < ranks):
        count = "an unknown number of" if available is None else available
        return unmeasured(
            f"{ranks} ranks share {count} cores, so the times are not those of stages that run "
            "side by side"
        )
    found = run(replace(spec, profile=True)).profiles
    return shares_of(found, found, spec.transport)


def mean_peak(result: RunResult) -> float:
    """Peak bytes of a rank: weights, stash, activations and optimizer, averaged over ranks."""
    peaks = [m.weights + m.stash + m.activations + m.optimizer for m in result.memory.values()]
    if not any(peaks):
        raise ScheduleError("this transport does not measure memory", "memory", "take another")
    return sum(peaks) / result.spec.schedule.ranks


def rows(
    memory: Mapping[Row, float], shares: Mapping[Row, Shares], why: Mapping[Row, str]
) -> list[dict[str, Any]]:
    """Published and measured side by side."""
    return [_row(row, memory, shares.get(row.key, Shares()), why) for row in PUBLISHED]


def _row(
    row: Published, memory: Mapping[Row, float], found: Shares, why: Mapping[Row, str]
) -> dict[str, Any]:
    ratio = PUBLISHED_RATIOS[row.implementation] if row.schedule == "1f1b" else None
    described, peak = found.described(), memory.get(row.key)
    return {
        "implementation": row.implementation,
        "schedule": row.schedule,
        "published": {"memory_megabytes": row.memory_megabytes, "memory_over_gpipe": ratio}
        | {column: getattr(row, column) for column in _COLUMNS},
        "measured": {
            "memory_bytes": NOT_MEASURED if peak is None else round(peak),
            "memory_over_gpipe": _ratio(memory, row.key),
            **{column: described[name] for column, name in _COLUMNS.items()},
        },
        "why": why.get(row.key) or _why(row, found),
    }


def _why(row: Published, found: Shares) -> str:
    """What the numbers of a row are, and why others are missing."""
    reasons = dict.fromkeys(
        reason for name, reason in found.why_not.items() if name in _COLUMNS.values()
    )
    shown = [] if found.share is None else [_OF_RUN]
    return "; ".join([*_NOTES[row.implementation], *shown, *reasons])


def _ratio(memory: Mapping[Row, float], key: Row) -> float | str:
    base = memory.get((key[0], "gpipe"))
    return round(memory[key] / base, 3) if key in memory and base else NOT_MEASURED


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m gpu_validation.seed_table")
    parser.add_argument("-p", metavar="RANKS", type=whole("-p", 2), default=4)
    parser.add_argument("-m", metavar="MICROBATCHES", type=whole("-m", 2), default=8)
    parser.add_argument("--width", metavar="N", type=whole("--width"), default=64)
    parser.add_argument("--device", choices=DEVICES, default="cpu")
    chosen = parser.parse_args(arguments)
    gpus = None
    if chosen.device == "cuda":
        claim_device()
        import torch

        gpus = torch.cuda.device_count()
    model = ModelSpec("transformer", width=chosen.width, depth=2, batch=2, length=32)
    print(json_text(table(chosen.p, chosen.m, model, gpus)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
